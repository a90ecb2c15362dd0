"""Claims on which algorithm is better: by signs, counts of rows, differences or running times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from statistics import fmean, median
from typing import ClassVar, Literal

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, Undecided
from quadrepro.papers.claims.evidence import NO_SPLITS, Evidence, Lacking, Number, Quantity
from quadrepro.stats import (
    LEVEL,
    SignTest,
    equivalence_test,
    paired_t_test,
    sign_test,
    sign_test_power,
)
from quadrepro.stats.result import p_text


class TimesFaster(Claim, names=("times-faster",)):
    """One algorithm is faster than another by some factor, by mean running times."""

    timed: ClassVar[bool] = True

    of: AlgorithmName
    """The faster and the slower algorithm."""
    than: AlgorithmName
    """The faster and the slower algorithm."""
    times: float = Field(gt=0)
    """Least ratio of their times."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratio, and whether it is large enough."""
        ratio = _ratio(evidence, evidence.seconds(self.than), evidence.seconds(self.of))
        return Judgement(f"{ratio:.3g} times as fast", ratio >= self.times)


class FasterEverywhere(Claim, names=("faster-everywhere",)):
    """Each of some algorithms takes less time than each of some others on every row."""

    timed: ClassVar[bool] = True

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The faster and the slower algorithms."""
    than: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The faster and the slower algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratios of the fastest slow to the slowest fast, and whether all exceed 1."""
        ratios = [
            _ratio(
                evidence,
                min(evidence.seconds_on(row, name) for name in self.than),
                max(evidence.seconds_on(row, name) for name in self.of),
            )
            for row in evidence.rows
        ]
        count = sum(ratio > 1 for ratio in ratios)
        text = (
            f"faster at {count} of {len(ratios)} points; {min(ratios):.3g} to {max(ratios):.3g} "
            f"times as fast, median {median(ratios):.3g}"
        )
        return Judgement(text, count == len(ratios))


def _ratio(evidence: Evidence, slow: float, fast: float) -> float:
    if fast <= 0:
        raise Lacking(evidence.lacking)
    return slow / fast


SHARES = (0.6, 0.7, 0.8)
"""Shares of wins at which the power of the sign test is given."""


def compare(a: Sequence[Number], b: Sequence[Number]) -> SignTest:
    """Return the sign test of A against B: A wins with the lower number, compared exactly."""
    return sign_test([(x > y) - (x < y) for x, y in zip(a, b, strict=True)], [0] * len(a))


def _described(test: SignTest) -> str:
    counts = f"{test.wins} wins, {test.losses} losses, {test.ties} ties"
    return f"{counts}, {p_text(test.p_value)}"


def _with_power(test: SignTest) -> str:
    """Return the test and how often it would find an algorithm that wins more often."""
    n = test.wins + test.losses
    power = ", ".join(f"{sign_test_power(n, share):.2f}" for share in SHARES)
    shares = ", ".join(f"{100 * share:.0f}" for share in SHARES)
    return f"{_described(test)}; power at {shares}% wins: {power}"


class SignificantlyBetter(Claim, names=("significantly-better",)):
    """One algorithm has a significantly lower error than another."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are significantly more."""
        test = compare(evidence.values(self.of), evidence.values(self.than))
        return Judgement(_described(test), test.significant and test.wins > test.losses)


class NotBetter(SignificantlyBetter, names=("not-better",)):
    """One algorithm does not have a significantly lower error than another."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are not significantly more."""
        text, better = super().judge(evidence)
        return Judgement(text, not better)


class NotToldApart(Claim, names=("not-told-apart",)):
    """The sign test finds no significant difference between two algorithms.

    That is what a paper says with "no significant difference", and no evidence that they are alike.
    """

    between: tuple[AlgorithmName, AlgorithmName]
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties of the first, the test's power, and whether p is high."""
        test = compare(*map(evidence.values, self.between))
        return Judgement(_with_power(test), not test.significant)


class Equivalent(NotToldApart, names=("equivalent",)):
    """Two algorithms are equivalent."""

    margin: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """The largest difference of mean errors that does not matter. Without one nothing can show that
    two algorithms are equivalent: the sign test refutes it or leaves it undecided."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the interval of the mean difference, and whether it lies within the margin."""
        if self.margin is None:
            text, open_ = super().judge(evidence)
            return Undecided(text, None) if open_ else Judgement(text, False)
        a, b = map(evidence.values, self.between)
        if len(a) < 2:
            raise Lacking("one row is too few for a test of equivalence")
        test = equivalence_test(a, b, self.margin)
        text = (
            f"mean difference {test.mean_difference:+z.2f}, {100 - 200 * LEVEL:g}% interval "
            f"{test.low:+z.2f} to {test.high:+z.2f}, margin {self.margin:g}, {p_text(test.p_value)}"
        )
        if test.significant or test.different:
            return Judgement(text, test.significant)
        return Undecided(text, None)


class SignificantPairs(Claim, names=("significant-pairs",)):
    """Some pairs of algorithms differ significantly, and no others."""

    pairs: tuple[tuple[AlgorithmName, AlgorithmName], ...] = Field(min_length=1)
    """In each the better algorithm first."""
    among: tuple[AlgorithmName, ...] = ()
    """All algorithms that are compared with each other; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the significant pairs, and whether they are the claimed ones."""
        names = (*(self.among or evidence.names), *chain.from_iterable(self.pairs))
        values = {name: evidence.values(name) for name in dict.fromkeys(names)}
        found = {}
        for a, of_a in values.items():
            for b, of_b in values.items():
                test = compare(of_a, of_b)
                if test.significant and test.wins > test.losses:
                    found[a, b] = test.p_value
        text = "; ".join(
            f"{evidence.label(a)} over {evidence.label(b)} ({p_text(p)})"
            for (a, b), p in found.items()
        )
        return Judgement(text or "no pair", set(found) == set(self.pairs))


PLACES = ("best", "second", "third", "fourth", "fifth")


class Counted(Claim):
    """A claim on a number of rows."""

    at_least: int = Field(ge=1)
    """The number of rows on which it must be true."""
    out_of: int | None = Field(default=None, ge=1)
    """The number of rows of the paper. If some of them are missing here and decide, the claim is
    not comparable."""

    def counted(self, text: str, count: int, n_rows: int) -> Judgement:
        """Return the judgement of a count over the rows here."""
        missing = max(0, (self.out_of or n_rows) - n_rows)
        if count < self.at_least <= count + missing:
            return Judgement(f"{text}; what is missing of {self.out_of} decides", None)
        return Judgement(text, count >= self.at_least)


class WinsOrTies(Counted, names=("wins-or-ties",)):
    """One algorithm has a lower or the same error as another on a number of rows."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the numbers of wins and ties, and whether they are enough."""
        test = compare(evidence.values(self.of), evidence.values(self.than))
        count, n = test.wins + test.ties, len(evidence.rows)
        return self.counted(f"{count} of {n} ({test.wins} wins, {test.ties} ties)", count, n)


class LowestMean(Counted, names=("lowest-mean",)):
    """An algorithm has the lowest mean error, alone or with others, on a number of rows."""

    of: AlgorithmName
    """The algorithm."""
    among: tuple[AlgorithmName, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is the lowest, and whether they are enough."""
        mine = evidence.values(self.of)
        others = [evidence.values(name) for name in self.among or evidence.names]
        count = sum(x <= min(ys) for x, ys in zip(mine, zip(*others, strict=True), strict=True))
        n = len(evidence.rows)
        return self.counted(f"lowest mean on {count} of {n}", count, n)


class Competitive(Counted, names=("competitive",)):
    """An algorithm is as good as each of some others on a number of rows.

    It is as good if its mean error is no higher, or if the intervals of one standard deviation
    about the two means overlap.
    """

    of: AlgorithmName
    """The algorithm."""
    than: tuple[AlgorithmName, ...] = Field(min_length=1)
    """The others."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is as good, and whether they are enough."""
        worse = [
            row
            for row in evidence.rows
            if not all(competitive(evidence, self.of, other, row) for other in self.than)
        ]
        n = len(evidence.rows)
        count = n - len(worse)
        text = f"{count} of {n}" + (f"; not on {', '.join(worse)}" if worse else "")
        return self.counted(text, count, n)


def competitive(evidence: Evidence, a: str, b: str, row: str) -> bool:
    """Return whether A is no worse than B on a row, within one deviation of each."""
    spread = sum(evidence.deviation(row, algorithm) for algorithm in (a, b))
    return evidence.value(row, a) - evidence.value(row, b) <= spread


class Rank(Claim, names=("rank",)):
    """An algorithm is among the best few on every row."""

    of: AlgorithmName
    """The algorithm."""
    at_most: Literal[1, 2, 3, 4, 5]
    """The last rank that counts; equal errors share the better rank."""
    among: tuple[AlgorithmName, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how often it has each rank, and whether none is worse."""
        mine = evidence.values(self.of)
        others = [evidence.values(name) for name in self.among or evidence.names]
        of_rows = zip(mine, zip(*others, strict=True), strict=True)
        ranks = [1 + sum(y < x for y in ys) for x, ys in of_rows]
        shown = enumerate(PLACES[: self.at_most], start=1)
        counts = ", ".join(f"{place} in {ranks.count(rank)}" for rank, place in shown)
        ranked = zip(evidence.rows, ranks, strict=True)
        worse = [f"{row} ({rank}.)" for row, rank in ranked if rank > self.at_most]
        text = f"{counts} of {len(ranks)} rows" + (f"; not in {', '.join(worse)}" if worse else "")
        return Judgement(text, not worse)


class LowerOrHigher(Claim, names=("lower", "higher")):
    """One algorithm's numbers are lower, or higher, than another's."""

    kind: Literal["lower", "higher"]
    """One of the two."""
    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""
    quantity: Quantity = "error"
    """The compared quantity; by default the test error."""
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
    """One of several algorithms comes closest to another in test error."""

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
