"""Claims on mean ranks over the rows, and on tests of ranks (Demšar 2006)."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Literal

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, Undecided
from quadrepro.papers.claims.evidence import Evidence, InPrint, Lacking, Number
from quadrepro.stats import (
    LEVEL,
    friedman_test,
    holm,
    nemenyi_p_value,
    wilcoxon_test,
)
from quadrepro.stats.friedman import ranks_of
from quadrepro.stats.result import p_text

Pair = tuple[str, str]
"""Two algorithms, the better first."""


class OfRanks(Claim):
    """A claim on ranks of the errors within each row."""

    among: tuple[AlgorithmName, ...] = ()
    """All that are ranked; by default all of the paper's names."""

    def errors(self, evidence: Evidence, *needed: str) -> dict[str, list[Number]]:
        """Return the errors of all that are ranked, and of those that are needed."""
        names = dict.fromkeys((*(self.among or evidence.names), *needed))
        if min(len(evidence.rows), len(names)) < 2:
            raise Lacking("one row or algorithm is too few for tests of ranks")
        return {name: evidence.values(name) for name in names}


class MeanRank(OfRanks, names=("mean-rank",)):
    """An algorithm has a certain mean rank over the rows, or the best one."""

    of: AlgorithmName
    """The algorithm."""
    rank: float | None = Field(default=None, ge=1)
    """The mean rank; by default the claim is that it is the best, alone or with others."""
    within: float = Field(default=0.05, ge=0, allow_inf_nan=False)
    """Largest difference from `rank` at which it is the same."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean ranks; what fails may be undecided, unless it is printed."""
        means = mean_ranks(self.errors(evidence, self.of))
        mine, n, k = means[self.of], len(evidence.rows), len(means)
        if self.rank is not None:
            holds = abs(mine - self.rank) <= self.within + 1e-9
            # The paper's mean rank varies as ours does; of equal algorithms by this much.
            spread = sqrt((k**2 - 1) / (6 * n))
            p = 2 * NormalDist().cdf(-abs(mine - self.rank) / spread)
            text = f"mean rank {mine:.2f}"
        else:
            order = sorted(means, key=means.__getitem__)
            best = means[order[0]]
            holds = mine <= best + 1e-9
            p = nemenyi_p_value(mine - best, k, n)
            text = ", ".join(f"{evidence.label(name)} {means[name]:.2f}" for name in order)
        return _judged(text if holds else f"{text}; {p_text(p)}", holds, p, evidence)


class Friedman(OfRanks, names=("friedman",)):
    """Friedman's test finds that the algorithms differ, or does not."""

    differ: bool = True
    """Whether the differences are significant."""
    by: Literal["chi-squared", "f"] = "chi-squared"
    """The statistic: Friedman's χ², or F by Iman and Davenport."""
    correct_ties: bool = True
    """Whether χ² is corrected for ties."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the test, and whether it is as claimed; a difference not found is undecided."""
        table = list(zip(*self.errors(evidence).values(), strict=True))
        test = friedman_test(table, correct_ties=self.correct_ties)
        p = test.p_value if self.by == "chi-squared" else test.f_p_value
        value = test.statistic if self.by == "chi-squared" else test.f_statistic
        text = f"{'χ²' if self.by == 'chi-squared' else 'F'} = {value:.2f}, {p_text(p)}"
        holds = (p <= LEVEL) == self.differ
        return _judged(text, holds, p, evidence)


class NemenyiPairs(OfRanks, names=("nemenyi-pairs",)):
    """Nemenyi's test finds that some pairs of algorithms differ, and no others."""

    pairs: tuple[tuple[AlgorithmName, AlgorithmName], ...]
    """In each the better algorithm first; may be empty."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the pairs that differ, and whether they are the claimed ones."""
        names = [name for pair in self.pairs for name in pair]
        errors = self.errors(evidence, *names)
        found = self.tests(errors)
        text = "; ".join(
            f"{evidence.label(a)} over {evidence.label(b)} ({p_text(p)})"
            for (a, b), (p, _) in found.items()
            if p <= LEVEL
        )
        differing = {pair for pair, (p, _) in found.items() if p <= LEVEL}
        # A pair that is not claimed refutes the claim; one that is claimed may lack power here.
        others = [p for pair, (_, p) in found.items() if pair not in self.pairs]
        holds = differing == set(self.pairs)
        return _judged(text or "no pair", holds, min(others, default=1.0), evidence)

    def tests(self, errors: dict[str, list[Number]]) -> dict[Pair, tuple[float, float]]:
        """Return two p-values of every pair: the test's, and one adjusted for all pairs."""
        n, k = len(next(iter(errors.values()))), len(errors)
        means = mean_ranks(errors)
        order = sorted(errors, key=means.__getitem__)
        gaps = {(a, b): means[b] - means[a] for a, b in combinations(order, 2)}
        p_values = {pair: nemenyi_p_value(gap, k, n) for pair, gap in gaps.items()}
        return {pair: (p, p) for pair, p in p_values.items()}


class WilcoxonPairs(NemenyiPairs, names=("wilcoxon-pairs",)):
    """Wilcoxon's signed-rank test finds that some pairs of algorithms differ, and no others."""

    adjusted: bool = False
    """Whether the p-values are adjusted for all pairs by Holm's method."""

    def tests(self, errors: dict[str, list[Number]]) -> dict[Pair, tuple[float, float]]:
        """Return the p-value of every pair as claimed, and adjusted for all pairs."""
        tests = {(a, b): wilcoxon_test(errors[a], errors[b]) for a, b in combinations(errors, 2)}
        adjusted = holm(test.p_value for test in tests.values())
        return {
            (a, b) if test.rank_sum >= test.other_rank_sum else (b, a): (
                p if self.adjusted else test.p_value,
                p,
            )
            for ((a, b), test), p in zip(tests.items(), adjusted, strict=True)
        }


def mean_ranks(errors: dict[str, list[Number]]) -> dict[str, float]:
    """Return the mean rank of each algorithm over the rows."""
    means = ranks_of(list(zip(*errors.values(), strict=True))).mean(axis=0)
    return dict(zip(errors, means.tolist(), strict=True))


def _judged(text: str, holds: bool, p_value: float, evidence: Evidence) -> Judgement:
    """Return a judgement: on our numbers a claim is refuted by a significant test alone."""
    if holds or isinstance(evidence, InPrint) or p_value <= LEVEL:
        return Judgement(text, holds)
    return Undecided(text, None)
