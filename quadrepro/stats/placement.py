"""Printed numbers among our repeats, and how many of several are outside by chance.

A printed number differs from ours for two reasons: results vary from split to split, and a test set
is a sample. `place_number` asks for both. Student's t takes the standard deviation of our repeats,
which few repeats estimate badly and equal ones not at all. Where numbers are shares of errors, the
distance must also be larger than the sampling of test examples explains, by an exact test of two
proportions. That test has the level `sampling_level`, chosen by simulation: a number is outside in
3.5 to 6.5% of cases if printed and our counts of errors are drawn alike, be the splits more
variable than their test sets or not. Where errors are few, or all runs share one test set, the
level is 0.05, and the rate lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.base import LEVEL, SEED, PValueResult, Result
from quadrepro.stats.means import Mean, p_values
from quadrepro.stats.ranks import distribution_of_wins

SLACK = 1e-12
"""Difference between a printed number and the same number computed."""

FEW_OURS, FEW_PRINTED = 3, 1.0
"""Errors are few if ours are fewer, or fewer are expected among the printed test examples."""

NORMAL_FROM = 100.0
"""Number of errors from which the normal distribution replaces exact ones."""

DRAWS = 4000
"""Number of draws of a null distribution."""

RESAMPLED = 20
"""Minimum number of splits from which null distributions are resampled."""


@dataclass(frozen=True, repr=False)
class Repeats(Result):
    """Our numbers of one entry.

    Attributes
    ----------
    values : tuple of float
        One number per split, or per cross-validation.
    n_test : tuple of int
        Number of test examples behind each, if the numbers are shares of errors; otherwise empty.
    one_test_set : bool
        Whether all numbers, ours and printed ones, are runs on one test set. The mean of several
        then has the sampling error of a single one.
    """

    values: tuple[float, ...]
    n_test: tuple[int, ...] = ()
    one_test_set: bool = False

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """Standard deviation of the values, exactly 0 if they are equal."""
        return float(_deviation(np.array(self.values)))

    @property
    def test_sets(self) -> tuple[int, int, int]:
        """Our errors, our test examples, and the test examples of one value."""
        one = round(float(np.mean(self.n_test)))
        if self.one_test_set:
            # Rounded, so that the order of the values decides nothing.
            return round(round(self.mean * one, 6)), one, one
        errors = np.dot(self.values, self.n_test)
        return round(float(errors)), sum(self.n_test), one


@dataclass(frozen=True, repr=False)
class Placement(PValueResult):
    """Result of `place_number` and `place_deviation`.

    Attributes
    ----------
    ours : float
        Our mean, or our standard deviation.
    low, high : float
        Ends of the interval in which the printed number lies with probability `COVERAGE` if it is
        drawn like ours, widened by its rounding.
    p_value : float
        Two-sided p-value of that, from the nearest number that would be printed alike.
    """

    ours: float
    low: float
    high: float
    p_value: float


def sampling_level(n_repeats: float) -> float:
    """Return the level of the test for the sampling of test examples, given our repeats.

    The fewer they are, the wider is Student's interval; a number outside it is then seldom far
    from ours as well.
    """
    return max(0.1, 1.5 / n_repeats)


def place_number(
    ours: Repeats,
    printed: float,
    rounding: float,
    *,
    n_printed: int = 1,
    printed_sd: float | None = None,
) -> Placement:
    """Place a printed number among our repeats.

    ======================  ==============================  =====================  ================
    printed is              variance of the difference      degrees of freedom     test examples
    ======================  ==============================  =====================  ================
    one split               s² (1 + 1/R)                    R - 1                  n
    mean of k splits        s² (1/k + 1/R)                  R - 1                  k n
    mean ± sd of k splits   sd²/k + s²/R                    Welch's                k n
    k runs, one test set    s² (1/k + 1/R), or with sd      R - 1, or Welch's      n
    ======================  ==============================  =====================  ================

    Here R is the number of our repeats, s their standard deviation, and n their mean number of test
    examples. Cross-validations are splits whose test examples are all rows.

    Parameters
    ----------
    ours : Repeats
        Our repeats, two or more.
    printed, rounding : float
        The printed number and half a unit of its last digit: 0.0005 for 0.123.
    n_printed : int, default 1
        Number k of splits or runs whose mean is printed.
    printed_sd : float, optional
        Their printed standard deviation.

    Examples
    --------
    >>> splits = Repeats((0.21, 0.18, 0.25, 0.20, 0.22), n_test=(100,) * 5)
    >>> place_number(splits, printed=0.29, rounding=0.005)
    Placement(ours=0.212, low=0.128274, high=0.295726, p_value=0.0616839)
    """
    n = len(ours.values)
    if n < 2:
        raise ValueError("a placement needs at least two repeats")
    mean = ours.mean
    parts = [(ours.sd**2 * (1 / n_printed + 1 / n), n - 1)]
    if printed_sd is not None:
        parts = [(ours.sd**2 / n, n - 1), (printed_sd**2 / n_printed, n_printed - 1)]
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / n_free for part, n_free in parts) if variance else inf
    p_value = float(p_values(mean - printed, sqrt(variance), df, rounding + SLACK))
    low, high = Mean(mean, sqrt(variance), df).interval()
    if ours.n_test:
        errors, examples, per_split = ours.test_sets
        tested = per_split if ours.one_test_set else per_split * n_printed
        # The level is `sampling_level` of df + 1 repeats, whose interval by Student is as wide as
        # Welch's; `_at_level` returns p-values for which it is LEVEL.
        level = LEVEL
        if not ours.one_test_set:
            level = float(_level(errors, errors * tested / examples, df + 1))
        by_sampling = float(_sampling_p(printed, rounding, errors, examples, tested))
        p_value = max(p_value, float(_at_level(by_sampling, level)))
        fewest, most = _sampling_ends(errors, examples, tested, level)
        low, high = min(low, fewest), max(high, most)
    return Placement(mean, low - rounding, high + rounding, p_value)


def _deviation(values: FloatArray, axis: int = 0) -> Any:
    """Return the standard deviation along an axis, exactly 0 if all values are equal."""
    return np.where(np.ptp(values, axis=axis) == 0, 0.0, values.std(axis=axis, ddof=1))[()]


def _level(errors: ArrayLike, expected: ArrayLike, n_repeats: float) -> FloatArray:
    few = np.less(errors, FEW_OURS) | np.less(expected, FEW_PRINTED)
    return np.where(few, LEVEL, sampling_level(n_repeats))


def _at_level(p: ArrayLike, level: ArrayLike) -> FloatArray:
    """Return p-values of a test such that p = `LEVEL` where it was the larger `level`.

    Small ones stay, so that corrections for many tests hold.
    """
    p, level = np.asarray(p), np.asarray(level)
    above = LEVEL + (1 - LEVEL) * (p - level) / (1 - level)
    return np.asarray(np.where(p <= level, np.minimum(p, LEVEL), above))


def _sampling(errors: Any, examples: Any, tested: Any) -> tuple[Any, Any]:
    """Return the deviation of the difference of two shares, and whether errors are few."""
    risk, rest = (errors + 1) / (examples + 2), np.minimum(errors, examples - errors)
    few = np.minimum(rest, rest * tested / examples) < NORMAL_FROM
    return np.sqrt(risk * (1 - risk) * (1 / tested + 1 / examples)), few


def _tails(counts: Any, errors: Any, examples: int, tested: int) -> FloatArray:
    """Return mid-p-values, two-sided, of counts of errors among `tested` examples, given ours."""
    from scipy.special import ndtr
    from scipy.stats import hypergeom

    counts, errors = np.broadcast_arrays(counts, errors)
    spread, few = _sampling(errors, examples, tested)
    p = 2 * ndtr(-np.abs(counts / tested - errors / examples) / spread)
    if few.any():
        # Equal pairs are tested once. They are sorted as complex numbers, which is fast.
        pairs, places = np.unique(counts[few] + 1j * errors[few], return_inverse=True)
        k, wrong, both = pairs.real, pairs.real + pairs.imag, examples + tested
        at, below = hypergeom.pmf(k, both, wrong, tested), hypergeom.cdf(k, both, wrong, tested)
        exact = 2 * np.minimum(below - at / 2, 1 - below + at / 2)
        p = np.array(p)
        p[few] = np.clip(exact, 0, 1)[places]
    return np.asarray(p)


def _sampling_p(
    printed: ArrayLike, rounding: ArrayLike, errors: ArrayLike, examples: int, tested: int
) -> FloatArray:
    """Return p-values of printed shares of errors if only the test examples vary.

    The nearest count to ours is taken among all that are printed alike.
    """
    printed, rounding, errors = map(np.asarray, (printed, rounding, errors))
    expected = errors * tested / examples
    most = np.floor((printed + rounding) * tested + 1e-9).clip(0, tested)
    least = np.ceil((printed - rounding) * tested - 1e-9).clip(0, tested)
    counts = np.where(most < expected, most, np.where(least > expected, least, np.rint(expected)))
    alike = (most >= expected) & (least <= expected)
    return np.where(alike, 1.0, _tails(counts, errors, examples, tested))


@lru_cache(maxsize=4096)
def _sampling_ends(errors: int, examples: int, tested: int, level: float) -> tuple[float, float]:
    """Return the least and the largest error rate that the sampling of examples explains."""
    from scipy.special import ndtri

    (spread, few), expected = _sampling(errors, examples, tested), errors * tested / examples
    reach = -float(ndtri(level / 2)) * float(spread)
    low, high = errors / examples - reach, errors / examples + reach
    if not few:
        # Whole numbers of errors, as in `_sampling_p`.
        return ceil(low * tested - 1e-9) / tested, floor(high * tested + 1e-9) / tested
    wide = 3 * reach * tested + 20
    explained = np.full(2, round(expected))
    beyond = np.array([max(-1, int(expected - wide)), min(tested + 1, int(expected + wide))])
    # P-values fall from the expected number to either side: a few of them tell where an end is.
    while (np.abs(beyond - explained) > 1).any():
        counts = np.linspace(explained, beyond, 10).round().astype(np.int64)
        n_explained = (_tails(counts, errors, examples, tested) > level).sum(axis=0)
        if not n_explained.all():
            return expected / tested, expected / tested
        explained, beyond = (counts[n_explained - k, [0, 1]] for k in (1, 0))
    return float(explained[0] / tested), float(explained[1] / tested)


def place_deviation(
    ours: Repeats, printed: float, rounding: float, *, n_printed: int
) -> Placement | None:
    """Place a printed deviation of `n_printed` values among deviations of samples like ours.

    The ratio of the two variances has Fisher's F distribution for normal values. Values with longer
    tails make variances vary more: the degrees of freedom are reduced by the excess kurtosis, the
    larger one of our sample and of the counts of errors on such test sets.

    Returns
    -------
    Placement or None
        None if our values do not vary, and no test set tells how much they should.

    Examples
    --------
    >>> splits = Repeats((4.1, 3.2, 5.0, 4.4, 3.9, 4.7, 3.5, 4.2))
    >>> place_deviation(splits, printed=0.1, rounding=0.05, n_printed=20).p_value < 0.001
    True
    """
    from scipy.special import fdtr, fdtrc, fdtri

    n, sd, kurtosis = len(ours.values), ours.sd, _kurtosis(np.array(ours.values))
    least_sd = inf
    if ours.n_test:
        errors, examples, one = ours.test_sets
        risk = (errors + 1) / (examples + 2)
        variance = risk * (1 - risk) / one
        kurtosis = max(kurtosis, (1 - 6 * risk * (1 - risk)) / (risk * (1 - risk) * one))
        if not sd:
            # Equal values tell no smallest deviation.
            sd, least_sd = sqrt(variance), 0.0
    if not sd:
        return None
    df, df_printed = (2 / (2 / (k - 1) + kurtosis / k) for k in (n, n_printed))
    least, most = (max(0.0, printed + side * (rounding + SLACK)) ** 2 / sd**2 for side in (-1, 1))
    below, above = float(fdtr(df_printed, df, most)), float(fdtrc(df_printed, df, least))
    p_value = 2 * min(below if least_sd else 1.0, above)
    low, high = (sd * sqrt(float(fdtri(df_printed, df, q))) for q in (LEVEL / 2, 1 - LEVEL / 2))
    low = min(least_sd, max(0.0, low - rounding))
    return Placement(sd, low, high + rounding, min(1.0, p_value))


def largest_deviation(mean: float, rounding: float, low: float, high: float, n: int) -> float:
    """Return the largest standard deviation of n numbers from `low` to `high` with a mean.

    Numbers at both ends have it; without an upper end, all are `low` except for one.

    Examples
    --------
    >>> largest_deviation(50, 0, 0, 100, n=2)
    70.71067811865476
    """
    n = max(n, 2)
    if high == inf:
        return (mean + rounding - low) * sqrt(n)
    middle = (low + high) / 2
    nearest = min(max(middle, mean - rounding), mean + rounding)
    return sqrt(max((nearest - low) * (high - nearest), 0.0) * n / (n - 1))


def _kurtosis(values: FloatArray) -> float:
    """Return the excess kurtosis of a sample, and 0 where it is below or the sample is small."""
    # scipy.stats takes half a second to import.
    from scipy.stats import kurtosis

    if len(values) < 8 or not np.ptp(values):
        return 0.0
    # Unbiased for normal values.
    return max(0.0, float(kurtosis(values, bias=False)))


def null_p_values(
    splits: FloatArray,
    *,
    n_printed: int = 1,
    rounding: ArrayLike = 0.0,
    n_test: Sequence[int] = (),
    one_test_set: bool = False,
) -> FloatArray:
    """Return p-values of `place_number` for rows of printed numbers that are drawn from our splits.

    The columns of a row share their splits, so one unlucky split puts several of them outside at
    once. With `RESAMPLED` splits or more, each of ours is rounded and placed among the others, all
    columns together; fewer are too few for that, and normal numbers with their means, deviations
    and mean correlation are drawn instead, which are whole errors if they are shares of errors. For
    means, samples of `n_printed` splits are drawn with replacement. All draws have a fixed seed.

    Parameters
    ----------
    splits : ndarray of shape (n_splits, n_columns)
        Our numbers; three splits or more.
    n_printed, rounding, n_test, one_test_set
        As in `place_number` and `Repeats`; the rounding may be one per column.

    Returns
    -------
    ndarray of shape (n_draws, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> splits = np.random.default_rng(0).normal(size=(30, 2))
    >>> null_p_values(splits).shape
    (30, 2)
    """
    n, n_columns = splits.shape
    half = np.broadcast_to(rounding, n_columns)[:, None]
    one = round(float(np.mean(n_test))) if n_test else 0
    tested = one if one_test_set else one * n_printed
    if n_printed > 1:
        draws = np.random.default_rng(SEED).integers(0, n, (DRAWS, n_printed))
        printed, means, df = splits[draws.T].mean(axis=0).T, splits.mean(axis=0)[:, None], inf
        errors = splits.std(axis=0)[:, None] / sqrt(n_printed)
        # Against known risks, as if our test sets had no end.
        examples = one * n * 10**6
    else:
        rolled = np.stack([np.roll(splits, -i, axis=0) for i in range(n)], axis=-1)
        printed, *others = rolled if n >= RESAMPLED else _simulated(splits, one)
        means, df = np.mean(others, axis=0), len(others) - 1
        errors = _deviation(np.array(others)) * sqrt(1 + 1 / len(others))
        examples = one if one_test_set else one * len(others)
    unit = np.where(half > 0, 2 * half, 1.0)
    printed = np.where(half > 0, np.round(printed / unit) * unit, printed)
    p = p_values(printed - means, errors, df, half + SLACK)
    if one:
        counts = np.rint(np.round(means * examples, 6))
        expected = counts * tested / examples
        ours = np.rint(np.round(means * one * (1 if one_test_set else n), 6))
        level = LEVEL if one_test_set else _level(ours, expected, n)
        p = np.maximum(p, _at_level(_sampling_p(printed, half, counts, examples, tested), level))
    return p.T


@lru_cache(maxsize=1)
def _normals(n: int, n_columns: int) -> tuple[FloatArray, FloatArray]:
    """Draw normal numbers that columns share and have, shape (n, 1 or n_columns, DRAWS)."""
    rng = np.random.default_rng(SEED)
    drawn = (rng.normal(size=(DRAWS, n, k)) for k in (1, n_columns))
    # Sums over the splits are fast if draws are next to each other.
    common, own = (np.ascontiguousarray(np.moveaxis(x, 0, -1)) for x in drawn)
    return common, own


def _simulated(splits: FloatArray, one: int) -> FloatArray:
    """Draw worlds with one more split than ours, shape (n_splits + 1, n_columns, DRAWS)."""
    n, n_columns = splits.shape
    centred = splits - splits.mean(axis=0)
    total, each = (centred.sum(axis=1) ** 2).sum(), (centred**2).sum()
    # The mean correlation, from the variance of the sum over the columns.
    shared = np.clip((total / each - 1) / max(n_columns - 1, 1), 0, 1) if each else 0.0
    spread = _deviation(splits)
    if one:
        risks = (splits.mean(axis=0) * one * n + 1) / (one * n + 2)
        spread = np.where(spread == 0, np.sqrt(risks * (1 - risks) / one), spread)
    common, own = _normals(n + 1, n_columns)
    moved = sqrt(shared) * common + sqrt(1 - shared) * own
    drawn = splits.mean(axis=0)[:, None] + spread[:, None] * moved
    return np.asarray(np.clip(np.round(drawn * one), 0, one) / one if one else drawn)


def tail_p_values(p: ArrayLike, null: FloatArray) -> FloatArray:
    """Return the share of null p-values that are as small, at least the p-values themselves.

    Tails of Student's t are too light for skewed numbers; the tails of `null_p_values` are not.

    Examples
    --------
    >>> import numpy as np
    >>> tail_p_values([0.001, 0.5], np.linspace(0.01, 1, 99)).round(2).tolist()
    [0.01, 0.5]
    """
    p = np.asarray(p, dtype=float)
    ranks = np.searchsorted(np.sort(null, axis=None), p * (1 + 1e-9), side="right")
    return np.asarray(np.maximum(p, (1 + ranks) / (1 + null.size)))


@dataclass(frozen=True, repr=False)
class Misses(Result):
    """Result of `count_misses`.

    If all numbers were drawn like ours, `expected` would be outside on average, and `low` to `high`
    in the middle 95% of tables; `p_more` and `p_fewer` are the probabilities of `outside` or more,
    and of `outside` or fewer.
    """

    outside: int
    expected: float
    low: int
    high: int
    p_more: float
    p_fewer: float

    @property
    def p_value(self) -> float:
        """Two-sided p-value: twice the smaller probability."""
        return min(1.0, 2 * min(self.p_more, self.p_fewer))


def chance_of_misses(null: FloatArray) -> FloatArray:
    """Return the probability of 0, 1, ... numbers outside in a row, given `null_p_values` of it."""
    outside = (null <= LEVEL).sum(axis=1)
    return np.bincount(outside, minlength=null.shape[1] + 1) / len(outside)


def count_misses(outside: int, rows: Iterable[FloatArray]) -> Misses:
    """Compare the number of numbers outside with the numbers that chance gives.

    The rows are independent, and each has the distribution of `chance_of_misses`.

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
