"""Where results go and are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quadrepro.base.resources import configs_folder
from quadrepro.cli.options import Common
from tests.results.made import make_folder

BY_CONFIG = Common(data=None, out=None, repeats=None)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_results_of_configs_that_ship_go_to_build_and_others_to_results(folder: Path) -> None:
    shipped = configs_folder() / "quickstart.yaml"
    copy = Path(shutil.copy(shipped, folder))
    assert BY_CONFIG.out_of("table1", shipped, copy) == Path("build")
    copy.write_text(copy.read_text() + "repeats: 2\n")
    assert BY_CONFIG.out_of(copy) == BY_CONFIG.out_of("table1", copy) == Path("results")
    own = folder / "own.yaml"
    own.write_bytes(shipped.read_bytes())
    assert BY_CONFIG.out_of(own) == Path("results")
    assert Common(None, Path("here"), None).out_of("table1", own) == Path("here")


def test_committed_results_are_found_until_there_are_others(folder: Path) -> None:
    make_folder(folder / "results" / "table1")
    assert BY_CONFIG.results_of("table1") == Path("results")
    assert Common(None, Path("here"), None).results_of("table1") == Path("here")
    make_folder(folder / "build" / "table1")
    assert BY_CONFIG.results_of("table1") == Path("build")
    assert BY_CONFIG.results_of("quickstart") == Path("results")
