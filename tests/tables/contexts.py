"""What a kind of table is given to work with, for tests."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.base.models import Model, validated
from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.config.tables import KINDS, RequestedTables, asked_for
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.printed import Printed
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.table import Table
from tests.make import of_wrong, write_paper

ALGORITHMS = ("quadboost", "lpboost", "adaboost")

ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}
"""Errors of the three algorithms in ten examples on one split."""


def outcomes_of(*errors: dict[str, tuple[int | None, ...]], seconds: float = 1.0) -> Outcomes:
    """Return outcomes of 10 test examples from numbers of errors, one mapping a split."""
    rows = tuple(errors[0])
    records = {}
    for repeat, of_repeat in enumerate(errors):
        for row, counts in of_repeat.items():
            for algorithm, count in zip(ALGORITHMS, counts, strict=True):
                key = f"{row} {algorithm} {repeat}"
                record = Record(key, "missing")
                if count is not None:
                    wrong = np.arange(10) < count
                    record = Record(
                        key, "ok", count, 10, {"C": 1.0}, seconds=seconds, **of_wrong(wrong)
                    )
                records[row, algorithm, repeat] = record
    return Outcomes(rows, ALGORITHMS, len(errors), records, test_shares=dict.fromkeys(rows, 0.5))


def loaded(folder: Path, text: str) -> Experiment:
    """Return the experiment of a config that is written to a folder."""
    path = folder / "config.yaml"
    path.write_text(text)
    return load_experiment(path)


def beside_paper(folder: Path, config: str, paper: str, **tables: str) -> Experiment:
    """Return the experiment of a config beside ``mypaper``, a paper with some printed tables."""
    write_paper(folder / "mypaper", paper, **tables)
    return loaded(folder, config)


class Asking(Model):
    """The part of a config that asks for tables."""

    tables: RequestedTables


def asking_for(experiment: Experiment, **tables: Any) -> Experiment:
    """Return the experiment with something else below ``tables``."""
    asked = validated(Asking, replace(experiment.source, data={"tables": tables})).tables
    config = experiment.config.model_copy(update={"tables": asked})
    return replace(experiment, config=config)


def context_of(experiment: Experiment, key: str, printed: Printed | None = None) -> Context[Any]:
    """Return the context of a kind that a config asks for, or that is always made.

    Parameters
    ----------
    experiment : Experiment
        The config.
    key : str
        The kind's key below ``tables``.
    printed : Printed, optional
        What every printed table is, whatever its name; the option then names one.
    """
    option = asked_for(experiment.config.tables)[key]
    if printed is not None:
        experiment = replace(experiment)
        vars(experiment)["paper"] = SimpleNamespace(
            printed=lambda name: printed, file=SimpleNamespace(names={})
        )
        option = option or printed.name
    return Context(experiment, key, option)


def made(
    experiment: Experiment, key: str, outcomes: Outcomes, printed: Printed | None = None
) -> Made:
    """Return what a kind makes of outcomes."""
    kind = cast("Kind[Any]", KINDS.find(key))
    found = kind.make(context_of(experiment, key, printed), outcomes)
    assert found is not None
    return found


def table_of(
    experiment: Experiment, key: str, outcomes: Outcomes, printed: Printed | None = None
) -> Table:
    """Return the table that a kind makes of outcomes."""
    found = made(experiment, key, outcomes, printed).table
    assert found is not None
    return found


def csv_of(table: Table) -> list[dict[str, str]]:
    """Return the rows of the CSV of a table."""
    return list(csv.DictReader(table.to_csv().splitlines()))


def panels_of(
    experiment: Experiment, key: str, outcomes: Outcomes, figures: list[Figure]
) -> list[Axes]:
    """Return the panels of the figure that a kind draws; it is kept in the fixture `figures`."""
    draw = made(experiment, key, outcomes).draw
    assert draw is not None
    draw(experiment.source.path.parent / f"{key}.svg")
    return figures[-1].axes


def as_regression(found: Outcomes, row: str) -> Outcomes:
    """Return outcomes in which a row's tenths of wrong examples are RMSEs."""
    records = {
        place: replace(record, errors=0, classes=(), rmse=2.5 * record.risk)
        if place[0] == row and record.ok
        else record
        for place, record in found.records.items()
    }
    return replace(found, records=records)
