from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.results.folder import Folder, read_folder
from tests.results.pages.made import make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return read_folder(make_folder(tmp_path / "out" / "small"))
