"""Corrections for several tests, and tests against the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, isnan, isqrt

import numpy as np

from quadrepro.stats.friedman import ranks_of
from quadrepro.stats.result import LEVEL

N_DRAWS = 20_000
"""Tables that `chance_of_a_star` draws: its standard error is at most 0.0036."""

SEED = 0
"""Seed of the generator."""


def holm(p_values: Iterable[float]) -> list[float]:
    """Adjust p-values for their number by the step-down method of Holm (1979).

    Where an adjusted p-value is at most α, its hypothesis can be rejected, and the probability that
    some true hypothesis is rejected is at most α, however the tests depend on each other.

    Parameters
    ----------
    p_values : iterable of float
        P-values of all tests. A NaN is a test that could not be made: it stays NaN and is not
        counted.

    Returns
    -------
    list of float
        Adjusted p-values in the same order.

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> from quadrepro.stats import holm
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = list(p_values)
    known = sum(not isnan(p) for p in values)
    return _stepped_down(values, range(known, 0, -1))


def _stepped_down(p_values: Sequence[float], factors: Iterable[int]) -> list[float]:
    """Return p-values times the factors, the least first, none below one before; NaN stays."""
    adjusted, least = list(p_values), 0.0
    known = sorted((p, i) for i, p in enumerate(p_values) if not isnan(p))
    for (p, i), factor in zip(known, factors, strict=False):
        least = max(least, min(1.0, factor * p))
        adjusted[i] = least
    return adjusted


MOST_EXHAUSTIVE = 9
"""Largest number of methods for `bergmann_hommel`: 21,147 ways to part them into groups, and ten
methods have five times as many."""


def shaffer(p_values: Iterable[float]) -> list[float]:
    """Adjust the p-values of all pairs of methods by the static procedure of Shaffer (1986).

    Holm's method counts the hypotheses that are left, this one only those that can be true
    together: if A equals B, and C differs from A, it differs from B as well. So no p-value is
    larger than Holm's. Two equalities must imply the third, as they do for mean ranks.

    Parameters
    ----------
    p_values : iterable of float
        P-values of all pairs of methods, in any order.

    Returns
    -------
    list of float
        Adjusted p-values in the same order.

    Raises
    ------
    ValueError
        If the number of p-values is not the number of pairs of some methods.

    References
    ----------
    J. Shaffer, Journal of the American Statistical Association 81, 1986.

    Examples
    --------
    >>> from quadrepro.stats import shaffer
    >>> shaffer([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.03]
    """
    values = list(p_values)
    sizes = _true_together(_number_of_methods(len(values)))
    left = range(len(values), 0, -1)
    return _stepped_down(values, [max(size for size in sizes if size <= n) for n in left])


def bergmann_hommel(p_values: Iterable[float]) -> list[float]:
    """Adjust the p-values of all pairs of methods by the procedure of Bergmann and Hommel (1988).

    Every way to part the methods into groups of equal ones is tested by Bonferroni's method. A pair
    is rejected if all those are that have it in one group. No p-value is larger than that of
    `shaffer`, with the same condition.

    Parameters
    ----------
    p_values : iterable of float
        P-values of all pairs of at most nine methods, ordered as ``itertools.combinations``.

    Returns
    -------
    list of float
        Adjusted p-values in the same order.

    Raises
    ------
    ValueError
        If the number of p-values is not the number of pairs of two to nine methods.

    References
    ----------
    B. Bergmann and G. Hommel, in Multiple Hypotheses Testing, Springer, 1988. S. García and
    F. Herrera, An extension on "Statistical comparisons of classifiers over multiple data sets" for
    all pairwise comparisons, Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> from quadrepro.stats import bergmann_hommel
    >>> bergmann_hommel([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.03]
    """
    values = np.array(list(p_values))
    k = _number_of_methods(len(values))
    if k > MOST_EXHAUSTIVE:
        raise ValueError(f"{k} methods are too many: at most {MOST_EXHAUSTIVE}")
    groups: list[tuple[int, ...]] = [(0,)]
    for _ in range(1, k):
        groups = [(*of, group) for of in groups for group in range(max(of) + 2)]
    # The last one has each method in a group of its own, so no pair is equal.
    of_methods = np.array(groups[:-1])
    a, b = np.array(list(combinations(range(k), 2))).T
    equal = of_methods[:, a] == of_methods[:, b]
    local = equal.sum(axis=1) * np.where(equal, values, np.inf).min(axis=1)
    largest = np.where(equal, local[:, np.newaxis], 0.0).max(axis=0)
    return [float(p) for p in np.minimum(largest, 1.0)]


@cache
def _true_together(n_methods: int) -> frozenset[int]:
    """Return the numbers of pairs that can be equal while all others differ."""
    if n_methods < 2:
        return frozenset({0})
    return frozenset(
        comb(size, 2) + others
        for size in range(1, n_methods + 1)
        for others in _true_together(n_methods - size)
    )


def _number_of_methods(n_pairs: int) -> int:
    n_methods = (1 + isqrt(1 + 8 * n_pairs)) // 2
    if n_pairs < 1 or comb(n_methods, 2) != n_pairs:
        raise ValueError(f"{n_pairs} is not the number of pairs of two or more methods")
    return n_methods


def chance_of_a_star(risks: Sequence[Sequence[float | Fraction]]) -> float:
    """Return how probable it is that the sign test tells some pair apart if all methods are equal.

    The risks of each data set are exchanged at random between the methods, which leaves the ties
    and the dependence between pairs as they are, and the sign test of every pair is made again. The
    share of such tables with a p-value of at most `LEVEL` is returned.

    Parameters
    ----------
    risks : sequence of sequence of float or Fraction, shape (n_datasets, n_methods)
        Risks.

    Returns
    -------
    float
        The share out of `N_DRAWS` tables, drawn with the seed `SEED`.

    Examples
    --------
    >>> from quadrepro.stats import chance_of_a_star
    >>> round(chance_of_a_star([[1, 2]] * 6), 2)  # six wins or six losses: 2 / 2**6
    0.03
    """
    # scipy.special takes a tenth of a second to import.
    from scipy.special import bdtr

    # Mid-ranks are whole numbers when doubled.
    ranks = np.rint(2 * ranks_of(risks)).astype(np.int16)
    rng = np.random.default_rng(SEED)
    tables = np.stack([rng.permuted(np.tile(r, (N_DRAWS, 1)), axis=1) for r in ranks])
    n = np.arange(len(ranks) + 1)
    starred = np.zeros(N_DRAWS, dtype=np.bool_)
    for i in range(ranks.shape[1]):
        for j in range(i):
            wins = (tables[:, :, i] < tables[:, :, j]).sum(axis=0)
            losses = (tables[:, :, i] > tables[:, :, j]).sum(axis=0)
            tail = bdtr(np.minimum(wins, losses), n[wins + losses], 0.5)
            starred |= 2 * tail <= LEVEL
    return float(starred.mean())


DRAWS = 2000
"""Rows that are drawn."""


@cache
def chance_against_best(n_columns: int, n_splits: int) -> float:
    """Return how often paired t-tests against the lowest mean find a difference by chance.

    The best is the best of these numbers, so it is too good on average and the tests against it
    reject too often. Rows of equal algorithms, with normal errors, are drawn from a fixed seed.

    Parameters
    ----------
    n_columns, n_splits : int
        Number of algorithms and of splits, both two or more.

    Returns
    -------
    float
        Share of the rows in which some algorithm is found to differ at `LEVEL`.

    Examples
    --------
    >>> round(chance_against_best(5, 20), 2)
    0.28
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    numbers = np.random.default_rng(0).normal(size=(DRAWS, n_splits, n_columns))
    best = numbers.mean(axis=1).argmin(axis=1)
    apart = numbers - np.take_along_axis(numbers, best[:, None, None], axis=2)
    sd = apart.std(axis=1, ddof=1)
    reach = float(student.ppf(1 - LEVEL / 2, n_splits - 1)) * sd / np.sqrt(n_splits)
    # The best differs from itself by 0.
    return float((apart.mean(axis=1) > reach).any(axis=1).mean())
