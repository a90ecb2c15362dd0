"""Prediction intervals, and how many of several numbers miss theirs by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.stats.result import LEVEL, Result

COVERAGE = 0.95
"""Probability with which one further repeat lies in the interval."""


@dataclass(frozen=True, repr=False)
class Placement(Result):
    """Result of `placement`.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation of our repeats, the latter with n - 1.
    quantile : float
        Share of our repeats below the printed number; ties count half.
    low, high : float
        Ends of the prediction interval.
    p_value : float
        Two-sided p-value of "the printed number is that of a further repeat", from the end of its
        rounding interval that is nearer to our mean.
    inside : bool
        Whether the printed number, as rounded, can lie in the interval.
    """

    mean: float
    sd: float
    quantile: float
    low: float
    high: float
    p_value: float
    inside: bool


def placement(
    ours: Iterable[float | Fraction],
    printed: float,
    rounding: float,
    *,
    further: int = 1,
    n_test: int | None = None,
) -> Placement:
    """Place a printed number among our repeats.

    A printed number of one split is compared with an interval for one further repeat, not for the
    mean: mean ± t sd sqrt(1 + 1/n), with the quantile t of Student's distribution with n - 1
    degrees of freedom. For normal repeats it covers one more of them with probability `COVERAGE`.
    A printed mean of k splits is compared with one for the mean of k further repeats, in which 1/k
    stands for 1.

    Parameters
    ----------
    ours : iterable of float or Fraction
        Our repeats, two or more.
    printed : float
        The printed number.
    rounding : float
        Half a unit of its last digit: 0.0005 for a number printed as 0.123. Repeats that are
        nearer to the printed number than this are ties, and the interval is this much wider on
        both sides.
    further : int, default 1
        The number k of splits whose mean the printed number is.
    n_test : int, optional
        Number of test examples, if the numbers are risks. The deviation of the repeats holds the
        binomial error of their test sets already; only if all repeats agree does that error, of the
        risk (k + 1) / (n_test + 2) with k errors, take the place of a deviation of 0.

    Returns
    -------
    Placement
        Quantile, interval and whether the printed number is inside.

    Raises
    ------
    ValueError
        If there are fewer than two repeats.

    Examples
    --------
    >>> from quadrepro.stats import placement
    >>> where = placement([0.21, 0.18, 0.25, 0.20, 0.22], printed=0.29, rounding=0.005)
    >>> where.inside, round(where.low, 4), round(where.high, 4), round(where.p_value, 4)
    (True, 0.1333, 0.2907, 0.0617)
    >>> placement([0.21, 0.18, 0.25, 0.20, 0.22], printed=0.31, rounding=0.005).inside
    False
    """
    values = np.array(list(ours), dtype=np.float64)
    n = len(values)
    if n < 2:
        raise ValueError("a placement needs at least two repeats")
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    mean, sd = float(values.mean()), float(_deviations(values[:, None], n_test)[0])
    error = sd * float(np.sqrt(1 / further + 1 / n))
    reach = float(student.ppf((1 + COVERAGE) / 2, n - 1)) * error
    # Our numbers have more digits than the printed one.
    slack = rounding + 1e-12
    apart = np.abs(values - printed)
    below = (values < printed) & (apart > slack)
    quantile = float((below.sum() + (apart <= slack).sum() / 2) / n)
    distance = abs(printed - mean) - slack
    if error == 0:
        p_value = float(distance <= 0)
    else:
        p_value = float(np.minimum(2 * student.sf(distance / error, n - 1), 1.0))
    return Placement(mean, sd, quantile, mean - reach, mean + reach, p_value, distance <= reach)


def _deviations(repeats: FloatArray, n_test: int | None, axis: int = 0) -> FloatArray:
    """Return the deviations along an axis; of equal risks, that of the binomial distribution."""
    found = repeats.std(axis=axis, ddof=1)
    equal = np.ptp(repeats, axis=axis) == 0
    if n_test is None:
        return np.asarray(np.where(equal, 0.0, found))
    risks = (repeats.mean(axis=axis) * n_test + 1) / (n_test + 2)
    return np.asarray(np.where(equal, np.sqrt(risks * (1 - risks) / n_test), found))


DRAWS = 4000
"""Number of draws behind a chance."""

FEW = 6
"""Number of splits from which each is placed among the others."""


@dataclass(frozen=True, repr=False)
class Misses(Result):
    """Result of `count_misses`.

    Attributes
    ----------
    outside : int
        Numbers outside their intervals.
    expected : float
        How many would be outside on average if all stemmed from splits like ours.
    low, high : int
        How many would then be outside in the middle 95% of tables.
    p_more, p_fewer : float
        Probability of that many or more, and of that many or fewer.
    """

    outside: int
    expected: float
    low: int
    high: int
    p_more: float
    p_fewer: float


def chance_of_misses(
    splits: FloatArray,
    *,
    further: int = 1,
    rounding: float | FloatArray = 0.0,
    n_test: int | None = None,
) -> FloatArray:
    """Return how many numbers of a row are outside if they stem from splits like ours.

    The columns of a row share their splits, so one unlucky split puts several of them outside at
    once. For numbers of one split, each of ours is rounded like print and placed among the others
    as `placement` does, all columns together. Fewer than `FEW` splits are too few for that: normal
    numbers with their means, deviations and mean correlation are drawn instead, and are whole
    errors if they are risks. For means, samples of `further` of our splits are drawn with
    replacement. All draws are from a fixed seed.

    Parameters
    ----------
    splits : ndarray of shape (n_splits, n_columns)
        Our numbers; three splits or more.
    further : int, default 1
        The number of splits whose mean a printed number is.
    rounding : float or ndarray of shape (n_columns,), default 0.0
        Half a unit of the last digit of each printed number.
    n_test : int, optional
        Number of test examples, if the numbers are risks; see `placement`.

    Returns
    -------
    ndarray of shape (n_columns + 1,)
        Probability of 0, 1, ... numbers outside.

    Raises
    ------
    ValueError
        If there are fewer than three splits.

    Examples
    --------
    >>> import numpy as np
    >>> splits = np.array([[0.1, 0.2], [0.1, 0.3], [0.2, 0.2], [0.1, 0.2], [0.2, 0.3], [0.9, 0.9]])
    >>> chance_of_misses(splits).round(3)
    array([0.833, 0.   , 0.167])
    """
    n, n_columns = splits.shape
    if n < 3:
        raise ValueError(f"the chance of misses needs at least three splits, not {n}")
    half = np.broadcast_to(np.asarray(rounding, dtype=np.float64), n_columns)
    if further > 1:
        outside = _drawn(splits, further, half)
    else:
        outside = (_simulated if n < FEW else _left_out)(splits, half, n_test)
    return np.bincount(outside.sum(axis=1), minlength=n_columns + 1) / len(outside)


def _left_out(splits: FloatArray, half: FloatArray, n_test: int | None) -> FloatArray:
    """Return whether each split is outside the interval of the others, for each column."""
    others = np.array([np.delete(splits, i, axis=0) for i in range(len(splits))])
    return _outside(splits, others, half, n_test)


def _simulated(splits: FloatArray, half: FloatArray, n_test: int | None) -> FloatArray:
    """Return whether a drawn split is outside the interval of others, for each column."""
    n, n_columns = splits.shape
    apart = splits - splits.mean(axis=0)
    total, each = (apart.sum(axis=1) ** 2).sum(), (apart**2).sum()
    # The mean correlation, of the sum over the columns with what independent columns would give.
    shared = 0.0
    if n_columns > 1 and each > 0:
        shared = float(np.clip((total / each - 1) / (n_columns - 1), 0, 1))
    rng = np.random.default_rng(0)
    common, own = (rng.normal(size=(DRAWS, n + 1, k)) for k in (1, n_columns))
    moved = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    drawn = splits.mean(axis=0) + _deviations(splits, n_test) * moved
    if n_test is not None:
        drawn = np.clip(np.round(drawn * n_test), 0, n_test) / n_test
    return _outside(drawn[:, 0], drawn[:, 1:], half, n_test)


def _outside(
    ones: FloatArray, others: FloatArray, half: FloatArray, n_test: int | None
) -> FloatArray:
    """Return whether each number, once printed, is outside the interval of its others."""
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    n = others.shape[1]
    reach = float(student.ppf((1 + COVERAGE) / 2, n - 1)) * np.sqrt(1 + 1 / n)
    off = np.abs(_rounded(ones, half) - others.mean(axis=1)) - half - 1e-12
    return np.asarray(off > reach * _deviations(others, n_test, axis=1))


def _drawn(splits: FloatArray, further: int, half: FloatArray) -> FloatArray:
    """Return whether drawn means are outside the interval of such means, for each column."""
    from scipy.stats import norm

    draws = np.random.default_rng(0).integers(0, len(splits), (DRAWS, further))
    reach = float(norm.ppf((1 + COVERAGE) / 2)) * splits.std(axis=0) / np.sqrt(further)
    means = _rounded(splits[draws].mean(axis=1), half)
    return np.array(np.abs(means - splits.mean(axis=0)) - half - 1e-12 > reach)


def _rounded(numbers: FloatArray, half: FloatArray) -> FloatArray:
    """Return numbers as they would be printed, given half a unit of the last digit."""
    unit = np.where(half > 0, 2 * half, 1.0)
    return np.where(half > 0, np.round(numbers / unit) * unit, numbers)


def count_misses(outside: int, rows: Iterable[FloatArray]) -> Misses:
    """Compare the number of numbers outside with what chance brings.

    Parameters
    ----------
    outside : int
        How many are outside.
    rows : iterable of ndarray
        The distribution of each row, as `chance_of_misses` returns it. Rows are independent.

    Returns
    -------
    Misses
        The number beside its distribution.

    Examples
    --------
    >>> import numpy as np
    >>> count_misses(3, [np.array([0.9, 0.1])] * 10)
    Misses(outside=3, expected=1, low=0, high=3, p_more=0.0701908, p_fewer=0.987205)
    """
    total = np.ones(1)
    for row in rows:
        total = np.convolve(total, row)
    counts = np.arange(len(total))
    below = np.cumsum(total)
    low, high = np.searchsorted(below, [(1 - COVERAGE) / 2 - 1e-9, (1 + COVERAGE) / 2 - 1e-9])
    return Misses(
        outside,
        float((total * counts).sum()),
        int(low),
        int(high),
        min(1.0, float(total[outside:].sum())),
        min(1.0, float(below[min(outside, len(below) - 1)])),
    )


def chance_of_a_group(worst: int, groups: Sequence[FloatArray]) -> float:
    """Return the probability that some group has `worst` or more numbers outside by chance.

    Parameters
    ----------
    worst : int
        The largest number outside in any group.
    groups : sequence of ndarray
        The distribution of each group, such as those of `chance_of_misses`.

    Examples
    --------
    >>> import numpy as np
    >>> round(chance_of_a_group(2, [np.array([0.9, 0.08, 0.02])] * 10), 3)
    0.183
    """
    return float(1 - np.prod([row[:worst].sum() for row in groups]))


def independent_misses(n: int) -> FloatArray:
    """Return how many of some independent numbers are outside by chance.

    Parameters
    ----------
    n : int
        How many numbers there are.

    Returns
    -------
    ndarray of shape (n + 1,)
        Probability of 0, 1, ... numbers outside.

    Examples
    --------
    >>> independent_misses(2).round(4)
    array([0.9025, 0.095 , 0.0025])
    """
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(n + 1), n, LEVEL))
