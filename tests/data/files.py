"""Contents of files that several tests write."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

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
