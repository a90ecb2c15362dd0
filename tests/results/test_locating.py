from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.errors import ConfigError
from quadrepro.results.folder import find_results, results_folders


@pytest.fixture
def out(tmp_path: Path) -> Path:
    for name in ("small", "other"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "tables.json").touch()
    (tmp_path / "out" / "records").mkdir()
    return tmp_path / "out"


def test_results_folders_are_those_with_a_manifest(out: Path) -> None:
    assert [folder.name for folder in results_folders(out)] == ["other", "small"]
    assert results_folders(out / "nowhere") == []


def test_results_are_found_by_folder_by_name_and_by_file(out: Path, tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text("title: Small")
    assert find_results(str(out / "small"), Path("elsewhere")) == (out / "small", None)
    assert find_results("small", out) == (out / "small", None)
    assert find_results(str(config), out) == (out / "small", tmp_path)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("smal", "unknown config or results folder 'smal'; did you mean 'small'"),
        ("tabel1", "did you mean 'table1'"),
        ("quickstart", "holds no results of quickstart; quadrepro run quickstart computes them"),
        ("{out}", r"is not a results folder: it has no tables\.json"),
    ],
)
def test_results_that_are_not_there_are_refused_with_a_way_out(
    out: Path, what: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        find_results(what.format(out=out), out)
