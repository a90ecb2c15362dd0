from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages.index import write_report
from quadrepro.results.results import load_results
from tests.results.pages.made import ERRORS, cells, make_folder, manifest


def test_cells_are_the_splits_of_every_entry(folder: Folder) -> None:
    assert {place: tuple(s.errors for s in found) for place, found in folder.cells.items()} == (
        ERRORS
    )
    split = folder.cells["wine", "adaboost"][1]
    assert (split.value, split.n_test, split.chosen, split.seconds) == (
        0.2,
        100,
        {"n_rounds": 6},
        0.5,
    )


def test_a_cell_without_a_result_says_how_it_ended(tmp_path: Path) -> None:
    rows = {("monks", "quadboost"): (1, None)}
    found = read_folder(make_folder(tmp_path, cells__csv=cells(rows))).cells
    assert [s.value for s in found["monks", "quadboost"]] == [0.01, None]
    assert found["monks", "quadboost"][1].reason == "too slow"


@pytest.mark.parametrize(
    "name", ["run__json", "cells__csv", "verdicts__csv", "score__csv", "claims__csv", "notes__md"]
)
def test_a_file_that_is_not_there_is_empty(tmp_path: Path, name: str) -> None:
    found = read_folder(make_folder(tmp_path, **{name: None}))
    found.check()
    assert found.text(name.replace("__", ".")) == ""


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            "cells.csv",
            "100,0.4,",
            "100,many,",
            r"cells\.csv:2: value: Input should be a valid number",
        ),
        ("cells.csv", '"{""n_rounds"": 5}"', "[[" * 50_000, r"cells\.csv:2: "),
        ("verdicts.csv", "0.52", "unclear", r"verdicts\.csv:4: could not convert"),
        ("verdicts.csv", "0.4,0.48", "nan,0.48", r"verdicts\.csv:2: low: nan is not a finite"),
        ("verdicts.csv", "0.44,0.4,", ",,", r"verdicts\.csv:2: a verdict needs our number"),
        (
            "verdicts.csv",
            "quantity",
            "what",
            r"unknown column 'quantity'; quadrepro table small writes",
        ),
        ("score.csv", "0.15", "few", r"score\.csv:2: expected outside: Input should be a valid"),
        ("claims.csv", "holds in print", "print", r"unknown column 'holds in print'"),
        (
            "cells.csv",
            "100,0.4,",
            "100,,",
            r"cells\.csv:2: a cell has a value if, and only if, its",
        ),
        ("cells.csv", "40,100,", "40,,", r"cells\.csv:2: errors need the number of test examples"),
        ("run.json", '"seed"', "seed", r"run\.json: Invalid JSON: .* line 1 column"),
        ("run.json", '"sha256:aa"', "[1]", r"run\.json: data\.monks: Input should be a valid str"),
        (
            "run.json",
            '"computed": [{"cells": 12',
            '"computed": [{"cells": "x"',
            r"computed\.0\.cells",
        ),
    ],
)
def test_damage_is_named_with_file_and_line(
    folder: Folder, name: str, old: str, new: str, message: str
) -> None:
    path = folder.path / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    again = read_folder(folder.path)
    with pytest.raises(DataError, match=message):
        again.check()


def test_run_json_must_be_a_mapping(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Input should be an object"):
        read_folder(make_folder(tmp_path, run__json="[1]")).check()


def test_a_folder_without_tables_json_is_no_results_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not a results folder: it has no tables\.json"):
        read_folder(tmp_path)


def test_only_files_of_the_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    found = read_folder(make_folder(tmp_path / "small"))
    assert found.text("../secret.md") == ""
    (tmp_path / "small" / "link.md").symlink_to(tmp_path / "secret.md")
    assert found.text("link.md") == ""
    assert found.text("risks.md").startswith("## Small")


@pytest.mark.parametrize("tables", ["null", "[1]", '{"claims": 3}'])
def test_the_config_in_run_json_is_data_of_any_shape(tmp_path: Path, tables: str) -> None:
    config = '{"title": "T", "unknown": 1, "algorithms": [{"algorithm": "mine_run:make"}]'
    text = f'{{"config": {config}, "tables": {tables}}}, "titles": {{"ada": 3}}, "more": 1}}'
    found = read_folder(make_folder(tmp_path, run__json=text)).run
    assert (found.title, found.paper, found.titles) == ("T", "", {"ada": "3"})
    assert found.claims == ("3" if "claims" in tables else "")


@pytest.mark.parametrize(
    "path", ["mine_run:make", "test.support:run_in_subinterp", "test.support.os_helper:rmtree"]
)
def test_nothing_that_a_results_folder_names_is_imported(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_folder(tmp_path / "small")
    (folder / "mine_run.py").write_text("raise SystemExit")
    run = json.loads((folder / "run.json").read_text())
    settings = {"path": str(folder), "code": "raise SystemExit"}
    run["config"]["algorithms"] = [{"name": "ada", "algorithm": path, "settings": settings}]
    (folder / "run.json").write_text(json.dumps(run))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    known = {*sys.modules}
    write_report(folder)
    load_results(folder)
    assert not [name for name in {*sys.modules} - known if name.startswith(("mine", "test."))]
    assert (folder / "run.json").exists()


def test_a_table_is_no_larger_than_an_experiment_can_be(tmp_path: Path) -> None:
    rows = {(f"row {i}", f"column {i}"): (1,) for i in range(400)}
    found = read_folder(make_folder(tmp_path / "a", cells__csv=cells(rows)))
    with pytest.raises(DataError, match=r"cells\.csv: a table of 400 rows and 400 columns is too"):
        found.check()
    claims = "claim,timed,ours,holds,printed,holds in print\n" + "a,,,,,\n" * 100_001
    found = read_folder(make_folder(tmp_path / "b", claims__csv=claims))
    with pytest.raises(DataError, match=r"claims\.csv:100002: at most 100,000 rows are read"):
        found.check()


def test_a_folder_is_called_by_its_own_name_without_run_json(tmp_path: Path) -> None:
    made = make_folder(tmp_path / "mine", run__json=None, tables__json=manifest())
    assert read_folder(made).title == "mine"
