from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import (
    MANIFEST,
    CellsFile,
    FigureFiles,
    Folder,
    Manifest,
    TableFiles,
    find_results,
    read_folder,
    results_folders,
)
from quadrepro.results.pages.index import write_report
from quadrepro.results.results import load_results
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits, score_text
from tests.results.pages.made import ERRORS, cells, make_folder, manifest, run


def test_cells_are_the_splits_of_every_entry(folder: Folder) -> None:
    errors = {place: tuple(s.errors for s in found) for place, found in folder.cells.items()}
    assert errors == ERRORS
    split = folder.cells["wine", "adaboost"][1]
    assert (split.value, split.n_test, split.seconds) == (0.2, 100, 0.5)
    assert split.chosen == {"n_rounds": 6}


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
    ("name", "old", "new", "fault"),
    [
        (
            "cells.csv",
            "100,0.4,",
            "100,many,",
            "cells.csv:2: value: Input should be a valid number",
        ),
        ("cells.csv", '"{""n_rounds"": 5}"', "[[" * 50_000, "cells.csv:2: "),
        ("cells.csv", "100,0.4,", "100,,", "cells.csv:2: a cell has a value if, and only if, its"),
        ("cells.csv", "40,100,", "40,,", "cells.csv:2: errors need the number of test examples"),
        ("verdicts.csv", "0.52", "unclear", "verdicts.csv:4: could not convert"),
        ("verdicts.csv", "0.4,0.48", "nan,0.48", "verdicts.csv:2: low: nan is not a finite"),
        ("verdicts.csv", "0.44,0.4,", ",,", "verdicts.csv:2: a verdict needs our number"),
        ("verdicts.csv", "quantity", "what", "'quantity'; quadrepro table small writes"),
        ("score.csv", "0.15", "few", "score.csv:2: expected outside: Input should be a valid"),
        ("claims.csv", "holds in print", "print", "unknown column 'holds in print'"),
        ("run.json", '"seed"', "seed", "run.json: Invalid JSON: "),
        ("run.json", '"sha256:aa"', "[1]", "run.json: data.monks: Input should be a valid str"),
        ("run.json", '"cells": 12', '"cells": "x"', "computed.0.cells"),
    ],
)
def test_damage_is_named_with_file_and_line(
    folder: Folder, name: str, old: str, new: str, fault: str
) -> None:
    path = folder.path / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(DataError, match=re.escape(fault)):
        read_folder(folder.path).check()


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
    settings = {"path": str(folder), "code": "raise SystemExit"}
    algorithm = {"name": "ada", "algorithm": path, "settings": settings}
    (folder / "run.json").write_text(run(algorithms=[algorithm]))
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


WHOLE = Manifest(
    tables={
        "times": TableFiles(key="times", title="T: ∞", files=("times.md",), timed=True),
        "risks": TableFiles(key="risks", title="R", files=("risks.md",), timed_rows=("Time",)),
    },
    figures={"times": FigureFiles(key="times", files=("times.svg",), timed=True)},
    cells=CellsFile(file="cells.csv", timed_columns=("seconds",)),
)


def changed(**fields: Any) -> str:
    """Return a manifest with other fields."""
    return json.dumps(WHOLE.model_dump(mode="json") | fields)


def test_a_manifest_comes_back_as_it_was_written_in_the_same_order(tmp_path: Path) -> None:
    WHOLE.write(tmp_path)
    found = read_folder(tmp_path).manifest
    assert found == WHOLE
    assert [*found.tables] == ["times", "risks"]
    text = (tmp_path / MANIFEST).read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert "T: ∞" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Invalid JSON"),
        ("{}", "tables: Field required"),
        (changed(tables={"risks": {}}), "tables.risks.key"),
    ],
)
def test_a_damaged_one_is_named_with_its_fault(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(DataError) as caught:
        read_folder(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / MANIFEST}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "..", "."])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    whole = WHOLE.model_dump(mode="json")
    tables, figures = whole["tables"], whole["figures"]
    for key, content in (
        ("cells", whole["cells"] | {"file": name}),
        ("tables", {name: tables["risks"]}),
        ("tables", {"risks": tables["risks"] | {"files": [name]}}),
        ("figures", {name: figures["times"]}),
        ("figures", {"times": figures["times"] | {"files": [name]}}),
        ("score", name),
    ):
        (tmp_path / MANIFEST).write_text(changed(**{key: content}))
        with pytest.raises(DataError, match=f"{name!r} is not the name of a file in this folder"):
            read_folder(tmp_path)


def test_a_file_is_listed_once(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(changed(score="risks.md"))
    with pytest.raises(DataError, match=r"'risks\.md' is listed twice"):
        read_folder(tmp_path)


def test_a_huge_folder_is_refused_with_its_largest_file(tmp_path: Path) -> None:
    WHOLE.write(tmp_path)
    with (tmp_path / "risks.md").open("wb") as file:
        file.truncate(6 * 2**30)
    with pytest.raises(
        DataError, match=r"have 6,144 MiB, of which risks\.md has 6,144 MiB; at most 512"
    ):
        read_folder(tmp_path)


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


SPLITS = [0.20, 0.25, 0.22, 0.21, 0.24]


def verdicts(name: str, *printed: str) -> Verdicts:
    entries = [Verdict("wine", f"column {i}", "risk", text) for i, text in enumerate(printed)]
    return Verdicts.of(name, [(of_further_splits(e, SPLITS), SPLITS) for e in entries])


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    found = tmp_path / "results" / "one"
    cells = CellsFile(file="cells.csv", timed_columns=())
    Manifest(tables={}, figures={}, cells=cells, score="score.csv").write(found)
    once = Verdicts.of("table2", [(Verdict("wine", "a", "risk", "0.1", reason="one split"), [])])
    text = score_text([verdicts("table1", "0.220", "0.230", "0.900"), once])
    (found / "score.csv").write_text(text)
    return found


def test_scores_are_read_as_they_are_written(scored: Path) -> None:
    first, second = read_folder(scored).scores
    misses = verdicts("table1", "0.220", "0.230", "0.900").misses
    assert (first.inside, first.outside, first.not_comparable, first.judged) == (2, 1, 0, 3)
    assert first.expected == pytest.approx(misses.expected)
    assert (first.low, first.high) == (misses.low, misses.high)
    assert first.p_more == pytest.approx(misses.p_more)
    assert first.surely_off == (("wine", "column 2"),)
    assert (second.judged, second.not_comparable, second.expected) == (0, 1, None)


def test_a_name_with_any_punctuation_is_one_name(scored: Path) -> None:
    ours = [(of_further_splits(Verdict("monks; one, two", "a, b", "risk", "0.9"), SPLITS), SPLITS)]
    (scored / "score.csv").write_text(score_text([Verdicts.of("table1", ours)]))
    assert read_folder(scored).scores[0].surely_off == (("monks; one, two", "a, b"),)


def test_a_damaged_file_of_scores_is_refused(scored: Path) -> None:
    score = scored / "score.csv"
    score.write_text(score.read_text().replace(",3,2,", ",three,2,"))
    with pytest.raises(DataError, match=r"score\.csv:2: numbers: Input should be a valid integer"):
        _ = read_folder(scored).scores


def test_an_interval_of_no_width_puts_a_number_far_off() -> None:
    judged = Verdict("wine", "a", "RMSE", "0.3", ours=0.2, low=0.2, high=0.2, p_value=0.0)
    assert judged.word == "outside"
    assert np.isinf(judged.position or 0.0)


def test_judged_numbers_need_what_chance_brings(scored: Path) -> None:
    path = scored / "score.csv"
    header, first, *_ = path.read_text().splitlines()
    for kept in (5, 8, 9):
        path.write_text(f"{header}\n{','.join(first.split(',')[:kept])}{',' * (11 - kept)}[]\n")
        with pytest.raises(DataError, match=r"score\.csv:2: .*expected by chance are missing"):
            _ = read_folder(scored).scores
