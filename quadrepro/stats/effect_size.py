"""How large a difference of two methods is: estimates with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import atanh, copysign, exp, inf, lgamma, sqrt, tanh

import numpy as np

from quadrepro.stats.intervals import COVERAGE
from quadrepro.stats.paired import (
    EXACT,
    corrected_moments,
    distribution_of_rank_sums,
    wilcoxon_test,
)
from quadrepro.stats.result import Result, differences

FAR = 1_000
"""Above this t statistic the interval of `hedges_g` is that of the standard deviation alone."""


@dataclass(frozen=True, repr=False)
class Effect(Result):
    """An estimate with its interval.

    Attributes
    ----------
    estimate : float
        The estimate.
    low, high : float
        Ends of an interval that covers the effect with probability `COVERAGE`.
    """

    estimate: float
    low: float
    high: float


def hodges_lehmann(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> Effect:
    """Estimate by how much two methods differ: the shift of Hodges and Lehmann.

    The median of the means of all two differences, each with itself included. It goes with
    Wilcoxon's signed-rank test and is in the unit of the risks.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.

    Returns
    -------
    Effect
        Shift of A against B, below 0 if A has the lower risks. The interval is that of Tukey, from
        the distribution of the rank sum (normal above 200 pairs); with fewer than six pairs no
        finite interval has the coverage, and its ends are infinite.

    Raises
    ------
    ValueError
        If the lengths differ, there is no pair, or a value is not finite.

    References
    ----------
    J. Hodges and E. Lehmann, Estimates of location based on rank tests, Annals of Mathematical
    Statistics 34, 1963. M. Hollander and D. Wolfe, Nonparametric Statistical Methods, Wiley, 1973.

    Examples
    --------
    >>> from quadrepro.stats import hodges_lehmann
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> hodges_lehmann(ours, theirs)
    Effect(estimate=-0.025, low=-0.04, high=-0.01)
    """
    d = np.sort(differences(a, b, at_least=1).values)
    n = len(d)
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    outside = _left_out(n)
    low, high = (means[outside - 1], means[-outside]) if outside else (-inf, inf)
    return Effect(float(np.median(means)), float(low), float(high))


def _left_out(n: int) -> int:
    """Return which mean from either end bounds the interval; 0 if none does."""
    if n <= EXACT:
        below = np.cumsum(distribution_of_rank_sums(np.arange(1, n + 1)))
        return int(np.searchsorted(below, (1 - COVERAGE) / 2, side="right"))
    from scipy.special import ndtri

    middle, spread = n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(middle + float(ndtri((1 - COVERAGE) / 2)) * spread)


def rank_biserial(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> Effect:
    """Estimate how consistently one method is better: the matched-pairs rank-biserial correlation.

    The rank sum of A's wins less that of its losses, over their sum: 1 if A has the lower risk
    everywhere, -1 if it has the higher one, 0 if wins and losses are as large.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.

    Returns
    -------
    Effect
        Correlation, 0 if there are only ties. The interval is that of Fisher's transformation with
        the standard deviation of the signed-rank statistic. In simulations with normal differences
        intervals for 5, 10 and 30 data sets held the true correlation in 88, 92 and 93% of cases
        where A and B are alike, and in 55, 67 and 77% where A is better by one standard deviation.

    Raises
    ------
    ValueError
        If the lengths differ, there is no pair, or a value is not finite.

    References
    ----------
    D. Kerby, The simple difference formula, Comprehensive Psychology 3, 2014.

    Examples
    --------
    >>> from quadrepro.stats import rank_biserial
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.28]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.27]
    >>> rank_biserial(ours, theirs)
    Effect(estimate=0.814815, low=0.245731, high=0.966188)
    """
    from scipy.special import ndtri

    x, y = list(a), list(b)
    test = wilcoxon_test(x, y)
    total = test.rank_sum + test.other_rank_sum
    n = len(x) - test.ties
    if n == 0:
        return Effect(0.0, -1.0, 1.0)
    r = (test.rank_sum - test.other_rank_sum) / total
    if abs(r) == 1:
        return Effect(r, r, r)
    error = sqrt(n * (n + 1) * (2 * n + 1) / 6) / (n * (n + 1) / 2)
    reach = float(ndtri((1 + COVERAGE) / 2)) * error
    return Effect(r, tanh(atanh(r) - reach), tanh(atanh(r) + reach))


def hedges_g(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> Effect:
    """Estimate the standardised mean difference of paired risks: Hedges' g.

    Cohen's d of the differences, their mean over their standard deviation, without its bias at
    small numbers of pairs.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order; three or more.

    Returns
    -------
    Effect
        g, below 0 if A has the lower risks, with the interval from the noncentral t distribution.
        If all differences are equal it is 0 or infinite. With 5 data sets and a true effect of 1
        the interval holds it in 90% of simulated cases.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than three pairs, or a value is not finite.

    References
    ----------
    L. Hedges, Distribution theory for Glass's estimator of effect size, Journal of Educational
    Statistics 6, 1981.

    Examples
    --------
    >>> from quadrepro.stats import hedges_g
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> hedges_g(ours, theirs)
    Effect(estimate=-1.22772, low=-2.14022, high=-0.271129)
    """
    # scipy takes half a second to import.
    from scipy.special import chdtri, nctdtrinc

    found = differences(a, b, at_least=3)
    mean, variance = corrected_moments(found, 0.0)
    if variance == 0:
        g = copysign(inf, mean) if mean else 0.0
        return Effect(g, g, g)
    n = len(found.whole)
    t, df = mean / sqrt(variance), n - 1
    unbiased = exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2)
    tails = ((1 + COVERAGE) / 2, (1 - COVERAGE) / 2)
    if abs(t) > FAR:
        # The noise of the mean no longer counts, and the search would not end.
        ends = sorted(t * sqrt(float(chdtri(df, tail)) / df) for tail in tails)
    else:
        ends = [float(nctdtrinc(df, tail, t)) for tail in tails]
    low, high = ends
    scale = unbiased / sqrt(n)
    return Effect(t * scale, low * scale, high * scale)
