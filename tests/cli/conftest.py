from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import SMALL
from tests.make import quadrepro


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the small config and, in results, the files of a run over two splits."""
    folder = tmp_path_factory.mktemp("run")
    config = folder / "small.yaml"
    config.write_text(SMALL)
    words = ("run", config, "--jobs", 1, "--repeats", 2, "--out", folder / "results")
    result = quadrepro(*words)
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def computed(small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with a config that was run over two splits, and return the config."""
    shutil.copytree(small_run, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "small.yaml"
