"""Claims on quantities and their bounds, which are compared at every value of a hyper-parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, MeasureName
from quadrepro.papers.claims.evidence import NO_VALUES, ROUNDS, Evidence, Lacking
from quadrepro.stats import order

ROUNDING = 1e-9
"""Difference of two numbers of the size of 1 that counts as rounding."""


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
        return order(self.lower, self.upper) <= 0


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


def count_inequalities(found: Sequence[Inequality]) -> Judgement:
    """Return how many inequalities hold, with the first that does not."""
    if not found:
        raise Lacking(NO_VALUES)
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
        return count_inequalities(found)
