"""Claims on which algorithm is better: by signs, counts of rows, differences or running times.

Each `judge` takes two tests where there are splits or rows to test over: one whose alternative is
the claim, and one whose alternative is its contrary. `Evidence.word` makes the word of both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from math import exp, log
from statistics import fmean
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from quadrepro.base.models import fault
from quadrepro.base.types import FloatArray
from quadrepro.papers.claims import claim
from quadrepro.papers.claims.claim import Algorithms, Claim, Evidence, Judgement, all_p, joint_p
from quadrepro.stats import LEVEL, Mean, equivalence_test, order, p_text, paired_t_test, sign_test

OTHER = {"lower": "higher", "higher": "lower"}
"""The other side of each."""


class _Side(NamedTuple):
    """The comparison of one pair of algorithms for a claim."""

    text: str
    agrees: bool
    p_for: float
    p_against: float
    wins: int = 0
    means: Sequence[Mean] = ()


class Lower(Claim):
    """Some algorithms have lower, or higher, numbers than others."""

    kind: Literal["lower", "higher"]
    """One of the two."""
    algorithms: Algorithms = Field(alias="of")
    """The algorithms; each is compared with each of the others."""
    than: Algorithms
    """The others."""
    by: Literal["every-row", "sign-test", "paired-t"] = "every-row"
    """How it is judged: on every row; by the sign test over the rows; by the paired t-test over the
    splits, which must find it on more than half of the rows."""
    points: float | None = Field(default=None, ge=0)
    """On every row a number may be on the other side by up to this many percentage points, or in
    the unit of the target if numbers are predicted."""
    quantity: claim.QuantityName = "error"
    """The compared quantity; by default the test error."""

    @model_validator(mode="after")
    def _points_of_rows(self) -> Self:
        if self.points is not None and self.by != "every-row":
            raise fault("points are of by: every-row", "points")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is so, and the word."""
        sides, compare = {}, self._compared if self.points is None else self._within_points
        for a, b in product(self.algorithms, self.than):
            name = evidence.label(a) + f" against {evidence.label(b)}" * (len(self.than) > 1)
            low, high = (a, b) if self.kind == "lower" else (b, a)
            sides[name] = compare(evidence, low, high)
        agrees = all(side.agrees for side in sides.values())
        p_for = all_p(side.p_for for side in sides.values())
        p_against = joint_p(side.p_against for side in sides.values())
        if len(sides) > 1 and self.by == "every-row" and self.points is None:
            n, wins = len(evidence.rows), sum(side.wins for side in sides.values())
            text = ", ".join(f"{name} in {side.wins}" for name, side in sides.items())
            text += f" of {n} rows; {wins} of {n * len(sides)} pairs"
            if (means := [*chain(*(side.means for side in sides.values()))]) and not agrees:
                text += f"; {OTHER[self.kind]} in some pair {p_text(p_against)} (Holm), "
                text += evidence.power(means, self.quantity)
        else:
            text = claim.by_row({name: side.text for name, side in sides.items()})
        return Judgement(text, evidence.word(agrees, p_for, p_against))

    def _compared(self, evidence: Evidence, low: str, high: str) -> _Side:
        """Compare two algorithms by tests."""
        signs = sign_test(*(evidence.values(name, self.quantity) for name in (low, high)))
        means, n = evidence.differences(low, high, self.quantity), len(evidence.rows)
        rows = evidence.rows if means else ()
        tests = [paired_t_test(*evidence.sides(row, low, high, self.quantity)) for row in rows]
        significant = [test.mean_difference < 0 for test in tests if test.significant]
        n_lower, n_higher = significant.count(True), significant.count(False)
        power = evidence.power(means, self.quantity) if means else ""
        if self.by == "paired-t":
            if not means:
                raise claim.NoSplits(claim.NO_SPLITS)
            text = f"significantly {self.kind} on {n_lower} of {n}, "
            text += f"{OTHER[self.kind]} on {n_higher}"
            agrees, p_values = signs.wins > n / 2, claim.one_sided(means, n // 2 + 1)
        else:
            text = f"{self.kind} on {signs.wins} of {n}, equal on {signs.ties}, sign test "
            text += p_text(signs.p_value)
            if means:
                text += f"; significantly {self.kind} on {n_lower}, the other way on {n_higher}"
            agrees, p_values = signs.wins == n, claim.one_sided(means, len(means))
        if self.by == "sign-test":
            agrees = ahead = signs.wins > signs.losses
            if evidence.exact:
                agrees &= signs.significant
            p_values = (signs.p_value, 1.0) if ahead else (1.0, signs.p_value)
            power = "" if evidence.exact else claim.power_of_signs(signs.wins + signs.losses)
        if power and not (agrees and p_values[0] <= LEVEL):
            text += f"; {power}"
        return _Side(text, agrees, *p_values, signs.wins, means)

    def _within_points(self, evidence: Evidence, low: str, high: str) -> _Side:
        """Return the largest difference on the wrong side, and whether it is allowed."""
        x, y = (evidence.values(name, self.quantity) for name in (low, high))
        margin = evidence.from_points(self.points or 0.0)
        gaps = dict(zip(evidence.rows, np.subtract(x, y).tolist(), strict=True))
        worst = max(gaps, key=gaps.__getitem__)
        n_above = sum(order(gap, margin) > 0 for gap in gaps.values())
        text = f"at most {evidence.show(gaps[worst])}{evidence.points} ({worst}); "
        text += f"above {self.points:g} in {n_above} of {len(gaps)}"
        means = evidence.differences(low, high, self.quantity)
        p_for, p_against = claim.one_sided(means, len(means), margin)
        if means:
            text += f"; a test finds it above somewhere {p_text(p_against)} (Holm), "
            text += evidence.power(means, self.quantity)
        return _Side(text, n_above == 0, p_for, p_against)


class OfOne(Claim):
    """A claim on one algorithm."""

    algorithm: str = Field(alias="of")
    """The algorithm."""

    def losses(self, evidence: Evidence, others: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield each row with the losses of the algorithm and of others."""
        columns = [evidence.losses(name) for name in (self.algorithm, *others)]
        return zip(evidence.rows, *columns, strict=True)


class Counted(OfOne):
    """A claim on a number of rows.

    It is supported if tests over the splits find it on this many rows. Too few rows refute it if a
    share of rows as claimed gives so small a count with a probability of at most `LEVEL`; equal
    chances for all rows are the case in which the number varies most.
    """

    at_least: int = Field(ge=1)
    """The number of rows on which it must be true."""
    out_of: int | None = Field(default=None, ge=1)
    """The number of rows of the paper; by default those here. A claim is not decided if rows that
    are missing here could decide."""

    def p_better(self, evidence: Evidence, others: Sequence[str]) -> list[float]:
        """Return the p-value of each row for "it is better than all others"."""
        rows = evidence.losing(self.algorithm, others)
        return [all_p(mean.p_below() for mean in means) for means in rows]

    def counted(
        self, evidence: Evidence, text: str, count: int, p_by_row: list[float], possible: int = 0
    ) -> Judgement:
        """Return the judgement on a count over the rows here; `possible` counts ties as well."""
        # scipy takes half a second to import.
        from scipy.special import bdtr

        n = len(evidence.rows)
        n_paper = max(n, self.out_of or n)
        if self.at_least > n_paper:
            few = f"{n_paper} rows are too few for a claim on {self.at_least}"
            return Judgement(f"{text}; {few}", "undecided")
        if count >= self.at_least:
            return Judgement(text, evidence.word(True, joint_p(p_by_row, self.at_least)))
        if self.at_least <= count + n_paper - n:
            return Judgement(f"{text}; the rows missing of {n_paper} decide", "undecided")
        if evidence.exact:
            return Judgement(text, evidence.word(False))
        # All rows but half a one where the claim is about all, as a sample of that size estimates.
        share = min(self.at_least / n_paper, (self.at_least + 0.5) / (n_paper + 1))
        tail = bdtr(np.arange(n + 1), n, share)
        most = int((tail <= LEVEL).sum()) - 1
        refuting = f"a test refutes {most} or fewer" if most >= 0 else "too few rows to refute it"
        few = f"{count} or fewer" if count else "none"
        text += f"; {few} by chance {p_text(float(tail[count]))}, {refuting}"
        if possible > count:
            text += f"; {possible} with those within one standard deviation of the best"
        p_against = float(tail[max(count, possible)])
        return Judgement(text, evidence.word(False, p_against=p_against))


class WinsOrTies(Counted):
    """One algorithm is better than another, or equal, on a number of rows."""

    kind: Literal["wins-or-ties"]
    """The kind."""
    than: str
    """The other algorithm."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the numbers of wins and ties, and the word."""
        test = sign_test(evidence.losses(self.algorithm), evidence.losses(self.than))
        count, n = test.wins + test.ties, len(evidence.rows)
        text = f"{count} of {n} ({test.wins} wins, {test.ties} ties)"
        return self.counted(evidence, text, count, self.p_better(evidence, [self.than]))


class LowestMean(Counted):
    """An algorithm has the best mean, alone or with others, on a number of rows."""

    kind: Literal["lowest-mean"]
    """The kind."""
    among: tuple[str, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is the best, and the word."""
        names = [name for name in self.among or evidence.names if name != self.algorithm]
        count = possible = 0
        for row, mine, *losses in self.losses(evidence, names):
            lowest = min(losses)
            best = names[losses.index(lowest)]
            spread = 0.0 if evidence.exact else evidence.deviation(row, best)
            count += order(mine, lowest) <= 0
            possible += order(mine, lowest + spread) <= 0
        end = "highest" if evidence.greater_is_better else "lowest"
        text = f"{end} mean on {count} of {len(evidence.rows)}"
        return self.counted(evidence, text, count, self.p_better(evidence, names), possible)


class Competitive(Counted):
    """An algorithm is as good as each of some others on a number of rows.

    It is as good if its mean is not worse, or if the intervals of one standard deviation about the
    two means overlap.
    """

    kind: Literal["competitive"]
    """The kind."""
    than: Algorithms
    """The others."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is as good, and the word."""
        losing, n = evidence.losing(self.algorithm, self.than), len(evidence.rows)
        worse, p_by_row = [], []
        for i, (row, mine, *losses) in enumerate(self.losses(evidence, self.than)):
            spread = evidence.deviation(row, self.algorithm)
            spreads = [spread + evidence.deviation(row, other) for other in self.than]
            if any(order(mine, sum(limit)) > 0 for limit in zip(losses, spreads, strict=True)):
                worse.append(row)
            if losing:
                tested = zip(losing[i], spreads, strict=True)
                p_by_row.append(all_p(mean.p_below(limit) for mean, limit in tested))
        text = f"{n - len(worse)} of {n}" + (f"; not on {', '.join(worse)}" if worse else "")
        return self.counted(evidence, text, n - len(worse), p_by_row)


PLACES = ("best", "second", "third", "fourth", "fifth")


def ordinal(n: int) -> str:
    """Return a place such as 3rd.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 22, 111)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '22nd', '111th']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


class Rank(OfOne):
    """An algorithm is among the best few on every row."""

    kind: Literal["rank"]
    """The kind."""
    at_most: Literal[1, 2, 3, 4, 5]
    """The last rank that counts; equal errors share the better rank."""
    among: tuple[str, ...] = ()
    """All that are compared; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how often it has each rank, and the word."""
        names = [name for name in self.among or evidence.names if name != self.algorithm]
        rows = self.losses(evidence, names)
        ranks = {row: 1 + sum(order(x, mine) < 0 for x in losses) for row, mine, *losses in rows}
        tally, places = Counter(ranks.values()), enumerate(PLACES[: self.at_most], start=1)
        counts = ", ".join(f"{place} in {tally[rank]}" for rank, place in places)
        worse = [f"{row} ({ordinal(rank)})" for row, rank in ranks.items() if rank > self.at_most]
        text = f"{counts} of {len(ranks)} rows" + (f"; not in {', '.join(worse)}" if worse else "")
        losing = evidence.losing(self.algorithm, names)
        # At most at_most - 1 others may be better on a row.
        n_worse = len(names) - self.at_most + 1
        tests = [claim.one_sided(means, n_worse) for means in losing]
        p_for, p_against = all_p(p for p, _ in tests), joint_p(p for _, p in tests)
        if worse and losing:
            text += f"; outranked {p_text(p_against)} (Holm), {evidence.power([*chain(*losing)])}"
        return Judgement(text, evidence.word(not worse, p_for, p_against))


class Closest(OfOne):
    """One of several algorithms is closest to another in test error."""

    kind: Literal["closest"]
    """The kind."""
    to: str
    """The one it is close to."""
    among: tuple[str, ...] = ()
    """All that are compared, `of` among them; by default all of the paper's names but `to`."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean absolute differences, and the word."""
        names = [n for n in self.among or evidence.names if n not in (self.algorithm, self.to)]
        base = evidence.values(self.to)
        every = {name: evidence.values(name) for name in (*names, self.algorithm)}
        gaps = {name: np.abs(np.subtract(x, base)).round(12) for name, x in every.items()}
        distance = {name: round(float(gap.mean()), 12) for name, gap in gaps.items()}
        rival = min(names, key=distance.__getitem__)
        test = sign_test(gaps[self.algorithm].tolist(), gaps[rival].tolist())
        nearest = sorted(distance.items(), key=lambda item: item[1])
        means = ", ".join(f"{evidence.label(name)} {evidence.show(gap)}" for name, gap in nearest)
        label = evidence.label(self.algorithm)
        text = (
            f"mean absolute difference{evidence.points and ' in' + evidence.points}: {means}; "
            f"{label} nearer than {evidence.label(rival)} on {test.wins} of {len(base)}, equal on "
            f"{test.ties}, sign test {p_text(test.p_value)}"
        )
        farther = [claim.mean_of(gaps[self.algorithm] - gaps[n]) for n in names if len(base) > 1]
        agrees = distance[self.algorithm] < distance[rival]
        return Judgement(text, evidence.word(agrees, *claim.one_sided(farther, len(farther))))


class WorseMoreOften(OfOne):
    """One algorithm is worse than another on more splits than some others are.

    The shares of splits on the rows are compared by the paired t-test.
    """

    kind: Literal["worse-more-often"]
    """The kind."""
    than: str
    """The one that each is compared with on each split."""
    among: Algorithms
    """The others, which are compared with `than` as well."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many splits each is worse, and the word."""
        names = [name for name in self.among if name != self.algorithm]
        mine, *shares = (self._shares(evidence, name) for name in (self.algorithm, *names))
        means = [claim.mean_of(np.subtract(mine, share)) for share in shares]
        text = f"{evidence.label(self.algorithm)} worse on {100 * fmean(mine):.0f}% of the splits"
        for name, share, mean in zip(names, shares, means, strict=True):
            interval = claim.with_interval(mean, "{:+.3g}".format)
            text += f", {evidence.label(name)} on {100 * fmean(share):.0f}% ({interval})"
        text += f"; {claim.power_text(means, '{:.2g}'.format)}"
        # The contrary is that some mean is below 0.
        p_against, p_for = claim.one_sided(means, 1)
        agrees = all(mean.value > 0 for mean in means)
        return Judgement(text, evidence.word(agrees, p_for, p_against))

    def _shares(self, evidence: Evidence, name: str) -> list[float]:
        """Return the share of the splits of each row on which an algorithm is worse."""
        side, shares = 1 - 2 * evidence.greater_is_better, []
        for row in evidence.rows:
            pairs = zip(*evidence.sides(row, name, self.than), strict=True)
            shares.append(fmean(order(x, y) == side for x, y in pairs))
        return shares


class NotBetter(OfOne):
    """The sign test does not find one algorithm better than another, or not even different.

    Papers call this "no significant difference"; it is not evidence that two are alike.
    """

    kind: Literal["not-better", "not-different"]
    """Whether only better numbers refute it, or worse ones as well."""
    than: str
    """The other."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties with the power, and the word."""
        test = sign_test(evidence.losses(self.algorithm), evidence.losses(self.than))
        text = f"{test.wins} wins, {test.losses} losses, {test.ties} ties, {p_text(test.p_value)}"
        contrary = self.kind == "not-different" or test.wins > test.losses
        p_for, p_against = (1.0, test.p_value) if contrary else (test.p_value, 1.0)
        # A test that cannot find anything is not evidence for the claim.
        possible = 2.0 ** (1 - test.wins - test.losses) <= LEVEL
        agrees = not (test.significant and contrary) if possible else None
        word = evidence.word(agrees, p_for, p_against)
        return Judgement(f"{text}; {claim.power_of_signs(test.wins + test.losses)}", word)


class Equivalent(OfOne):
    """The mean difference between the errors of two algorithms is smaller than a margin."""

    kind: Literal["equivalent"]
    """The kind."""
    than: str
    """The other."""
    margin: float = Field(gt=0)
    """The largest difference of mean errors that does not matter, in percentage points or in the
    unit of the target."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the interval of the mean difference, and the word."""
        a, b = evidence.values(self.algorithm), evidence.values(self.than)
        if len(a) < 2:
            raise claim.Lacking("one row is too few for a test of equivalence")
        margin = evidence.from_points(self.margin)
        test = equivalence_test(a, b, margin)
        effect = (test.mean_difference, test.low, test.high)
        difference, low, high = (evidence.show(x, "+") for x in effect)
        text = (
            f"mean difference {difference}{evidence.points}, {100 - 200 * LEVEL:g}% interval "
            f"{low} to {high}, margin {self.margin:g}, {p_text(test.p_value)}"
        )
        if test.significant or test.different:
            return claim.checked_claim(text, test.significant)
        return Judgement(text, "agrees" if abs(test.mean_difference) < margin else "disagrees")


class SignificantPairs(Claim):
    """Some pairs of algorithms differ significantly, and no others."""

    kind: Literal["significant-pairs"]
    """The kind."""
    pairs: tuple[tuple[str, str], ...] = Field(min_length=1)
    """In each the better algorithm first."""
    among: tuple[str, ...] = ()
    """All algorithms that are compared with each other; by default all of the paper's names."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the significant pairs, and the word."""
        names = (*(self.among or evidence.names), *chain.from_iterable(self.pairs))
        losses = {name: evidence.losses(name) for name in dict.fromkeys(names)}
        # By pair, the one with more wins first.
        tests = {}
        for a, b in combinations(losses, 2):
            test = sign_test(losses[a], losses[b])
            tests[(a, b) if test.wins > test.losses else (b, a)] = test
        significant = {pair: test.p_value for pair, test in tests.items() if test.significant}
        label, pairs = evidence.label, {*self.pairs}
        parts = (f"{label(a)} over {label(b)} ({p_text(p)})" for (a, b), p in significant.items())
        text = "; ".join(parts) or "no pair"
        if evidence.exact or {*significant} == pairs:
            return claim.checked_claim(text, {*significant} == pairs)
        p_against = joint_p(1.0 if pair in pairs else test.p_value for pair, test in tests.items())
        text += f"; against the claim {p_text(p_against)} (Holm)"
        agrees = pairs <= {pair for pair, test in tests.items() if test.wins != test.losses}
        return Judgement(text, evidence.word(agrees, p_against=p_against))


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
    algorithms: Algorithms = Field(alias="of")
    """The faster algorithms."""
    than: Algorithms
    """The slower algorithms."""
    times: float = Field(default=1, gt=0)
    """Least ratio of their times."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratios with their intervals, and the word."""
        pairs = [*product(self.algorithms, self.than)]
        if evidence.exact:
            row = evidence.rows[0]
            times = [[evidence.value(row, name, "seconds") for name in pair] for pair in pairs]
            ratio = float(_ratios(*np.transpose(times)).min())
            return Judgement(f"{ratio:.3g} times as fast", evidence.word(ratio >= self.times))
        means = [self._mean(evidence, *pair) for pair in pairs]
        texts = []
        for (fast, slow), mean in zip(pairs, means, strict=True):
            names = f"{evidence.label(fast)} against {evidence.label(slow)} " * (len(pairs) > 1)
            low, high = (exp(mean.value + side * mean.reach()) for side in (-1, 1))
            texts.append(f"{names}{exp(mean.value):.3g} times as fast [{low:.3g}, {high:.3g}]")
        limit = log(self.times)
        power = claim.power_text(means, lambda effect: _plain(exp(limit + RUN_TO_RUN + effect)))
        text = f"{'; '.join(texts)}; {power} times"
        p_for = all_p(mean.p_above(limit + RUN_TO_RUN) for mean in means)
        p_against = joint_p(mean.p_below(limit - RUN_TO_RUN) for mean in means)
        agrees = all(mean.value >= limit for mean in means)
        return Judgement(text, evidence.word(agrees, p_for, p_against))

    def _mean(self, evidence: Evidence, fast: str, slow: str) -> Mean:
        """Return the mean logarithm of the ratio of the times."""
        rows = [_ratios(*evidence.sides(row, fast, slow, "seconds")) for row in evidence.rows]
        logs = [np.log(ratios) for ratios in rows]
        return claim.mean_of(logs[0] if len(logs) == 1 else [fmean(row) for row in logs])


def _plain(x: float) -> str:
    """Return a number with two digits and without an exponent."""
    return f"{x:.2g}" if x < 100 else f"{x:.0f}"


def _ratios(fast: FloatArray, slow: FloatArray) -> FloatArray:
    if (fast <= 0).any() or (slow <= 0).any():
        raise claim.Lacking("a time of 0")
    return np.asarray(slow / fast)
