"""Experiments, outcomes and printed tables for tests of tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.base.models import Model, validated
from quadrepro.base.types import IntArray
from quadrepro.base.yaml import to_yaml
from quadrepro.config.config import KINDS, Experiment, RequestedTables, asked_for
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.engine.outcomes import CellPlace, Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.printed import Printed
from quadrepro.tables.kinds import Context, Kind, Made
from quadrepro.tables.render import Table, entry_text, to_csv
from tests.make import config, of_wrong, write_paper

ALGORITHMS = ("quadboost", "lpboost", "adaboost")

ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}
"""Errors of the three algorithms in ten examples on one split."""


def gathered(records: dict[CellPlace, Record], **fields: Any) -> Outcomes:
    """Return outcomes of records, rows and columns in their order; half of each row is tested."""
    rows, columns, repeats = (tuple(dict.fromkeys(names)) for names in zip(*records, strict=True))
    fields = {"test_shares": dict.fromkeys(rows, 0.5)} | fields
    return Outcomes(rows, columns, len(repeats), records, **fields)


def counted(errors: Mapping[tuple[str, str], Sequence[int | None]], n_test: int = 100) -> Outcomes:
    """Return outcomes of numbers of errors on each split; None is a missing cell."""
    records = {
        (*place, split): Record("k", "missing" if count is None else "ok", count, n_test)
        for place, counts in errors.items()
        for split, count in enumerate(counts)
    }
    return gathered(records)


def outcomes_of(*errors: dict[str, tuple[int | None, ...]], seconds: float = 1.0) -> Outcomes:
    """Return outcomes of 10 test examples from numbers of errors, one mapping per split."""
    records = {}
    for split, counts_by_row in enumerate(errors):
        for row, counts in counts_by_row.items():
            for algorithm, count in zip(ALGORITHMS, counts, strict=True):
                record = Record("k", "missing")
                if count is not None:
                    fields = of_wrong(np.arange(10) < count) | {"seconds": seconds}
                    record = Record("k", "ok", count, 10, {"C": 1.0}, **fields)
                records[row, algorithm, split] = record
    return gathered(records)


def loaded(text: str) -> Experiment:
    """Return the experiment of a config, written to the folder of the test."""
    path = Path("config.yaml")
    path.write_text(text)
    return load_experiment(path)


def beside_paper(config: str, paper: str, **tables: str) -> Experiment:
    """Return the experiment of a config next to ``mypaper``, a paper with printed tables."""
    write_paper(Path("mypaper"), paper, **tables)
    return loaded(config)


def own_paper(table: str, facts: str, claims: str = "", **keys: Any) -> Experiment:
    """Return the experiment of a `config` next to a paper with one printed table and its facts."""
    columns = [{"name": name, "grid": {"n_rounds": 5}} for name in ("adaboost", "quadboost")]
    given = {"paper": "./mypaper", "datasets": ["monks", "titanic"], "algorithms": columns}
    names = "names: {adaboost: AdaBoost, quadboost: QuadBoost}"
    paper = f"title: Ours\n{names}\nprinted: {{table1: {{{facts}}}}}\n{claims}"
    return beside_paper(to_yaml(config(**given | keys)), paper, table1=table)


class Asking(Model):
    """The part of a config that asks for tables."""

    tables: RequestedTables


def asking_for(experiment: Experiment, **tables: Any) -> Experiment:
    """Return the experiment with something else below ``tables``."""
    requested = validated(Asking, replace(experiment.source, data={"tables": tables})).tables
    changed = experiment.config.model_copy(update={"tables": requested})
    return replace(experiment, config=changed)


def context_of(experiment: Experiment, key: str, printed: Printed | None = None) -> Context[Any]:
    """Return the context of a kind that a config asks for, or that is always made.

    Parameters
    ----------
    experiment : Experiment
        The config.
    key : str
        The kind's key below ``tables``.
    printed : Printed, optional
        The printed table of every name; the option then names one.
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
    """Return everything that a kind makes of outcomes."""
    kind = cast("Kind[Any]", KINDS.find(key))
    result = kind.make(context_of(experiment, key, printed), outcomes)
    assert result is not None
    return result


def table_of(
    experiment: Experiment, key: str, outcomes: Outcomes, printed: Printed | None = None
) -> Table:
    """Return the table that a kind makes of outcomes."""
    return made(experiment, key, outcomes, printed).table


def text_rows(table: Table) -> list[tuple[str, tuple[str, ...]]]:
    """Return the name of each row and its entries as Markdown shows them."""
    return [(name, tuple(map(entry_text, entries))) for name, entries in table.rows]


def texts_of(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the entries of each row as Markdown shows them, by the name of the row."""
    return dict(text_rows(table))


def csv_of(table: Table) -> list[dict[str, str]]:
    """Return the rows of the CSV of a table."""
    return list(csv.DictReader(to_csv(table).splitlines()))


def panels_of(
    experiment: Experiment, key: str, outcomes: Outcomes, figures: list[Figure]
) -> list[Axes]:
    """Return the panels of the figure that a kind draws; it is kept in the fixture `figures`."""
    draw = made(experiment, key, outcomes).draw
    assert draw is not None
    draw(experiment.source.path.parent / f"{key}.svg")
    return figures[-1].axes


def as_regression(outcomes: Outcomes, *rows: str) -> Outcomes:
    """Return outcomes in which risks of some rows, or of all, are RMSEs, 2.5 times as large."""
    records = {
        place: replace(record, errors=0, classes=(), rmse=2.5 * record.risk)
        if place[0] in (rows or outcomes.rows) and record.ok
        else record
        for place, record in outcomes.records.items()
    }
    return replace(outcomes, records=records)


def comparison_of(errors: IntArray, titles: Sequence[str] = ()) -> tuple[Context[str], Outcomes]:
    """Return the comparison of algorithms a0, a1, ... by errors among 1000.

    The errors have the shape (n_rows, n_splits, n_algorithms).
    """
    n_rows, _, n_columns = errors.shape
    titles = titles or [f"a{j}" for j in range(n_columns)]
    algorithms = [
        {"name": f"a{j}", "algorithm": "adaboost", "label": title} for j, title in enumerate(titles)
    ]
    datasets = [{"name": "monks", "as": f"set {i}"} for i in range(n_rows)]
    experiment = load_mapping(config(datasets=datasets, algorithms=algorithms))
    places = product(range(n_rows), range(n_columns))
    counts = {(f"set {i}", f"a{j}"): errors[i, :, j].tolist() for i, j in places}
    return Context(experiment, "", ""), counted(counts, 1000)


def crossed() -> IntArray:
    """Return errors on which the best mean rank loses significantly to another algorithm.

    On 11 of 14 data sets a1 is much better than a0 and next to it in rank; on three it is slightly
    worse, and the others are between the two.
    """
    errors = np.zeros((14, 1, 6), dtype=np.int64)
    for i in range(14):
        closer = i < 3
        errors[i, 0] = [100, 106, 101, 102, 103, 104] if closer else [300, 100 + i, *[400 + i] * 4]
    return errors
