"""All files of a results folder, whichever cells have a result: none, one, a row, a column, all."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.cell import Cell, rmse
from quadrepro.engine.records import Record, RecordStore, Status
from quadrepro.results.results import Results, load_results
from quadrepro.results.scoreboard import write_scoreboard
from quadrepro.results.writer import write_results
from quadrepro.tables.kinds import check_tables
from quadrepro.tables.render import to_terminal

CONFIGS = {
    "rows": """title: Rows
paper: ebboost
repeats: 2
protocol: {view: quadboost}
datasets: [{name: monks, printed: a5a}, {name: wine, printed: splice}]
readings: [{name: third, protocol: {split: {train: 0.3}}}]
algorithms:
  - {name: adaboost, grid: {n_rounds: [5, 10]}}
  - {name: ebboost, grid: {n_rounds: 5, lam: 1}}
baseline: true
metrics: [auc]
tables:
  errors: table1
  margins: {printed: table2, panels: [{row: monks}]}
  claims: table1
  readings: {means: table1, margins: table2}
  ranking: true
  scatter: ebboost
""",
    "one split": """title: One split
paper: quadboost
protocol: {view: quadboost}
datasets: [monks, wine]
algorithms:
  - {name: quadboost, grid: {n_rounds: 5}}
  - {name: lpboost, grid: {C: 1}}
  - {name: adaboost, grid: {n_rounds: 5}}
tables: {errors: table1, comparisons: table2, claims: table1, ranking: true}
""",
    "one row": """title: One row
repeats: 2
protocol: {view: default}
datasets: [wine]
algorithms: [{name: quadboost, grid: {n_rounds: 5}}, {name: adaboost, grid: {n_rounds: 5}}]
metrics: [error, auc, f1]
tables: {scatter: adaboost}
""",
    "sweep": """title: Sweep
repeats: 2
protocol: {view: quadboost, folds: 0, measures: [train_error, test_error]}
datasets: [monks]
sweeps: [{over: protocol.noise.deviation, values: [0, 0.1], as: noise}]
algorithms: [{name: adaboost, grid: {n_rounds: [5, 6]}}, {name: quadboost, grid: {n_rounds: 5}}]
tables:
  differences: [adaboost, quadboost]
  times: true
  curves:
    panels:
      - {measures: [train_error, test_error]}
      - {measures: [train_error], scale: log}
      - {measures: [test_error], scale: -log}
""",
    "numbers": """title: Numbers
paper: rescale
repeats: 2
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets: [{name: m1, as: m1 0}, {name: m2, as: m2 0}]
algorithms: [{name: boosting, grid: {n_rounds: 2}}, {name: rboosting, grid: {n_rounds: 2}}]
metrics: [mae, r2]
tables: {errors: table1, noiseless: table1, claims: table1, scatter: boosting, ranking: true}
""",
    "one row of numbers": """title: One row of numbers
repeats: 2
protocol: {view: default}
datasets: [diabetes]
algorithms: [{name: boosting, grid: {n_rounds: 2}}, {name: rboosting, grid: {n_rounds: 2}}]
metrics: [r2]
tables: {errors: ""}
""",
}

GAPS: dict[str, Callable[[Cell, tuple[Cell, ...]], bool]] = {
    "nothing": lambda cell, cells: False,
    "one cell": lambda cell, cells: cell is cells[-1],
    "one column": lambda cell, cells: cell.algorithm == cells[1].algorithm,
    "one repeat": lambda cell, cells: cell.repeat == 0,
    "all but one cell": lambda cell, cells: cell is not cells[0],
    "everything, all alike": lambda cell, cells: True,
}
"""Which cells have a result."""

MANY_CELLS = ("rows", "sweep")
FEW_CELLS_GAPS = ("nothing", "all but one cell", "everything, all alike")

WITHOUT: tuple[Status, ...] = ("timeout", "failed", "crashed", "missing")


def outcome(cell: Cell, experiment: Experiment, alike: bool) -> Record:
    """Return a possible record of a cell, without computing it."""
    rng = np.random.default_rng([cell.repeat, *map(ord, cell.algorithm)])
    row = next(row for row in experiment.config.rows if row.title == cell.dataset)
    classes = row.item.card.classes_of(row.view)
    n_train, _, n = cell.source.sizes
    most = 0.0 if alike else 0.5
    measures = {m: rng.uniform(0, most, sum(map(len, cell.grids))) for m in cell.protocol.measures}
    fields: dict[str, Any]
    if classes:
        actual = np.arange(n) % len(classes)
        wrong = np.zeros(n, dtype=bool) if alike else rng.random(n) < 0.2
        predicted = np.where(wrong, (actual + 1) % len(classes), actual)
        margins = np.full(n_train, 0.5) if alike else rng.uniform(-1, 1, n_train)
        fields = {
            "errors": int(wrong.sum()),
            "classes": classes,
            "actual": actual,
            "predicted": predicted,
            "scores": rng.normal(size=(n, len(classes))[: len(classes) - 1]),
            "margins": margins if cell.learner.gives_votes else None,
        }
    else:
        actual = np.ones(n) if alike else rng.normal(size=n)
        predicted = actual if alike else rng.normal(size=n)
        measures["rmse_noiseless"] = np.array([rmse(predicted, actual)])
        fields = {"rmse": rmse(predicted, actual), "actual": actual, "predicted": predicted}
    return Record(
        cell.key,
        "ok",
        n_test=n,
        chosen=cell.grids[0].candidates[0],
        measures={name: values.tolist() for name, values in measures.items()},
        seconds=0.0 if alike else float(rng.random()),
        **fields,
    )


class Kept(RecordStore):
    """A store of some records."""

    def __init__(self, plan: Plan, gap: str) -> None:
        super().__init__(Path())
        self.records = {}
        for i, cell in enumerate(plan.cells):
            if GAPS[gap](cell, plan.cells):
                self.records[cell.key] = outcome(cell, plan.experiment, gap.endswith("alike"))
            elif (status := WITHOUT[i % len(WITHOUT)]) != "missing":
                self.records[cell.key] = Record(cell.key, status, message="Error: ended early")

    def get(self, key: str) -> Record | None:
        return self.records.get(key)


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Plan]:
    """Return a function that makes the plan of one of the configs."""

    @cache
    def plan_of(name: str) -> Plan:
        path = tmp_path_factory.mktemp("config") / "config.yaml"
        path.write_text(CONFIGS[name])
        experiment = load_experiment(path)
        check_tables(experiment)
        return make_plan(experiment)

    return plan_of


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        (name, gap)
        for name, gap in product(CONFIGS, GAPS)
        if gap in FEW_CELLS_GAPS or name in MANY_CELLS
    ],
)
def test_all_files_are_written_whatever_has_a_result(
    plans: Callable[[str], Plan], name: str, gap: str, tmp_path: Path
) -> None:
    folder, store = tmp_path / "results" / "config", Kept(plans(name), gap)
    results = write_results(plans(name), store, folder.parent)
    manifest = Results(folder).manifest
    assert {path.name for path in folder.iterdir()} >= {*manifest.files, "cells.csv", "run.json"}
    load_results(folder).report()
    write_scoreboard(folder.parent)
    assert len(load_results(folder).cells) == len(plans(name).cells)
    texts = {"terminal": to_terminal(next(iter(results.made.values())), 80)}
    for path in folder.iterdir():
        if path.suffix in (".md", ".csv", ".svg"):
            texts[path.name] = path.read_text(encoding="utf-8")
    no_number = re.compile(r"(?<![a-z])nan(?![a-z])", re.IGNORECASE)
    assert not [file for file, text in texts.items() if no_number.search(text)]
    # Numbers to read have no exponents.
    tables = {file: text for file, text in texts.items() if file.endswith((".md", "terminal"))}
    assert not [file for file, text in tables.items() if re.search(r"\d[eE][-+]?\d\d", text)]
