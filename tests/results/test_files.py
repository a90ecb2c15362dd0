from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.results.files import FigureFormat, environments, mixture, provenance, write_results
from quadrepro.results.results import Results
from quadrepro.tables.made import check_tables
from quadrepro.tables.table import LABEL

Write = Callable[..., Results]

CONFIG = """title: One
repeats: 2
protocol: {{view: quadboost, folds: 0}}
datasets: [monks]
algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}, {{name: quadboost, grid: {{n_rounds: 5}}}}]
{}
"""
ALWAYS = {"cells.csv", "tables.json", "run.json", "errors.md", "errors.csv"}
COMPARED = {"comparisons.md", "comparisons.csv"}


@pytest.fixture
def plan(tmp_path: Path) -> Callable[[str], Plan]:
    """Return a function that plans a config."""

    def write(text: str) -> Plan:
        path = tmp_path / "one.yaml"
        path.write_text(text)
        experiment = load_experiment(path)
        check_tables(experiment)
        return make_plan(experiment)

    return write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes the results of a plan."""

    def write(plan: Plan, *records: Record, figures: FigureFormat = "svg") -> Results:
        store = RecordStore(tmp_path / "records")
        for record in records:
            store.put(record)
        return write_results(plan, store, tmp_path / "results", figures=figures)

    return write


def names(results: Results) -> set[str]:
    return {path.name for path in results.folder.iterdir()}


def test_an_own_comparison_writes_few_files(plan: Callable[[str], Plan], write: Write) -> None:
    text = CONFIG.format("metrics: [balanced_error, auc]")
    own = plan(text)
    results = write(own, *map(run_cell, own.cells))
    assert names(results) == ALWAYS | COMPARED
    assert results.run.conclusion.startswith("Best by risk: ")
    sides = [results.run.conclusion in table.notes for table in results.made.values()]
    assert sides == [True, False]


PRINTED = CONFIG.replace("[monks]", "[{{name: monks, printed: spambase}}]").format(
    "paper: ebboost\ntables: {errors: table1, claims: table1}"
)


def test_figures_can_be_pdf_and_an_earlier_format_is_removed(
    plan: Callable[[str], Plan], write: Write
) -> None:
    own = plan(CONFIG.format("tables: {scatter: quadboost}"))
    records = [*map(run_cell, own.cells)]
    assert write(own, *records).figures["scatter"].name == "scatter.svg"
    found = write(own, *records, figures="pdf")
    assert found.figures["scatter"].read_bytes().startswith(b"%PDF")
    assert "scatter.svg" not in names(found)


def test_outputs_that_the_config_no_longer_asks_for_are_removed_and_nothing_else(
    plan: Callable[[str], Plan], write: Write
) -> None:
    own = plan(PRINTED)
    results = write(own, *map(run_cell, own.cells))
    (results.folder / "notes.md").write_text("by hand")
    claims, verdicts = ({f"{n}.md", f"{n}.csv"} for n in ("claims", "verdicts"))
    rest = {"score.csv", "notes.md"} | COMPARED
    assert names(results) == ALWAYS | claims | verdicts | rest
    assert names(write(plan(CONFIG.format("")))) - COMPARED == ALWAYS | {"notes.md"}


DRAWN = """title: Drawn
repeats: 2
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets: [{name: m1, as: numbers}, {name: orange, as: classes}]
algorithms: [{name: boosting, grid: {n_rounds: [1, 2]}}]
metrics: [auc, mae]
"""


def test_cells_have_errors_or_rmse_and_each_metric(
    plan: Callable[[str], Plan], write: Write
) -> None:
    own = plan(DRAWN)
    records = {(c.dataset, c.algorithm, c.repeat): run_cell(c) for c in own.cells}
    place = "numbers", "boosting", 0
    ok = records[place]
    records[place] = Record(ok.key, "failed", content=ok.content, message="too slow")
    results = write(own, *records.values())
    rows = {
        (row["dataset"], row["algorithm"], int(row["repeat"])): row
        for row in csv.DictReader((results.folder / "cells.csv").read_text().splitlines())
    }
    assert [*rows[place].values()][3:] == [
        "failed",
        *[""] * 5,
        "too slow",
        "",
        "",
    ]
    counted, number = rows["classes", "boosting", 1], rows["numbers", "boosting", 1]
    record = records["classes", "boosting", 1]
    assert int(counted["errors"]) == record.errors
    assert float(counted["value"]) == pytest.approx(record.errors / record.n_test, rel=1e-7)
    assert counted["chosen"] == '{"n_rounds": 2}'
    assert (number["errors"], number["auc"]) == ("", "")
    rmse = records["numbers", "boosting", 1].rmse
    assert float(number["value"]) == pytest.approx(rmse, rel=1e-7)
    assert float(number["mae"]) > 0


def made(date: str, numpy: str = "2.4.6", commit: str = "abc", dirty: bool = False) -> Record:
    environment = {
        "versions": {"numpy": numpy},
        "git": {"commit": commit, "dirty": dirty},
        "processor": {"machine": "x86_64"},
    }
    return Record(f"key of {date}", "ok", date=date, environment=environment)


def test_run_json_holds_what_was_asked_for_and_how_the_cells_were_computed(
    small_config: Callable[..., Path],
) -> None:
    records = [made("2026-01-03", "1"), made("2026-01-02"), made("2026-01-01")]
    found = provenance(make_plan(load_experiment(small_config())), records)
    assert found.experiment == "small"
    assert found.seed == found.config["seed"] == 7
    assert {*found.data} == {"monks", "people"}
    first, second = found.computed
    assert (first["cells"], first["first"], first["last"]) == (2, "2026-01-01", "2026-01-02")
    assert (second["cells"], second["versions"]) == (1, {"numpy": "1"})


def test_a_table_says_if_its_cells_were_not_all_computed_alike() -> None:
    alike = [made("2026-01-01"), made("2026-01-02", commit="def")]
    assert mixture(environments(alike)) == ""
    note = mixture(environments([*alike, made("2026-01-03", "1")]))
    assert note.startswith(f"{LABEL}Cells were computed with 2 sets of packages or processors")
    dirty = environments([alike[0], made("2026-01-02", dirty=True)])
    assert mixture(dirty) == f"{LABEL}1 cells were computed by code that was not committed."
