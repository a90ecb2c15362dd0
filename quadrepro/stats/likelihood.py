"""Log-probabilities of printed numbers, given a sample of splits like the paper's.

All take arrays: our values of shape (..., n_splits, n_columns), the printed numbers of shape
(..., n_columns) and half a unit of their last digit, of shape (n_columns,). Leading axes are for
many tables at once.

Columns share their splits, in the paper as with us, so that they are not independent. They are
joined by the correlation of our columns, shrunk towards independence by the estimated share of
Schäfer and Strimmer (2005, "A shrinkage approach to large-scale covariance matrix estimation",
table 2, target A), at least 1/n, so that no eigenvalue is below 1/n. Deviations of ours below half
a unit of the last printed digit are set to it, since print cannot tell smaller ones apart; the
probabilities are therefore positive even if our splits do not vary.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from quadrepro.base.types import FloatArray

UNDERFLOW = 1e-280
"""A probability below this is taken as density times width, whose logarithm stays finite."""

FAR = 1e6
"""Quantiles beyond this are set to it: few splits have a long tail, whose ends cannot be added."""


def log_probability_of_means(
    ours: FloatArray, printed: FloatArray, rounding: FloatArray, n_printed: int
) -> FloatArray:
    """Return the log-probability of printed means of `n_printed` splits, jointly over the columns.

    One column is Student's predictive distribution of the mean of N further normal values: location
    m, scale s √(1/n + 1/N), n - 1 degrees of freedom, where m and s are the mean and the deviation
    of our n values (Geisser, "Predictive Inference", 1993, section 2.2). Several columns have the
    multivariate Student distribution with these margins. Over all numbers that could be printed the
    probability adds up to 1.

    Examples
    --------
    >>> import numpy as np
    >>> ours = np.array([[4.1], [3.2], [5.0], [4.4], [3.9], [4.7]])
    >>> log_probability_of_means(ours, np.array([[4.28], [6.28]]), np.array([0.005]), 20).round(2)
    array([ -4.39, -11.47])
    """
    return _log_probability(ours, printed - rounding, printed, printed + rounding, n_printed)


def log_probability_of_pooled_deviations(
    ours: FloatArray, printed: FloatArray, rounding: FloatArray, n_printed: int
) -> FloatArray:
    """Return the log-probability of deviations of values that a paper pools over its splits.

    Many values of each split are pooled, such as the margins of all training examples. The square
    of their deviation is the mean over the splits of the mean squared distances from the common
    mean, which `ours` holds. It is treated as a mean is in `log_probability_of_means`.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.array([[0.0144], [0.0121], [0.0169], [0.0150]])
    >>> half = np.array([0.005])
    >>> log_probability_of_pooled_deviations(squares, np.array([[0.12]]), half, 20).round(2)
    array([-0.44])
    """
    low, high = np.maximum(printed - rounding, 0.0) ** 2, (printed + rounding) ** 2
    return _log_probability(ours, low, (low + high) / 2, high, n_printed)


def log_probability_of_deviations(
    ours: FloatArray, printed: FloatArray, rounding: FloatArray, n_printed: int
) -> FloatArray:
    """Return the log-probability of printed deviations, which have n - 1 in the denominator.

    For normal values the ratio of the printed variance to ours has Fisher's F distribution with
    N - 1 and n - 1 degrees of freedom. The sample variances of two normal columns with correlation
    ρ have correlation ρ² (Anderson, "An Introduction to Multivariate Statistical Analysis", 3rd
    edition, section 3.4); columns are joined by the Student copula with it and n - 1 degrees of
    freedom.

    Examples
    --------
    >>> import numpy as np
    >>> ours, half = np.array([[4.1], [3.2], [5.0], [4.4], [3.9], [4.7]]), np.array([0.005])
    >>> log_probability_of_deviations(ours, np.array([[0.78], [3.14]]), half, 20).round(2)
    array([ -4.43, -10.97])
    """
    from scipy.stats import f as fisher

    n = ours.shape[-2]
    sd = np.maximum(ours.std(axis=-2, ddof=1), rounding)
    ratio, standard = fisher(n_printed - 1, n - 1), _student(n - 1)
    low, high = np.maximum(printed - rounding, 0.0) / sd, (printed + rounding) / sd
    ends = np.stack([low, (low + high) / 2, high]) ** 2
    below, at, above = _as_quantiles(ratio, standard, ends)
    total = _log_joint(below, at, above, shrunk_correlation(ours) ** 2, n - 1)
    # A number too far out to inform about other columns counts alone.
    out = above <= below
    alone = np.zeros(out.shape)
    alone[out] = _log_interval(ratio, ends[0][out], ends[2][out])
    return np.asarray(total + alone.sum(axis=-1))[()]


def shrunk_correlation(sample: FloatArray) -> FloatArray:
    """Return the correlation of columns, shrunk towards independence."""
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


def _log_probability(
    ours: FloatArray, low: FloatArray, middle: FloatArray, high: FloatArray, n_printed: int
) -> FloatArray:
    """Return the predictive log-probability that the means of further splits are in intervals."""
    n = ours.shape[-2]
    sd = np.maximum(ours.std(axis=-2, ddof=1), (high - low) / 2)
    scale = sd * np.sqrt(1 / n + 1 / n_printed)
    below, at, above = ((x - ours.mean(axis=-2)) / scale for x in (low, middle, high))
    return _log_joint(below, at, above, shrunk_correlation(ours), n - 1)[()]


@cache
def _student(df: int) -> Any:
    # scipy.stats takes half a second to import.
    from scipy.stats import t

    return t(df)


def _as_quantiles(source: Any, target: Any, x: FloatArray) -> FloatArray:
    """Return the quantiles of a distribution that have the ranks of x in another one."""
    upper = x > source.median()
    quantiles = np.empty(x.shape)
    quantiles[upper] = target.isf(source.sf(x[upper]))
    quantiles[~upper] = target.ppf(source.cdf(x[~upper]))
    return quantiles.clip(-FAR, FAR)


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


def _log_interval(distribution: Any, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the log-probability of each interval, finite however far it is out."""
    upper = low > distribution.median()
    probability = np.empty(low.shape)
    probability[upper] = distribution.sf(low[upper]) - distribution.sf(high[upper])
    probability[~upper] = distribution.cdf(high[~upper]) - distribution.cdf(low[~upper])
    tiny = probability <= UNDERFLOW
    logs = np.log(np.maximum(probability, UNDERFLOW))
    width = high[tiny] - low[tiny]
    logs[tiny] = distribution.logpdf((low[tiny] + high[tiny]) / 2) + np.log(width)
    return logs
