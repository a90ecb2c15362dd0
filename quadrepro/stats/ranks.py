"""Methods over data sets, by ranks: whether they differ, which, and by how much.

Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", and García et al.
(2010) explain the tests; the Bayesian one is that of Benavoli et al. (2014, 2017), with a region of
practical equivalence ("rope"): methods whose risks differ by no more are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, inf, prod, sqrt
from typing import SupportsFloat

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.stats.many import holm
from quadrepro.stats.means import Posterior, check_rope
from quadrepro.stats.result import LEVEL, SEED, PValueResult, Result
from quadrepro.stats.ties import TIE, Values, differences, numbers, order, paired, ranked, ranks_of

EXACT = 200
"""Largest number of pairs for which the exact distribution is used."""

N_DRAWS = 50_000
"""Draws from the posterior of the signed-rank test: the standard error is at most 0.0022."""

AT_ONCE = 2**22
"""Largest number of weights that are drawn at once."""

PRIOR = 0.5
"""Weight of the pseudo-observation at 0, where an observation has weight 1."""


@dataclass(frozen=True, repr=False)
class WilcoxonTest(PValueResult):
    """Result of `wilcoxon_test`.

    The rank sums are those of the pairs in which A, and in which B, has the lower risk. The p-value
    is the two-sided one of "differences are symmetric around 0".
    """

    rank_sum: float
    other_rank_sum: float
    ties: int
    p_value: float


def wilcoxon_test(a: Values, b: Values) -> WilcoxonTest:
    """Compare two methods over data sets by Wilcoxon's signed-rank test.

    Ties are handled as by Pratt (Journal of the American Statistical Association 54, 1959): they
    take part in the ranking, and then their ranks are left out. Differences that tie share their
    mean rank. Up to 200 pairs the p-value is exact given the ranks, so that ties do not matter to
    it; above, it is that of the normal distribution without correction for continuity.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.

    Examples
    --------
    >>> wilcoxon_test([0.10, 0.22, 0.05, 0.30, 0.18, 0.07], [0.12, 0.25, 0.05, 0.36, 0.22, 0.12])
    WilcoxonTest(rank_sum=20, other_rank_sum=0, ties=1, p_value=0.0625)
    """
    # scipy takes half a second to import.
    from scipy.special import ndtr

    pairs = paired(a, b)
    x, y = map(numbers, zip(*pairs, strict=True))
    ranks = ranked(np.abs(x - y), np.maximum(np.abs(x), np.abs(y)))
    signs = np.array([order(*pair) for pair in pairs])
    # Mid-ranks are whole numbers when doubled.
    doubled = np.rint(2 * ranks).astype(np.int64)
    signed = doubled[signs != 0]
    wins, losses = (int(doubled[signs == side].sum()) for side in (-1, 1))
    if wins == losses:
        p_value = 1.0
    elif len(pairs) <= EXACT:
        tail = distribution_of_rank_sums(signed)[: min(wins, losses) + 1]
        p_value = min(1.0, 2 * float(tail.sum()))
    else:
        p_value = float(2 * ndtr(-abs(wins - losses) / np.linalg.norm(signed)))
    return WilcoxonTest(wins / 2, losses / 2, int((signs == 0).sum()), p_value)


def distribution_of_rank_sums(ranks: IntArray) -> FloatArray:
    """Return the probability of each sum of ranks that are taken with probability 1/2.

    Examples
    --------
    >>> distribution_of_rank_sums(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    found = np.zeros(int(ranks.sum()) + 1)
    found[0] = 1.0
    for rank in ranks:
        found[rank:] += found[: len(found) - rank].copy()
        found /= 2
    return found


@dataclass(frozen=True, repr=False)
class Effect(Result):
    """An estimate with the interval that covers the effect with probability `COVERAGE`."""

    estimate: float
    low: float
    high: float


def hodges_lehmann(a: Values, b: Values) -> Effect:
    """Estimate by how much two methods differ: the shift of Hodges and Lehmann.

    The median of the means of all two differences, each with itself included. It goes with
    Wilcoxon's signed-rank test, is in the unit of the risks, and below 0 if A has the lower ones.
    The interval is that of Tukey, from the distribution of the rank sum (normal above 200 pairs;
    Hollander and Wolfe, "Nonparametric Statistical Methods", 1973); with fewer than six pairs no
    finite interval has the coverage, and its ends are infinite.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.

    Examples
    --------
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> hodges_lehmann(ours, theirs)
    Effect(estimate=-0.025, low=-0.04, high=-0.01)
    """
    from scipy.special import ndtri

    d = differences(a, b)
    n = len(d)
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    # The number of means beyond either end of the interval.
    if n <= EXACT:
        below = np.cumsum(distribution_of_rank_sums(np.arange(1, n + 1)))
        out = int(np.searchsorted(below, LEVEL / 2, side="right"))
    else:
        spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
        out = int(n * (n + 1) / 4 + float(ndtri(LEVEL / 2)) * spread)
    low, high = (means[out - 1], means[-out]) if out else (-inf, inf)
    return Effect(float(np.median(means)), float(low), float(high))


@dataclass(frozen=True, repr=False)
class FriedmanTest(PValueResult):
    """Result of `friedman_test`.

    Attributes
    ----------
    mean_ranks : tuple of float
        Mean rank of each method, 1 for the lowest risk; equal risks share their mean rank.
    statistic, p_value : float
        Friedman's χ² with n_methods - 1 degrees of freedom, and its p-value.
    f_statistic, f_p_value : float
        The less conservative F of Iman and Davenport with n_methods - 1 and (n_methods - 1)
        (n_datasets - 1) degrees of freedom, and its p-value. If all data sets rank the methods
        alike, F is infinite and its p-value the exact probability of that.
    """

    mean_ranks: tuple[float, ...]
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float


def friedman_test(risks: Sequence[Sequence[SupportsFloat]]) -> FriedmanTest:
    """Test whether several methods have equal risks over data sets, by their ranks.

    The statistics are corrected for ties, as in scipy. If all risks of every data set are equal,
    the p-values are 1.

    Parameters
    ----------
    risks : sequence of sequence of float, shape (n_datasets, n_methods)
        Risks of two or more methods on two or more data sets.

    Examples
    --------
    >>> test = friedman_test([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> test.mean_ranks, test.statistic, round(test.p_value, 3), round(test.f_p_value, 3)
    ((1.25, 2.0, 2.75), 4.5, 0.105, 0.084)
    """
    from scipy.special import chdtrc, fdtrc

    ranks = ranks_of(risks)
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    mean_ranks = tuple(map(float, means))
    # Ties take something from it: without them it is (k² - 1) / 12.
    variance = float(ranks.var(axis=1).mean())
    if variance == 0:
        return FriedmanTest(mean_ranks, 0.0, 1.0, 0.0, 1.0)
    statistic = n * (k - 1) / k * float(((means - (k + 1) / 2) ** 2).sum()) / variance
    rest = n * (k - 1) - statistic
    if rest > 1e-9:
        by_f = (n - 1) * statistic / rest
        f_p_value = float(fdtrc(k - 1, (k - 1) * (n - 1), by_f))
    else:
        # All rows are alike. The F distribution gives 0, whatever the number of rows.
        ties = np.unique(ranks[0], return_counts=True)[1]
        orders = factorial(k) // prod(map(factorial, ties.tolist()))
        by_f, f_p_value = inf, float(orders) ** (1 - n)
    return FriedmanTest(mean_ranks, statistic, float(chdtrc(k - 1, statistic)), by_f, f_p_value)


def mean_ranks(risks: Mapping[str, Sequence[SupportsFloat]]) -> dict[str, float]:
    """Return the mean rank of each method over the data sets, the best first.

    Examples
    --------
    >>> mean_ranks({"A": [0.2, 0.3], "B": [0.1, 0.2]})
    {'B': 1.0, 'A': 2.0}
    """
    means = ranks_of(list(zip(*risks.values(), strict=True))).mean(axis=0).tolist()
    return dict(sorted(zip(risks, means, strict=True), key=lambda of: of[1]))


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Return by how much two mean ranks must differ to be significant by Nemenyi's test.

    It is q sqrt(k(k + 1) / 6N) for k methods on N data sets, with the quantile q of the studentized
    range over sqrt(2). The level, by default `LEVEL`, is that over all pairs together.

    Examples
    --------
    Four methods on 14 data sets, as in Demšar's example:

    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, level=0.1), 2)
    (1.25, 1.12)
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.isf(level, n_methods, inf)) / sqrt(2)
    return quantile * _standard_error(n_methods, n_datasets)


def _standard_error(n_methods: int, n_datasets: int) -> float:
    """Return that of the difference of two mean ranks of equal methods."""
    return sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def bayesian_signed_rank(a: Values, b: Values, rope: float = 0.0) -> Posterior:
    """Compare two methods over data sets by the Bayesian signed-rank test.

    The data sets are draws from a distribution with a Dirichlet process as its prior: strength 1/2,
    all of it at a difference of 0. Of each of `N_DRAWS` distributions out of the posterior it is
    asked whether the mean of two differences drawn from it is most often below, in, or above the
    rope. The seed is fixed, so the same data give the same numbers. In simulations of equal methods
    one of them is found better with a probability of 0.95 or more in 23, 13 and 12% of cases with
    5, 10 and 20 data sets.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks. With 0, `same`
        is 0.

    Examples
    --------
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> bayesian_signed_rank(ours, theirs, rope=0.01)
    Posterior(better=0.97834, same=0.02166, worse=0)
    """
    check_rope(rope)
    d = differences(a, b)
    rng = np.random.default_rng(SEED)
    step = max(1, AT_ONCE // (len(d) + 1))
    sizes = (min(step, N_DRAWS - start) for start in range(0, N_DRAWS, step))
    counts = [_signed_rank_counts(d, rope, rng, size) for size in sizes]
    return Posterior(*(np.sum(counts, axis=0) / N_DRAWS).tolist())


def _signed_rank_counts(
    d: FloatArray, rope: float, rng: np.random.Generator, size: int
) -> tuple[float, float, float]:
    """Return the number of draws that are most often below, in and above the rope."""
    # Weights need not add up to 1, because only their order counts. Draws run along the last axis,
    # so that sums over data sets run in a fixed order.
    observed = rng.standard_exponential((len(d), size))
    weights = np.concatenate([rng.standard_gamma(PRIOR, (1, size)), observed])
    z = np.append(0.0, d)
    rising = np.argsort(z, kind="stable")
    z, weights = z[rising], weights[rising]
    up_to = np.concatenate([np.zeros((1, size)), np.cumsum(weights, axis=0)])
    total, slack = up_to[-1], TIE * np.abs(z).max()

    def below(bound: float) -> FloatArray:
        # The weight of those that have a sum below the bound with each; one on it counts half.
        left = np.searchsorted(z, bound - z - slack, "left")
        right = np.searchsorted(z, bound - z + slack, "right")
        return np.asarray((up_to[left] + up_to[right]) / 2)

    low = (weights * below(-2 * rope)).sum(axis=0)
    high = (weights * (total - below(2 * rope))).sum(axis=0)
    apart = (np.maximum(low, high) > total**2 - low - high) | (rope == 0)
    # Neither is better if all differences are 0.
    half = float((apart & (low == high)).sum()) / 2
    better, worse = (float((apart & more).sum()) + half for more in (low > high, high > low))
    return better, size - better - worse, worse


@dataclass(frozen=True, repr=False)
class RankedPair(Result):
    """Two methods of a `Ranking`; A does not have the higher mean rank.

    Attributes
    ----------
    nemenyi_p : float
        P-value of Nemenyi's test, which holds for all pairs together.
    rank_p, rank_p_holm : float
        P-value of the rank difference by itself, and adjusted for all pairs by Holm's method.
    wilcoxon_p, wilcoxon_p_holm : float
        The same of Wilcoxon's signed-rank test.
    shift : Effect
        The shift of Hodges and Lehmann, below 0 if A has the lower risks.
    posterior : Posterior
        The Bayesian signed-rank test: whether A is better, the same within the rope, or worse.
    """

    a: str
    b: str
    rank_difference: float
    nemenyi_p: float
    rank_p: float
    rank_p_holm: float
    wilcoxon_p: float
    wilcoxon_p_holm: float
    shift: Effect
    posterior: Posterior


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Result of `rank_methods`: tests of all methods together, and of every pair.

    The methods are in the order of their mean ranks, the best first, equal ones in their former
    order, and so are the mean ranks of Friedman's test and the pairs. Mean ranks that are
    `critical_difference` apart differ significantly by Nemenyi's test.
    """

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_datasets: int
    rope: float
    friedman: FriedmanTest
    critical_difference: float
    pairs: tuple[RankedPair, ...]


def rank_methods(risks: Mapping[str, Sequence[SupportsFloat]], rope: float = 0.0) -> Ranking:
    """Rank methods over data sets, and compare every pair.

    Parameters
    ----------
    risks : mapping of str to sequence of float
        Risks of each method, one per data set and in the same order; lower is better. Scores of
        which the highest is best are passed with a minus sign.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks.

    Examples
    --------
    >>> risks = {"A": [0.20, 0.31, 0.15, 0.27], "B": [0.22, 0.35, 0.14, 0.30]}
    >>> ranking = rank_methods(risks, rope=0.01)
    >>> ranking.methods, ranking.mean_ranks
    (('A', 'B'), (1.25, 1.75))
    >>> ranking.pairs[0].shift
    Effect(estimate=-0.0225, low=-inf, high=inf)
    """
    from scipy.special import ndtr
    from scipy.stats import studentized_range

    k, n = len(risks), max(map(len, risks.values()), default=0)
    if fault := fault_of_size(k, n):
        raise ValueError(fault)
    rank_of = mean_ranks(risks)
    pairs = list(combinations(rank_of, 2))
    gaps = np.array([rank_of[a] - rank_of[b] for a, b in pairs])
    z = np.abs(gaps) / _standard_error(k, n)
    nemenyi_ps = studentized_range.sf(z * sqrt(2), k, inf).tolist()
    rank_ps = (2 * ndtr(-z)).tolist()
    signed_ps = [wilcoxon_test(risks[a], risks[b]).p_value for a, b in pairs]
    p_values = zip(nemenyi_ps, rank_ps, holm(rank_ps), signed_ps, holm(signed_ps), strict=True)
    compared = tuple(
        RankedPair(
            *(a, b, gap, *of_pair),
            hodges_lehmann(risks[a], risks[b]),
            bayesian_signed_rank(risks[a], risks[b], rope),
        )
        for (a, b), gap, of_pair in zip(pairs, gaps.tolist(), p_values, strict=True)
    )
    friedman = friedman_test(list(zip(*(risks[name] for name in rank_of), strict=True)))
    together = friedman, critical_difference(k, n), compared
    return Ranking(tuple(rank_of), friedman.mean_ranks, n, float(rope), *together)


MOST_ROWS, MOST_METHODS, MOST_WORK = 5_000, 60, 100_000
"""Most data sets, methods, and pairs times data sets, which take a millisecond each."""


def fault_of_size(n_methods: int, n_datasets: int) -> str:
    """Return why a table of this size cannot be ranked, or an empty text.

    Examples
    --------
    >>> fault_of_size(1, 10)
    'a ranking needs at least two methods on at least two data sets'
    """
    n_pairs = n_methods * (n_methods - 1) // 2
    if n_methods < 2 or n_datasets < 2:
        return "a ranking needs at least two methods on at least two data sets"
    if n_methods > MOST_METHODS or n_datasets > MOST_ROWS or n_pairs * n_datasets > MOST_WORK:
        return (
            f"{n_methods} methods on {n_datasets} data sets are too many to rank: at most "
            f"{MOST_METHODS} methods, {MOST_ROWS} data sets, and {MOST_WORK} pairs of "
            "methods times data sets"
        )
    return ""
