"""Claims on which algorithm is better: by signs, counts of rows, differences or running times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import ceil, exp, log
from statistics import fmean
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from quadrepro.base.models import fault
from quadrepro.papers.claims.claim import (
    AlgorithmName,
    AlgorithmNames,
    Claim,
    Judgement,
    joint_p,
)
from quadrepro.papers.claims.evidence import (
    Evidence,
    Gap,
    Lacking,
    NoSplits,
    Number,
    Quantity,
    power_text,
)
from quadrepro.stats import (
    LEVEL,
    SignTest,
    equivalence_test,
    order,
    p_text,
    paired_t_test,
    sign_test,
    sign_test_power,
)

RUN_TO_RUN = log(1.1)
"""Logarithm of a ratio of times that chance alone can give: points of a run share its machine."""


class TimesFaster(Claim, names=("times-faster",)):
    """Each of some algorithms is faster than each of some others by some factor, on average.

    The mean logarithm of the ratio of their times is tested: over the rows, each with the mean over
    its splits, or over the splits of a single row.
    """

    timed: ClassVar[bool] = True

    of: AlgorithmNames
    """The faster and the slower algorithms."""
    than: AlgorithmNames
    """The faster and the slower algorithms."""
    times: float = Field(default=1, gt=0)
    """Least ratio of their times."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratios with their intervals, and whether all are large enough."""
        pairs = [(fast, slow) for fast in self.of for slow in self.than]
        if evidence.exact:
            row = evidence.rows[0]
            times = [[float(evidence.value(row, name, "seconds")) for name in p] for p in pairs]
            ratio = min(_ratio(*of_pair) for of_pair in times)
            return Judgement(f"{ratio:.3g} times as fast", ratio >= self.times)
        gaps = [self._gap(evidence, *pair) for pair in pairs]
        texts = []
        for (fast, slow), gap in zip(pairs, gaps, strict=True):
            names = f"{evidence.label(fast)} against {evidence.label(slow)} " * (len(pairs) > 1)
            low, high = (exp(gap.mean + side * gap.reach()) for side in (-1, 1))
            texts.append(f"{names}{exp(gap.mean):.3g} times as fast [{low:.3g}, {high:.3g}]")
        limit = log(self.times)
        holds = all(gap.p_above(limit + RUN_TO_RUN) <= LEVEL for gap in gaps)
        refuted = joint_p(gap.p_below(limit - RUN_TO_RUN) for gap in gaps) <= LEVEL
        power = power_text(gaps, lambda effect: exp(limit + RUN_TO_RUN + effect))
        text = f"{'; '.join(texts)}; {power} times"
        return Judgement(text, evidence.verdict(holds, refuted))

    def _gap(self, evidence: Evidence, fast: str, slow: str) -> Gap:
        """Return the mean logarithm of the ratio of the times."""
        logs = []
        for row in evidence.rows:
            sides = (evidence.per_split(row, name, "seconds") for name in (fast, slow))
            logs.append([log(_ratio(*times)) for times in zip(*sides, strict=True)])
        return Gap.of(logs[0] if len(logs) == 1 else [fmean(of_row) for of_row in logs])


def _ratio(fast: float, slow: float) -> float:
    if fast <= 0 or slow <= 0:
        raise Lacking("a time of 0")
    return slow / fast


SHARES = (0.6, 0.7, 0.8)
"""Shares of wins at which the power of the sign test is given."""


def _described(test: SignTest) -> str:
    counts = f"{test.wins} wins, {test.losses} losses, {test.ties} ties"
    return f"{counts}, {p_text(test.p_value)}"


def _with_power(test: SignTest) -> str:
    """Return the test and how often it would find an algorithm that wins more often."""
    n = test.wins + test.losses
    power = ", ".join(f"{sign_test_power(n, share):.2f}" for share in SHARES)
    shares = ", ".join(f"{100 * share:.0f}" for share in SHARES)
    return f"{_described(test)}; power at {shares}% wins: {power}"


def _sides(test: SignTest) -> tuple[bool, bool]:
    """Return whether the wins are significantly more, and whether the losses are."""
    found = test.significant
    return found and test.wins > test.losses, found and test.losses > test.wins


class SignificantlyBetter(Claim, names=("significantly-better",)):
    """One algorithm has a significantly lower error than another."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are significantly more."""
        test = sign_test(evidence.values(self.of), evidence.values(self.than))
        better, worse = _sides(test)
        text = _described(test) if better or evidence.exact else _with_power(test)
        return Judgement(text, evidence.verdict(better, worse))


class NotBetter(SignificantlyBetter, names=("not-better",)):
    """One algorithm does not have a significantly lower error than another."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are not significantly more."""
        test = sign_test(evidence.values(self.of), evidence.values(self.than))
        return Judgement(_with_power(test), not _sides(test)[0])


class NotToldApart(Claim, names=("not-told-apart",)):
    """The sign test finds no significant difference between two algorithms.

    That is what a paper says with "no significant difference", and no evidence that they are alike.
    """

    between: tuple[AlgorithmName, AlgorithmName]
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties of the first, the test's power, and whether p is high."""
        test = sign_test(*map(evidence.values, self.between))
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
            return Judgement(text, None if open_ else False)
        a, b = map(evidence.values, self.between)
        if len(a) < 2:
            raise Lacking("one row is too few for a test of equivalence")
        test = equivalence_test(a, b, self.margin)
        text = (
            f"mean difference {test.mean_difference:+z.2f}, {100 - 200 * LEVEL:g}% interval "
            f"{test.low:+z.2f} to {test.high:+z.2f}, margin {self.margin:g}, {p_text(test.p_value)}"
        )
        return Judgement(text, True if test.significant else False if test.different else None)


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
        found, against = {}, []
        for a, b in combinations(values, 2):
            test = sign_test(values[a], values[b])
            pair = (a, b) if test.wins > test.losses else (b, a)
            if test.significant:
                found[pair] = test.p_value
            against.append(1.0 if pair in self.pairs else test.p_value)
        label = evidence.label
        shown = [f"{label(a)} over {label(b)} ({p_text(p)})" for (a, b), p in found.items()]
        text = "; ".join(shown) or "no pair"
        holds, refuted = set(found) == set(self.pairs), joint_p(against) <= LEVEL
        if not (holds or evidence.exact):
            text += f"; against the claim {p_text(joint_p(against))} (Holm)"
        return Judgement(text, evidence.verdict(holds, refuted))


PLACES = ("best", "second", "third", "fourth", "fifth")


class Counted(Claim):
    """A claim on a number of rows.

    Too few of ours refute it if a share of rows as claimed gives as few with a probability of at
    most `LEVEL`; equal chances for all rows are the case in which the number varies most.
    """

    at_least: int = Field(ge=1)
    """The number of rows on which it must be true."""
    out_of: int | None = Field(default=None, ge=1)
    """The number of rows of the paper; by default those here. A claim is not decided if rows that
    are missing here could decide."""

    @model_validator(mode="after")
    def _counts_rows_that_are(self) -> Self:
        if self.out_of is not None and self.at_least > self.out_of:
            message = f"at_least must be at most {self.out_of}, as out_of, not {self.at_least}"
            raise fault(message, "at_least")
        return self

    def counted(self, evidence: Evidence, text: str, count: int, possible: int = 0) -> Judgement:
        """Return the judgement of a count over the rows here; `possible` counts ties as well."""
        # scipy takes half a second to import.
        from scipy.special import bdtr

        n = len(evidence.rows)
        of = max(n, self.out_of or n)
        if count >= self.at_least:
            return Judgement(text, True)
        if self.at_least > of:
            few = f"{of} rows are too few for a claim on {self.at_least}"
            return Judgement(f"{text}; {few}", None)
        if self.at_least <= count + of - n:
            text += f"; what is missing of {of} decides"
            return Judgement(text, None)
        if evidence.exact:
            return Judgement(text, False)
        # All rows but half a one where the claim is about all, as a sample of that size estimates.
        share = min(self.at_least / of, (self.at_least + 0.5) / (of + 1))
        tail = bdtr(np.arange(n + 1), n, share)
        most = int((tail <= LEVEL).sum()) - 1
        refuted = f"a test refutes {most} or fewer" if most >= 0 else "too few rows to refute it"
        few = f"{count} or fewer" if count else "none"
        text += f"; {few} by chance {p_text(float(tail[count]))}, {refuted}"
        if possible > count:
            text += f"; {possible} with those within one standard deviation of the lowest"
        return Judgement(text, False if max(count, possible) <= most else None)


class WinsOrTies(Counted, names=("wins-or-ties",)):
    """One algorithm has a lower or the same error as another on a number of rows."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the numbers of wins and ties, and whether they are enough."""
        test = sign_test(evidence.values(self.of), evidence.values(self.than))
        count, n = test.wins + test.ties, len(evidence.rows)
        text = f"{count} of {n} ({test.wins} wins, {test.ties} ties)"
        return self.counted(evidence, text, count)


class LowestMean(Counted, names=("lowest-mean",)):
    """An algorithm has the lowest mean error, alone or with others, on a number of rows."""

    of: AlgorithmName
    """The algorithm."""
    among: tuple[AlgorithmName, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is the lowest, and whether they are enough."""
        names = [name for name in self.among or evidence.names if name != self.of]
        count = possible = 0
        for row in evidence.rows:
            means = {name: evidence.value(row, name) for name in names}
            mine = evidence.value(row, self.of)
            lowest = min(means, key=means.__getitem__)
            spread = 0 if evidence.exact else evidence.deviation(row, lowest)
            count += order(mine, means[lowest]) <= 0
            possible += order(mine, means[lowest] + spread) <= 0
        n = len(evidence.rows)
        return self.counted(evidence, f"lowest mean on {count} of {n}", count, possible)


class Competitive(Counted, names=("competitive",)):
    """An algorithm is as good as each of some others on a number of rows.

    It is as good if its mean error is no higher, or if the intervals of one standard deviation
    about the two means overlap.
    """

    of: AlgorithmName
    """The algorithm."""
    than: AlgorithmNames
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
        return self.counted(evidence, text, count)


def competitive(evidence: Evidence, a: str, b: str, row: str) -> bool:
    """Return whether A is no worse than B on a row, within one deviation of each."""
    spread = sum(evidence.deviation(row, algorithm) for algorithm in (a, b))
    return order(evidence.value(row, a), evidence.value(row, b) + spread) <= 0


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
        names = [name for name in self.among or evidence.names if name != self.of]
        mine, others = evidence.values(self.of), [evidence.values(name) for name in names]
        of_rows = zip(mine, zip(*others, strict=True), strict=True)
        ranks = [1 + sum(order(y, x) < 0 for y in ys) for x, ys in of_rows]
        shown = enumerate(PLACES[: self.at_most], start=1)
        counts = ", ".join(f"{place} in {ranks.count(rank)}" for rank, place in shown)
        ranked = zip(evidence.rows, ranks, strict=True)
        worse = [f"{row} ({rank}.)" for row, rank in ranked if rank > self.at_most]
        text = f"{counts} of {len(ranks)} rows" + (f"; not in {', '.join(worse)}" if worse else "")
        gaps = evidence.gaps([(self.of, name) for name in names])
        # It takes this many lower ones on a row to refute it.
        p_values = [gap.p_above() for gap in gaps]
        by_row = (p_values[i : i + len(names)] for i in range(0, len(gaps), len(names) or 1))
        p = joint_p(joint_p(of_row, self.at_most) for of_row in by_row)
        if worse and gaps:
            text += f"; outranked {p_text(p)} (Holm), {power_text(gaps)}"
        return Judgement(text, evidence.verdict(not worse, p <= LEVEL))


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
        gaps = evidence.gaps([self._lower_first], self.quantity)
        against = [gap.p_above() for gap in gaps]
        power = f"; {power_text(gaps)}" if gaps else ""
        if self.by == "paired-t":
            so, otherwise = self._significant(evidence)
            other = "higher" if self.kind == "lower" else "lower"
            text = f"significantly {self.kind} on {so} of {n}, {other} on {otherwise}"
            holds, refuted = so > n / 2, joint_p(against, ceil(n / 2)) <= LEVEL
            return Judgement(text + power * (not holds), evidence.verdict(holds, refuted))
        test = sign_test(*(evidence.values(name, self.quantity) for name in self._lower_first))
        text = (
            f"{self.kind} on {test.wins} of {n}, equal on {test.ties}, "
            f"sign test {p_text(test.p_value)}"
        )
        try:
            so, otherwise = self._significant(evidence)
            text += f"; significantly {self.kind} on {so}, the other way on {otherwise}"
        except NoSplits:
            pass
        holds, refuted = _sides(test)
        if self.by == "every-row":
            holds, refuted = test.wins == n, joint_p(against) <= LEVEL
        return Judgement(text + power * (not holds), evidence.verdict(holds, refuted))

    @property
    def _lower_first(self) -> tuple[str, str]:
        return (self.of, self.than) if self.kind == "lower" else (self.than, self.of)

    def _significant(self, evidence: Evidence) -> tuple[int, int]:
        """Return on how many rows the paired t-test finds what is claimed, and the opposite."""
        signs = []
        for row in evidence.rows:
            sides = [evidence.per_split(row, name, self.quantity) for name in self._lower_first]
            if len(sides[0]) < 2:
                raise NoSplits
            test = paired_t_test(*sides)
            if test.significant:
                signs.append(test.mean_difference)
        return sum(d < 0 for d in signs), sum(d > 0 for d in signs)


class EachLower(Claim, names=("each-lower",)):
    """Each of some algorithms has a lower error than one other on every row."""

    of: AlgorithmNames
    """The algorithms."""
    than: AlgorithmName
    """The other."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows each is lower, and whether all are on all."""
        base, n = evidence.values(self.than), len(evidence.rows)
        wins = {name: sign_test(evidence.values(name), base).wins for name in self.of}
        text = ", ".join(f"{evidence.label(name)} in {count}" for name, count in wins.items())
        text += f" of {n} rows"
        if len(wins) > 1:
            text += f"; {sum(wins.values())} of {n * len(wins)} pairs"
        holds = all(w == n for w in wins.values())
        gaps = evidence.gaps([(name, self.than) for name in self.of])
        p = joint_p(gap.p_above() for gap in gaps)
        if gaps and not holds:
            text += f"; higher in some pair {p_text(p)} (Holm), {power_text(gaps)}"
        return Judgement(text, evidence.verdict(holds, p <= LEVEL))


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
        apart = {name: fmean(of) for name, of in gaps.items()}
        rival = min(names, key=apart.__getitem__)
        test = sign_test(gaps[self.of], gaps[rival])
        nearest = sorted(apart.items(), key=lambda item: item[1])
        means = ", ".join(f"{evidence.label(name)} {mean:.2f}" for name, mean in nearest)
        text = (
            f"points of error apart on average: {means}; {evidence.label(self.of)} nearer than "
            f"{evidence.label(rival)} on {test.wins} of {len(base)}, equal on {test.ties}, sign "
            f"test {p_text(test.p_value)}"
        )
        farther = [[x - y for x, y in zip(gaps[self.of], gaps[c], strict=True)] for c in names]
        p = joint_p(Gap.of(of).p_above() for of in farther) if len(base) > 1 else 1.0
        holds = order(apart[self.of], apart[rival]) < 0
        return Judgement(text, evidence.verdict(holds, p <= LEVEL))


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
        sides = [*zip(evidence.values(self.of), evidence.values(self.than), strict=True)]
        gaps = dict(zip(evidence.rows, (x - y for x, y in sides), strict=True))
        worst = max(gaps, key=gaps.__getitem__)
        above = sum(order(x, y + self.points) > 0 for x, y in sides)
        text = (
            f"at most {float(gaps[worst]):.2f} points ({worst}); "
            f"above {self.points:g} in {above} of {len(gaps)}"
        )
        tested = evidence.gaps([(self.of, self.than)])
        p = joint_p(gap.p_above(self.points) for gap in tested)
        if tested:
            text += f"; a test finds it above somewhere {p_text(p)} (Holm), {power_text(tested)}"
        return Judgement(text, evidence.verdict(above == 0, p <= LEVEL))


class WorseMoreOften(Claim, names=("worse-more-often",)):
    """One algorithm has a higher error than another on more splits than some others have.

    The shares of splits on the rows are compared by the paired t-test.
    """

    of: AlgorithmName
    """The algorithm that is often worse, and the one it is compared with on each split."""
    than: AlgorithmName
    """The algorithm that is often worse, and the one it is compared with on each split."""
    among: AlgorithmNames
    """The others, which are compared with `than` as well."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many splits each is worse, and whether the claimed one is most often."""
        names = dict.fromkeys((self.of, *self.among))
        shares = {
            name: [self._share(evidence, row, name) for row in evidence.rows] for name in names
        }
        mine = shares.pop(self.of)
        gaps = [Gap.of([x - y for x, y in zip(mine, of, strict=True)]) for of in shares.values()]
        text = f"{evidence.label(self.of)} worse on {100 * fmean(mine):.0f}% of the splits"
        for (name, of), gap in zip(shares.items(), gaps, strict=True):
            text += f", {evidence.label(name)} on {100 * fmean(of):.0f}% ({gap.text})"
        holds = all(gap.p_above() <= LEVEL for gap in gaps)
        refuted = joint_p(gap.p_below() for gap in gaps) <= LEVEL
        return Judgement(f"{text}; {power_text(gaps)}", evidence.verdict(holds, refuted))

    def _share(self, evidence: Evidence, row: str, name: str) -> float:
        sides = (evidence.per_split(row, algorithm) for algorithm in (name, self.than))
        return fmean(order(x, y) > 0 for x, y in zip(*sides, strict=True))
