from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.results.files import FigureFormat, provenance, write_results
from quadrepro.results.results import Results

CONFIG = """title: One
repeats: 2
protocol: {{view: quadboost, folds: 0}}
datasets: [monks]
algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}, {{name: quadboost, grid: {{n_rounds: 5}}}}]
{}
"""
PRINTED = CONFIG.replace("[monks]", "[{{name: monks, printed: spambase}}]").format(
    "paper: ebboost\ntables: {errors: table1, claims: table1}"
)
FILES = {
    *("cells.csv", "tables.json", "run.json", "errors.md", "errors.csv"),
    *("comparisons.md", "comparisons.csv"),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Results]:
    """Return a function that computes and writes a config; it can change the records before."""

    def write(
        text: str,
        change: Callable[[Record], Record] = lambda of: of,
        figures: FigureFormat = "svg",
    ) -> Results:
        path = tmp_path / "one.yaml"
        path.write_text(text)
        plan, store = make_plan(load_experiment(path)), RecordStore(tmp_path / "records")
        for cell in plan.cells:
            if store.get(cell.key) is None:
                store.put(change(run_cell(cell)))
        return write_results(plan, store, tmp_path / "results", figures=figures)

    return write


def names(results: Results) -> set[str]:
    return {path.name for path in results.folder.iterdir()}


def test_an_own_comparison_writes_few_files(write: Callable[..., Results]) -> None:
    results = write(CONFIG.format("metrics: [balanced_error, auc]"))
    assert names(results) == FILES
    assert results.run.conclusion.startswith("Best by risk: ")
    sides = [results.run.conclusion in table.notes for table in results.made.values()]
    assert sides == [True, False]


def test_files_that_the_config_no_longer_asks_for_are_removed_and_nothing_else(
    write: Callable[..., Results],
) -> None:
    results = write(PRINTED)
    (results.folder / "notes.md").write_text("by hand")
    printed = {f"{name}.{end}" for name in ("claims", "verdicts") for end in ("md", "csv")}
    kept = FILES | {"notes.md"}
    assert names(results) == kept | printed | {"score.csv"}
    assert names(write(CONFIG.format(""))) == kept


def test_figures_can_be_pdf_and_an_earlier_format_is_removed(
    write: Callable[..., Results],
) -> None:
    text = CONFIG.format("tables: {scatter: quadboost}")
    assert write(text).figures["scatter"].name == "scatter.svg"
    found = write(text, figures="pdf")
    assert found.figures["scatter"].read_bytes().startswith(b"%PDF")
    assert "scatter.svg" not in names(found)


DRAWN = """title: Drawn
repeats: 2
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets: [{name: m1, as: numbers}, {name: orange, as: classes}]
algorithms: [{name: boosting, grid: {n_rounds: [1, 2]}}]
metrics: [auc, mae]
"""


def test_cells_have_errors_or_rmse_and_each_metric(write: Callable[..., Results]) -> None:
    kept: list[Record] = []

    def fail_first(of: Record) -> Record:
        kept.append(of)
        bad = Record(of.key, "failed", content=of.content, message="too slow")
        return bad if len(kept) == 1 else of

    results = write(DRAWN, fail_first)
    text = (results.folder / "cells.csv").read_text()
    failed, number, *_, counted = csv.DictReader(text.splitlines())
    assert [*failed.values()][:4] == ["numbers", "boosting", "0", "failed"]
    assert [*failed.values()][4:] == ["", "", "", "", "", "too slow", "", ""]
    assert int(counted["errors"]) == kept[-1].errors
    assert float(counted["value"]) == pytest.approx(kept[-1].errors / 30, rel=1e-7)
    assert counted["chosen"] == json.dumps(kept[-1].chosen)
    assert (number["errors"], number["auc"], counted["mae"]) == ("", "", "")
    assert float(number["value"]) == pytest.approx(kept[1].rmse, rel=1e-7)
    assert float(number["mae"]) > 0


def made(date: str, numpy: str) -> Record:
    return Record(f"key of {date}", "ok", date=date, environment={"versions": {"numpy": numpy}})


def test_run_json_holds_what_was_asked_for_and_how_the_cells_were_computed(
    small_config: Callable[..., Path],
) -> None:
    records = [made(f"2026-01-0{day}", numpy) for day, numpy in ((3, "1"), (2, "2"), (1, "2"))]
    found = provenance(make_plan(load_experiment(small_config())), records)
    assert found.experiment == "small"
    assert found.seed == found.config["seed"] == 7
    assert {*found.data} == {"monks", "people"}
    first, second = found.computed
    assert (first["cells"], first["first"], first["last"]) == (2, "2026-01-01", "2026-01-02")
    assert (second["cells"], second["versions"]) == (1, {"numpy": "1"})
