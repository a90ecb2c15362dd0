"""Claims on curves that are compared at every value of a hyper-parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isclose
from statistics import fmean
from typing import NamedTuple

import numpy as np
from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, MeasureName, everywhere
from quadrepro.papers.claims.evidence import ROUNDS, Evidence, Lacking

ROUNDING = 1e-9
"""Relative difference of two numbers that counts as rounding."""


class Inequality(NamedTuple):
    """Two numbers of which the first is claimed to be no higher.

    Attributes
    ----------
    place : str
        Row, algorithm and value of the hyper-parameter.
    lower, upper : float
        The numbers.
    """

    place: str
    lower: float
    upper: float

    @property
    def holds(self) -> bool:
        """Whether it holds but for rounding."""
        # Both sides of a bound may be far below 1e-9, so what is allowed goes with their size.
        close = isclose(self.lower, self.upper, rel_tol=ROUNDING, abs_tol=1e-15)
        return self.lower <= self.upper or close


def inequalities(
    evidence: Evidence, algorithms: Sequence[str], measures: Sequence[str], along: str = ROUNDS
) -> list[Inequality]:
    """Return each measure and the next one, at every value of the hyper-parameter.

    Parameters
    ----------
    evidence : Evidence
        Our numbers.
    algorithms, measures : sequence of str
        Whose curves, and the measures from low to high.
    along : str, default "n_rounds"
        The hyper-parameter.

    Returns
    -------
    list of Inequality
        Without candidates that have no solution.
    """
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
    """Return how many inequalities hold, with the first that does not.

    Raises
    ------
    Lacking
        If there is none.
    """
    if not found:
        raise Lacking(evidence.lacking)
    broken = [inequality for inequality in found if not inequality.holds]
    text = f"{len(found) - len(broken)} of {len(found)} inequalities"
    if broken:
        text += f"; not {broken[0].lower:.6g} ≤ {broken[0].upper:.6g} ({broken[0].place})"
    return Judgement(text, not broken)


class InOrder(Claim):
    """Each measure is at most the next one at every round of every split.

    Attributes
    ----------
    of : tuple of str
        The algorithms.
    measures : tuple of str
        From low to high: first what is bounded, then its bounds.
    along : str
        The hyper-parameter; by default the number of rounds.
    """

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    measures: tuple[MeasureName, ...] = Field(min_length=2)
    along: str = ROUNDS

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how many inequalities hold, and whether all do."""
        found = inequalities(evidence, self.of, self.measures, self.along)
        return count_inequalities(evidence, found)


class LowerAtEveryRound(Claim):
    """One algorithm's mean curve is nowhere above another's, and somewhere below it.

    Attributes
    ----------
    of, than : str
        The lower and the higher algorithm.
    measure : str
        What is compared.
    along : str
        The hyper-parameter; by default the number of rounds.
    """

    of: AlgorithmName
    than: AlgorithmName
    measure: MeasureName
    along: str = ROUNDS

    def judge(self, evidence: Evidence) -> Judgement:
        """Return by how much it is lower, and whether it is at every round."""
        found = {}
        for row in evidence.rows:
            gaps = _gaps(evidence, row, self.than, self.of, self.measure, self.along)
            text = f"by {min(gaps):.4f} to {max(gaps):.4f}, {gaps[-1]:.4f} at the end"
            found[row] = text, min(gaps) >= -ROUNDING and max(gaps) > 0
        return everywhere(found)


class SmallGap(Claim):
    """Two mean curves differ by few points on average.

    Attributes
    ----------
    between : pair of str
        The two algorithms.
    measure : str
        What is compared; a share, such as an error.
    last : float, optional (``to`` in YAML)
        Up to which value of the hyper-parameter.
    points : float
        Largest mean difference, in percent points.
    along : str
        The hyper-parameter; by default the number of rounds.
    """

    between: tuple[AlgorithmName, AlgorithmName]
    measure: MeasureName
    last: float | None = Field(default=None, alias="to")
    points: float = Field(ge=0)
    along: str = ROUNDS

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean and the largest difference, and whether the mean is small enough."""
        found = {}
        for row in evidence.rows:
            gaps = _gaps(evidence, row, *self.between, self.measure, self.along, self.last)
            points = [100 * abs(gap) for gap in gaps]
            text = f"mean difference {fmean(points):.2f} points, largest {max(points):.2f}"
            found[row] = text, fmean(points) <= self.points
        return everywhere(found)


def _gaps(
    evidence: Evidence,
    row: str,
    a: str,
    b: str,
    measure: str,
    along: str,
    last: float | None = None,
) -> list[float]:
    """Return by how much A's mean curve exceeds B's, where both have a solution."""
    left, right = (evidence.curve(row, name, measure, along).within(last=last) for name in (a, b))
    if left.at != right.at:
        raise Lacking(f"the two have other values of {along}")
    gaps = np.subtract(left.mean, right.mean)
    known = [float(gap) for gap in gaps if gap == gap]
    if not known:
        raise Lacking(evidence.lacking)
    return known
