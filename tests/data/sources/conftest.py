"""Files that a test writes by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.sources.files import Save


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Return a function that writes a file of a name."""

    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
