"""Records by row, column and repeat: what every table is a function of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from quadrepro.core.cell import Cell
from quadrepro.core.metrics import Metric
from quadrepro.core.problems import Problem
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import Record

CellPlace = tuple[str, str, int]
"""Row, column and repeat of a cell."""


@dataclass(frozen=True)
class Outcomes:
    """The records of an experiment in the shape of its table."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Data sets and algorithms in the order of the config."""
    repeats: int
    """Number of splits."""
    records: dict[CellPlace, Record]
    """The record of every cell; its status is "missing" if the cell was not computed."""
    grids: Mapping[CellPlace, tuple[Grid, ...]] = field(default_factory=dict)
    """The candidates of every cell; empty if they are not known."""
    own_rows: frozenset[str] | None = None
    """The rows that tests over data sets compare, one per data set; by default all."""
    test_shares: Mapping[str, float] = field(default_factory=dict)
    """The share of a split's rows that are tested, by row of those with a result."""
    metric: Metric | None = None
    """What cells are judged by; None for the risk, or the RMSE if numbers are predicted."""
    measured: Mapping[CellPlace, float] = field(default_factory=dict)
    """The metric of every cell that has one."""
    undefined: Mapping[str, int] = field(default_factory=dict)
    """Number of splits, by row, in which the metric is undefined because one class is tested."""
    _by: dict[Any, Outcomes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def from_records(
        cls, cells: Sequence[Cell], records: Sequence[Record], own_rows: frozenset[str] | None
    ) -> Outcomes:
        """Arrange the records of a plan's cells."""
        by_place = {(c.dataset, c.algorithm, c.repeat): c for c in cells}
        rows, columns, repeats = (dict.fromkeys(names) for names in zip(*by_place, strict=True))
        sources = {c.dataset: c.source for c in cells if not isinstance(c.source, Problem)}
        tested = defaultdict[str, list[int]](list)
        for (row, _, _), record in zip(by_place, records, strict=True):
            tested[row] += [record.n_test] if record.ok else []
        shares = {row: sources[row].test_share(fmean(n)) for row, n in tested.items() if n}
        held = dict(zip(by_place, records, strict=True))
        grids = {place: cell.grids for place, cell in by_place.items()}
        return cls((*rows,), (*columns,), 1 + max(repeats), held, grids, own_rows, shares)

    def by(self, metric: Metric, rows: Iterable[str]) -> Outcomes:
        """Return the outcomes of some rows as a metric judges them."""
        judged = tuple(row for row in rows if row in self.rows)
        if (metric, judged) not in self._by:
            done = {p: r.judged for p, r in self.records.items() if r.ok and p[0] in judged}
            values = {place: metric.value(outputs) for place, outputs in done.items()}
            measured = {place: value for place, value in values.items() if value is not None}
            undefined = {row: self._n_undefined(row, metric, measured) for row in judged}
            self._by[metric, judged] = replace(
                self, rows=judged, metric=metric, measured=measured, undefined=undefined
            )
        return self._by[metric, judged]

    def _n_undefined(self, row: str, metric: Metric, measured: Mapping[CellPlace, float]) -> int:
        """Return the number of splits that test a single class, and whose outputs have no value."""
        n_undefined = 0
        for r, codes in self._tested_codes(row).items():
            places = [(row, column, r) for column in self.columns]
            judged = [p for p in places if metric.output(self.records[p].judged) is not None]
            if len(codes) == 1 and judged and measured.keys().isdisjoint(judged):
                n_undefined += 1
        return n_undefined

    def _tested_codes(self, row: str) -> dict[int, set[int]]:
        """Return the codes of the classes that are tested, by split."""
        return {
            r: {*np.unique(np.asarray(record.actual)).tolist()}
            for column in self.columns
            for r, record in enumerate(self.cell(row, column))
            if record.ok and record.classes
        }

    def untested(self, row: str) -> Counter[str]:
        """Return in how many splits each class has no test example, if it is in any."""
        names = next((r.classes for c in self.columns for r in self.cell(row, c) if r.ok), ())
        return Counter(
            name
            for codes in self._tested_codes(row).values()
            for code, name in enumerate(names)
            if code not in codes
        )

    @property
    def greater_is_better(self) -> bool:
        """Whether the highest value of a row is the best."""
        return self.metric is not None and self.metric.greater_is_better

    @property
    def counts_errors(self) -> bool:
        """Whether values are shares of wrong examples, which tests of examples can compare."""
        if self.metric is not None:
            return self.metric.counts_errors
        return not any(map(self.regression, self.rows))

    @property
    def sign(self) -> float:
        """-1 if the highest value is the best, and else 1: a loss is a value times it."""
        return -1.0 if self.greater_is_better else 1.0

    @property
    def label(self) -> str:
        """Name of the values."""
        if self.metric is not None:
            return self.metric.label
        words = {"RMSE" if self.regression(row) else "risk" for row in self.rows}
        return " or ".join(sorted(words, reverse=True))

    @property
    def by_metric(self) -> str:
        """Addition to the title of a table of a metric."""
        return "" if self.metric is None else f" by {self.metric.label}"

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns that tests compare: all that the metric can judge, except the baseline."""
        judged = self.columns if self.metric is None else {column for _, column, _ in self.measured}
        return tuple(c for c in self.columns if c != BASELINE and c in judged)

    def tested(self) -> Outcomes:
        """Return the outcomes that tests over data sets compare: each data set once."""
        rows = tuple(r for r in self.rows if self.own_rows is None or r in self.own_rows)
        return self if rows == self.rows else replace(self, rows=rows)

    def cell(self, row: str, column: str) -> list[Record]:
        """Return the records of one entry of the table, one per repeat."""
        return [self.records[row, column, r] for r in range(self.repeats)]

    def complete(self, row: str, column: str) -> bool:
        """Return whether every repeat of an entry was computed, and has a value of the metric.

        Splits in which it is undefined for all columns do not count.
        """
        return 0 < len(self.values(row, column)) == self.repeats - self.undefined.get(row, 0)

    def lacking(self, column: str) -> str:
        """Return the reason for not comparing a column: lacking outputs, or missing results."""
        cells = ((row, column, r) for row in self.rows for r in range(self.repeats))
        records = [self.records[cell] for cell in cells if cell in self.records]
        done = [record.judged for record in records if record.ok]
        if self.metric and done and all(self.metric.output(one) is None for one in done):
            return f"they give no {self.metric.needs}"
        return "results are missing"

    def values(self, row: str, column: str) -> list[float]:
        """Return the risks of an entry, the RMSEs of a regression, or the values of the metric."""
        if self.metric is not None:
            places = ((row, column, r) for r in range(self.repeats))
            return [self.measured[place] for place in places if place in self.measured]
        return [record.value for record in self.cell(row, column) if record.ok]

    def regression(self, row: str) -> bool:
        """Return whether numbers are predicted in a row; False if nothing of it was computed."""
        return any(r.rmse is not None for column in self.columns for r in self.cell(row, column))

    def counted(self, row: str) -> bool:
        """Return whether the values of a row are risks, which count errors."""
        return self.metric is None and not self.regression(row)

    def n_test(self, row: str, column: str) -> tuple[int, ...]:
        """Return the number of test examples of each split; empty if values are not risks."""
        records = self.cell(row, column) if self.counted(row) else []
        return tuple(record.n_test for record in records if record.ok)

    def resolution(self, row: str) -> float:
        """Return the share of one test example in a split, 0 if numbers are predicted."""
        records = [r for column in self.columns for r in self.cell(row, column) if r.ok]
        sizes = [record.n_test for record in records if record.rmse is None]
        return 1 / fmean(sizes) if sizes else 0.0

    def mean(self, row: str, column: str) -> float | None:
        """Return the mean value of an entry: risk, RMSE if numbers are predicted, or the metric."""
        return fmean(self.values(row, column)) if self.complete(row, column) else None

    def mean_losses(self) -> dict[str, list[float]]:
        """Return the mean loss in each row, of the columns that have all results."""
        whole = [c for c in self.columns if all(self.complete(row, c) for row in self.rows)]
        return {c: [self.sign * fmean(self.values(row, c)) for row in self.rows] for c in whole}

    def mean_seconds(self, column: str) -> float | None:
        """Return the mean running time of an algorithm, or None if nothing was computed."""
        times = [r.seconds for row in self.rows for r in self.cell(row, column) if r.ok]
        return sum(times) / len(times) if times else None

    def values_along(self, row: str, column: str, name: str) -> tuple[Any, ...] | None:
        """Return the values of a hyper-parameter that the candidates of an entry run through."""
        # Drawn values differ between splits, and points of several drawn ones are grids apart.
        [grids, *others] = {self.grids.get((row, column, r), ()) for r in range(self.repeats)}
        if others or len(grids) != 1:
            return None
        axes = dict(grids[0].axes)
        values = axes.pop(name, ())
        return None if any(len(axis) > 1 for axis in axes.values()) else values
