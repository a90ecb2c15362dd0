"""Tests of ranks over data sets: whether methods differ, and which (Demšar 2006, García 2010)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import factorial, inf, prod, sqrt

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.stats.result import LEVEL, PValueResult, check_numbers, ranked


@dataclass(frozen=True, repr=False)
class FriedmanTest(PValueResult):
    """Result of `friedman_test`.

    Attributes
    ----------
    mean_ranks : tuple of float
        Mean rank of each method, 1 for the lowest risk; equal risks share their mean rank.
    statistic : float
        Friedman's χ² with n_methods - 1 degrees of freedom.
    p_value : float
        Its p-value of "all methods are equal".
    f_statistic : float
        The F statistic of Iman and Davenport, which is less conservative; infinite if all data sets
        rank the methods alike.
    f_p_value : float
        Its p-value, with n_methods - 1 and (n_methods - 1)(n_datasets - 1) degrees of freedom. If F
        is infinite, it is the exact probability that all data sets rank equal methods alike.
    significant : bool
        Whether the first p-value is at most `LEVEL`.
    """

    mean_ranks: tuple[float, ...]
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float


def friedman_test(risks: Sequence[Sequence[float | Fraction]]) -> FriedmanTest:
    """Test whether several methods have equal risks over data sets, by their ranks.

    Parameters
    ----------
    risks : sequence of sequence of float or Fraction, shape (n_datasets, n_methods)
        Risks of two or more methods on two or more data sets.

    Returns
    -------
    FriedmanTest
        Mean ranks, Friedman's and Iman and Davenport's statistics with p-values, corrected for ties
        as in scipy. If all risks of every data set are equal, the p-values are 1.

    Raises
    ------
    ValueError
        If there are fewer than two methods or data sets, or a value is not finite.

    References
    ----------
    M. Friedman, Journal of the American Statistical Association 32, 1937. R. Iman and J. Davenport,
    Communications in Statistics A9, 1980. J. Demšar, Statistical comparisons of classifiers over
    multiple data sets, Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from quadrepro.stats import friedman_test
    >>> friedman_test([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    FriedmanTest(mean_ranks=(1.25, 2, 2.75), statistic=4.5, p_value=0.105399, f_statistic=3.85714, \
f_p_value=0.0837402)
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2, f

    ranks = ranks_of(risks)
    if len(ranks) < 2 or ranks.shape[1] < 2:
        raise ValueError("Friedman's test needs at least two data sets and two methods")
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    # Without ties the ranks of each data set have the variance (k² - 1) / 12.
    left = float(ranks.var(axis=1).mean()) / ((k**2 - 1) / 12)
    mean_ranks = tuple(map(float, means))
    if left == 0:
        return FriedmanTest(mean_ranks, 0.0, 1.0, 0.0, 1.0)
    statistic = 12 * n / (k * (k + 1)) * float(((means - (k + 1) / 2) ** 2).sum()) / left
    rest = n * (k - 1) - statistic
    if rest > 1e-9:
        by_f = (n - 1) * statistic / rest
        f_p_value = float(f.sf(by_f, k - 1, (k - 1) * (n - 1)))
    else:
        # All rows are alike. The F distribution gives 0, whatever the number of rows.
        ties = np.unique(ranks[0], return_counts=True)[1]
        orders = factorial(k) // prod(map(factorial, ties.tolist()))
        by_f, f_p_value = inf, float(orders) ** (1 - n)
    return FriedmanTest(mean_ranks, statistic, float(chi2.sf(statistic, k - 1)), by_f, f_p_value)


def ranks_of(risks: Sequence[Sequence[float | Fraction]]) -> FloatArray:
    """Return the ranks within each data set, 1 for the lowest; ties share their mean rank."""
    if len({len(row) for row in risks}) > 1:
        raise ValueError("every data set must have one risk per method")
    check_numbers(chain(*risks))
    return np.array([ranked(row, np.abs(row)) for row in np.array(risks, dtype=np.float64)])


def mean_ranks(risks: Mapping[str, Sequence[float | Fraction]]) -> dict[str, float]:
    """Return the mean rank of each method over the data sets, the best first."""
    means = ranks_of(list(zip(*risks.values(), strict=True))).mean(axis=0).tolist()
    return dict(sorted(zip(risks, means, strict=True), key=lambda of: of[1]))


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Return by how much two mean ranks must differ to be significant by Nemenyi's test.

    Parameters
    ----------
    n_methods, n_datasets : int
        How many methods are ranked on how many data sets.
    level : float, default 0.05
        Level of significance over all pairs together.

    Returns
    -------
    float
        q sqrt(k(k + 1) / 6N), with the quantile q of the studentized range over sqrt(2).

    References
    ----------
    P. Nemenyi, Distribution-free multiple comparisons, PhD thesis, Princeton, 1963; Demšar (2006).

    Examples
    --------
    Four methods on 14 data sets, as in Demšar's example:

    >>> from quadrepro.stats import critical_difference
    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, level=0.1), 2)
    (1.25, 1.12)
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.isf(level, n_methods, inf)) / sqrt(2)
    return quantile * _standard_error(n_methods, n_datasets)


def nemenyi_p_value(difference: float, n_methods: int, n_datasets: int) -> float:
    """Return the p-value of a difference of two mean ranks by Nemenyi's test.

    It holds for all pairs together, so it needs no adjustment.

    Parameters
    ----------
    difference : float
        Difference of two mean ranks.
    n_methods, n_datasets : int
        How many methods are ranked on how many data sets.

    Examples
    --------
    >>> from quadrepro.stats import nemenyi_p_value
    >>> round(nemenyi_p_value(3.143 - 1.964, 4, 14), 3)
    0.074
    """
    from scipy.stats import studentized_range

    z = abs(difference) / _standard_error(n_methods, n_datasets)
    return float(studentized_range.sf(z * sqrt(2), n_methods, inf))


def rank_p_value(difference: float, n_methods: int, n_datasets: int) -> float:
    """Return the p-value of a difference of two mean ranks by itself, to be adjusted by `holm`.

    Parameters
    ----------
    difference : float
        Difference of two mean ranks.
    n_methods, n_datasets : int
        How many methods are ranked on how many data sets.

    Returns
    -------
    float
        Two-sided, from the normal distribution.

    Examples
    --------
    >>> from quadrepro.stats import rank_p_value
    >>> round(rank_p_value(3.143 - 1.964, 4, 14), 3)
    0.016
    """
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(difference) / _standard_error(n_methods, n_datasets)))


def _standard_error(n_methods: int, n_datasets: int) -> float:
    """Return that of the difference of two mean ranks of equal methods."""
    return sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
