"""The numbers that claims are judged on: ours, from records, or those of the printed tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import inf
from statistics import fmean, stdev
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.papers.printed import SD, TIME_ROW, Printed
from quadrepro.stats import LEVEL, Mean

if TYPE_CHECKING:
    from quadrepro.engine.outcomes import Outcomes
    from quadrepro.engine.records import Record

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
    """A number that a claim needs is missing; the message is shown in the claims table."""


class NotInConfig(Lacking):
    """It is missing because the config has no such row or algorithm."""


class NoSplits(Lacking):
    """There are fewer than two splits."""


POWER = 0.8
"""Probability with which a test finds the effect that is given as its power."""


def mean_of(values: Sequence[float] | FloatArray, test_share: float = 0.0) -> Mean:
    """Return the mean of splits or rows; splits that test all examples have no error."""
    if len(values) < 2 or test_share >= 1:
        raise NoSplits(NO_SPLITS)
    return Mean.of(values, test_share)


def with_interval(mean: Mean) -> str:
    """Return a mean with its interval of probability 1 - 2 `LEVEL`."""
    low, high = mean.interval(2 * LEVEL)
    return f"{mean.value:+.3g} [{low:+.3g}, {high:+.3g}]"


def joint_p(p_values: Iterable[float], at_least: int = 1) -> float:
    """Return the p-value of "fewer than this number of alternatives are true"."""
    # The least p-value of those that are left when the others are taken for true, by Bonferroni.
    found = sorted(p_values)
    if len(found) < at_least:
        return 1.0
    return min(1.0, (len(found) - at_least + 1) * found[at_least - 1])


def power_text(means: Sequence[Mean], shown: Callable[[float], float] = float) -> str:
    """Return the least and the largest effect that some test of several finds with `POWER`."""
    found = [f"{shown(mean.reach(LEVEL / len(means), POWER)):.2g}" for mean in means]
    ends = dict.fromkeys((min(found, key=float), max(found, key=float)))
    return f"power {POWER:g} at {' to '.join(ends)}"


class Curve(NamedTuple):
    """A measure along a hyper-parameter."""

    at: tuple[float, ...]
    """Values of the hyper-parameter; empty if the algorithm has none, which gives a level."""
    splits: FloatArray
    """The measure, shape (n_splits, n_values); NaN without a solution."""

    @property
    def mean(self) -> FloatArray:
        """Mean over the splits at each value."""
        return np.asarray(self.splits.mean(axis=0))

    @property
    def sd(self) -> FloatArray:
        """Standard deviation over the splits at each value; 0 with one split."""
        if len(self.splits) == 1:
            return np.zeros_like(self.splits[0])
        return np.asarray(self.splits.std(axis=0, ddof=1))

    def within(self, first: float | None = None, last: float | None = None) -> Curve:
        """Return the part from one value of the hyper-parameter to another, both included."""
        low, high = -inf if first is None else first, inf if last is None else last
        kept = [i for i, value in enumerate(self.at) if low <= value <= high]
        return Curve(tuple(self.at[i] for i in kept), self.splits[:, kept])


@dataclass(frozen=True)
class Evidence(ABC):
    """Numbers by row and algorithm; asking for one that is missing raises `Lacking`."""

    rows: tuple[str, ...]
    """The rows that are compared."""
    names: Mapping[str, str]
    """The paper's name of each algorithm."""

    lacking: ClassVar[str]
    """The finding if numbers are missing."""
    exact: ClassVar[bool] = False
    """Whether the claim is about these very numbers, so that they refute it without a test."""

    def verdict(self, holds: bool, refuted: bool) -> bool | None:
        """Return whether a claim holds; None if it is neither shown nor refuted."""
        return True if holds else False if refuted or self.exact else None

    def label(self, algorithm: str) -> str:
        """Return what the paper calls an algorithm."""
        return self.names.get(algorithm, algorithm)

    def over(self, rows: Collection[str] = (), excluded: Collection[str] = ()) -> Self:
        """Return the evidence on some rows: on `rows`, if given, without `excluded`.

        A ``*`` in a name stands for any text.
        """

        def named(name: str) -> set[str]:
            return {row for row in self.rows if row == name or fnmatchcase(row, name)}

        found = [named(name) for name in rows]
        kept = set().union(*found) if rows else {*self.rows}
        kept = kept.difference(*map(named, excluded))
        if not kept or not all(found):
            raise NotInConfig(self.lacking)
        return replace(self, rows=tuple(row for row in self.rows if row in kept))

    def values(self, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Return a quantity of an algorithm, one number per row; means over the splits."""
        return [self.value(row, algorithm, quantity) for row in self.rows]

    @abstractmethod
    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> float:
        """Return a quantity on one row; the mean over the splits."""

    @abstractmethod
    def deviation(self, row: str, algorithm: str) -> float:
        """Return the standard deviation of the error over the splits, 0 with one split."""

    def per_split(self, row: str, algorithm: str, quantity: Quantity = "error") -> list[float]:
        """Return a quantity on one row, one number per split."""
        raise NoSplits(NO_SPLITS)

    def mean(self, row: str, values: Sequence[float] | FloatArray) -> Mean:
        """Return the mean of a number of each split of a row."""
        return mean_of(values)

    def differences(self, a: str, b: str, quantity: Quantity = "error") -> list[Mean]:
        """Return by how much A exceeds B on each row; nothing without splits."""
        sides = []
        try:
            for row in self.rows:
                x, y = (self.per_split(row, name, quantity) for name in (a, b))
                sides.append(self.mean(row, np.subtract(x, y)))
        except NoSplits:
            return []
        return sides

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

    def of_split(self, repeat: int) -> Ours:
        """Return the evidence of one split."""
        found = self.outcomes
        records = {(r, c, 0): of for (r, c, i), of in found.records.items() if i == repeat}
        grids = {(r, c, 0): of for (r, c, i), of in found.grids.items() if i == repeat}
        return replace(self, outcomes=replace(found, repeats=1, records=records, grids=grids))

    def mean(self, row: str, values: Sequence[float] | FloatArray) -> Mean:
        """Return the mean of a number of each split of a row, which can overlap."""
        return mean_of(values, self.outcomes.test_shares.get(row, 0.0))

    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> float:
        """Return a quantity on one row."""
        records = self._records(row, algorithm)
        if quantity in _OF_MARGINS:
            return _OF_MARGINS[quantity](np.concatenate([_margins(record) for record in records]))
        if self.instead or quantity == "seconds":
            return fmean(self.per_split(row, algorithm, quantity))
        mean = self.outcomes.mean(row, algorithm)
        assert mean is not None
        return float(mean if self.outcomes.regression(row) else 100 * mean)

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
            return [_OF_MARGINS[quantity](_margins(record)) for record in records]
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
        return Curve(at, np.array(splits))

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
    """Printed tables with the names of these rows, errors in percent."""

    def value(self, row: str, algorithm: str, quantity: Quantity = "error") -> float:
        """Return a printed quantity."""
        place = TIME_ROW if quantity == "seconds" else row
        holds = "margins" if quantity in ("margin mean", "margin sd") else "errors"
        for table in self.tables if quantity != "margin tail" else ():
            column = algorithm + SD if quantity == "margin sd" else table.mean_column(algorithm)
            if table.facts.holds == holds and (text := table.text(place, column)):
                return float(text)
        raise Lacking(self.lacking)

    def deviation(self, row: str, algorithm: str) -> float:
        """Return the printed standard deviation of the error."""
        for table in self.tables:
            sd = table.number(row, algorithm + SD)
            if table.facts.holds == "errors" and sd is not None:
                return sd
        raise Lacking(self.lacking)


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
