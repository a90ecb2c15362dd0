"""Likelihoods of printed numbers under protocols and sizes of test sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.result import LEVEL, Result

if TYPE_CHECKING:
    from scipy.stats.distributions import rv_frozen

UNDERFLOW = 1e-280
"""A probability below this is taken as density times width, whose logarithm stays finite."""

FAR = 1e6
"""Quantiles beyond this are set to it: few splits have a long tail, whose ends cannot be added."""


def log_probability_of_means(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike, n_printed: int
) -> Any:
    """Return the log-probability of printed means, given a sample of splits like the paper's.

    One column is Student's predictive distribution of the mean of N further normal values: location
    m, scale s √(1/n + 1/N), n - 1 degrees of freedom, where m and s are the mean and the deviation
    of our n values (Geisser, "Predictive Inference", 1993, section 2.2).

    Several columns have the same splits, in the paper as with us, so that their means are not
    independent. They get the multivariate Student distribution with these margins and the
    correlation of our columns, shrunk towards independence by the estimated share of Schäfer and
    Strimmer (2005, "A shrinkage approach to large-scale covariance matrix estimation", table 2,
    target A), at least 1/n, so that no eigenvalue is below 1/n. The probability is taken column by
    column, each given the printed values of those before it. Over all numbers that could be
    printed it adds up to 1.

    Parameters
    ----------
    ours : array-like of shape (n_splits,) or (..., n_splits, n_columns)
        Our values, one per split; two or more.
    printed : float or array-like of shape (..., n_columns)
        The printed means.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit: 0.005 for a number printed as 1.28. A deviation of
        ours below it is set to it, for print cannot tell smaller ones apart. The result is
        therefore finite even if our splits do not vary.
    n_printed : int
        Number N of splits behind the printed means.

    Returns
    -------
    float or ndarray of shape (...)
        The natural logarithm of the joint probability; with leading axes, one for each table.

    Raises
    ------
    ValueError
        If there are fewer than two splits, a rounding is not positive, or shapes do not match.

    Examples
    --------
    >>> from quadrepro.stats import log_probability_of_means
    >>> ours = [4.1, 3.2, 5.0, 4.4, 3.9, 4.7]
    >>> near = log_probability_of_means(ours, 4.28, 0.005, n_printed=20)
    >>> far = log_probability_of_means(ours, 6.28, 0.005, n_printed=20)
    >>> round(near, 2), round(far, 2)
    (-4.39, -11.47)
    """
    sample, values, half = _columns(ours, printed, rounding)
    return _log_probability(sample, values - half, values + half, values, n_printed)


def log_probability_of_pooled_deviations(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike, n_printed: int
) -> Any:
    """Return the log-probability of deviations of values that a paper pools over its splits.

    Many values of each split are pooled, such as the margins of all training examples. The square
    of their deviation is the mean over the splits of the mean squared distances from the common
    mean. It is treated as a mean is in `log_probability_of_means`, of which this is the special
    case of squares.

    Parameters
    ----------
    ours : array-like of shape (n_splits,) or (..., n_splits, n_columns)
        Mean squared distance of each split's values from the mean of all splits' values.
    printed : float or array-like of shape (..., n_columns)
        The printed deviations.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit.
    n_printed : int
        Number of splits behind the printed deviations.

    Returns
    -------
    float or ndarray of shape (...)
        The natural logarithm of the joint probability.

    Raises
    ------
    ValueError
        As in `log_probability_of_means`.

    Examples
    --------
    >>> from quadrepro.stats import log_probability_of_pooled_deviations
    >>> squares = [0.0144, 0.0121, 0.0169, 0.0150]
    >>> round(log_probability_of_pooled_deviations(squares, 0.12, 0.005, n_printed=20), 2)
    -0.44
    """
    sample, values, half = _columns(ours, printed, rounding)
    low, high = np.maximum(values - half, 0.0) ** 2, (values + half) ** 2
    return _log_probability(sample, low, high, (low + high) / 2, n_printed)


def log_probability_of_deviations(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike, n_printed: int
) -> Any:
    """Return the log-probability of printed deviations, given a sample of splits like the paper's.

    For normal values the ratio of the printed variance to ours has Fisher's F distribution with
    N - 1 and n - 1 degrees of freedom.

    Columns that share their splits are not independent: the sample variances of two normal columns
    with correlation ρ have correlation ρ² (Anderson, "An Introduction to Multivariate Statistical
    Analysis", 3rd edition, section 3.4). Several columns are therefore joined by the Student copula
    with correlation ρ² and n - 1 degrees of freedom, where ρ is shrunk as in
    `log_probability_of_means`.

    Parameters
    ----------
    ours : array-like of shape (n_splits,) or (..., n_splits, n_columns)
        Our values, one per split; two or more.
    printed : float or array-like of shape (..., n_columns)
        The printed deviations, with n - 1 in the denominator.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit, and the least deviation of ours.
    n_printed : int
        Number N of splits behind the printed deviations, two or more.

    Returns
    -------
    float or ndarray of shape (...)
        The natural logarithm of the joint probability.

    Raises
    ------
    ValueError
        As in `log_probability_of_means`, or if `n_printed` is below 2.

    Examples
    --------
    >>> from quadrepro.stats import log_probability_of_deviations
    >>> ours = [4.1, 3.2, 5.0, 4.4, 3.9, 4.7]
    >>> near = log_probability_of_deviations(ours, 0.78, 0.005, n_printed=20)
    >>> far = log_probability_of_deviations(ours, 3.14, 0.005, n_printed=20)
    >>> round(near, 2), round(far, 2)
    (-4.43, -10.97)
    """
    from scipy.stats import f as fisher

    sample, values, half = _columns(ours, printed, rounding)
    n = sample.shape[-2]
    if n_printed < 2:
        raise ValueError(f"a standard deviation needs at least two values, not {n_printed}")
    sd = np.maximum(sample.std(axis=-2, ddof=1), half)
    ratio, standard = fisher(n_printed - 1, n - 1), _student(n - 1)
    low, high = np.maximum(values - half, 0.0) / sd, (values + half) / sd
    ends = np.stack([low, (low + high) / 2, high]) ** 2
    below, at, above = _as_quantiles(ratio, standard, ends)
    found = _log_joint(below, at, above, shrunk_correlation(sample) ** 2, n - 1)
    # A number too far out to inform about other columns counts alone.
    out = above <= below
    alone = np.zeros(out.shape)
    alone[out] = _log_interval(ratio, ends[0][out], ends[2][out])
    found += alone.sum(axis=-1)
    return found if found.ndim else float(found)


def shrunk_correlation(sample: FloatArray) -> FloatArray:
    """Return the correlation of columns, shrunk as `log_probability_of_means` says.

    Examples
    --------
    >>> import numpy as np
    >>> shrunk_correlation(np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [5.0, 10.0]])).round(2)
    array([[1.  , 0.75],
           [0.75, 1.  ]])
    """
    n, d = sample.shape[-2:]
    centred = sample - sample.mean(axis=-2, keepdims=True)
    sd = centred.std(axis=-2, ddof=1, keepdims=True)
    # A column that does not vary is independent of all others.
    varies = np.ptp(sample, axis=-2, keepdims=True) > 0
    scaled = np.divide(centred, sd, out=np.zeros_like(centred), where=varies)
    products = scaled[..., :, None] * scaled[..., None, :]
    correlation = products.sum(axis=-3) / (n - 1)
    errors = products - products.mean(axis=-3, keepdims=True)
    variance = n / (n - 1) ** 3 * (errors**2).sum(axis=-3)
    others = ~np.eye(d, dtype=bool)
    signal = np.sum(correlation[..., others] ** 2, axis=-1)
    error = np.sum(variance[..., others], axis=-1)
    share = np.divide(error, signal, out=np.ones_like(signal), where=signal > 0)
    kept = 1 - np.clip(share, 1 / n, 1.0)
    return np.where(others, kept[..., None, None] * correlation, 1.0)


def _columns(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sample with one column per printed number, the numbers and their roundings."""
    sample = np.asarray(ours, dtype=np.float64)
    sample = sample[:, None] if sample.ndim == 1 else sample
    values = np.atleast_1d(np.asarray(printed, dtype=np.float64))
    if values.shape != (*sample.shape[:-2], sample.shape[-1]):
        raise ValueError(f"{values.size} printed numbers cannot stand for shape {sample.shape}")
    if sample.shape[-2] < 2:
        raise ValueError(f"a distribution needs at least two splits, not {sample.shape[-2]}")
    half = np.broadcast_to(np.asarray(rounding, dtype=np.float64), values.shape)
    if not np.all(half > 0):
        raise ValueError("a rounding is half a unit of the last printed digit, and positive")
    return sample, values, half


def _log_probability(
    sample: FloatArray, low: FloatArray, high: FloatArray, values: FloatArray, n_printed: int
) -> Any:
    """Return the predictive log-probability that the means of further splits lie in intervals."""
    n = sample.shape[-2]
    sd = np.maximum(sample.std(axis=-2, ddof=1), (high - low) / 2)
    scale = sd * np.sqrt(1 / n + 1 / n_printed)
    below, at, above = ((x - sample.mean(axis=-2)) / scale for x in (low, values, high))
    found = _log_joint(below, at, above, shrunk_correlation(sample), n - 1)
    return found if found.ndim else float(found)


@cache
def _student(df: int) -> rv_frozen:
    # scipy.stats takes half a second to import.
    from scipy.stats import t

    return t(df)


def _as_quantiles(source: rv_frozen, target: rv_frozen, x: FloatArray) -> FloatArray:
    """Return the quantiles of a distribution that have the ranks of x in another one."""
    upper = x > source.median()
    found = np.empty(x.shape)
    found[upper] = target.isf(source.sf(x[upper]))
    found[~upper] = target.ppf(source.cdf(x[~upper]))
    return found.clip(-FAR, FAR)


def _log_joint(
    below: FloatArray, at: FloatArray, above: FloatArray, correlation: FloatArray, df: int
) -> FloatArray:
    """Return the log-probability of intervals under a Student distribution of unit scale.

    Each is taken given the values `at` in those before it. Empty intervals are left out.
    """
    lower = np.linalg.cholesky(correlation)
    total, innovations = np.zeros(at.shape[:-1]), np.zeros(at.shape)
    for j in range(at.shape[-1]):
        # A Student distribution given some of its coordinates is one with more degrees of freedom
        # (Kotz and Nadarajah, "Multivariate t Distributions and Their Applications", section 1.11).
        expected = np.sum(lower[..., j, :j] * innovations[..., :j], axis=-1)
        squares = np.sum(innovations[..., :j] ** 2, axis=-1)
        spread = np.sqrt((df + squares) / (df + j)) * lower[..., j, j]
        a, b = ((ends[..., j] - expected) / spread for ends in (below, above))
        inside = below[..., j] < above[..., j]
        total[inside] += _log_interval(_student(df + j), a[inside], b[inside])
        innovations[..., j] = (at[..., j] - expected) / lower[..., j, j]
    return total


def _log_interval(distribution: rv_frozen, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the log-probability of each interval, finite however far it is out."""
    upper = low > distribution.median()
    probability = np.empty(low.shape)
    probability[upper] = distribution.sf(low[upper]) - distribution.sf(high[upper])
    probability[~upper] = distribution.cdf(high[~upper]) - distribution.cdf(low[~upper])
    far = probability <= UNDERFLOW
    found = np.log(np.maximum(probability, UNDERFLOW))
    width = high[far] - low[far]
    found[far] = distribution.logpdf((low[far] + high[far]) / 2) + np.log(width)
    return found


@dataclass(frozen=True, repr=False)
class ReadingScore(Result):
    """Evidence of the printed numbers for one reading; see `score_readings`.

    Attributes
    ----------
    rows : int
        Number of rows that count.
    log_bayes_factor : float
        Log-probability of the printed numbers under the reading, minus that under the base.
    needed : float
        The log Bayes factor from which the printed numbers speak for the reading.
    supported : bool
        Whether `log_bayes_factor` is at least `needed`.
    """

    rows: int
    log_bayes_factor: float
    needed: float

    @property
    def supported(self) -> bool:
        """Whether `log_bayes_factor` is at least `needed`."""
        return self.log_bayes_factor >= self.needed


def score_readings(
    base: Mapping[str, float],
    readings: Mapping[str, Mapping[str, float]],
    tried: int | None = None,
    simulated: Mapping[str, ArrayLike] | None = None,
) -> dict[str, ReadingScore]:
    """Compare readings of a protocol with the base reading by their likelihoods.

    A reading is compared with the base on the rows that it applies to. On all others it says the
    same as the base, so that readings of different rows can be compared.

    A reading needs a Bayes factor of k/0.05 at least, where k is the number tried. If the base were
    true and the probabilities known, one of k readings would have it with a probability of at most
    0.05 (Markov's inequality, as a Bayes factor then has expectation 1). The probabilities of
    `log_probability_of_means` and its like are estimated, and over many rows the errors of two
    estimates alone give larger factors: among eight readings of 20 rows that differ from the base
    in nothing, one had it in 57% of simulated cases. A reading therefore also needs c standard
    deviations of its log Bayes factors in tables simulated without a difference, with one c for all
    readings, which any of them reaches in 5% of these tables.

    Parameters
    ----------
    base : mapping of str to float
        Log-probability of the printed numbers of each row under the base reading.
    readings : mapping of str to mapping of str to float
        The same for each reading, on the rows that it applies to.
    tried : int, optional
        The number k of readings that were tried, by default those in `readings`. One that was tried
        and dropped counts.
    simulated : mapping of str to array-like of shape (n_tables,), optional
        The log Bayes factor of each reading for every simulated table. Without it the probabilities
        are taken as known.

    Returns
    -------
    dict of str to ReadingScore
        One per reading, in the order of `readings`.

    Raises
    ------
    ValueError
        If a reading has a row that the base has not, or fewer were tried than are given.

    Examples
    --------
    >>> from quadrepro.stats import score_readings
    >>> base = {"ringnorm": -60.0, "twonorm": -9.0}
    >>> readings = {"400 rows": {"ringnorm": -8.0}, "tanh": {"ringnorm": -61.0, "twonorm": -8.5}}
    >>> scores = score_readings(base, readings)
    >>> scores["400 rows"]
    ReadingScore(rows=1, log_bayes_factor=52, needed=3.68888)
    >>> scores["400 rows"].supported, scores["tanh"].supported
    (True, False)
    """
    for name, rows in readings.items():
        if unknown := [row for row in rows if row not in base]:
            raise ValueError(f"{name} has a row that the base has not: {unknown[0]}")
    count = len(readings) if tried is None else tried
    if count < len(readings):
        raise ValueError(f"{len(readings)} readings are given, and only {count} were tried")
    factors = {
        name: math.fsum(value - base[row] for row, value in rows.items())
        for name, rows in readings.items()
    }
    known = math.log(count / LEVEL)
    by_chance = _by_chance(simulated) if simulated else {}
    return {
        name: ReadingScore(len(readings[name]), factor, max(known, by_chance.get(name, known)))
        for name, factor in factors.items()
    }


def _by_chance(simulated: Mapping[str, ArrayLike]) -> dict[str, float]:
    """Return what any of the readings reaches in a share `LEVEL` of simulated tables."""
    factors = np.array([*simulated.values()], dtype=np.float64)
    # A reading that is the same as the base on every split has factors of 0 only.
    sd = factors.std(axis=1, ddof=1)[:, None]
    standard = np.divide(factors, sd, out=np.zeros_like(factors), where=sd > 0)
    largest = np.quantile(standard.max(axis=0), 1 - LEVEL, method="higher")
    return {name: float(largest * s) for name, [s] in zip(simulated, sd, strict=True)}
