"""Files that a test writes by name, and a folder for data sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.tables import Save


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Return a function that writes a file."""

    def write(content: bytes | str, name: str = "my.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder for data sets."""
    made = tmp_path / "data"
    made.mkdir()
    return made
