"""What the tests of file formats share: writing a file, and reading it or the refusal of it."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.data.source import FileLayout
from quadrepro.data.sources.formats import Frame, read_file
from quadrepro.errors import DataError

Save = Callable[..., Path]


def zipped(members: dict[str, bytes | str]) -> bytes:
    """Return an archive of files by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def images(pixels: list[list[list[int]]]) -> bytes:
    """Return images as MNIST's files have them."""
    array = np.array(pixels, dtype=np.uint8)
    return struct.pack(">4i", 2051, *array.shape) + array.tobytes()


def labels(*classes: int) -> bytes:
    return struct.pack(">2i", 2049, len(classes)) + bytes(classes)


def cells(frame: Frame) -> list[list[object]]:
    return [column.tolist() for column in frame.columns]


def read(path: Path, kind: str = "csv", member: str = "", **layout: Any) -> Frame:
    return read_file(path, FileLayout.model_validate({"format": kind, **layout}), member)


def refusal(path: Path, kind: str = "csv", member: str = "", **layout: Any) -> str:
    """Return what is said of a file, without the folder."""
    with pytest.raises(DataError) as error:
        read(path, kind, member, **layout)
    text = str(error.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text.replace(str(path), path.name)
