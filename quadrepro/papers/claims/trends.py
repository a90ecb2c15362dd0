"""Claims on measures along a hyper-parameter: curves, their slopes, and quantities and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise, product
from math import inf, isfinite
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.names import title_of
from quadrepro.papers.claims import claim
from quadrepro.papers.claims.claim import Algorithms, Claim, Evidence, Judgement, Lacking, one_sided
from quadrepro.stats import LEVEL, Mean, holm, order, p_text

ROUNDING = 1e-9
"""Difference of two numbers of the size of 1 that counts as rounding."""


class OfCurves(Claim):
    """A claim on a measure along a hyper-parameter, or on a range of it."""

    measure: claim.MeasureName
    """The compared measure."""
    along: str = claim.ROUNDS
    """The hyper-parameter, or a count that the config measures, such as the number of
    voters; by default the number of rounds."""
    first: float = Field(default=-inf, alias="from")
    """First value of the range; by default the first of the curves."""
    last: float = Field(default=inf, alias="to")
    """Last value of the range; by default the last of the curves."""

    def numbers(self, evidence: Evidence, row: str, *names: str) -> tuple[FloatArray, FloatArray]:
        """Return the values that all curves have a number at, and the numbers there.

        The numbers have the shape (n_algorithms, n_splits, n_values). A level is the same at every
        value.
        """
        curves = [evidence.curve(row, name, self.measure, self.along) for name in names]
        values = [{*curve.x} for curve in curves if curve.x]
        # Without a hyper-parameter there is one level, at a value that is never read.
        common = set.intersection(*values) if values else {self.first}
        if not (x := sorted(value for value in common if self.first <= value <= self.last)):
            raise Lacking(f"no {'common ' * (len(names) > 1)}{self.where}")
        numbers = np.array([curve.at(x) for curve in curves])
        solved = ~np.isnan(numbers).any(axis=(0, 1))
        if not solved.any():
            raise Lacking(claim.NO_VALUES)
        return np.array(x)[solved], numbers[:, :, solved]

    @property
    def counts_errors(self) -> bool:
        """Whether the measure is a share of errors, whose differences are percentage points."""
        return self.measure.endswith("error")

    def level(self, value: float) -> str:
        """Return a value of the measure for reading."""
        return f"{100 * value:.3g}%" if self.counts_errors else f"{value:.4g}"

    def show(self, difference: float) -> str:
        """Return a difference of the measure for reading."""
        return f"{100 * difference:+z.3g}" if self.counts_errors else f"{difference:+z.3g}"

    def power(self, means: Sequence[Mean]) -> str:
        """Return `power_text` of tests of the measure, with its unit."""
        return claim.power_text(means, self.show) + " percentage points" * self.counts_errors

    @property
    def where(self) -> str:
        """The range in words."""
        ends = (("from", self.first), ("to", self.last))
        span = "".join(f" {word} {end:g}" for word, end in ends if isfinite(end))
        return ("rounds" if self.along == claim.ROUNDS else self.along) + span


class OnAverage(OfCurves):
    """One curve is lower than others on average over a range, or higher, or the same.

    The means over the range are compared over the splits, by one-sided corrected t-tests.
    """

    kind: Literal["lower-on-average", "higher-on-average", "same-on-average"]
    """One of the three."""
    algorithm: str = Field(alias="of")
    """The algorithm."""
    than: Algorithms
    """The others."""
    margin: float | None = Field(default=None, gt=0)
    """The largest difference between curves that are the same, of errors in percentage points.
    Without one nothing can show that they are: a difference refutes it, or it is not decided."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the means with the differences, and the word."""
        texts, gaps = {}, list[Mean]()
        lower, same = self.kind == "lower-on-average", self.kind == "same-on-average"
        for row in evidence.rows:
            _, numbers = self.numbers(evidence, row, self.algorithm, *self.than)
            mine, *others = numbers.mean(axis=2)
            means = [evidence.mean(row, mine - other, self.counts_errors) for other in others]
            parts = [f"{evidence.label(self.algorithm)} {self.level(fmean(mine))}"]
            for name, other, mean in zip(self.than, others, means, strict=True):
                interval = claim.with_interval(mean, self.show)
                parts.append(f"{evidence.label(name)} {self.level(fmean(other))} ({interval})")
            texts[row] = ", ".join(parts)
            if not same:
                ahead = np.less_equal(mine, others) if lower else np.greater_equal(mine, others)
                end = "lowest" if lower else "highest"
                texts[row] += f"; {end} on {ahead.all(axis=0).sum()} of {len(mine)} splits"
            gaps += means
        text = f"mean {title_of(self.measure)} over {self.where}: {claim.by_row(texts)}"
        if same:
            text += f" within {self.margin:g}; " if self.margin else "; "
            agrees, p_for, p_against = self._sameness(gaps)
        else:
            agrees = all(mean.value < 0 if lower else mean.value > 0 for mean in gaps)
            p_for, p_against = one_sided(gaps, len(gaps)) if lower else one_sided(gaps, 1)[::-1]
            text += f"; the other way {p_text(p_against)} (Holm), "
        return Judgement(text + self.power(gaps), evidence.word(agrees, p_for, p_against))

    def _sameness(self, gaps: Sequence[Mean]) -> tuple[bool | None, float, float]:
        """Return whether no gap is above the margin, with both p-values."""
        margin = (self.margin or 0.0) / (100 if self.counts_errors else 1)
        all_below, some_above = one_sided(gaps, len(gaps), margin)
        some_below, all_above = one_sided(gaps, 1, -margin)
        p_for, p_against = max(all_below, all_above), min(some_below, some_above)
        if not self.margin:
            # Either side refutes it, so that two tests are made on each row.
            return None, p_for, 2 * p_against
        return all(abs(mean.value) <= margin for mean in gaps), p_for, p_against


class LowerCurve(OfCurves):
    """Some mean curves are nowhere above another's, and somewhere below it.

    At every value the splits are compared by a one-sided corrected t-test. The claim is refuted if
    one of them finds a higher number, corrected for their number by Holm, and supported if all of
    them find a lower one.
    """

    kind: Literal["lower-at-every-round"]
    """The kind."""
    algorithms: Algorithms = Field(alias="of")
    """The lower algorithms."""
    than: str
    """The higher one, which may have no such hyper-parameter."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return by how much they are lower, and the word."""
        texts, tested, agrees = {}, list[Mean](), True
        for row in evidence.rows:
            parts = []
            for name in self.algorithms:
                mine, other = self.numbers(evidence, row, name, self.than)[1]
                gap = (other - mine).mean(axis=0)
                agrees &= bool(gap.min() >= -ROUNDING and gap.max() > 0)
                text = f"{evidence.label(name)} lower " * (len(self.algorithms) > 1)
                text += f"by {gap.min():.4f} to {gap.max():.4f}, {gap[-1]:.4f} at the end"
                parts.append(text)
                if len(mine) > 1:
                    tested += [evidence.mean(row, d, self.counts_errors) for d in (mine - other).T]
            texts[row] = ", ".join(parts)
        text = claim.by_row(texts)
        if tested and not agrees:
            above = sum(p <= LEVEL for p in holm(mean.p_above() for mean in tested))
            text += f"; significantly higher at {above} of {len(tested)} (Holm), "
            text += self.power(tested)
        return Judgement(text, evidence.word(agrees, *one_sided(tested, len(tested))))


class Slope(OfCurves):
    """On logarithmic axes, a mean curve falls at least this steeply.

    The slopes of the splits are tested against the claimed one.
    """

    kind: Literal["slope"]
    """The kind."""
    algorithm: str = Field(alias="of")
    """The algorithm."""
    at_most: float
    """Largest slope allowed: -1 for a curve that falls at least as fast as 1/k."""
    floor: float = Field(default=0, ge=0)
    """The fit ends before the first number below this, which would be rounding."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the slope on each row, and the word."""
        slopes, means = {}, list[Mean]()
        for row in evidence.rows:
            x, [splits] = self.numbers(evidence, row, self.algorithm)
            slopes[row] = self._slope(x, splits.mean(axis=0))
            # A split can end before it has a slope.
            with suppress(Lacking):
                means.append(evidence.mean(row, [self._slope(x, split) for split in splits]))
        text = "slope " + ", ".join(f"{slope:.2f} on {row}" for row, slope in slopes.items())
        p_for, p_against = one_sided(means, len(slopes), self.at_most)
        agrees = max(slopes.values()) <= self.at_most
        return Judgement(text, evidence.word(agrees, p_for, p_against))

    def _slope(self, x: FloatArray, curve: FloatArray) -> float:
        """Return the least-squares slope of log measure on log rounds."""
        tiny = np.flatnonzero((curve < self.floor) | (curve <= 0))
        end = int(tiny[0]) if len(tiny) else len(x)
        if end < 2:
            raise Lacking(f"too few {self.where}")
        return float(np.polyfit(np.log(x[:end]), np.log(curve[:end]), 1)[0])


class Inequality(NamedTuple):
    """Two numbers; the first is claimed not to be higher."""

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
    pairs: list[Inequality] = []
    for algorithm, names, row in product(algorithms, pairwise(measures), evidence.rows):
        low, high = (evidence.curve(row, algorithm, name) for name in names)
        title = f"{row}, {evidence.label(algorithm)}"
        places = [f"{title}, T = {value:g}" for value in low.x] or [title]
        for lower, upper in zip(low.splits.tolist(), high.splits.tolist(), strict=True):
            pairs += map(Inequality, places, lower, upper)
    solved = [pair for pair in pairs if pair.lower == pair.lower and pair.upper == pair.upper]
    if not solved:
        raise Lacking(claim.NO_VALUES)
    return solved


def count_inequalities(every: Sequence[Inequality]) -> Judgement:
    """Return the number of inequalities that hold, and the first that does not."""
    broken = [inequality for inequality in every if not inequality.holds]
    text = f"{len(every) - len(broken)} of {len(every)} inequalities"
    if broken:
        text += f"; not {broken[0].lower:.6g} ≤ {broken[0].upper:.6g} ({broken[0].place})"
    return claim.checked_claim(text, not broken)


class InOrder(Claim):
    """Each measure is at most the next one at every round of every split."""

    kind: Literal["in-order"]
    """The kind."""
    algorithms: Algorithms = Field(alias="of")
    """The algorithms."""
    measures: tuple[claim.MeasureName, ...] = Field(min_length=2)
    """From low to high: the bounded measure first, then its bounds."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the number of inequalities that hold, and the word."""
        return count_inequalities(inequalities(evidence, self.algorithms, self.measures))
