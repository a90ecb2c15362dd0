"""Claims on measures along a hyper-parameter: curves, their slopes, and quantities and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.registry import title_of
from quadrepro.papers.claims.claim import AlgorithmNames, Claim, Judgement, MeasureName, by_row
from quadrepro.papers.claims.evidence import (
    NO_VALUES,
    ROUNDS,
    Evidence,
    Lacking,
    joint_p,
    power_text,
    with_interval,
)
from quadrepro.stats import LEVEL, holm, order, p_text

ROUNDING = 1e-9
"""Difference of two numbers of the size of 1 that counts as rounding."""


class OfCurves(Claim):
    """A claim on a measure along a hyper-parameter, or on a range of it."""

    measure: MeasureName
    """The compared measure."""
    along: str = ROUNDS
    """The hyper-parameter, or a count that the config measures, such as that of the voters; by
    default the number of rounds."""
    first: float | None = Field(default=None, alias="from")
    """First value of the range; by default that of the curves."""
    last: float | None = Field(default=None, alias="to")
    """Last value of the range; by default that of the curves."""

    def numbers(
        self, evidence: Evidence, row: str, names: Sequence[str]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values that all curves have a number at, and the numbers there.

        The numbers have the shape (n_algorithms, n_splits, n_values); errors are in percent. A
        level is the same at every value.
        """
        curves = [evidence.curve(row, name, self.measure, self.along) for name in names]
        ranges = [c.within(self.first, self.last) if c.at else c for c in curves]
        # Without a hyper-parameter there is one level, at a value that is never read.
        known = [{*r.at} for r, c in zip(ranges, curves, strict=True) if c.at] or [{0.0}]
        if not (at := sorted(set.intersection(*known))):
            raise Lacking(f"no {'common ' * (len(names) > 1)}{self.where}")
        places = [[r.at.index(v) if r.at else 0 for v in at] for r in ranges]
        numbers = [r.splits[:, columns] for r, columns in zip(ranges, places, strict=True)]
        found = np.array(numbers) * (100.0 if self.measure.endswith("error") else 1.0)
        solved = ~np.isnan(found).any(axis=(0, 1))
        if not solved.any():
            raise Lacking(NO_VALUES)
        return np.array(at)[solved], found[:, :, solved]

    @property
    def where(self) -> str:
        """The range in words."""
        ends = (("from", self.first), ("to", self.last))
        span = "".join(f" {word} {end:g}" for word, end in ends if end is not None)
        return ("rounds" if self.along == ROUNDS else self.along) + span


class OnAverage(OfCurves):
    """One curve is lower than others on average over a range, or higher, or the same.

    The means over the range are compared over the splits, by one-sided corrected t-tests.
    """

    kind: Literal["lower-on-average", "higher-on-average", "same-on-average"]
    """One of the three."""
    of: str
    """The algorithm."""
    than: AlgorithmNames
    """The others."""
    margin: float | None = Field(default=None, gt=0)
    """The largest difference between curves that are the same, of errors in points. Without one
    nothing can show that they are: a difference refutes it, or it is not decided."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the means with the differences, and whether all are as claimed."""
        names, texts, apart = (self.of, *self.than), {}, []
        for row in evidence.rows:
            mine, *others = self.numbers(evidence, row, names)[1].mean(axis=2)
            means = [evidence.mean(row, mine - other) for other in others]
            apart += means
            texts[row] = f"{evidence.label(self.of)} {fmean(mine):.4g}, " + ", ".join(
                f"{evidence.label(name)} {fmean(other):.4g} ({with_interval(mean)})"
                for name, other, mean in zip(self.than, others, means, strict=True)
            )
            sign = {"lower-on-average": 1, "higher-on-average": -1}.get(self.kind)
            if sign is not None:
                ahead = (sign * mine <= sign * np.array(others)).all(axis=0).sum()
                end = "lowest" if sign > 0 else "highest"
                texts[row] += f"; {end} on {ahead} of {len(mine)} splits"
        text = f"mean {title_of(self.measure)} over {self.where}: {by_row(texts)}"
        below, above = [mean.p_below() for mean in apart], [mean.p_above() for mean in apart]
        if self.kind == "same-on-average":
            margin = self.margin or 0.0
            so = [max(mean.p_below(margin), mean.p_above(-margin)) for mean in apart]
            sides = [(mean.p_above(margin), mean.p_below(-margin)) for mean in apart]
            # Without a margin either side refutes it, so that two tests are made on each row.
            p = joint_p(map(min, sides) if margin else below + above)
            holds, text = margin > 0, text + f" within {margin:g}" * bool(margin) + "; "
        else:
            so, against = (below, above) if self.kind == "lower-on-average" else (above, below)
            holds, p = True, joint_p(against)
            text += f"; the other way {p_text(p)} (Holm), "
        holds = holds and max(so) <= LEVEL
        return Judgement(text + power_text(apart), evidence.verdict(holds, p <= LEVEL))


class LowerCurve(OfCurves):
    """Some mean curves are nowhere above another's, and somewhere below it.

    At every value the splits are compared by a one-sided corrected t-test. If one of them finds a
    higher number, corrected for their number by Holm, the claim does not hold.
    """

    kind: Literal["lower-at-every-round"]
    """The kind."""
    of: AlgorithmNames
    """The lower algorithms."""
    than: str
    """The higher one, which may have no such hyper-parameter."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return by how much they are lower, and whether they are at every value."""
        texts, tested, holds = {}, [], True
        for row in evidence.rows:
            parts = []
            for name in self.of:
                mine, other = self.numbers(evidence, row, (name, self.than))[1]
                apart = (other - mine).mean(axis=0)
                holds &= bool(apart.min() >= -ROUNDING and apart.max() > 0)
                text = f"by {apart.min():.4f} to {apart.max():.4f}, {apart[-1]:.4f} at the end"
                parts.append(f"{evidence.label(name)} lower {text}" if len(self.of) > 1 else text)
                if len(mine) > 1:
                    tested += [evidence.mean(row, of_value) for of_value in (mine - other).T]
            texts[row] = ", ".join(parts)
        above = sum(p <= LEVEL for p in holm(mean.p_above() for mean in tested))
        text = by_row(texts)
        if tested and not holds:
            text += f"; significantly higher at {above} of {len(tested)} (Holm), "
            text += power_text(tested)
        return Judgement(text, evidence.verdict(holds, above > 0))


class Slope(OfCurves):
    """The logarithm of a mean curve falls at least this steeply with that of the rounds.

    The slopes of the splits are tested against the claimed one.
    """

    kind: Literal["slope"]
    """The kind."""
    of: str
    """The algorithm."""
    at_most: float
    """Largest slope allowed: -1 for a curve that falls at least as fast as 1/k."""
    floor: float = Field(default=0, ge=0)
    """The fit ends before the first number below this, which would be rounding."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the slope on each row, and whether all are steep enough."""
        curves = {row: self.numbers(evidence, row, [self.of]) for row in evidence.rows}
        slopes = {r: self._slope(at, splits.mean(axis=0)) for r, (at, [splits]) in curves.items()}
        text = "slope " + ", ".join(f"{slope:.2f} on {row}" for row, slope in slopes.items())
        if max(slopes.values()) <= self.at_most:
            return Judgement(text, True)
        p_values = [
            evidence.mean(row, [self._slope(at, of) for of in splits]).p_above(self.at_most)
            for row, (at, [splits]) in curves.items()
            if len(splits) > 1
        ]
        return Judgement(text, evidence.verdict(False, joint_p(p_values) <= LEVEL))

    def _slope(self, at: FloatArray, curve: FloatArray) -> float:
        """Return the least-squares slope of log measure on log rounds."""
        tiny = np.flatnonzero((curve < self.floor) | (curve <= 0))
        end = int(tiny[0]) if len(tiny) else len(at)
        if end < 2:
            raise Lacking(f"too few {self.where}")
        return float(np.polyfit(np.log(at[:end]), np.log(curve[:end]), 1)[0])


class Inequality(NamedTuple):
    """Two numbers of which the first is claimed to be no higher."""

    place: str
    """Row, algorithm and number of rounds."""
    lower: float
    """The first number."""
    upper: float
    """The second number."""

    @property
    def holds(self) -> bool:
        """Whether it holds but for rounding."""
        return order(self.lower, self.upper) <= 0


def inequalities(
    evidence: Evidence, algorithms: Sequence[str], measures: Sequence[str]
) -> list[Inequality]:
    """Return each measure and the next one, at every number of rounds."""
    found: list[Inequality] = []
    for algorithm in algorithms:
        for pair in pairwise(measures):
            for row in evidence.rows:
                low, high = (evidence.curve(row, algorithm, name) for name in pair)
                title = f"{row}, {evidence.label(algorithm)}"
                places = [f"{title}, T = {value:g}" for value in low.at] or [title]
                for x, y in zip(low.splits.tolist(), high.splits.tolist(), strict=True):
                    found += map(Inequality, places, x, y)
    solved = [of for of in found if of.lower == of.lower and of.upper == of.upper]
    if not solved:
        raise Lacking(NO_VALUES)
    return solved


def count_inequalities(found: Sequence[Inequality]) -> Judgement:
    """Return how many inequalities hold, with the first that does not."""
    broken = [inequality for inequality in found if not inequality.holds]
    text = f"{len(found) - len(broken)} of {len(found)} inequalities"
    if broken:
        text += f"; not {broken[0].lower:.6g} ≤ {broken[0].upper:.6g} ({broken[0].place})"
    return Judgement(text, not broken)


class InOrder(Claim):
    """Each measure is at most the next one at every round of every split."""

    kind: Literal["in-order"]
    """The kind."""
    of: AlgorithmNames
    """The algorithms."""
    measures: tuple[MeasureName, ...] = Field(min_length=2)
    """From low to high: first what is bounded, then its bounds."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how many inequalities hold, and whether all do."""
        return count_inequalities(inequalities(evidence, self.of, self.measures))
