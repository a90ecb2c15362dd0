"""Upper bounds on E[Z] from n independent draws of Z in [0, 1]; each holds with probability 1 - δ.

Theorems 2.1, 2.3 and 2.4 of Empirical Bernstein Boosting (Shivaswamy and Jebara 2010); the last is
due to Maurer and Pontil (2009).
"""

from __future__ import annotations

from math import log, sqrt
from typing import TypeVar

import numpy as np

from quadrepro._typing import FloatArray

Numbers = TypeVar("Numbers", float, FloatArray)
"""One number, or an array of them of any shape."""


def hoeffding(mean: Numbers, n: int, delta: float) -> Numbers:
    """Return Hoeffding's bound, mean + sqrt(ln(1/δ) / (2n)).

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    n : int
        Number of draws.
    delta : float
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.
    """
    _check(n, 1, delta)
    return mean + sqrt(log(1 / delta) / (2 * n))


def bernstein(mean: Numbers, variance: Numbers, n: int, delta: float) -> Numbers:
    """Return Bernstein's bound, mean + sqrt(2 V ln(1/δ) / n) + ln(1/δ) / (3n).

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    variance : float or ndarray
        True variance V of Z.
    n : int
        Number of draws.
    delta : float
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.
    """
    _check(n, 1, delta)
    t = log(1 / delta)
    spread: Numbers = np.sqrt(2 * variance * t / n)
    return mean + spread + t / (3 * n)


def empirical_bernstein(mean: Numbers, sample_variance: Numbers, n: int, delta: float) -> Numbers:
    """Return the empirical Bernstein bound, mean + sqrt(2 V̂ ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1)).

    Parameters
    ----------
    mean : float or ndarray
        Mean of the draws.
    sample_variance : float or ndarray
        Variance V̂ of the draws with n - 1, which is Σ_{i>j} (Z_i - Z_j)² / (n (n - 1)).
    n : int
        Number of draws, two or more.
    delta : float
        Probability of failure, in (0, 1).

    Returns
    -------
    float or ndarray
        The bound, in the shape of `mean`.

    Raises
    ------
    ValueError
        If `n` or `delta` is out of range.
    """
    _check(n, 2, delta)
    t = log(2 / delta)
    spread: Numbers = np.sqrt(2 * sample_variance * t / n)
    return mean + spread + 7 * t / (3 * (n - 1))


def _check(n: int, least: int, delta: float) -> None:
    if n < least:
        raise ValueError(f"the bound needs n >= {least}, not {n}")
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability in (0, 1), not {delta}")
