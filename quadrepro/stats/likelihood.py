"""How probable printed means and deviations are, if the paper's splits are like ours.

All numbers are probabilities of what is printed as it is rounded, never densities, so that those
of different columns, data sets and kinds of number can be multiplied and compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quadrepro._typing import FloatArray

if TYPE_CHECKING:
    from scipy.stats.distributions import rv_frozen

UNDERFLOW = 1e-280
"""A probability below this is taken as density times width, whose logarithm stays finite."""

FAR = 1e6
"""Quantiles beyond this are set to it: few splits have a long tail, whose ends cannot be added."""


def log_probability_of_means(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike, n_printed: int
) -> float:
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
    ours : array-like of shape (n_splits,) or (n_splits, n_columns)
        Our values, one per split; two or more.
    printed : float or array-like of shape (n_columns,)
        The printed means.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit: 0.005 for a number printed as 1.28. A deviation of
        ours below it is set to it, for print cannot tell smaller ones apart. The result is
        therefore finite even if our splits do not vary.
    n_printed : int
        Number N of splits behind the printed means.

    Returns
    -------
    float
        The natural logarithm of the joint probability.

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
) -> float:
    """Return the log-probability of deviations of values that a paper pools over its splits.

    Many values of each split are pooled, such as the margins of all training examples. The square
    of their deviation is the mean over the splits of the mean squared distances from the common
    mean. It is treated as a mean is in `log_probability_of_means`, of which this is the special
    case of squares.

    Parameters
    ----------
    ours : array-like of shape (n_splits,) or (n_splits, n_columns)
        Mean squared distance of each split's values from the mean of all splits' values.
    printed : float or array-like of shape (n_columns,)
        The printed deviations.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit.
    n_printed : int
        Number of splits behind the printed deviations.

    Returns
    -------
    float
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
) -> float:
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
    ours : array-like of shape (n_splits,) or (n_splits, n_columns)
        Our values, one per split; two or more.
    printed : float or array-like of shape (n_columns,)
        The printed deviations, with n - 1 in the denominator.
    rounding : float or array-like of shape (n_columns,)
        Half a unit of the last printed digit, and the least deviation of ours.
    n_printed : int
        Number N of splits behind the printed deviations, two or more.

    Returns
    -------
    float
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
    from scipy.stats import t as student

    sample, values, half = _columns(ours, printed, rounding)
    n = len(sample)
    if n_printed < 2:
        raise ValueError(f"a standard deviation needs at least two values, not {n_printed}")
    sd = np.maximum(sample.std(axis=0, ddof=1), half)
    ratio, standard = fisher(n_printed - 1, n - 1), student(n - 1)
    low, high = np.maximum(values - half, 0.0) / sd, (values + half) / sd
    ends = np.stack([low, (low + high) / 2, high]) ** 2
    below, at, above = _as_quantiles(ratio, standard, ends)
    found = _log_joint(below, at, above, shrunk_correlation(sample) ** 2, n - 1)
    # What is too far out to say anything of other columns counts alone.
    out = above <= below
    return found + sum(_log_interval(ratio, a, b) for a, _, b in ends.T[out])


def shrunk_correlation(sample: FloatArray) -> FloatArray:
    """Return the correlation of columns, shrunk as `log_probability_of_means` says.

    Examples
    --------
    >>> import numpy as np
    >>> shrunk_correlation(np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [5.0, 10.0]])).round(2)
    array([[1.  , 0.75],
           [0.75, 1.  ]])
    """
    n, d = sample.shape
    centred = sample - sample.mean(axis=0)
    sd = centred.std(axis=0, ddof=1)
    # A column that does not vary is independent of all others.
    scaled = np.divide(centred, sd, out=np.zeros_like(centred), where=sd > 0)
    products = scaled[:, :, None] * scaled[:, None, :]
    correlation = products.sum(axis=0) / (n - 1)
    variance = n / (n - 1) ** 3 * ((products - products.mean(axis=0)) ** 2).sum(axis=0)
    others = ~np.eye(d, dtype=bool)
    signal = np.sum(correlation[others] ** 2)
    share = np.sum(variance[others]) / signal if signal > 0 else 1.0
    shrunk = (1 - np.clip(share, 1 / n, 1.0)) * correlation
    np.fill_diagonal(shrunk, 1.0)
    return np.asarray(shrunk)


def _columns(
    ours: ArrayLike, printed: ArrayLike, rounding: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the sample with one column per printed number, the numbers and their roundings."""
    sample = np.asarray(ours, dtype=np.float64)
    sample = sample[:, None] if sample.ndim == 1 else sample
    values = np.atleast_1d(np.asarray(printed, dtype=np.float64))
    if values.shape != sample.shape[1:]:
        raise ValueError(f"{values.size} printed numbers cannot stand for shape {sample.shape}")
    if len(sample) < 2:
        raise ValueError(f"a distribution needs at least two splits, not {len(sample)}")
    half = np.broadcast_to(np.asarray(rounding, dtype=np.float64), values.shape)
    if not np.all(half > 0):
        raise ValueError("a rounding is half a unit of the last printed digit, and positive")
    return sample, values, half


def _log_probability(
    sample: FloatArray, low: FloatArray, high: FloatArray, values: FloatArray, n_printed: int
) -> float:
    """Return the predictive log-probability that the means of further splits lie in intervals."""
    n = len(sample)
    sd = np.maximum(sample.std(axis=0, ddof=1), (high - low) / 2)
    scale = sd * np.sqrt(1 / n + 1 / n_printed)
    below, at, above = ((x - sample.mean(axis=0)) / scale for x in (low, values, high))
    return _log_joint(below, at, above, shrunk_correlation(sample), n - 1)


def _as_quantiles(source: rv_frozen, target: rv_frozen, x: FloatArray) -> FloatArray:
    """Return the quantiles of a distribution that have the ranks of x in another one."""
    upper = x > source.median()
    ranks = np.where(upper, source.sf(x), source.cdf(x))
    return np.asarray(np.where(upper, target.isf(ranks), target.ppf(ranks)).clip(-FAR, FAR))


def _log_joint(
    below: FloatArray, at: FloatArray, above: FloatArray, correlation: FloatArray, df: int
) -> float:
    """Return the log-probability of intervals under a Student distribution of unit scale.

    Each is taken given the values `at` in those before it. Empty intervals are left out.
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    lower = np.linalg.cholesky(correlation)
    total, innovations = 0.0, np.zeros(len(at))
    for j in range(len(at)):
        # A Student distribution given some of its coordinates is one with more degrees of freedom
        # (Kotz and Nadarajah, "Multivariate t Distributions and Their Applications", section 1.11).
        expected = lower[j, :j] @ innovations[:j]
        spread = np.sqrt((df + innovations[:j] @ innovations[:j]) / (df + j)) * lower[j, j]
        if below[j] < above[j]:
            a, b = (below[j] - expected) / spread, (above[j] - expected) / spread
            total += _log_interval(student(df + j), a, b)
        innovations[j] = (at[j] - expected) / lower[j, j]
    return float(total)


def _log_interval(distribution: rv_frozen, low: Any, high: Any) -> float:
    """Return the log-probability of an interval, finite however far it is out."""
    if low > distribution.median():
        probability = distribution.sf(low) - distribution.sf(high)
    else:
        probability = distribution.cdf(high) - distribution.cdf(low)
    if probability > UNDERFLOW:
        return float(np.log(probability))
    return float(distribution.logpdf((low + high) / 2) + np.log(high - low))
