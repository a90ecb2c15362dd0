"""Upper bounds on E[Z] from n independent draws of Z in [0, 1] (Empirical Bernstein Boosting).

Theorems 2.1, 2.3 and 2.4 of Shivaswamy and Jebara (2010); the last is due to Maurer and Pontil
(2009). Each holds with probability 1 - δ. With the errors on test examples as draws, they bound the
risk of a vote. The training examples will not do: the vote was fitted to them.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.measures.bounds.checks import DELTA, check_delta

if TYPE_CHECKING:
    from quadrepro.measures.trained import Trained

Numbers = TypeVar("Numbers", float, FloatArray)
"""One number, or an array of any shape."""


def hoeffding(mean: Numbers, n: int, delta: float = DELTA) -> Numbers:
    """Return Hoeffding's bound, mean + sqrt(ln(1/δ) / (2n)) (Theorem 2.1).

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    n : int
        Number of draws.
    delta : float, default 0.05
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.

    Examples
    --------
    >>> round(hoeffding(0.02, 1000), 4)
    0.0587
    """
    _check(n, 1, delta)
    return mean + sqrt(log(1 / delta) / (2 * n))


def bernstein(mean: Numbers, variance: Numbers, n: int, delta: float = DELTA) -> Numbers:
    """Return Bernstein's bound, mean + sqrt(2 V ln(1/δ) / n) + ln(1/δ) / (3n) (Theorem 2.3).

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    variance : float or ndarray
        True variance V of Z.
    n : int
        Number of draws.
    delta : float, default 0.05
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.

    Examples
    --------
    >>> float(round(bernstein(0.02, 0.02 * 0.98, 1000), 4))
    0.0318
    """
    _check(n, 1, delta)
    t = log(1 / delta)
    spread: Numbers = np.sqrt(2 * variance * t / n)
    return mean + spread + t / (3 * n)


def empirical_bernstein(
    mean: Numbers, sample_variance: Numbers, n: int, delta: float = DELTA
) -> Numbers:
    """Return the empirical Bernstein bound (Theorem 2.4).

    mean + sqrt(2 V̂ ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1))

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    sample_variance : float or ndarray
        Variance V̂ of the draws with n - 1, which is Σ_{i>j} (Z_i - Z_j)² / (n (n - 1)).
    n : int
        Number of draws, two or more.
    delta : float, default 0.05
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.

    Examples
    --------
    >>> float(round(empirical_bernstein(0.02, 0.02 * 0.98, 1000), 4))
    0.0406
    """
    _check(n, 2, delta)
    t = log(2 / delta)
    spread: Numbers = np.sqrt(2 * sample_variance * t / n)
    return mean + spread + 7 * t / (3 * (n - 1))


def measured_hoeffding_bound(trained: Trained) -> FloatArray:
    """Return Hoeffding's bound on the risk, from the test errors."""
    wrong = trained.test_wrong
    return hoeffding(np.asarray(wrong.mean(axis=1)), wrong.shape[1])


def measured_empirical_bernstein_bound(trained: Trained) -> FloatArray:
    """Return the empirical Bernstein bound on the risk, from the test errors."""
    wrong = trained.test_wrong
    mean, variance = wrong.mean(axis=1), wrong.var(axis=1, ddof=1)
    return empirical_bernstein(np.asarray(mean), np.asarray(variance), wrong.shape[1])


def _check(n: int, least: int, delta: float) -> None:
    if n < least:
        raise ValueError(f"the bound needs n >= {least}, not {n}")
    check_delta(delta)
