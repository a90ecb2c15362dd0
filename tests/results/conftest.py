from __future__ import annotations

from pathlib import Path

import pytest

from tests.results.made import make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "out" / "small")
