"""Claims on where curves end, how fast they fall, and what they are on average."""

from __future__ import annotations

from statistics import fmean, pstdev

import numpy as np
from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, MeasureName, everywhere
from quadrepro.papers.claims.evidence import ROUNDS, Curve, Evidence, Lacking


class _OfCurves(Claim):
    """A claim on a measure along a hyper-parameter."""

    measure: MeasureName
    """The compared measure."""
    along: str = ROUNDS
    """The hyper-parameter; by default the number of rounds."""

    def curve(self, evidence: Evidence, row: str, algorithm: str) -> Curve:
        """Return the curve of one algorithm on one row."""
        return evidence.curve(row, algorithm, self.measure, self.along)

    @property
    def rounds(self) -> str:
        """Name of the hyper-parameter's values."""
        return "rounds" if self.along == ROUNDS else self.along

    @property
    def title(self) -> str:
        """Name of the measure in tables."""
        from quadrepro.core.measures.measure import title_of

        return title_of(self.measure)

    def shown(self, value: float) -> str:
        """Return a number of the measure; errors in percent."""
        return f"{100 * value:.2f}%" if self.measure.endswith("error") else f"{value:.4g}"


class HigherOnAverage(_OfCurves, names=("higher-on-average",)):
    """One algorithm's curve lies above those of others, on average over a range."""

    of: AlgorithmName
    """The algorithm."""
    than: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The others."""
    first: float = Field(alias="from")
    """Ends of the range, which count."""
    last: float = Field(alias="to")
    """Ends of the range, which count."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the means over the range, and whether the claimed one is the highest."""
        found = {}
        for row in evidence.rows:
            means = {c: self._mean(evidence, row, c) for c in (self.of, *self.than)}
            text = ", ".join(f"{evidence.label(c)} {self.shown(m)}" for c, m in means.items())
            found[row] = text, means[self.of] > max(means[c] for c in self.than)
        text, holds = everywhere(found)
        over = f"mean {self.title} over {self.rounds} {self.first:g} to {self.last:g}"
        return Judgement(f"{over}: {text}", holds)

    def _mean(self, evidence: Evidence, row: str, algorithm: str) -> float:
        part = self.curve(evidence, row, algorithm).within(self.first, self.last)
        if not part.at:
            raise Lacking(f"no {self.rounds} from {self.first:g} to {self.last:g}")
        return fmean(part.mean)


class LowestAtEnd(_OfCurves, names=("lowest-at-end",)):
    """One algorithm's curve ends lowest, alone or with others, on every row."""

    of: AlgorithmName
    """The algorithm."""
    among: tuple[AlgorithmName, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return where the curves end, and whether the claimed one is the lowest."""
        found = {}
        for row in evidence.rows:
            names = dict.fromkeys((*(self.among or evidence.names), self.of))
            ends = {c: self.curve(evidence, row, c).mean[-1] for c in names}
            text = ", ".join(f"{evidence.label(c)} {self.shown(e)}" for c, e in ends.items())
            found[row] = text, ends[self.of] <= min(ends.values())
        text, holds = everywhere(found)
        return Judgement(f"{self.title} at the end: {text}", holds)


class LowerAtEnd(_OfCurves, names=("lower-at-end",)):
    """One algorithm's curve ends below another's on every row."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""
    called: str = ""
    """The text's name of the measure; by default its title."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return where the two curves end on each row, and whether the claimed one is lower."""
        last, parts, lower = "", [], []
        for row in evidence.rows:
            mine, theirs = (self.curve(evidence, row, c) for c in (self.of, self.than))
            parts.append(f"{mine.mean[-1]:.2g} against {theirs.mean[-1]:.2g} on {row}")
            lower.append(mine.mean[-1] < theirs.mean[-1])
            last = last or (f" after {mine.at[-1]:g} {self.rounds}" if mine.at else "")
        return Judgement(f"{self.called or self.title}{last} {', '.join(parts)}", all(lower))


class SameAtEnd(_OfCurves, names=("same-at-end",)):
    """Two curves end at the same level, within one standard deviation of each."""

    between: tuple[AlgorithmName, AlgorithmName]
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return where the two end, and whether the intervals of one deviation overlap."""
        found = {}
        for row in evidence.rows:
            ends = {c: self.curve(evidence, row, c).ends for c in self.between}
            text = ", ".join(
                f"{evidence.label(c)} {fmean(n):.1f} ± {pstdev(n):.1f}" for c, n in ends.items()
            )
            a, b = ends.values()
            found[row] = text, abs(fmean(a) - fmean(b)) <= pstdev(a) + pstdev(b)
        text, holds = everywhere(found)
        return Judgement(f"{self.title} at the end: {text}", holds)


class BelowLevel(_OfCurves, names=("below-level",)):
    """Some curves stay at or below where another ends, from a value of the hyper-parameter on."""

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The algorithms."""
    than: AlgorithmName
    """The other, which may have no such hyper-parameter."""
    first: float = Field(alias="from")
    """The first value that counts."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the highest points and the level, and whether all are below it."""
        found = {}
        for row in evidence.rows:
            level = self.curve(evidence, row, self.than).mean[-1]
            highest = {c: self._highest(evidence, row, c) for c in self.of}
            text = ", ".join(
                f"{evidence.label(c)} at most {self.shown(v)}" for c, v in highest.items()
            )
            text += f"; {evidence.label(self.than)} {self.shown(level)}"
            found[row] = text, max(highest.values()) <= level
        return everywhere(found)

    def _highest(self, evidence: Evidence, row: str, algorithm: str) -> float:
        part = self.curve(evidence, row, algorithm).within(self.first)
        if not part.at:
            raise Lacking(f"no {self.rounds} from {self.first:g} on")
        return max(part.mean)


class Slope(_OfCurves, names=("slope",)):
    """The logarithm of a mean curve falls at least so steeply along that of the rounds."""

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
        slopes = {row: self._slope(evidence, row) for row in evidence.rows}
        text = ", ".join(f"{slope:.2f} on {row}" for row, slope in slopes.items())
        return Judgement(f"slope {text}", max(slopes.values()) <= self.at_most)

    def _slope(self, evidence: Evidence, row: str) -> float:
        """Return the least-squares slope of log measure on log rounds."""
        curve = self.curve(evidence, row, self.of)
        values, rounds = np.array(curve.mean), np.array(curve.at)
        tiny = np.flatnonzero((values < self.floor) | (values <= 0))
        end = int(tiny[0]) if len(tiny) else len(rounds)
        fitted = slice(int(np.searchsorted(rounds, self.first)), end)
        if len(rounds[fitted]) < 2:
            raise Lacking(f"too few {self.rounds} from {self.first:g} on")
        return float(np.polyfit(np.log(rounds[fitted]), np.log(values[fitted]), 1)[0])
