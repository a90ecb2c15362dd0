"""Claims on mean ranks over the rows, and on tests of ranks (Demšar 2006)."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Literal

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, pairs_text
from quadrepro.papers.claims.evidence import Evidence, Lacking, Number
from quadrepro.stats import LEVEL, friedman_test, holm, nemenyi_p_value, wilcoxon_test
from quadrepro.stats.friedman import mean_ranks, standard_error
from quadrepro.stats.result import p_text

Errors = dict[str, list[Number]]
"""Errors of each algorithm, one per row."""

NORMAL = NormalDist()


class OfRanks(Claim):
    """A claim on ranks of the errors within each row.

    Printed numbers decide it. Ours refute it if honest repetitions of a paper differ as much with a
    probability of at most `LEVEL`, and else leave it undecided.
    """

    among: tuple[AlgorithmName, ...] = ()
    """All that are ranked; by default all of the paper's names."""

    def errors(self, evidence: Evidence, *needed: str) -> Errors:
        """Return the errors of all that are ranked, and of those that are needed."""
        names = dict.fromkeys((*(self.among or evidence.names), *needed))
        if min(len(evidence.rows), len(names)) < 2:
            raise Lacking("one row or algorithm is too few for tests of ranks")
        return {name: evidence.values(name) for name in names}

    def failed(self, text: str, off: float, n_tests: int, evidence: Evidence) -> Judgement:
        """Return the judgement of what is `off` standard errors from the claim."""
        if evidence.exact:
            return Judgement(text, False)
        # The paper's number varies as ours does.
        p_value = min(1.0, n_tests * NORMAL.cdf(-off / sqrt(2)))
        text = f"{text}; repetitions differ as much with {p_text(p_value)}"
        return Judgement(text, evidence.verdict(False, p_value <= LEVEL))


class MeanRank(OfRanks, names=("mean-rank",)):
    """An algorithm has a certain mean rank over the rows, or the best one."""

    of: AlgorithmName
    """The algorithm."""
    rank: float | None = Field(default=None, ge=1)
    """The mean rank; by default the claim is that it is the best, alone or with others."""
    within: float = Field(default=0.05, ge=0, allow_inf_nan=False)
    """Largest difference from `rank` at which it is the same."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the mean ranks, and whether they are as claimed."""
        means = mean_ranks(self.errors(evidence, self.of))
        mine, n, k = means[self.of], len(evidence.rows), len(means)
        if self.rank is not None:
            text, gap, most = f"mean rank {mine:.2f}", abs(mine - self.rank), self.within
            error, n_tests = sqrt((k**2 - 1) / (12 * n)), 2
        else:
            text = ", ".join(f"{evidence.label(name)} {rank:.2f}" for name, rank in means.items())
            gap, most = mine - min(means.values()), 0.0
            error, n_tests = standard_error(k, n), k - 1
        if gap <= most + 1e-9:
            return Judgement(text, True)
        return self.failed(text, gap / error, n_tests, evidence)


class Friedman(OfRanks, names=("friedman",)):
    """Friedman's test finds that the algorithms differ, or does not."""

    differ: bool = True
    """Whether the differences are significant."""
    by: Literal["chi-squared", "f"] = "chi-squared"
    """The statistic: Friedman's χ², or F by Iman and Davenport."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the test, and whether it is as claimed."""
        test = friedman_test(list(zip(*self.errors(evidence).values(), strict=True)))
        p, text = test.p_value, f"χ² = {test.statistic:.2f}"
        if self.by == "f":
            p, text = test.f_p_value, f"F = {test.f_statistic:.2f}"
        text = f"{text}, {p_text(p)}"
        if (p <= LEVEL) == self.differ:
            return Judgement(text, True)
        return self.failed(text, abs(_quantile(p) - _quantile(LEVEL)), 1, evidence)


class NemenyiPairs(OfRanks, names=("nemenyi-pairs",)):
    """Nemenyi's test finds that some pairs of algorithms differ, and no others."""

    pairs: tuple[tuple[AlgorithmName, AlgorithmName], ...]
    """In each the better algorithm first; there may be none."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the pairs that differ, and whether they are the claimed ones."""
        tests = self.tests(self.errors(evidence, *(name for pair in self.pairs for name in pair)))
        found = {pair: p for pair, p in tests.items() if p <= LEVEL}
        text = pairs_text(evidence, found)
        if set(found) == set(self.pairs):
            return Judgement(text, True)
        off = max(self.off(pair, p) for pair, p in tests.items())
        return self.failed(text, off, len(tests), evidence)

    def off(self, pair: tuple[str, str], p_value: float) -> float:
        """Return by how many standard errors a pair differs from what is claimed of it."""
        found, critical = -_quantile(p_value / 2), -_quantile(LEVEL / 2)
        if pair in self.pairs:
            return critical - found
        return found + (critical if pair[::-1] in self.pairs else -critical)

    def tests(self, errors: Errors) -> dict[tuple[str, str], float]:
        """Return the p-value of every pair; the better algorithm is the first."""
        means = mean_ranks(errors)
        n, k = len(next(iter(errors.values()))), len(errors)
        return {
            (a, b): nemenyi_p_value(means[b] - means[a], k, n) for a, b in combinations(means, 2)
        }


class WilcoxonPairs(NemenyiPairs, names=("wilcoxon-pairs",)):
    """Wilcoxon's signed-rank test finds that some pairs of algorithms differ, and no others."""

    adjusted: bool = False
    """Whether the p-values are adjusted for all pairs by Holm's method."""

    def tests(self, errors: Errors) -> dict[tuple[str, str], float]:
        """Return the p-value of every pair; the better algorithm is the first."""
        found = {}
        for a, b in combinations(errors, 2):
            test = wilcoxon_test(errors[a], errors[b])
            found[(a, b) if test.rank_sum >= test.other_rank_sum else (b, a)] = test.p_value
        p_values = holm(found.values()) if self.adjusted else found.values()
        return dict(zip(found, p_values, strict=True))


def _quantile(p_value: float) -> float:
    # The quantiles of 0 and 1 are infinite.
    return NORMAL.inv_cdf(min(max(p_value, 1e-300), 1 - 1e-12))
