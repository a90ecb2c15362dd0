"""What the tests of file formats share: writing a file, and reading it or the refusal of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.data.canonical import Frame
from quadrepro.data.sources.formats import read_file
from quadrepro.data.sources.schema import FileLayout
from quadrepro.errors import DataError

Save = Callable[[str, bytes | str], Path]


def cells(frame: Frame) -> list[list[object]]:
    return [column.tolist() for column in frame.columns]


def refusal(path: Path, layout: FileLayout, member: str = "") -> str:
    """Return what is said of a file, without the folder."""
    with pytest.raises(DataError) as error:
        read_file(path, layout, member)
    text = str(error.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text.replace(str(path), path.name)
