"""Claims judged by the sign test on test errors, one pair per row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, Undecided
from quadrepro.papers.claims.evidence import Evidence, Lacking, Number
from quadrepro.stats import LEVEL, SignTest, equivalence_test, sign_test, sign_test_power
from quadrepro.stats.result import p_text

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


class SignificantlyBetter(Claim):
    """One algorithm has a significantly lower error than another.

    Attributes
    ----------
    of, than : str
        The two algorithms.
    """

    of: AlgorithmName
    than: AlgorithmName

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are significantly more."""
        test = compare(evidence.values(self.of), evidence.values(self.than))
        return Judgement(_described(test), test.significant and test.wins > test.losses)


class NotBetter(SignificantlyBetter):
    """One algorithm does not have a significantly lower error than another.

    Attributes
    ----------
    of, than : str
        The two algorithms.
    """

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties, and whether the wins are not significantly more."""
        text, better = super().judge(evidence)
        return Judgement(text, not better)


class NotToldApart(Claim):
    """The sign test finds no significant difference between two algorithms.

    That is what a paper says with "no significant difference", and no evidence that they are alike.

    Attributes
    ----------
    between : pair of str
        The two algorithms.
    """

    between: tuple[AlgorithmName, AlgorithmName]

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties of the first, the test's power, and whether p is high."""
        test = compare(*map(evidence.values, self.between))
        return Judgement(_with_power(test), not test.significant)


class Equivalent(NotToldApart):
    """Two algorithms are equivalent.

    Attributes
    ----------
    between : pair of str
        The two algorithms.
    margin : float or None
        The largest difference of mean errors that does not matter. Without one nothing can show
        that two algorithms are equivalent: the sign test refutes it or leaves it undecided.
    """

    margin: float | None = Field(default=None, gt=0, allow_inf_nan=False)

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


class SignificantPairs(Claim):
    """Some pairs of algorithms differ significantly, and no others.

    Attributes
    ----------
    pairs : tuple of pairs of str
        In each the better algorithm first.
    among : tuple of str
        All algorithms that are compared with each other; by default all of the paper's names.
    """

    pairs: tuple[tuple[AlgorithmName, AlgorithmName], ...] = Field(min_length=1)
    among: tuple[AlgorithmName, ...] = ()

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
