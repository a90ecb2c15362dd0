"""Methods over data sets, by wins and by ranks: whether they differ, and by how much.

Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", and García et al.
(2010) explain the tests; the Bayesian one is by Benavoli et al. (2014, 2017), with a region of
practical equivalence ("rope"): methods whose risks differ by no more are the same.

The Poisson binomial test is by Lacoste, Laviolette and Marchand (2012). On one data set, the
test examples that exactly one of two algorithms gets wrong are coin tosses. With a uniform prior on
the coin, A is better than B with a posterior probability p_i. Over N data sets, the number of A's
wins has the Poisson binomial distribution with parameters p_1, ..., p_N. Each number of wins is in
turn evidence on a coin with a uniform prior, and the mean over it is the probability that A is
better than B.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, factorial, inf, log, nan, prod, sqrt
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats import base
from quadrepro.stats.base import LEVEL, PValueResult, Result, Values, differences, numbers, paired
from quadrepro.stats.means import Posterior, check_rope

EXACT = 100
"""Largest number of pairs for which the exact distribution is used."""

N_DRAWS = 50_000
"""Draws from the posterior of the signed-rank test: the standard error is at most 0.0022."""

AT_ONCE = 2**22
"""Largest number of weights that are drawn at once."""

PRIOR = 0.5
"""Weight of the pseudo-observation at 0, where an observation has weight 1."""


@dataclass(frozen=True, repr=False)
class SignTest(PValueResult):
    """Result of `sign_test`.

    Wins, losses and ties are the numbers of data sets on which A has the lower, the higher and the
    same risk. The p-value is the two-sided one of "a win is as likely as a loss".
    """

    wins: int
    losses: int
    ties: int
    p_value: float


def sign_test(a: Values, b: Values) -> SignTest:
    """Compare two algorithms by the number of data sets on which each has the lower risk.

    The exact two-sided sign test of Mendenhall (1983): ties are left out, and without a difference
    between the algorithms the wins are binomial with probability 1/2. A data set with a NaN is not
    counted, and makes the p-value NaN.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.

    Examples
    --------
    >>> sign_test([0.10, 0.22, 0.05, 0.30, 0.18, 0.07], [0.12, 0.25, 0.05, 0.33, 0.21, 0.09])
    SignTest(wins=5, losses=0, ties=1, p_value=0.0625)
    """
    pairs = paired(a, b)
    signs = [base.order(x, y) for x, y in pairs if x == x and y == y]
    wins, losses, ties = (signs.count(sign) for sign in (-1, 1, 0))
    p_value = float(p_of_wins(wins, losses)) if len(signs) == len(pairs) else nan
    return SignTest(wins, losses, ties, p_value)


def p_of_wins(wins: ArrayLike, losses: ArrayLike) -> FloatArray:
    """Return the two-sided p-values of the sign test."""
    # scipy takes half a second to import.
    from scipy.special import bdtr

    tail = bdtr(np.minimum(wins, losses), np.add(wins, losses), 0.5)
    return np.asarray(np.minimum(2 * tail, 1.0))


def sign_test_power(n: int, share: float) -> float:
    """Return how probable it is that the sign test is significant on `n` data sets without ties.

    The `share` is the probability of a win on each. With 1/2 the result is the size of the test,
    which is smaller than `LEVEL` because p-values are discrete.

    Examples
    --------
    On 25 data sets, an algorithm that wins three times out of five goes mostly unnoticed:

    >>> round(sign_test_power(25, 0.6), 2), round(sign_test_power(25, 0.8), 2)
    (0.15, 0.89)
    """
    wins = np.arange(n + 1)
    significant = p_of_wins(wins, n - wins) <= LEVEL
    return float(distribution_of_wins([share] * n)[significant].sum())


@dataclass(frozen=True, repr=False)
class PoissonBinomialTest(Result):
    """Probability that A is better than B over the data sets, and on each; 0.5 favours neither."""

    probability: float
    per_data_set: tuple[float, ...]


def poisson_binomial_test(
    a_wrong: Iterable[ArrayLike], b_wrong: Iterable[ArrayLike]
) -> PoissonBinomialTest:
    """Return the probability that algorithm A is better than B, from their errors on examples.

    The test of Lacoste, Laviolette and Marchand (2012), as in Table 2 of QuadBoost.

    Parameters
    ----------
    a_wrong, b_wrong : iterable of array-like of bool, each of shape (n_test,)
        Which test examples A and B get wrong, one array per data set. Both must have the same
        data sets and examples in the same order.

    Examples
    --------
    On the first data set only B errs, three times; on the second each errs once.

    >>> a_wrong = [[False, False, False, False], [True, False]]
    >>> b_wrong = [[True, True, True, False], [False, True]]
    >>> poisson_binomial_test(a_wrong, b_wrong)
    PoissonBinomialTest(probability=0.664062, per_data_set=(0.9375, 0.5))
    """
    each = []
    for sides in paired(a_wrong, b_wrong):
        a, b = (np.asarray(wrong, dtype=np.bool_) for wrong in sides)
        if a.shape != b.shape:
            raise ValueError(f"A has {a.size} test examples and B has {b.size} on one data set")
        each.append(better_on_one(int((a & ~b).sum()), int((b & ~a).sum())))
    return PoissonBinomialTest(better_over_all(each), tuple(each))


def better_on_one(only_a_wrong: int, only_b_wrong: int) -> float:
    """Return the probability that A is better than B on one data set.

    It is BetaCDF(1/2; 1 + only_a_wrong, 1 + only_b_wrong), given the numbers of test examples that
    only A, and only B, gets wrong.

    Examples
    --------
    >>> better_on_one(0, 3)
    0.9375
    """
    from scipy.special import betainc

    return float(betainc(1 + only_a_wrong, 1 + only_b_wrong, 0.5))


def better_over_all(p: Iterable[float]) -> float:
    """Return the probability that A is better than B over data sets, from that on each.

    It is Σ_κ Pr(κ wins) BetaCDF(1/2; N - κ + 1, κ + 1).

    Examples
    --------
    >>> better_over_all([0.9375, 0.5])
    0.6640625
    """
    from scipy.special import betainc

    q = distribution_of_wins(p)
    wins = np.arange(len(q))
    return float(q @ betainc(len(q) - wins, wins + 1, 0.5))


def distribution_of_wins(p: Iterable[float]) -> FloatArray:
    """Return the probability of 0, 1, ..., N wins, given the probability of each of N wins.

    The recursion of the paper keeps the tails, which `scipy.stats.poisson_binom` loses.

    Examples
    --------
    >>> distribution_of_wins([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    q = np.array([1.0])
    for p_i in p:
        q = np.append(q * (1 - p_i), 0.0) + np.append(0.0, q * p_i)
    return q


@dataclass(frozen=True, repr=False)
class WilcoxonTest(PValueResult):
    """Result of `wilcoxon_test`.

    Attributes
    ----------
    rank_sum, other_rank_sum : float
        Sums of the ranks of the pairs in which A, and in which B, has the lower risk.
    ties : int
        Number of pairs of equal risks.
    p_value : float
        Two-sided p-value of "differences are symmetric around 0".
    """

    rank_sum: float
    other_rank_sum: float
    ties: int
    p_value: float


def wilcoxon_test(a: Values, b: Values) -> WilcoxonTest:
    """Compare two methods over data sets by Wilcoxon's signed-rank test.

    Ties are handled as by Pratt (Journal of the American Statistical Association 54, 1959): they
    take part in the ranking, and then their ranks are left out. Differences that tie share their
    mean rank. Up to 100 pairs the p-value is exact given the ranks, so that ties do not matter to
    it; above, it is taken from the normal distribution without correction for continuity.

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

    x, y = map(numbers, zip(*paired(a, b), strict=True))
    ranks = base.ranked(np.abs(x - y), np.maximum(np.abs(x), np.abs(y)))
    signs = base.orders(x, y)
    # Mid-ranks are whole numbers when doubled.
    doubled = np.rint(2 * ranks).astype(np.int64)
    signed = np.sort(doubled[signs != 0])
    wins, losses = (int(doubled[signs == side].sum()) for side in (-1, 1))
    if wins == losses:
        p_value = 1.0
    elif len(x) <= EXACT:
        tail = distribution_of_rank_sums(tuple(signed.tolist()))[: min(wins, losses) + 1]
        p_value = min(1.0, 2 * float(tail.sum()))
    else:
        p_value = float(2 * ndtr(-abs(wins - losses) / np.linalg.norm(signed)))
    return WilcoxonTest(wins / 2, losses / 2, int((signs == 0).sum()), p_value)


# Pairs without ties have the same ranks.
@lru_cache(maxsize=64)
def distribution_of_rank_sums(ranks: tuple[int, ...]) -> FloatArray:
    """Return the probability of each sum of ranks that are taken with probability 1/2.

    Examples
    --------
    >>> distribution_of_rank_sums((1, 2)).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    probabilities = np.zeros(sum(ranks) + 1)
    probabilities[0] = 1.0
    for rank in ranks:
        probabilities[rank:] += probabilities[: len(probabilities) - rank].copy()
        probabilities /= 2
    return probabilities


@dataclass(frozen=True, repr=False)
class Effect(Result):
    """An estimate with its interval."""

    estimate: float
    low: float
    high: float


def hodges_lehmann(a: Values, b: Values, level: float = LEVEL) -> Effect:
    """Estimate by how much two methods differ: the shift of Hodges and Lehmann.

    The median of the means of all two differences, each with itself included. It goes with
    Wilcoxon's signed-rank test, is in the unit of the risks, and below 0 if A has the lower ones.
    The interval is Tukey's, from the distribution of the rank sum (normal above 100 pairs;
    Hollander and Wolfe, "Nonparametric Statistical Methods", 1973); with fewer than six pairs no
    finite interval has the coverage 0.95, and its ends are infinite.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.
    level : float, default 0.05
        Probability with which the interval leaves out the shift.

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
    # Number of means beyond either end of the interval.
    if n <= EXACT:
        below = np.cumsum(distribution_of_rank_sums(tuple(range(1, n + 1))))
        beyond = int(np.searchsorted(below, level / 2, side="right"))
    else:
        spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
        beyond = max(0, int(n * (n + 1) / 4 + float(ndtri(level / 2)) * spread))
    low, high = (means[beyond - 1], means[-beyond]) if beyond else (-inf, inf)
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

    ranks = np.array([base.ranked(row, np.abs(row)) for row in map(numbers, risks)])
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
        n_orders = factorial(k) // prod(map(factorial, ties.tolist()))
        by_f, f_p_value = inf, exp((1 - n) * log(n_orders))
    return FriedmanTest(mean_ranks, statistic, float(chdtrc(k - 1, statistic)), by_f, f_p_value)


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Return by how much two mean ranks must differ to be significant by Nemenyi's test.

    It is q sqrt(k(k + 1) / 6N) for k methods on N data sets, with the quantile q of the studentized
    range over sqrt(2). The level, by default `LEVEL`, holds over all pairs together.

    Examples
    --------
    Four methods on 14 data sets, as in Demšar's example:

    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, level=0.1), 2)
    (1.25, 1.12)
    """
    return _range_quantile(level, n_methods) * sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


@cache
def _range_quantile(level: float, n_methods: int) -> float:
    """Return the quantile of the studentized range over sqrt(2)."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(level, n_methods, inf)) / sqrt(2)


def bayesian_signed_rank(a: Values, b: Values, rope: float = 0.0) -> Posterior:
    """Compare two methods over data sets by the Bayesian signed-rank test.

    The data sets are draws from a distribution with a Dirichlet process as its prior: strength
    1/2, all of it at a difference of 0. For each of `N_DRAWS` distributions drawn from the
    posterior, the mean of two differences drawn from it is most often below, in, or above the
    rope. The seed is fixed, so the same data give the same numbers. In simulations of equal
    methods one of them is found better with a probability of 0.95 or more in 23, 13 and 12% of
    cases with 5, 10 and 20 data sets.

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
    rng = np.random.default_rng(base.SEED)
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
    up_to = np.zeros((len(weights) + 1, size))
    for i, weight in enumerate(weights):
        # Sums of long rows are faster than numpy's sums along columns.
        np.add(up_to[i], weight, out=up_to[i + 1])
    total, slack = up_to[-1], base.TIE * np.abs(z).max()

    def below(bound: float) -> FloatArray:
        # The weight of those that have a sum below the bound with each; one on it counts half.
        left = np.searchsorted(z, bound - z - slack, "left")
        right = np.searchsorted(z, bound - z + slack, "right")
        return np.asarray((up_to[left] + up_to[right]) / 2)

    least = below(-2 * rope)
    most = below(2 * rope) if rope else least
    low, high = (weights * least).sum(axis=0), (weights * (total - most)).sum(axis=0)
    decided = (np.maximum(low, high) > total**2 - low - high) | (rope == 0)
    # Neither is better if all differences are 0.
    half = float((decided & (low == high)).sum()) / 2
    better, worse = (float((decided & more).sum()) + half for more in (low > high, high > low))
    return better, size - better - worse, worse
