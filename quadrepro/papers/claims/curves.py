"""Claims on curves: on average over a range, at every value, and on how fast they fall."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from pydantic import Field

from quadrepro.base.types import FloatArray
from quadrepro.papers.claims.bounds import ROUNDING
from quadrepro.papers.claims.claim import (
    AlgorithmName,
    AlgorithmNames,
    Claim,
    Judgement,
    MeasureName,
    by_row,
    joint_p,
)
from quadrepro.papers.claims.evidence import (
    NO_VALUES,
    ROUNDS,
    Curve,
    Evidence,
    Gap,
    Lacking,
    power_text,
)
from quadrepro.stats import LEVEL, holm, p_text


class _OfCurves(Claim):
    """A claim on a measure along a hyper-parameter."""

    measure: MeasureName
    """The compared measure."""
    along: str = ROUNDS
    """The hyper-parameter, or a count that the config measures, such as that of the voters; by
    default the number of rounds."""

    @property
    def rounds(self) -> str:
        """Name of the hyper-parameter's values."""
        return "rounds" if self.along == ROUNDS else self.along

    @property
    def title(self) -> str:
        """Name of the measure in tables."""
        from quadrepro.core.measures.registry import title_of

        return title_of(self.measure)

    @property
    def unit(self) -> float:
        """Factor of the numbers that are shown; errors are in percent."""
        return 100.0 if self.measure.endswith("error") else 1.0


class _OverRange(_OfCurves):
    """A claim on a part of the curves."""

    first: float | None = Field(default=None, alias="from")
    """Ends of the range, which count; by default those of the curves."""
    last: float | None = Field(default=None, alias="to")
    """Ends of the range, which count; by default those of the curves."""

    def numbers(self, evidence: Evidence, row: str, names: Sequence[str]) -> FloatArray:
        """Return the measure by algorithm, split and value, where all have one in every split."""
        curves = [evidence.curve(row, c, self.measure, self.along) for c in names]
        parts = [curve.within(self.first, self.last) if curve.at else curve for curve in curves]
        # Without a hyper-parameter there is one level, at a value that is never read.
        known = [{*p.at} for p, curve in zip(parts, curves, strict=True) if curve.at] or [{0.0}]
        if not (common := sorted(set.intersection(*known))):
            raise Lacking(f"no common {self.rounds}{self.span}")
        found = self.unit * np.array([_at(part, common) for part in parts])
        found = found[:, :, ~np.isnan(found).any(axis=(0, 1))]
        if not found.size:
            raise Lacking(NO_VALUES)
        return found

    @property
    def span(self) -> str:
        """The range in words."""
        ends = (("from", self.first), ("to", self.last))
        return "".join(f" {word} {end:g}" for word, end in ends if end is not None)

    def judge_means(
        self, evidence: Evidence, names: Sequence[str]
    ) -> tuple[dict[str, FloatArray], list[Gap]]:
        """Return means over the range by row, algorithm and split; the first's minus each other."""
        means = {row: self.numbers(evidence, row, names).mean(axis=2) for row in evidence.rows}
        gaps = [
            evidence.gap(row, (of_row[0] - other).tolist())
            for row, of_row in means.items()
            for other in of_row[1:]
        ]
        return means, gaps


def _at(curve: Curve, values: Sequence[float]) -> list[list[float]]:
    """Return the numbers of each split at some values; a level is the same at all."""
    places = [curve.at.index(value) if curve.at else 0 for value in values]
    return [[split[i] for i in places] for split in curve.splits]


class OnAverage(_OverRange, names=("lower-on-average", "higher-on-average")):
    """One algorithm's curve is lower, or higher, than those of others on average over a range.

    The means over the range are compared over the splits, by a one-sided corrected t-test each.
    """

    kind: Literal["lower-on-average", "higher-on-average"]
    """One of the two."""
    of: AlgorithmName
    """The algorithm."""
    than: AlgorithmNames
    """The others."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the means with the differences, and whether all are on the claimed side."""
        means, gaps = self.judge_means(evidence, (self.of, *self.than))
        sign = 1 if self.kind == "lower-on-average" else -1
        left, texts = iter(gaps), {}
        for row, of_row in means.items():
            best = int((sign * of_row[0] <= (sign * of_row).min(axis=0)).sum())
            text = f"{evidence.label(self.of)} {fmean(of_row[0]):.4g}, "
            text += ", ".join(
                f"{evidence.label(name)} {fmean(other):.4g} ({next(left).text})"
                for name, other in zip(self.than, of_row[1:], strict=True)
            )
            end = "lowest" if sign > 0 else "highest"
            texts[row] = f"{text}; {end} on {best} of {len(of_row[0])} splits"
        so = [gap.p_below() if sign > 0 else gap.p_above() for gap in gaps]
        otherwise = joint_p(gap.p_above() if sign > 0 else gap.p_below() for gap in gaps)
        text = f"mean {self.title} over {self.rounds}{self.span}: {by_row(texts)}"
        text += f"; the other way {p_text(otherwise)} (Holm), {power_text(gaps)}"
        return Judgement(text, evidence.verdict(max(so) <= LEVEL, otherwise <= LEVEL))


class SameOnAverage(_OverRange, names=("same-on-average",)):
    """Two curves are the same on average over a range.

    The means over the range are compared over the splits, by two one-sided corrected t-tests.
    """

    between: tuple[AlgorithmName, AlgorithmName]
    """The two algorithms."""
    margin: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """The largest difference that does not matter, of errors in points. Without one nothing can
    show that two curves are the same: a difference refutes it, or it is not decided."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean difference with its interval, and whether it is within the margin."""
        means, gaps = self.judge_means(evidence, self.between)
        a, b = map(evidence.label, self.between)
        texts = {
            row: f"{a} {fmean(x):.4g}, {b} {fmean(y):.4g} ({gap.text})"
            for (row, (x, y)), gap in zip(means.items(), gaps, strict=True)
        }
        margin = self.margin or 0.0
        holds = all(max(g.p_below(margin), g.p_above(-margin)) <= LEVEL for g in gaps)
        # Without a margin either side refutes it, so that two tests are made on each row.
        sides = [p for gap in gaps for p in (gap.p_above(margin), gap.p_below(-margin))]
        tests = sides if self.margin is None else map(min, sides[::2], sides[1::2])
        within = f" within {margin:g}" if margin else ""
        text = f"mean {self.title} over {self.rounds}{self.span}: {by_row(texts)}{within}"
        text += f"; {power_text(gaps)}"
        return Judgement(text, evidence.verdict(holds and margin > 0, joint_p(tests) <= LEVEL))


class LowerAtEveryRound(_OverRange, names=("lower-at-every-round",)):
    """Some mean curves are nowhere above another's, and somewhere below it.

    At every value the splits are compared by a one-sided corrected t-test. If one of them finds a
    higher number, corrected for their number by Holm, the claim does not hold.
    """

    of: AlgorithmNames
    """The lower algorithms."""
    than: AlgorithmName
    """The higher one, which may have no such hyper-parameter."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return by how much they are lower, and whether they are at every value."""
        texts, gaps, holds = {}, [], True
        for row in evidence.rows:
            parts = []
            for name in self.of:
                mine, other = self.numbers(evidence, row, (name, self.than))
                apart = (other - mine).mean(axis=0)
                holds &= bool(apart.min() >= -ROUNDING and apart.max() > 0)
                text = f"by {apart.min():.4f} to {apart.max():.4f}, {apart[-1]:.4f} at the end"
                parts.append(f"{evidence.label(name)} lower {text}" if len(self.of) > 1 else text)
                if len(mine) > 1:
                    gaps += [evidence.gap(row, of.tolist()) for of in (mine - other).T]
            texts[row] = ", ".join(parts)
        above = sum(p <= LEVEL for p in holm(gap.p_above() for gap in gaps))
        text = by_row(texts)
        if gaps and not holds:
            text += f"; significantly higher at {above} of {len(gaps)} (Holm), {power_text(gaps)}"
        return Judgement(text, evidence.verdict(holds, above > 0))


class Slope(_OfCurves, names=("slope",)):
    """The logarithm of a mean curve falls at least so steeply along that of the rounds.

    The slopes of the splits are tested against the claimed one.
    """

    of: AlgorithmName
    """The algorithm."""
    at_most: float
    """The steepest slope that is claimed: -1 for a curve that falls as 1/k."""
    first: float = Field(default=1, alias="from", gt=0)
    """The first value of the hyper-parameter that counts."""
    floor: float = Field(default=0, ge=0)
    """The fit ends before the first number below this, which would be rounding."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the slope on each row, and whether all are steep enough."""
        curves = {
            row: evidence.curve(row, self.of, self.measure, self.along) for row in evidence.rows
        }
        slopes = {row: self._slope(curve.at, curve.mean) for row, curve in curves.items()}
        text = "slope " + ", ".join(f"{slope:.2f} on {row}" for row, slope in slopes.items())
        if max(slopes.values()) <= self.at_most:
            return Judgement(text, True)
        p_values = []
        for row, curve in curves.items():
            if len(curve.splits) > 1:
                of_splits = [self._slope(curve.at, split) for split in curve.splits]
                p_values.append(evidence.gap(row, of_splits).p_above(self.at_most))
        return Judgement(text, evidence.verdict(False, joint_p(p_values) <= LEVEL))

    def _slope(self, at: Sequence[float], curve: Sequence[float]) -> float:
        """Return the least-squares slope of log measure on log rounds."""
        values, rounds = np.array(curve), np.array(at)
        tiny = np.flatnonzero((values < self.floor) | (values <= 0))
        end = int(tiny[0]) if len(tiny) else len(rounds)
        fitted = slice(int(np.searchsorted(rounds, self.first)), end)
        if len(rounds[fitted]) < 2:
            raise Lacking(f"too few {self.rounds} from {self.first:g} on")
        return float(np.polyfit(np.log(rounds[fitted]), np.log(values[fitted]), 1)[0])
