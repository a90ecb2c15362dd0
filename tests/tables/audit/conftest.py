from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder of its own, where papers are written."""
    monkeypatch.chdir(tmp_path)
