"""Claims judged on records with given errors and measures, and on printed numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from quadrepro.base.text import scaled
from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.core.training.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import ClaimWord, Evidence, InPrint, Judgement, Ours
from quadrepro.papers.printed import Facts, Printed
from quadrepro.tables.kinds import Context
from quadrepro.tables.kinds.claims import make_claims
from quadrepro.tables.render import Table

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
UNKNOWN = ("cells missing", "undecided")
MISSING = Record("k", "missing")

MIRROR: dict[ClaimWord, ClaimWord] = {
    "supported": "refuted",
    "agrees": "disagrees",
    "undecided": "undecided",
    "disagrees": "agrees",
    "refuted": "supported",
}
"""The word on the contrary of a claim."""

Measures: TypeAlias = dict[str, list[float]]
Cells: TypeAlias = dict[tuple[str, str], Measures]
Judged: TypeAlias = list[tuple[str, str]]
"""Numbers and judgement of every claim."""


def load(config: str) -> Experiment:
    return load_experiment(CONFIGS / f"{config}.yaml")


def rows_of(experiment: Experiment) -> tuple[str, ...]:
    return tuple(row.title for row in experiment.config.rows)


def columns_of(experiment: Experiment) -> tuple[str, ...]:
    return tuple(algorithm.name for algorithm in experiment.config.algorithms)


def outcomes_of(
    rows: Sequence[str],
    columns: Sequence[str],
    n_splits: int,
    record: Callable[[str, str, int], Record],
    grid: Callable[[str], Grid] = lambda column: Grid.from_values({}),
) -> Outcomes:
    """Return outcomes with a record for each row, column and split, and a grid for each column."""
    places = [*itertools.product(rows, columns, range(n_splits))]
    records = {place: record(*place) for place in places}
    grids = {place: (grid(place[1]),) for place in places}
    return Outcomes(tuple(rows), tuple(columns), n_splits, records, grids)


def judged(experiment: Experiment, outcomes: Outcomes) -> Table:
    context = Context(experiment, "claims", experiment.config.tables["claims"])
    return make_claims(context, outcomes).table


def texts_of(table: Table) -> list[tuple[str, ...]]:
    """Return the entries of each row as texts."""
    return [tuple(str(entry.value) for entry in entries) for _, entries in table.rows]


def ours(table: Table) -> Judged:
    return [(texts[0], texts[1]) for texts in texts_of(table)]


def contradicted(judgements: Judged) -> list[int]:
    """Return the places of claims that are neither supported nor agreed with."""
    return [i for i, (_, word) in enumerate(judgements) if word not in ("supported", "agrees")]


def unknown(judgements: Judged) -> list[int]:
    """Return the places of claims for which cells are missing."""
    return [i for i, judgement in enumerate(judgements) if judgement == UNKNOWN]


def judge_measures(
    config: str,
    cells: Cells,
    rounds: Mapping[str, Sequence[int]],
    n_examples: Mapping[str, int] | None = None,
    lost: tuple[str, str] | None = None,
) -> Judged:
    """Judge every claim of a config on records of one split with these measures.

    `rounds` are the rounds of each algorithm, which otherwise has one level; `lost` is a cell
    without a record.
    """
    rows, columns = (tuple(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))

    def record(row: str, column: str, split: int) -> Record:
        if (row, column) == lost:
            return MISSING
        n_test = (n_examples or {}).get(row, 100)
        return Record("k", "ok", 0, n_test, measures=cells[row, column])

    def grid(column: str) -> Grid:
        return Grid.from_values(
            {"n_rounds": rounds[column]} if column in rounds else {"lam": [0.01]}
        )

    table = judged(load(config), outcomes_of(rows, columns, 1, record, grid))
    assert table.header == ("claim", "ours", "judgement")
    return ours(table)


def judge(evidence: Evidence, kind: str, **keys: Any) -> Judgement:
    """Judge a claim of a kind with some keys."""
    return CLAIMS[kind].model_validate({"kind": kind, "text": "t", **keys}).judge(evidence)


def evidence_of(outcomes: Outcomes) -> Ours:
    """Return outcomes as evidence that calls columns by their names in capitals."""
    return Ours(outcomes.rows, {name: name.upper() for name in outcomes.columns}, outcomes)


def errors_of(counts: Mapping[str, Sequence[Sequence[int]]], n_test: int = 100) -> Ours:
    """Return evidence on rows r1, r2 and so on: errors by algorithm, row and split."""
    first = next(iter(counts.values()))
    rows = [f"r{i + 1}" for i in range(len(first))]

    def record(row: str, column: str, split: int) -> Record:
        return Record("k", "ok", counts[column][rows.index(row)][split], n_test)

    return evidence_of(outcomes_of(rows, tuple(counts), len(first[0]), record))


def in_print(
    numbers: Mapping[str, Sequence[str]], unit: str | None = "fraction", metric: str = "error"
) -> InPrint:
    """Return evidence on rows r1, r2 and so on: printed numbers by column, in a unit."""
    n_rows = len(next(iter(numbers.values())))
    rows = tuple(f"r{i + 1}" for i in range(n_rows))
    power = -2 if unit == "percent" else 0
    cells = {
        (row, column): scaled(text, power)
        for column, texts in numbers.items()
        for row, text in zip(rows, texts, strict=True)
    }
    facts = Facts.model_validate({"unit": unit, "metric": metric})
    table = Printed("p", tuple(numbers), cells, facts).as_errors()
    return InPrint(rows, {name: name.upper() for name in numbers}, (table,))


def changed(evidence: Ours, change: Callable[..., Record]) -> Ours:
    """Return evidence with other records; `change` takes a record, its row, column and split."""
    outcomes = evidence.outcomes
    records = {place: change(record, *place) for place, record in outcomes.records.items()}
    return replace(evidence, outcomes=replace(outcomes, records=records))


def overlapping(evidence: Ours, test_share: float) -> Ours:
    """Return evidence whose splits test a share of the same examples."""
    shares = dict.fromkeys(evidence.rows, test_share)
    return replace(evidence, outcomes=replace(evidence.outcomes, test_shares=shares))


def curves_of(
    curves: Mapping[str, Sequence[Sequence[float]]],
    measure: str = "train_error",
    rows: Sequence[str] = ("r1",),
    rounds: Sequence[float] | None = None,
    n_test: int = 1000,
) -> Ours:
    """Return evidence of curves by algorithm and split, the same on every row.

    They run along `rounds`, by default 1, 2 and so on; a curve of one number is a level.
    """

    def record(row: str, column: str, split: int) -> Record:
        return Record("k", "ok", 0, n_test, measures={measure: list(curves[column][split])})

    def grid(column: str) -> Grid:
        n = len(curves[column][0])
        return Grid.from_values({"n_rounds": list(rounds or range(1, n + 1))} if n > 1 else {})

    n_splits = len(next(iter(curves.values())))
    return evidence_of(outcomes_of(rows, tuple(curves), n_splits, record, grid))


AB = {"of": "a", "than": "b"}
BA = {"of": "b", "than": "a"}


def rows(*counts: int) -> list[list[int]]:
    """Return errors on one split of several rows."""
    return [[count] for count in counts]


def splits(*counts: int, n_rows: int = 1) -> list[list[int]]:
    """Return errors on several splits, the same on every row."""
    return [[*counts]] * n_rows


LESS, MORE = splits(10, 11, 12, n_rows=6), splits(20, 22, 21, n_rows=6)
NEAR = splits(14, 10, 12, n_rows=6)
"""Errors of 100 on three splits of six rows: the first are significantly lower than the second, and
the third are higher than the first without significance."""

NINE, TEN = rows(*[9] * 6), rows(*[10] * 6)
ONE_MORE = rows(9, 9, 9, 9, 9, 21)
"""Lower than 10 on five of six rows, which is not significant."""


def timed(seconds: Mapping[str, Sequence[Sequence[float]]]) -> Ours:
    """Return evidence of seconds by algorithm, row and split."""
    evidence = errors_of({c: [[1] * len(row) for row in table] for c, table in seconds.items()})
    return changed(
        evidence,
        lambda record, row, column, split: replace(
            record, seconds=seconds[column][int(row[1:]) - 1][split]
        ),
    )
