"""Claims judged by the sign test on test errors, one pair per row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, p_text
from quadrepro.papers.claims.evidence import Evidence, Number
from quadrepro.stats import SignTest, sign_test


def compare(a: Sequence[Number], b: Sequence[Number]) -> SignTest:
    """Return the sign test of A against B: A wins with the lower number, compared exactly."""
    return sign_test([(x > y) - (x < y) for x, y in zip(a, b, strict=True)], [0] * len(a))


def _described(test: SignTest) -> str:
    counts = f"{test.wins} wins, {test.losses} losses, {test.ties} ties"
    return f"{counts}, {p_text(test.p_value)}"


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


class Equivalent(Claim):
    """The sign test does not tell two algorithms apart.

    Attributes
    ----------
    between : pair of str
        The two algorithms.
    """

    between: tuple[AlgorithmName, AlgorithmName]

    def judge(self, evidence: Evidence) -> Judgement:
        """Return wins, losses and ties of the first, and whether p is above the level."""
        test = compare(*map(evidence.values, self.between))
        return Judgement(_described(test), not test.significant)


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
