"""The numbers that claims are judged on: ours, from records, or those of the printed tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from statistics import fmean, stdev
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.papers.printed import SD, TIME_ROW, Printed
from quadrepro.stats import LEVEL, Mean, differences

if TYPE_CHECKING:
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.engine.records import Record

Number = Fraction | float
"""Exact if it stems from counts or from print, so that equal means are equal."""

Quantity = Literal["error", "margin mean", "margin sd", "margin tail", "seconds"]
"""What is compared.

- "error": test error in percent, or RMSE;
- "margin mean", "margin sd": mean and standard deviation of the training margins;
- "margin tail": how far their lowest hundredth lies below their mean;
- "seconds": running time; in print the mean over all rows.
"""

ROUNDS = "n_rounds"
"""The hyper-parameter along which curves run by default."""

NO_SPLITS = "no splits to test over"
NO_VALUES = "no values to compare: no candidate has a solution"
NO_CURVE = "hyper-parameters are drawn or searched over, so there is no one curve"


class Lacking(Exception):  # noqa: N818 - a finding about the evidence rather than an error
    """A number that a claim needs is not there; the message says what the claims table says."""


class NotInConfig(Lacking):
    """It is not there because the config has no such row or algorithm."""


class NoSplits(Lacking):
    """There are no several splits."""

    def __init__(self) -> None:
        super().__init__(NO_SPLITS)


def _is_named(row: str, name: str) -> bool:
    return row == name or fnmatchcase(row, name)


POWER = 0.8
"""Probability with which a test finds the effect that is given as its power."""


class Gap(NamedTuple):
    """A mean difference over splits or rows, with its standard error."""

    mean: float
    """The mean."""
    error: float
    """Its standard error."""
    df: int
    """Degrees of freedom of the error."""

    @classmethod
    def of(cls, values: Sequence[Number], test_share: float = 0.0) -> Gap:
        """Return the mean of differences, over splits that overlap if examples are tested twice."""
        if len(values) < 2 or test_share >= 1:
            raise NoSplits
        found = Mean.of(differences(values, [0] * len(values)), test_share)
        return cls(found.value, found.error, len(values) - 1)

    def p_above(self, limit: float = 0.0) -> float:
        """Return the p-value of "the mean is at most the limit"."""
        # scipy takes half a second to import.
        from scipy.special import stdtr

        if self.error == 0:
            return float(self.mean <= limit)
        return float(stdtr(self.df, (limit - self.mean) / self.error))

    def p_below(self, limit: float = 0.0) -> float:
        """Return the p-value of "the mean is at least the limit"."""
        return Gap(-self.mean, self.error, self.df).p_above(-limit)

    def reach(self, level: float = LEVEL, power: float = 0.5) -> float:
        """Return the effect that a one-sided test finds; with power 0.5, half an interval."""
        from scipy.special import stdtrit

        return float(stdtrit(self.df, 1 - level) + stdtrit(self.df, power)) * self.error

    @property
    def text(self) -> str:
        """The mean with its interval of probability 1 - 2 `LEVEL`."""
        low, high = self.mean - self.reach(), self.mean + self.reach()
        return f"{self.mean:+.3g} [{low:+.3g}, {high:+.3g}]"


def power_text(gaps: Sequence[Gap], shown: Callable[[float], float] = float) -> str:
    """Return the least and the largest effect that some test of several finds with `POWER`."""
    found = [f"{shown(gap.reach(LEVEL / len(gaps), POWER)):.2g}" for gap in gaps]
    ends = dict.fromkeys((min(found, key=float), max(found, key=float)))
    return f"power {POWER:g} at {' to '.join(ends)}"


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
    exact: ClassVar[bool] = False
    """Whether the claim is about these very numbers, so that they refute it without a test."""

    def verdict(self, holds: bool, refuted: bool) -> bool | None:
        """Return whether a claim holds; None if it is neither shown nor refuted."""
        return True if holds else False if refuted or self.exact else None

    def gaps(self, pairs: Iterable[tuple[str, str]], quantity: Quantity = "error") -> list[Gap]:
        """Return by how much the first exceeds the second on each row; nothing without splits."""
        of_rows = [(row, pair) for row in self.rows for pair in pairs]
        found = []
        for row, pair in of_rows:
            try:
                a, b = (self.per_split(row, name, quantity) for name in pair)
                found.append(self.gap(row, np.subtract(a, b).tolist()))
            except NoSplits:
                return []
        return found

    def gap(self, row: str, values: Sequence[float]) -> Gap:
        """Return the mean of differences on the splits of a row."""
        raise NoSplits

    def label(self, algorithm: str) -> str:
        """Return what the paper calls an algorithm."""
        return self.names.get(algorithm, algorithm)

    def over(self, rows: Collection[str] = (), excluded: Collection[str] = ()) -> Self:
        """Return the evidence on some rows: on `rows`, if given, without `excluded`.

        A ``*`` in a name stands for any text.
        """
        found = {name: [row for row in self.rows if _is_named(row, name)] for name in rows}
        named = {row for of in found.values() for row in of} if rows else {*self.rows}
        kept = [r for r in self.rows if r in named and not any(_is_named(r, n) for n in excluded)]
        if not kept or not all(found.values()):
            raise NotInConfig(self.lacking)
        return replace(self, rows=(*kept,))

    def values(self, algorithm: str, quantity: Quantity = "error") -> list[Number]:
        """Return a quantity of an algorithm, one number per row; means over the splits."""
        return [self.value(row, algorithm, quantity) for row in self.rows]

    @abstractmethod
    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> Number:
        """Return a quantity on one row; the mean over the splits."""

    @abstractmethod
    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""

    def per_split(self, row: str, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""
        raise NoSplits

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter or a measure, or the level of one without it."""
        raise Lacking(self.lacking)


@dataclass(frozen=True)
class Ours(Evidence):
    """Our numbers."""

    lacking = "cells missing"

    outcomes: Outcomes
    """The records."""
    instead: str = ""
    """A measure that takes the place of the test error."""
    test_shares: Mapping[str, float] = field(default_factory=dict)
    """Share of the examples of each row that a split tests; by default 0, as of fresh samples."""

    def gap(self, row: str, values: Sequence[float]) -> Gap:
        """Return the mean of differences on the splits of a row."""
        return Gap.of(values, self.test_shares.get(row, 0.0))

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
        if quantity in _OF_MARGINS:
            margins = [_margins(record) for record in records]
            return _OF_MARGINS[quantity](np.concatenate(margins))
        if self.instead or quantity == "seconds":
            return fmean(self.per_split(row, algorithm, quantity))
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
        if quantity == "seconds":
            return [record.seconds for record in records]
        if quantity != "error":
            measure = _OF_MARGINS[quantity]
            return [measure(_margins(record)) for record in records]
        if self.instead:
            return [_measured(record, self.instead)[0] for record in records]
        return [record.value * (100 if record.rmse is None else 1) for record in records]

    def curve(self, row: str, algorithm: str, measure: str, along: str = ROUNDS) -> Curve:
        """Return a measure along a hyper-parameter, or along a count that is measured."""
        records = self._records(row, algorithm)
        splits = [_measured(record, measure) for record in records]
        counts = [record.measures[along] for record in records if along in record.measures]
        at = self.outcomes.values_along(row, algorithm, ROUNDS if counts else along)
        if at is None or any(len(split) != (len(at) or 1) for split in splits):
            raise Lacking(NO_CURVE)
        if counts:
            at = tuple(range(1, 1 + int(min(map(max, counts)))))
            splits = [
                [split[int(np.argmax(np.array(count) >= n))] for n in at]
                for split, count in zip(splits, counts, strict=True)
            ]
        return Curve(at, tuple(map(tuple, splits)))

    def _records(self, row: str, algorithm: str) -> list[Record]:
        if row not in self.outcomes.rows or algorithm not in self.outcomes.columns:
            raise NotInConfig(self.lacking)
        records = self.outcomes.cell(row, algorithm)
        if not all(record.ok for record in records):
            raise Lacking(self.lacking)
        return records


@dataclass(frozen=True)
class InPrint(Evidence):
    """The printed numbers."""

    lacking = "not printed"
    exact = True

    tables: tuple[Printed, ...]
    """Printed tables with our row titles, errors in percent."""

    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> Number:
        """Return a printed quantity."""
        place = TIME_ROW if quantity == "seconds" else row
        for table in self.tables:
            column = table.mean_column(algorithm)
            if quantity == "margin sd":
                column = algorithm + SD
            if table.facts.holds == _HELD_BY.get(quantity) and (text := table.text(place, column)):
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


_HELD_BY = {
    "error": "errors",
    "seconds": "errors",
    "margin mean": "margins",
    "margin sd": "margins",
}
"""The contents of a printed table that has a quantity."""

_OF_MARGINS: dict[str, Callable[[FloatArray], float]] = {
    "margin mean": lambda margins: float(margins.mean()),
    "margin sd": lambda margins: float(margins.std(ddof=1)),
    "margin tail": lambda margins: float(margins.mean() - np.quantile(margins, 0.01)),
}


def _measured(record: Record, measure: str) -> list[float]:
    if measure not in record.measures:
        raise Lacking(f"the config keeps no measure {measure!r}")
    return record.measures[measure]


def _margins(record: Record) -> FloatArray:
    if record.margins is None:
        raise Lacking("no training margins are kept")
    return record.margins
