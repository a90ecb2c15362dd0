"""Claims on curves that are compared at every value of a hyper-parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isclose, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, MeasureName, everywhere
from quadrepro.papers.claims.evidence import NO_SPLITS, ROUNDS, Evidence, Lacking
from quadrepro.stats import LEVEL

ROUNDING = 1e-9
"""Relative difference of two numbers that counts as rounding."""


class Inequality(NamedTuple):
    """Two numbers of which the first is claimed to be no higher."""

    place: str
    """Row, algorithm and value of the hyper-parameter."""
    lower: float
    """The numbers."""
    upper: float
    """The numbers."""

    @property
    def holds(self) -> bool:
        """Whether it holds but for rounding."""
        # Both sides of a bound may be far below 1e-9, so what is allowed goes with their size.
        close = isclose(self.lower, self.upper, rel_tol=ROUNDING, abs_tol=1e-15)
        return self.lower <= self.upper or close


def inequalities(
    evidence: Evidence, algorithms: Sequence[str], measures: Sequence[str], along: str = ROUNDS
) -> list[Inequality]:
    """Return each measure and the next one, at every value of the hyper-parameter."""
    return [
        found
        for algorithm in algorithms
        for lower, upper in pairwise(measures)
        for row in evidence.rows
        for found in _on_row(evidence, row, algorithm, lower, upper, along)
    ]


def _on_row(
    evidence: Evidence, row: str, algorithm: str, lower: str, upper: str, along: str
) -> Iterator[Inequality]:
    low, high = (evidence.curve(row, algorithm, measure, along) for measure in (lower, upper))
    symbol = "T" if along == ROUNDS else along
    for of_low, of_high in zip(low.splits, high.splits, strict=True):
        for i, (x, y) in enumerate(zip(of_low, of_high, strict=True)):
            after = f", {symbol} = {low.at[i]:g}" if low.at else ""
            if x == x and y == y:
                yield Inequality(f"{row}, {evidence.label(algorithm)}{after}", x, y)


def count_inequalities(evidence: Evidence, found: Sequence[Inequality]) -> Judgement:
    """Return how many inequalities hold, with the first that does not."""
    if not found:
        raise Lacking(evidence.lacking)
    broken = [inequality for inequality in found if not inequality.holds]
    text = f"{len(found) - len(broken)} of {len(found)} inequalities"
    if broken:
        text += f"; not {broken[0].lower:.6g} ≤ {broken[0].upper:.6g} ({broken[0].place})"
    return Judgement(text, not broken)


class InOrder(Claim, names=("in-order",)):
    """Each measure is at most the next one at every round of every split."""

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The algorithms."""
    measures: tuple[MeasureName, ...] = Field(min_length=2)
    """From low to high: first what is bounded, then its bounds."""
    along: str = ROUNDS
    """The hyper-parameter; by default the number of rounds."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how many inequalities hold, and whether all do."""
        found = inequalities(evidence, self.of, self.measures, self.along)
        return count_inequalities(evidence, found)


class LowerAtEveryRound(Claim, names=("lower-at-every-round",)):
    """One algorithm's mean curve is nowhere above another's, and somewhere below it."""

    of: AlgorithmName
    """The lower and the higher algorithm."""
    than: AlgorithmName
    """The lower and the higher algorithm."""
    measure: MeasureName
    """The compared measure."""
    along: str = ROUNDS
    """The hyper-parameter; by default the number of rounds."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return by how much it is lower, and whether it is at every round."""
        found = {}
        for row in evidence.rows:
            gaps = _gaps(evidence, row, self.than, self.of, self.measure, self.along)
            text = f"by {min(gaps):.4f} to {max(gaps):.4f}, {gaps[-1]:.4f} at the end"
            found[row] = text, min(gaps) >= -ROUNDING and max(gaps) > 0
        return everywhere(found)


class SmallGap(Claim, names=("small-gap",)):
    """Two curves differ by less than one of them varies between splits.

    An equivalence test (two one-sided paired t-tests): the difference of each split is averaged
    over the rounds, and the interval of probability 0.9 of its mean must lie within one standard
    deviation of the first curve, averaged likewise, over the splits. A test that finds no
    difference would not do, since it may have too few splits to see one.
    """

    between: tuple[AlgorithmName, AlgorithmName]
    """The two algorithms; the deviation is that of the first."""
    measure: MeasureName
    """The compared measure; a share, such as an error."""
    last: float | None = Field(default=None, alias="to")
    """Up to which value of the hyper-parameter."""
    along: str = ROUNDS
    """The hyper-parameter; by default the number of rounds."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean difference with its interval, and whether it is within a deviation."""
        found = {}
        for row in evidence.rows:
            a, b = _in_points(evidence, row, self.between, self.measure, self.along, self.last)
            gaps = [x - y for x, y in zip(a, b, strict=True)]
            low, high = _interval(gaps)
            deviation = stdev(a)
            text = (
                f"difference {fmean(gaps):.2f} points [{low:.2f}, {high:.2f}], standard deviation "
                f"{deviation:.2f}"
            )
            found[row] = text, -deviation <= low and high <= deviation
        return everywhere(found)


def _in_points(
    evidence: Evidence,
    row: str,
    algorithms: Sequence[str],
    measure: str,
    along: str,
    last: float | None,
) -> list[list[float]]:
    """Return each algorithm's mean over the rounds in percent, by split, where all have a value."""
    curves = [evidence.curve(row, name, measure, along).within(last=last) for name in algorithms]
    if len({curve.at for curve in curves}) > 1:
        raise Lacking(f"the two have other values of {along}")
    numbers = np.array([curve.splits for curve in curves])
    if numbers.shape[1] < 2:
        raise Lacking(NO_SPLITS)
    known = ~np.isnan(numbers).any(axis=(0, 1))
    if not known.any():
        raise Lacking(evidence.lacking)
    return [[100 * fmean(split[known]) for split in of_algorithm] for of_algorithm in numbers]


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Return Student's interval of the mean, of which one end is exceeded in one case of 20."""
    # scipy.stats takes half a second to import.
    from scipy.stats import t

    away = float(t.isf(LEVEL, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return fmean(values) - away, fmean(values) + away


def _gaps(evidence: Evidence, row: str, a: str, b: str, measure: str, along: str) -> list[float]:
    """Return by how much A's mean curve exceeds B's, where both have a solution."""
    left, right = (evidence.curve(row, name, measure, along) for name in (a, b))
    if left.at != right.at:
        raise Lacking(f"the two have other values of {along}")
    gaps = np.subtract(left.mean, right.mean)
    known = [float(gap) for gap in gaps if gap == gap]
    if not known:
        raise Lacking(evidence.lacking)
    return known
