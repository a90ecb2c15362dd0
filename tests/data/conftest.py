"""Files that a test writes by name."""

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
