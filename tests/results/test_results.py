from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import quadrepro
from quadrepro.data.card import write_card
from quadrepro.data.inspection import inspect_file
from quadrepro.engine.records import Record, RecordStore
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.page import Page, page_html, write_report
from quadrepro.results.results import Results, load_results, results_folders
from quadrepro.results.run import MANIFEST
from quadrepro.results.writer import provenance
from quadrepro.stats import Repeats
from quadrepro.tables.judge import SCORE_HEADER, PrintedNumber, Verdict, Verdicts, judge, score_text
from tests.make import config, plan_of
from tests.results.made import ERRORS, make_folder

TABLES = {f"{name}.{end}" for name in ("errors", "comparisons") for end in ("md", "csv")}
FILES = {"cells.csv", "tables.json", "run.json"} | TABLES
BOTH = [{"name": name, "grid": {"n_rounds": [5, 10]}} for name in ("adaboost", "quadboost")]


def reproduced(out: Path, **changes: Any) -> Results:
    return quadrepro.reproduce(config(**changes), jobs=1, out=out, progress=False)


def names(results: Results) -> set[str]:
    return {path.name for path in results.folder.iterdir()}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return an own comparison, which no test may change."""
    people = {"name": "titanic", "as": "people"}
    keys = {"repeats": 2, "datasets": ["monks", people], "metrics": ["balanced_error", "auc"]}
    return reproduced(tmp_path_factory.mktemp("results"), algorithms=BOTH, **keys)


def test_examples_are_one_row_per_test_example_and_count_the_errors(results: Results) -> None:
    examples, place = results.examples, ["dataset", "algorithm", "repeat"]
    counted = examples.groupby(place)["wrong"].agg(["sum", "size"]).reset_index()
    merged = results.cells.merge(counted, on=place)
    assert len(merged) == len(results.cells) == 2 * 2 * 2
    assert (merged["sum"] == merged["errors"]).all()
    assert (merged["size"] == merged["n_test"]).all()
    np.testing.assert_allclose(merged["value"], merged["errors"] / merged["n_test"], rtol=1e-7)
    assert set(examples["label"]) == set(examples["predicted"]) == {-1, 1}
    assert ((examples["label"] != examples["predicted"]) == examples["wrong"]).all()


def test_examples_name_lines_of_the_file() -> None:
    sizes = [7, 3, 9, 1, 5, 8, 2, 6]
    lines = [f"{size},{'large' if size > 4 else 'small'}" for size in sizes]
    Path("own.csv").write_text("\n".join(["size,kind", *lines, ""]))
    write_card(inspect_file(Path("own.csv"), "kind", positive="large"), Path("datasets/own.yaml"))
    protocol = {"view": "default", "folds": 0, "split": {"outer": 2}}
    examples = reproduced(Path(), datasets=["own"], protocol=protocol, repeats=2).examples
    labels = ["large" if size > 4 else "small" for size in sizes]
    assert {*examples["row"]} == {*range(2, 10)}
    assert all(
        (label == 1) == (labels[row - 2] == "large")
        for row, label in zip(examples["row"], examples["label"], strict=True)
    )


def test_an_own_comparison_writes_few_files_and_shows_the_first_table(results: Results) -> None:
    assert names(results) == FILES
    assert results.run.conclusion.startswith("Best by risk over 2 data sets: ")
    sides = [results.run.conclusion in table.notes for table in results.made.values()]
    assert sides == [True, False]
    text = repr(results)
    assert text.startswith((results.folder / "errors.md").read_text())
    assert f"tables: errors, comparisons\nfolder: {results.folder}" in text
    assert "<table>" in results._repr_html_()
    assert "tables: errors, comparisons" in results._repr_html_()
    with pytest.raises(ConfigError, match="has no table 'error'; did you mean 'errors'"):
        results.table("error")


def test_a_folder_reads_back_as_it_was_written_but_for_the_examples(results: Results) -> None:
    loaded = load_results(results.folder)
    assert loaded.tables == results.tables
    assert loaded.figures == {}
    assert loaded.cells.equals(results.cells)
    assert loaded.cells["chosen"][1]["n_rounds"] in (5, 10)
    assert all(frame.empty for frame in (loaded.verdicts, loaded.claims, loaded.scores))
    written = pd.read_csv(results.folder / "comparisons.csv", dtype=str, keep_default_na=False)
    assert loaded.comparisons.equals(written)
    pairs = loaded.comparisons[loaded.comparisons["algorithm"] != loaded.comparisons["against"]]
    assert {*pairs["algorithm"]} == {*pairs["against"]} == {"adaboost", "quadboost"}
    assert pd.to_numeric(pairs["p adjusted"]).between(0, 1).all()
    data = loaded.table("errors").data.set_index(["dataset", "algorithm", "quantity"])["mean"]
    mean = loaded.cells.groupby(["dataset", "algorithm"])["value"].mean()
    place = ("monks", "adaboost")
    assert data[(*place, "risk")] == pytest.approx(mean[place])
    with pytest.raises(ConfigError, match=r"call quadrepro\.reproduce"):
        _ = loaded.examples


def test_only_files_that_the_config_no_longer_asks_for_are_removed(tmp_path: Path) -> None:
    monks = [{"name": "monks", "printed": "spambase"}]
    tables = {"errors": "table1", "claims": "table1"}
    keys = {"paper": "ebboost", "datasets": monks, "tables": tables}
    results = reproduced(tmp_path, repeats=2, algorithms=BOTH, **keys)
    (results.folder / "notes.md").write_text("by hand")
    printed = {f"{name}.{end}" for name in ("claims", "verdicts") for end in ("md", "csv")}
    kept = FILES | {"notes.md"}
    assert names(results) == kept | printed | {"score.csv"}
    assert names(reproduced(tmp_path, repeats=2, algorithms=BOTH)) == kept


def test_cells_have_errors_or_rmse_and_each_metric(tmp_path: Path) -> None:
    keys = {
        "protocol": {"view": "default", "sample": {"train": 20, "test": 30}, "folds": 0},
        "datasets": [{"name": "m1", "as": "numbers"}, {"name": "orange", "as": "classes"}],
        "algorithms": [{"name": "boosting", "grid": {"n_rounds": [1, 2]}}],
        "metrics": ["auc", "mae"],
    }
    reproduced(tmp_path, repeats=2, **keys)
    store = RecordStore(tmp_path / "records")
    first, second, _, last = (store.get(cell.key) for cell in plan_of(2, **keys).cells)
    store.put(Record(first.key, "failed", content=first.content, message="too slow"))
    results = reproduced(tmp_path, repeats=2, **keys)
    text = (results.folder / "cells.csv").read_text()
    failed, number, *_, counted = csv.DictReader(text.splitlines())
    assert ",".join(failed.values()) == "numbers,boosting,0,failed,,,,,,too slow,,"
    assert int(counted["errors"]) == last.errors
    assert float(counted["value"]) == pytest.approx(last.errors / 30, rel=1e-7)
    assert counted["chosen"] == json.dumps(last.chosen)
    assert (number["errors"], number["auc"], counted["mae"]) == ("", "", "")
    assert float(number["value"]) == pytest.approx(second.rmse, rel=1e-7)
    assert float(number["mae"]) > 0
    numbers = results.examples.query("dataset == 'numbers' and algorithm == 'boosting'")
    assert (numbers["error"] == numbers["predicted"] - numbers["actual"]).all()
    errors = numbers[numbers["repeat"] == 1]["error"]
    assert np.sqrt((errors**2).mean()) == pytest.approx(second.rmse, rel=1e-7)
    # Rows of a fresh sample are not in a file.
    assert results.examples["row"].isna().all()


def test_run_json_holds_the_config_and_how_the_cells_were_computed() -> None:
    records = [
        Record(date, "ok", date=date, environment={"versions": {"numpy": numpy}})
        for date, numpy in (("2026-01-03", "1"), ("2026-01-02", "2"), ("2026-01-01", "2"))
    ]
    run = provenance(plan_of(datasets=["monks", "titanic"]), records)
    assert run.experiment == "small"
    assert run.seed == run.config["seed"] == 7
    assert {*run.data} == {"monks", "titanic"}
    first, second = run.computed
    assert (first["cells"], first["first"], first["last"]) == (2, "2026-01-01", "2026-01-02")
    assert (second["cells"], second["versions"]) == (1, {"numpy": "1"})


def test_a_folder_has_cells_verdicts_claims_and_scores(folder: Path) -> None:
    results = load_results(folder)
    errors = results.cells.groupby(["dataset", "algorithm"])["errors"].agg(tuple).to_dict()
    assert errors == ERRORS
    assert [*results.verdicts["printed"]] == ["0.43", "0.09", "0.01", "0.52", "0.28"]
    assert [*results.verdicts["p"].isna()] == [False, False, False, False, True]
    judgements = results.claims[["timed", "judgement", "judgement on print"]].to_numpy().tolist()
    assert judgements == [[False, "undecided", "supported"], [False, "", ""]]
    assert results.scores["outside after holm"][0] == [("monks", "adaboost")]
    assert results.comparisons.empty
    assert results.figures == {"curves": folder / "curves.svg"}
    assert results.title == "Small"


CHOSEN, PLACES = '"{""n_rounds"": 5}"', '"[[""monks"", ""adaboost""]]"'


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("cells.csv", "100,0.4,", "100,many,", "cells.csv, row 1, column 'value': 'many' is not a"),
        ("cells.csv", CHOSEN, "[[" * 50_000, "cells.csv, column 'chosen': Invalid JSON"),
        ("cells.csv", "dataset,", "data,", "cells.csv: the column 'dataset' is missing"),
        ("cells.csv", "quadboost,0,", "quadboost,0,1,1,1,1,", "cells.csv is damaged: "),
        ("cells.csv", "0.5,", "0.5,\n" + "a,,,,,\n" * 100_000, "at most 100,000 are read"),
        ("verdicts.csv", "0.52", "Infinity", "verdicts.csv, row 4, column 'printed': 'Infinity'"),
        ("score.csv", PLACES, "[1]", "column 'outside after holm': Input should"),
        ("run.json", '"seed"', "seed", "run.json: Invalid JSON: "),
        ("run.json", '"sha256:aa"', "[1]", "run.json: data.monks: Input should be a valid str"),
        (MANIFEST, '"title"', '"titel"', "tables.json: tables.errors: unknown key 'titel'"),
        (MANIFEST, "curves.svg", "../x.svg", "figures.0: String should match pattern"),
        (MANIFEST, '"errors"', '".."', "String should match pattern"),
    ],
)
def test_damage_has_file_and_place(folder: Path, name: str, old: str, new: str, fault: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    with pytest.raises(DataError, match=re.escape(fault)):
        page_html(Results(folder))


@pytest.mark.parametrize("tables", ["null", "[1]", '{"claims": 3}'])
def test_the_config_in_run_json_is_data_of_any_shape(tmp_path: Path, tables: str) -> None:
    config = '{"title": "T", "unknown": 1, "datasets": {"a": 1}, "protocol": 3'
    text = f'{{"config": {config}, "tables": {tables}}}, "titles": {{"ada": 3}}, "more": 1}}'
    folder = make_folder(tmp_path / "mine", run__json=text)
    results = load_results(folder)
    assert (results.title, results.name, results.run.titles) == ("T", "mine", {"ada": "3"})
    assert results.run.claims == ("3" if "claims" in tables else "")
    write_report(folder)


def test_a_notebook_runs_nothing_of_a_table_of_a_stranger(folder: Path) -> None:
    (folder / "errors.md").write_text("<script>alert(1)</script>\n\n| <b>a |\n|--|\n")
    assert not re.search("<script|<b>", load_results(folder)._repr_html_())


def test_results_folders_are_found_by_their_list_of_tables(tmp_path: Path) -> None:
    out = tmp_path / "out"
    make_folder(out / "small")
    make_folder(out / "other")
    (out / "records").mkdir()
    assert [folder.name for folder in results_folders(out)] == ["other", "small"]
    assert results_folders(out / "nowhere") == []
    (out / "small" / MANIFEST).write_text(json.dumps({"tables": {}}))
    with pytest.raises(ConfigError, match="holds no table"):
        load_results(out / "small")


def test_scores_are_read_as_they_are_written(folder: Path) -> None:
    ours, place = Repeats([0.20, 0.25, 0.22, 0.21, 0.24]), ("monks; one, two", "a, b", "risk")
    printed = [PrintedNumber(text) for text in ("0.220", "0.900")]
    judged = Verdicts("table1", tuple(judge(number, ours).at(*place) for number in printed))
    once = Verdicts("table2", (Verdict("0.1", reason="one split").at("wine", "a", "risk"),))
    (folder / "score.csv").write_text(score_text([judged, once]))
    first, second = Results(folder).scores.to_dict("records")
    assert [*first] == [*SCORE_HEADER]
    assert [*first.values()][2:5] == [1, 1, 0]
    assert first["expected outside"] == pytest.approx(judged.misses.expected)
    assert first["p"] == pytest.approx(judged.misses.p_value, rel=1e-7)
    assert first["outside after holm"] == [("monks; one, two", "a, b")]
    assert (second["inside"], second["not comparable"]) == (0, 1)
    assert np.isnan(second["p"])
    assert (second["deviations inside"], second["deviations outside"]) == (0, 0)


def test_the_best_method_of_a_page_is_that_of_its_conclusion(tmp_path: Path) -> None:
    small = [{"name": name, "grid": {"n_rounds": 5}} for name in ("adaboost", "quadboost")]
    big = {"name": "big", "algorithm": "adaboost", "grid": {"n_rounds": 100}}
    protocol = {"view": "quadboost", "split": {"train": 0.5}}
    keys: dict[str, Any] = {"datasets": ["monks", "titanic", "tictactoe"], "protocol": protocol}
    keys["algorithms"] = [*small, big]
    store = RecordStore(tmp_path / "a" / "records")
    # It is the best on the only data set where it has all results.
    for cell in plan_of(4, **keys).cells:
        if (cell.algorithm, cell.repeat) == ("big", 1) and cell.dataset != "tictactoe":
            store.put(Record(cell.key, "failed", content=cell.content, message="too slow"))
    lacking = reproduced(tmp_path / "a", repeats=4, **keys)
    # The values of a sweep are no further data sets.
    keys["algorithms"] = [small[0], big]
    sweep = {"over": "protocol.split.train", "values": [0.02, 0.03, 0.5], "as": "train"}
    swept = reproduced(tmp_path / "b", repeats=4, seed=2, sweeps=[sweep], **keys)
    [best] = re.findall(r"data sets: (.*?) \(", swept.run.conclusion)
    # Of methods that tie, none is the best alone.
    ties = "Best by risk over 3 data sets, 2 methods of equal mean rank: AdaBoost, QuadBoost."
    assert lacking.run.conclusion.startswith(ties)
    for results, line in ((lacking, ties), (swept, f"Best: {best}.")):
        assert Page(Results(results.folder), None).lines[0] == line
