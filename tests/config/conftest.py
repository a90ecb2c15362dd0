from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def edited(small_config: Callable[..., Path]) -> Callable[[dict[str, str]], Path]:
    """Return a function that writes the small config with texts replaced by others."""

    def write(changes: dict[str, str]) -> Path:
        path = small_config()
        text = path.read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new, 1)
        path.write_text(text)
        return path

    return write
