"""Printed numbers among our repeats, and how many of several miss their intervals by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.means import SLACK, Mean, p_values
from quadrepro.stats.result import LEVEL, SEED, PValueResult, Result
from quadrepro.stats.signs import distribution_of_wins
from quadrepro.stats.ties import Values


@dataclass(frozen=True, repr=False)
class Placement(PValueResult):
    """Result of `placement`.

    The interval is that of a further repeat. The p-value is the two-sided one of "the printed
    number is that of a further repeat", from the nearest number that is printed alike.
    """

    mean: float
    low: float
    high: float
    p_value: float


def placement(
    ours: Values, printed: float, rounding: float, *, further: int = 1, n_test: int | None = None
) -> Placement:
    """Place a printed number among our repeats.

    A printed number of one split is compared with an interval for one further repeat, not for the
    mean: mean ± t sd sqrt(1 + 1/n), with the quantile t of Student's distribution with n - 1
    degrees of freedom. For normal repeats it covers one more of them with probability `COVERAGE`.
    A printed mean of k splits is compared with one for the mean of k further repeats, in which 1/k
    stands for 1.

    Parameters
    ----------
    ours : iterable of float
        Our repeats, two or more.
    printed, rounding : float
        The printed number and half a unit of its last digit: 0.0005 for a number printed as 0.123.
    further : int, default 1
        The number k of splits whose mean the printed number is.
    n_test : int, optional
        Number of test examples, if the numbers are risks. The deviation of the repeats holds the
        binomial error of their test sets already; only if all repeats agree does that error, of the
        risk (k + 1) / (n_test + 2) with k errors, take the place of a deviation of 0.

    Examples
    --------
    >>> placement([0.21, 0.18, 0.25, 0.20, 0.22], printed=0.29, rounding=0.005)
    Placement(mean=0.212, low=0.133274, high=0.290726, p_value=0.0616839)
    """
    values = np.array([float(value) for value in ours])
    n = len(values)
    if n < 2:
        raise ValueError("a placement needs at least two repeats")
    mean = float(values.mean())
    error = float(_deviations(values, n_test)) * sqrt(1 / further + 1 / n)
    p_value = Mean(mean - printed, error, n - 1).p_value(rounding + SLACK)
    return Placement(mean, *Mean(mean, error, n - 1).interval(), p_value)


def _deviations(repeats: FloatArray, n_test: int | None, axis: int = 0) -> FloatArray:
    """Return the deviations along an axis; of equal risks, that of the binomial distribution."""
    found, of_equal = repeats.std(axis=axis, ddof=1), 0.0
    if n_test is not None:
        risks = (repeats.mean(axis=axis) * n_test + 1) / (n_test + 2)
        of_equal = np.sqrt(risks * (1 - risks) / n_test)
    return np.where(np.ptp(repeats, axis=axis) == 0, of_equal, found)


DRAWS = 4000
"""Number of draws behind a chance."""

FEW = 6
"""Number of splits from which each is placed among the others."""


def chance_of_misses(
    splits: FloatArray, *, further: int = 1, rounding: ArrayLike = 0.0, n_test: int | None = None
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
    further, rounding, n_test
        As in `placement`; the rounding may be one for each column.

    Returns
    -------
    ndarray of shape (n_columns + 1,)
        Probability of 0, 1, ... numbers outside.

    Examples
    --------
    >>> import numpy as np
    >>> splits = np.array([[0.1, 0.2], [0.1, 0.3], [0.2, 0.2], [0.1, 0.2], [0.2, 0.3], [0.9, 0.9]])
    >>> chance_of_misses(splits).round(3)
    array([0.833, 0.   , 0.167])
    """
    n, n_columns = splits.shape
    if further > 1:
        draws = np.random.default_rng(SEED).integers(0, n, (DRAWS, further))
        ones, means, df = splits[draws].mean(axis=1), splits.mean(axis=0), inf
        errors = splits.std(axis=0) / sqrt(further)
    else:
        of_all = np.array([np.roll(splits, -i, axis=0) for i in range(n)])
        drawn = _simulated(splits, n_test) if n < FEW else of_all
        ones, others = drawn[:, 0], drawn[:, 1:]
        means, df = others.mean(axis=1), others.shape[1] - 1
        errors = _deviations(others, n_test, axis=1) * sqrt(1 + 1 / others.shape[1])
    half = np.broadcast_to(rounding, n_columns)
    unit = np.where(half > 0, 2 * half, 1.0)
    ones = np.where(half > 0, np.round(ones / unit) * unit, ones)
    outside = p_values(ones - means, errors, df, half + SLACK) <= LEVEL
    return np.bincount(outside.sum(axis=1), minlength=n_columns + 1) / len(outside)


def _simulated(splits: FloatArray, n_test: int | None) -> FloatArray:
    """Draw worlds of one more split than ours, shape (DRAWS, n_splits + 1, n_columns)."""
    n, n_columns = splits.shape
    apart = splits - splits.mean(axis=0)
    total, each = (apart.sum(axis=1) ** 2).sum(), (apart**2).sum()
    # The mean correlation, of the sum over the columns with what independent columns would give.
    shared = np.clip((total / each - 1) / max(n_columns - 1, 1), 0, 1) if each else 0.0
    rng = np.random.default_rng(SEED)
    common, own = (rng.normal(size=(DRAWS, n + 1, k)) for k in (1, n_columns))
    moved = sqrt(shared) * common + sqrt(1 - shared) * own
    drawn = splits.mean(axis=0) + _deviations(splits, n_test) * moved
    if n_test is not None:
        drawn = np.clip(np.round(drawn * n_test), 0, n_test) / n_test
    return np.asarray(drawn)


@dataclass(frozen=True, repr=False)
class Misses(Result):
    """Result of `count_misses`.

    If all numbers stemmed from splits like ours, `expected` would be outside on average, and `low`
    to `high` in the middle 95% of tables; `p_more` and `p_fewer` are the probabilities of
    `outside` or more, and of `outside` or fewer.
    """

    outside: int
    expected: float
    low: int
    high: int
    p_more: float
    p_fewer: float


def count_misses(outside: int, rows: Iterable[FloatArray]) -> Misses:
    """Compare the number of numbers outside with what chance brings.

    The rows are independent; of each, the distribution is that of `chance_of_misses`.

    Examples
    --------
    >>> import numpy as np
    >>> count_misses(3, [np.array([0.9, 0.1])] * 10)
    Misses(outside=3, expected=1, low=0, high=3, p_more=0.0701908, p_fewer=0.987205)
    """
    total = np.ones(1)
    for row in rows:
        total = np.convolve(total, row)
    below = np.cumsum(total)
    low, high = np.searchsorted(below, np.array([LEVEL / 2, 1 - LEVEL / 2]) - 1e-9).tolist()
    p_more, p_fewer = total[outside:].sum(), total[: outside + 1].sum()
    expected = float(total @ np.arange(len(total)))
    return Misses(outside, expected, low, high, min(1.0, float(p_more)), min(1.0, float(p_fewer)))


def chance_of_a_group(worst: int, groups: Sequence[FloatArray]) -> float:
    """Return the probability that some group has `worst` or more numbers outside by chance.

    Examples
    --------
    >>> import numpy as np
    >>> round(chance_of_a_group(2, [np.array([0.9, 0.08, 0.02])] * 10), 3)
    0.183
    """
    return float(1 - np.prod([row[:worst].sum() for row in groups]))


def independent_misses(n: int) -> FloatArray:
    """Return the probability that 0, 1, ..., n of n independent numbers are outside by chance.

    Examples
    --------
    >>> independent_misses(2).round(4)
    array([0.9025, 0.095 , 0.0025])
    """
    return distribution_of_wins([LEVEL] * n)
