"""Claims on which algorithm is better: by signs, counts of rows, differences or running times."""

from __future__ import annotations

from itertools import chain, combinations
from math import ceil, exp, log
from statistics import fmean
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from quadrepro.base.models import fault
from quadrepro.papers.claims.claim import AlgorithmNames, Claim, Judgement
from quadrepro.papers.claims.evidence import (
    NO_SPLITS,
    Evidence,
    Lacking,
    NoSplits,
    Quantity,
    joint_p,
    mean_of,
    power_text,
    with_interval,
)
from quadrepro.stats import (
    LEVEL,
    Mean,
    SignTest,
    equivalence_test,
    order,
    p_text,
    paired_t_test,
    sign_test,
    sign_test_power,
)

SHARES = (0.6, 0.7, 0.8)
"""Shares of wins at which the power of the sign test is given."""


def power_of_signs(test: SignTest) -> str:
    """Return how often a sign test would find an algorithm that wins more often."""
    n = test.wins + test.losses
    power = ", ".join(f"{sign_test_power(n, share):.2f}" for share in SHARES)
    return f"power at {', '.join(f'{100 * share:.0f}' for share in SHARES)}% wins: {power}"


class _Found(NamedTuple):
    """What is found of a claim on two algorithms."""

    text: str
    holds: bool
    p_against: float
    wins: int
    means: list[Mean]


class Lower(Claim):
    """Some algorithms' numbers are lower, or higher, than those of others."""

    kind: Literal["lower", "higher"]
    """One of the two."""
    of: AlgorithmNames
    """The algorithms, each of which is compared with each of the others."""
    than: AlgorithmNames
    """The others."""
    by: Literal["every-row", "sign-test", "paired-t"] = "every-row"
    """When the claim holds: if it is so on every row; if the sign test over the rows finds it; if
    the paired t-test over the splits finds it on more than half of the rows."""
    points: float | None = Field(default=None, ge=0)
    """On every row a number may be on the other side by up to this many percent points, or in the
    unit of the target if numbers are predicted."""
    quantity: Quantity = "error"
    """The compared quantity; by default the test error."""

    @model_validator(mode="after")
    def _points_of_rows(self) -> Self:
        if self.points is not None and self.by != "every-row":
            raise fault("points are of by: every-row", "points")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is so, and whether the claim holds."""
        pairs = [(a, b) for a in self.of for b in self.than]
        found = [self._of_pair(evidence, *pair) for pair in pairs]
        holds, p = all(of.holds for of in found), joint_p(of.p_against for of in found)
        several, n = len(self.than) > 1, len(evidence.rows)
        names = [evidence.label(a) + f" against {evidence.label(b)}" * several for a, b in pairs]
        if len(pairs) == 1:
            text = found[0].text
        elif self.by == "every-row" and self.points is None:
            text = ", ".join(f"{name} in {of.wins}" for name, of in zip(names, found, strict=True))
            wins = sum(of.wins for of in found)
            text += f" of {n} rows; {wins} of {n * len(pairs)} pairs"
            if (means := list(chain(*(of.means for of in found)))) and not holds:
                text += f"; {self._other} in some pair {p_text(p)} (Holm), {power_text(means)}"
        else:
            text = "; ".join(f"{name}: {of.text}" for name, of in zip(names, found, strict=True))
        return Judgement(text, evidence.verdict(holds, p <= LEVEL))

    @property
    def _other(self) -> str:
        return "higher" if self.kind == "lower" else "lower"

    def _of_pair(self, evidence: Evidence, of: str, than: str) -> _Found:
        """Judge the claim on two algorithms."""
        low, high = (of, than) if self.kind == "lower" else (than, of)
        x, y = (evidence.values(name, self.quantity) for name in (low, high))
        signs, n = sign_test(x, y), len(evidence.rows)
        means = evidence.differences(low, high, self.quantity)
        p = joint_p(mean.p_above(self.points or 0) for mean in means)
        power = power_text(means) if means else ""
        tested = bool(means) and self.points is None
        so, otherwise = self._significant(evidence, low, high) if tested else (0, 0)
        if self.by == "paired-t":
            if not means:
                raise NoSplits(NO_SPLITS)
            text = f"significantly {self.kind} on {so} of {n}, {self._other} on {otherwise}"
            holds, p = so > n / 2, joint_p((mean.p_above() for mean in means), ceil(n / 2))
        elif self.points is not None:
            apart = dict(zip(evidence.rows, np.subtract(x, y).round(9).tolist(), strict=True))
            worst = max(apart, key=apart.__getitem__)
            above = sum(order(gap, self.points) > 0 for gap in apart.values())
            text = f"at most {apart[worst]:.2f} points ({worst}); "
            text += f"above {self.points:g} in {above} of {n}"
            if means:
                text += f"; a test finds it above somewhere {p_text(p)} (Holm), {power}"
            return _Found(text, above == 0, p, signs.wins, means)
        else:
            text = f"{self.kind} on {signs.wins} of {n}, equal on {signs.ties}, sign test "
            text += p_text(signs.p_value)
            if means:
                text += f"; significantly {self.kind} on {so}, the other way on {otherwise}"
            holds = signs.wins == n
        if self.by == "sign-test":
            holds = signs.significant and signs.wins > signs.losses
            p = signs.p_value if signs.losses > signs.wins else 1.0
            power = "" if evidence.exact else power_of_signs(signs)
        if power and not holds:
            text += f"; {power}"
        return _Found(text, holds, p, signs.wins, means)

    def _significant(self, evidence: Evidence, low: str, high: str) -> tuple[int, int]:
        """Return on how many rows the paired t-test finds what is claimed, and the opposite."""
        signs = []
        for row in evidence.rows:
            sides = (evidence.per_split(row, name, self.quantity) for name in (low, high))
            test = paired_t_test(*sides)
            signs += [test.mean_difference] * test.significant
        return sum(d < 0 for d in signs), sum(d > 0 for d in signs)


class Counted(Claim):
    """A claim on a number of rows.

    Too few of ours refute it if a share of rows as claimed gives as few with a probability of at
    most `LEVEL`; equal chances for all rows are the case in which the number varies most.
    """

    of: str
    """The algorithm."""
    at_least: int = Field(ge=1)
    """The number of rows on which it must be true."""
    out_of: int | None = Field(default=None, ge=1)
    """The number of rows of the paper; by default those here. A claim is not decided if rows that
    are missing here could decide."""

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
            return Judgement(f"{text}; what is missing of {of} decides", None)
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


class WinsOrTies(Counted):
    """One algorithm has a lower or the same error as another on a number of rows."""

    kind: Literal["wins-or-ties"]
    """The kind."""
    than: str
    """The other algorithm."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the numbers of wins and ties, and whether they are enough."""
        test = sign_test(evidence.values(self.of), evidence.values(self.than))
        count, n = test.wins + test.ties, len(evidence.rows)
        text = f"{count} of {n} ({test.wins} wins, {test.ties} ties)"
        return self.counted(evidence, text, count)


class LowestMean(Counted):
    """An algorithm has the lowest mean error, alone or with others, on a number of rows."""

    kind: Literal["lowest-mean"]
    """The kind."""
    among: tuple[str, ...] = ()
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
        text = f"lowest mean on {count} of {len(evidence.rows)}"
        return self.counted(evidence, text, count, possible)


class Competitive(Counted):
    """An algorithm is as good as each of some others on a number of rows.

    It is as good if its mean error is no higher, or if the intervals of one standard deviation
    about the two means overlap.
    """

    kind: Literal["competitive"]
    """The kind."""
    than: AlgorithmNames
    """The others."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is as good, and whether they are enough."""
        worse = [
            row
            for row in evidence.rows
            if not all(self._on_row(evidence, row, other) for other in self.than)
        ]
        n = len(evidence.rows)
        text = f"{n - len(worse)} of {n}" + (f"; not on {', '.join(worse)}" if worse else "")
        return self.counted(evidence, text, n - len(worse))

    def _on_row(self, evidence: Evidence, row: str, other: str) -> bool:
        spread = evidence.deviation(row, self.of) + evidence.deviation(row, other)
        return order(evidence.value(row, self.of), evidence.value(row, other) + spread) <= 0


PLACES = ("best", "second", "third", "fourth", "fifth")


class Rank(Claim):
    """An algorithm is among the best few on every row."""

    kind: Literal["rank"]
    """The kind."""
    of: str
    """The algorithm."""
    at_most: Literal[1, 2, 3, 4, 5]
    """The last rank that counts; equal errors share the better rank."""
    among: tuple[str, ...] = ()
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
        means = [evidence.differences(self.of, name) for name in names]
        # It takes this many lower ones on a row to refute it.
        by_row = ([mean.p_above() for mean in row] for row in zip(*means, strict=True))
        p = joint_p(joint_p(p_values, self.at_most) for p_values in by_row)
        if worse and all(means):
            text += f"; outranked {p_text(p)} (Holm), {power_text([*chain(*means)])}"
        return Judgement(text, evidence.verdict(not worse, p <= LEVEL))


class Closest(Claim):
    """One of several algorithms comes closest to another in test error."""

    kind: Literal["closest"]
    """The kind."""
    of: str
    """The closest."""
    to: str
    """The one it is close to."""
    among: tuple[str, ...] = ()
    """All that are compared, `of` among them; by default all of the paper's names but `to`."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean absolute differences, and whether the claimed one has the least."""
        names = [name for name in self.among or evidence.names if name not in (self.of, self.to)]
        base = evidence.values(self.to)
        gaps = {
            name: np.abs(np.subtract(evidence.values(name), base)).round(9)
            for name in (*names, self.of)
        }
        apart = {name: round(float(gap.mean()), 9) for name, gap in gaps.items()}
        rival = min(names, key=apart.__getitem__)
        test = sign_test(gaps[self.of].tolist(), gaps[rival].tolist())
        nearest = sorted(apart.items(), key=lambda item: item[1])
        means = ", ".join(f"{evidence.label(name)} {mean:.2f}" for name, mean in nearest)
        text = (
            f"points of error apart on average: {means}; {evidence.label(self.of)} nearer than "
            f"{evidence.label(rival)} on {test.wins} of {len(base)}, equal on {test.ties}, sign "
            f"test {p_text(test.p_value)}"
        )
        farther = [gaps[self.of] - gaps[name] for name in names] if len(base) > 1 else []
        p = joint_p(mean_of(of).p_above() for of in farther)
        return Judgement(text, evidence.verdict(apart[self.of] < apart[rival], p <= LEVEL))


class WorseMoreOften(Claim):
    """One algorithm has a higher error than another on more splits than some others have.

    The shares of splits on the rows are compared by the paired t-test.
    """

    kind: Literal["worse-more-often"]
    """The kind."""
    of: str
    """The algorithm that is often worse."""
    than: str
    """The one that each is compared with on each split."""
    among: AlgorithmNames
    """The others, which are compared with `than` as well."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many splits each is worse, and whether the claimed one is most often."""
        names = [name for name in self.among if name != self.of]
        mine, *shares = (self._shares(evidence, name) for name in (self.of, *names))
        means = [mean_of(np.subtract(mine, of)) for of in shares]
        text = f"{evidence.label(self.of)} worse on {100 * fmean(mine):.0f}% of the splits"
        for name, of, mean in zip(names, shares, means, strict=True):
            text += f", {evidence.label(name)} on {100 * fmean(of):.0f}% ({with_interval(mean)})"
        holds = all(mean.p_above() <= LEVEL for mean in means)
        refuted = joint_p(mean.p_below() for mean in means) <= LEVEL
        return Judgement(f"{text}; {power_text(means)}", evidence.verdict(holds, refuted))

    def _shares(self, evidence: Evidence, name: str) -> list[float]:
        """Return the share of the splits of each row on which an algorithm is worse."""
        found = []
        for row in evidence.rows:
            sides = (evidence.per_split(row, algorithm) for algorithm in (name, self.than))
            found.append(fmean(order(x, y) > 0 for x, y in zip(*sides, strict=True)))
        return found


class NotBetter(Claim):
    """The sign test does not find one algorithm better than another, or not even different.

    This is what papers call "no significant difference"; it is not evidence that two are alike.
    """

    kind: Literal["not-better", "not-told-apart"]
    """Whether only a lower error refutes it, or a higher one as well."""
    of: str
    """The algorithm that is not better."""
    than: str
    """The other."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties with the power, and whether the test finds nothing."""
        test = sign_test(evidence.values(self.of), evidence.values(self.than))
        text = f"{test.wins} wins, {test.losses} losses, {test.ties} ties, {p_text(test.p_value)}"
        against = self.kind == "not-told-apart" or test.wins > test.losses
        holds = not (test.significant and against)
        return Judgement(f"{text}; {power_of_signs(test)}", holds)


class Equivalent(Claim):
    """The mean difference between the errors of two algorithms is smaller than a margin."""

    kind: Literal["equivalent"]
    """The kind."""
    of: str
    """One of the two algorithms."""
    than: str
    """The other."""
    margin: float = Field(gt=0)
    """The largest difference of mean errors that does not matter."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the interval of the mean difference, and whether it is within the margin."""
        a, b = evidence.values(self.of), evidence.values(self.than)
        if len(a) < 2:
            raise Lacking("one row is too few for a test of equivalence")
        test = equivalence_test(a, b, self.margin)
        text = (
            f"mean difference {test.mean_difference:+z.2f}, {100 - 200 * LEVEL:g}% interval "
            f"{test.low:+z.2f} to {test.high:+z.2f}, margin {self.margin:g}, {p_text(test.p_value)}"
        )
        return Judgement(text, True if test.significant else False if test.different else None)


class SignificantPairs(Claim):
    """Some pairs of algorithms differ significantly, and no others."""

    kind: Literal["significant-pairs"]
    """The kind."""
    pairs: tuple[tuple[str, str], ...] = Field(min_length=1)
    """In each the better algorithm first."""
    among: tuple[str, ...] = ()
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
        holds, p = {*found} == {*self.pairs}, joint_p(against)
        if not (holds or evidence.exact):
            text += f"; against the claim {p_text(p)} (Holm)"
        return Judgement(text, evidence.verdict(holds, p <= LEVEL))


RUN_TO_RUN = log(1.1)
"""Logarithm of a ratio of times that chance alone can give: points of a run share its machine."""


class TimesFaster(Claim):
    """Each of some algorithms is faster than each of some others by some factor, on average.

    The mean logarithm of the ratio of their times is tested: over the rows, each with the mean over
    its splits, or over the splits of a single row.
    """

    timed: ClassVar[bool] = True

    kind: Literal["times-faster"]
    """The kind."""
    of: AlgorithmNames
    """The faster algorithms."""
    than: AlgorithmNames
    """The slower algorithms."""
    times: float = Field(default=1, gt=0)
    """Least ratio of their times."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratios with their intervals, and whether all are large enough."""
        pairs = [(fast, slow) for fast in self.of for slow in self.than]
        if evidence.exact:
            row = evidence.rows[0]
            times = [[evidence.value(row, name, "seconds") for name in pair] for pair in pairs]
            ratio = min(_ratio(*of_pair) for of_pair in times)
            return Judgement(f"{ratio:.3g} times as fast", ratio >= self.times)
        means = [self._mean(evidence, *pair) for pair in pairs]
        texts = []
        for (fast, slow), mean in zip(pairs, means, strict=True):
            names = f"{evidence.label(fast)} against {evidence.label(slow)} " * (len(pairs) > 1)
            low, high = (exp(mean.value + side * mean.reach()) for side in (-1, 1))
            texts.append(f"{names}{exp(mean.value):.3g} times as fast [{low:.3g}, {high:.3g}]")
        limit = log(self.times)
        holds = all(mean.p_above(limit + RUN_TO_RUN) <= LEVEL for mean in means)
        refuted = joint_p(mean.p_below(limit - RUN_TO_RUN) for mean in means) <= LEVEL
        power = power_text(means, lambda effect: exp(limit + RUN_TO_RUN + effect))
        text = f"{'; '.join(texts)}; {power} times"
        return Judgement(text, evidence.verdict(holds, refuted))

    def _mean(self, evidence: Evidence, fast: str, slow: str) -> Mean:
        """Return the mean logarithm of the ratio of the times."""
        logs = []
        for row in evidence.rows:
            sides = (evidence.per_split(row, name, "seconds") for name in (fast, slow))
            logs.append([log(_ratio(*times)) for times in zip(*sides, strict=True)])
        return mean_of(logs[0] if len(logs) == 1 else [fmean(of_row) for of_row in logs])


def _ratio(fast: float, slow: float) -> float:
    if fast <= 0 or slow <= 0:
        raise Lacking("a time of 0")
    return slow / fast
