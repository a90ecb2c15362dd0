"""The committed results, as records again as far as they go.

``cells.csv`` has every cell's errors and seconds, ``curves.csv`` the mean of every curve at full
precision, ``noiseless.csv`` the mean RMSEs without noise. A mean takes the place of the numbers of
its splits, so claims on means find the numbers they found when the results were written.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from quadrepro.config.config import Experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record

RESULTS = Path(__file__).resolve().parents[2] / "results"


def read(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def committed_outcomes(folder: Path, experiment: Experiment, data: Path) -> Outcomes:
    """Return records of an experiment with all that a results folder keeps of them."""
    records, grids = {}, {}
    for cell in read(folder / "cells.csv"):
        record = Record("k", "ok", n_test=int(cell["n_test"]), seconds=float(cell["seconds"]))
        assert cell["status"] == "ok"
        if cell["errors"]:
            record = replace(record, errors=int(cell["errors"]))
        else:
            record = replace(record, rmse=float(cell["value"]))
        records[cell["dataset"], cell["algorithm"], int(cell["repeat"])] = record
    measures = _curves(folder / "curves.csv") | _noiseless(folder / "noiseless.csv")
    for (row, column, repeat), record in records.items():
        of_cell, grid = measures.get((row, column), ({}, Grid.of({})))
        records[row, column, repeat] = replace(record, measures=of_cell)
        grids[row, column, repeat] = (grid,)
    config = experiment.config
    # A plan of one repeat knows the rows; its cells are not needed.
    once = replace(experiment, config=config.model_copy(update={"repeats": 1}))
    tested = defaultdict(list)
    for (row, _, _), record in records.items():
        tested[row].append(record.n_test)
    sources = make_plan(once, data).sources
    return Outcomes(
        tuple(sources),
        tuple(column.name for column in experiment.columns),
        config.repeats,
        records,
        grids,
        own_rows=config.own_rows,
        test_shares={row: sources[row].test_share(fmean(of)) for row, of in tested.items()},
    )


Measures = dict[tuple[str, str], tuple[dict[str, list[float]], Grid]]


def _curves(path: Path) -> Measures:
    if not path.is_file():
        return {}
    lines = defaultdict(list)
    for line in read(path):
        lines[line.pop("dataset"), line.pop("algorithm")].append(line)
    kept = defaultdict(set)
    for (_, algorithm), of_place in lines.items():
        kept[algorithm] |= {name for line in of_place for name, value in line.items() if value}
    found: Measures = {}
    for place, of_place in lines.items():
        along, *names = of_place[0]
        at = [float(line[along]) for line in of_place if line[along]]
        measures = {
            name: [float(line[name] or "nan") for line in of_place]
            for name in names
            if not name.endswith(" sd") and name in kept[place[1]]
        }
        found[place] = (measures, Grid.of({along: at} if at else {}))
    return found


def _noiseless(path: Path) -> Measures:
    if not path.is_file():
        return {}
    found: Measures = {}
    for line in read(path):
        measures = {"rmse_noiseless": [float(line["mean"])]}
        found[line["dataset"], line["algorithm"]] = (measures, Grid.of({}))
    return found
