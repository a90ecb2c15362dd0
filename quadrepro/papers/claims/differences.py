"""Claims on which of two numbers is lower or higher, row by row or split by split."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement
from quadrepro.papers.claims.counts import compare
from quadrepro.papers.claims.evidence import NO_SPLITS, Evidence, Lacking, Number, Quantity
from quadrepro.stats import paired_t_test
from quadrepro.stats.result import p_text


class LowerOrHigher(Claim, names=("lower", "higher")):
    """One algorithm's numbers are lower, or higher, than another's."""

    kind: Literal["lower", "higher"]
    """Which of the two."""
    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""
    quantity: Quantity = "error"
    """What is compared; by default the test error."""
    by: Literal["every-row", "sign-test", "paired-t"]
    """When the claim holds: if it is so on every row; if the sign test over the rows says so; if
    the paired t-test over the splits says so on more than half of the rows."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is so, and whether the claim holds."""
        n = len(evidence.rows)
        if self.by == "paired-t":
            so, otherwise = self._significant(evidence)
            other = "higher" if self.kind == "lower" else "lower"
            text = f"significantly {self.kind} on {so} of {n}, {other} on {otherwise}"
            return Judgement(text, so > n / 2)
        test = compare(*(evidence.values(name, self.quantity) for name in self._lower_first))
        text = (
            f"{self.kind} on {test.wins} of {n}, equal on {test.ties}, "
            f"sign test {p_text(test.p_value)}"
        )
        try:
            so, otherwise = self._significant(evidence)
            text += f"; significantly {self.kind} on {so}, the other way on {otherwise}"
        except Lacking:
            pass
        if self.by == "every-row":
            return Judgement(text, test.wins == n)
        return Judgement(text, test.significant and test.wins > test.losses)

    @property
    def _lower_first(self) -> tuple[str, str]:
        return (self.of, self.than) if self.kind == "lower" else (self.than, self.of)

    def _significant(self, evidence: Evidence) -> tuple[int, int]:
        """Return on how many rows the paired t-test finds what is claimed, and the opposite."""
        signs = []
        for row in evidence.rows:
            sides = [evidence.per_split(row, name, self.quantity) for name in self._lower_first]
            if len(sides[0]) < 2:
                raise Lacking(NO_SPLITS)
            test = paired_t_test(*sides)
            if test.significant:
                signs.append(test.mean_difference)
        return sum(d < 0 for d in signs), sum(d > 0 for d in signs)


class EachLower(Claim, names=("each-lower",)):
    """Each of some algorithms has a lower error than one other on every row."""

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The algorithms."""
    than: AlgorithmName
    """The other."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows each is lower, and whether all are on all."""
        base, n = evidence.values(self.than), len(evidence.rows)
        wins = {name: compare(evidence.values(name), base).wins for name in self.of}
        text = ", ".join(f"{evidence.label(name)} in {count}" for name, count in wins.items())
        pairs = f"; {sum(wins.values())} of {n * len(wins)} pairs" if len(wins) > 1 else ""
        return Judgement(f"{text} of {n} rows{pairs}", all(w == n for w in wins.values()))


class Closest(Claim, names=("closest",)):
    """Of several algorithms one comes closest to another in test error."""

    of: AlgorithmName
    """The closest, and the one it is close to."""
    to: AlgorithmName
    """The closest, and the one it is close to."""
    among: tuple[AlgorithmName, ...] = ()
    """All that are compared, `of` among them; by default all of the paper's names but `to`."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean absolute differences, and whether the claimed one has the least."""
        base = evidence.values(self.to)
        names = [name for name in self.among or evidence.names if name not in (self.of, self.to)]
        gaps = {name: distances(evidence.values(name), base) for name in (*names, self.of)}
        if not names:
            raise Lacking("no other algorithm to compare with")
        order = sorted(gaps, key=lambda name: fmean(gaps[name]))
        rival = next(name for name in order if name != self.of)
        test = compare(gaps[self.of], gaps[rival])
        means = ", ".join(f"{evidence.label(name)} {fmean(gaps[name]):.2f}" for name in order)
        text = (
            f"points of error apart on average: {means}; {evidence.label(self.of)} nearer than "
            f"{evidence.label(rival)} on {test.wins} of {len(base)}, equal on {test.ties}, sign "
            f"test {p_text(test.p_value)}"
        )
        return Judgement(text, order[0] == self.of)


def distances(a: Sequence[Number], b: Sequence[Number]) -> list[Number]:
    """Return the absolute differences of two sequences of numbers."""
    return [x - y if x > y else y - x for x, y in zip(a, b, strict=True)]


class LosesAtMost(Claim, names=("loses-at-most",)):
    """One algorithm's error exceeds another's by at most a number of points on every row."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""
    points: float = Field(ge=0)
    """Percent points, or the unit of the target if numbers are predicted."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the largest loss with its row, and whether none is larger than allowed."""
        sides = zip(evidence.values(self.of), evidence.values(self.than), strict=True)
        gaps = dict(zip(evidence.rows, (x - y for x, y in sides), strict=True))
        worst = max(gaps, key=gaps.__getitem__)
        above = sum(gap > self.points for gap in gaps.values())
        text = (
            f"at most {float(gaps[worst]):.2f} points ({worst}); "
            f"above {self.points:g} in {above} of {len(gaps)}"
        )
        return Judgement(text, above == 0)


class WorseOnMostSplits(Claim, names=("worse-on-most-splits",)):
    """One algorithm has a higher error than another on more than half of all splits."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many splits it is worse, and whether they are more than half."""
        pairs = [
            pair
            for row in evidence.rows
            for pair in zip(
                evidence.per_split(row, self.of), evidence.per_split(row, self.than), strict=True
            )
        ]
        above = sum(x > y for x, y in pairs)
        return Judgement(f"on {above} of {len(pairs)} splits", 2 * above > len(pairs))
