"""The numbers that claims are judged on: ours, from records, or those of the printed tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.papers.printed import SD, TIME_ROW, Printed

if TYPE_CHECKING:
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.engine.records import Record

Number = Fraction | float
"""Exact if it stems from counts or from print, so that equal means are equal."""

Quantity = Literal["error", "margin mean", "margin sd", "margin tail"]
"""What is compared.

- "error": test error in percent, or RMSE;
- "margin mean", "margin sd": mean and standard deviation of the training margins;
- "margin tail": how far their lowest hundredth lies below their mean.
"""

ROUNDS = "n_rounds"
"""The hyper-parameter along which curves run by default."""

NO_SPLITS = "no splits to test over"
NO_CURVE = "hyper-parameters are drawn or searched over, so there is no one curve"


class Lacking(Exception):  # noqa: N818 - a finding about the evidence rather than an error
    """A number that a claim needs is not there; the message says what the claims table says."""


@dataclass(frozen=True)
class Curve:
    """A measure along a hyper-parameter."""

    at: tuple[float, ...]
    """Values of the hyper-parameter; empty if the algorithm has none, which gives a level."""
    splits: tuple[tuple[float, ...], ...]
    """The measure at each value, one tuple per split; NaN without a solution."""

    @property
    def mean(self) -> list[float]:
        """Mean over the splits at each value."""
        return [fmean(values) for values in zip(*self.splits, strict=True)]

    @property
    def ends(self) -> list[float]:
        """The last number of each split."""
        return [split[-1] for split in self.splits]

    def within(self, first: float | None = None, last: float | None = None) -> Curve:
        """Return the part from one value of the hyper-parameter to another, both included."""
        low = -np.inf if first is None else first
        high = np.inf if last is None else last
        kept = [i for i, value in enumerate(self.at) if low <= value <= high]
        at = tuple(self.at[i] for i in kept)
        return Curve(at, tuple(tuple(split[i] for i in kept) for split in self.splits))


@dataclass(frozen=True)
class Evidence(ABC):
    """Numbers by row and algorithm.

    Whatever is asked for and not there raises `Lacking`.
    """

    rows: tuple[str, ...]
    """Our rows."""
    names: Mapping[str, str]
    """The paper's name of each algorithm."""

    lacking: ClassVar[str]
    """The finding if numbers are missing."""

    def label(self, algorithm: str) -> str:
        """Return what the paper calls an algorithm."""
        return self.names.get(algorithm, algorithm)

    def over(self, rows: Collection[str] = (), excluded: Collection[str] = ()) -> Self:
        """Return the evidence on some rows: on `rows`, if given, without `excluded`."""
        if not set(rows) <= set(self.rows):
            raise Lacking(self.lacking)
        kept = tuple(row for row in rows or self.rows if row not in excluded)
        if not kept:
            raise Lacking(self.lacking)
        return replace(self, rows=kept)

    def values(self, algorithm: str, quantity: Quantity = "error") -> list[Number]:
        """Return a quantity of an algorithm, one number per row; means over the splits."""
        return [self.value(row, algorithm, quantity) for row in self.rows]

    @abstractmethod
    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> Number:
        """Return a quantity on one row; the mean over the splits."""

    @abstractmethod
    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""

    @abstractmethod
    def per_split(self, row: str, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""

    @abstractmethod
    def seconds(self, algorithm: str) -> float:
        """Return the mean running time of an algorithm over all rows."""

    @abstractmethod
    def seconds_on(self, row: str, algorithm: str) -> float:
        """Return the median running time on one row."""

    @abstractmethod
    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter, or the one level of an algorithm without."""

    @abstractmethod
    def n_test(self, row: str, algorithm: str) -> int:
        """Return the number of test examples."""


@dataclass(frozen=True)
class Ours(Evidence):
    """Our numbers."""

    lacking = "cells missing"

    outcomes: Outcomes
    """The records."""
    instead: str = ""
    """A measure that takes the place of the test error."""

    def of_split(self, repeat: int) -> Ours:
        """Return the evidence of one split."""
        found = self.outcomes
        records = {
            (row, column, 0): found.records[row, column, repeat]
            for row in found.rows
            for column in found.columns
        }
        grids = {
            (row, column, 0): grid
            for (row, column, split), grid in found.grids.items()
            if split == repeat
        }
        return replace(self, outcomes=replace(found, repeats=1, records=records, grids=grids))

    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> Number:
        """Return a quantity on one row."""
        records = self._records(row, algorithm)
        if quantity != "error":
            margins = [_margins(record, self.lacking) for record in records]
            return _OF_MARGINS[quantity](np.concatenate(margins))
        if self.instead:
            return fmean(self._measured(record, self.instead)[0] for record in records)
        mean = self.outcomes.mean(row, algorithm)
        assert mean is not None
        return mean if self.outcomes.regression(row) else 100 * mean

    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""
        errors = self.per_split(row, algorithm)
        return stdev(errors) if len(errors) > 1 else 0.0

    def per_split(self, row: str, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""
        records = self._records(row, algorithm)
        if quantity != "error":
            measure = _OF_MARGINS[quantity]
            return [measure(_margins(record, self.lacking)) for record in records]
        if self.instead:
            return [self._measured(record, self.instead)[0] for record in records]
        return [record.value * (100 if record.rmse is None else 1) for record in records]

    def seconds(self, algorithm: str) -> float:
        """Return the mean running time of an algorithm over all rows."""
        return fmean(r.seconds for row in self.rows for r in self._records(row, algorithm))

    def seconds_on(self, row: str, algorithm: str) -> float:
        """Return the median running time on one row."""
        return median(record.seconds for record in self._records(row, algorithm))

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter."""
        splits = tuple(tuple(self._measured(r, measure)) for r in self._records(row, algorithm))
        at = self.outcomes.values_along(row, algorithm, along)
        if at is None or any(len(split) != (len(at) or 1) for split in splits):
            raise Lacking(NO_CURVE)
        return Curve(at, splits)

    def n_test(self, row: str, algorithm: str) -> int:
        """Return the number of test examples."""
        return self._records(row, algorithm)[0].n_test

    def _records(self, row: str, algorithm: str) -> list[Record]:
        if row not in self.outcomes.rows or algorithm not in self.outcomes.columns:
            raise Lacking(self.lacking)
        records = self.outcomes.cell(row, algorithm)
        if not all(record.ok for record in records):
            raise Lacking(self.lacking)
        return records

    def _measured(self, record: Record, measure: str) -> list[float]:
        if measure not in record.measures:
            raise Lacking(self.lacking)
        return record.measures[measure]


@dataclass(frozen=True)
class InPrint(Evidence):
    """The printed numbers."""

    lacking = "not printed"

    tables: tuple[Printed, ...]
    """Printed tables with our row titles, errors in percent."""

    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> Number:
        """Return a printed quantity."""
        for table in self.tables:
            column = table.mean_column(algorithm)
            if quantity == "margin sd":
                column = algorithm + SD
            if table.facts.holds == _HELD_BY.get(quantity) and (text := table.text(row, column)):
                return Fraction(text)
        raise Lacking(self.lacking)

    def deviation(self, row: str, algorithm: str) -> float:
        """Return the printed standard deviation of the error."""
        for table in self.tables:
            if table.facts.holds == "errors":
                sd = table.number(row, algorithm + SD)
                if sd is not None:
                    return sd
        raise Lacking(self.lacking)

    def per_split(self, row: str, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Raise `Lacking`: papers do not print their splits."""
        raise Lacking(NO_SPLITS)

    def seconds(self, algorithm: str) -> float:
        """Return the printed mean running time."""
        for table in self.tables:
            if text := table.text(TIME_ROW, table.mean_column(algorithm)):
                return float(text)
        raise Lacking(self.lacking)

    def seconds_on(self, row: str, algorithm: str) -> float:
        """Raise `Lacking`."""
        raise Lacking(self.lacking)

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Raise `Lacking`."""
        raise Lacking(self.lacking)

    def n_test(self, row: str, algorithm: str) -> int:
        """Raise `Lacking`."""
        raise Lacking(self.lacking)


_HELD_BY = {"error": "errors", "margin mean": "margins", "margin sd": "margins"}
"""The contents of a printed table that has a quantity."""

_OF_MARGINS: dict[str, Callable[[FloatArray], float]] = {
    "margin mean": lambda margins: float(margins.mean()),
    "margin sd": lambda margins: float(margins.std(ddof=1)),
    "margin tail": lambda margins: float(margins.mean() - np.quantile(margins, 0.01)),
}


def _margins(record: Record, lacking: str) -> FloatArray:
    if not record.margins:
        raise Lacking(lacking)
    return record.training_margins()
