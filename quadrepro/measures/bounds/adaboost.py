"""Bounds on the training error round by round: AdaBoost's (lecture, section 4) and QuadBoost's.

Both start from the margins y F(x) of the plain votes F after 1, 2, ... consecutive rounds, whose
weights are as the algorithm gives them, not scaled.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from quadrepro._typing import FloatArray

ROUNDING = 1e-9
"""A rise of a loss by no more than this is rounding."""


def product_bound(margins: FloatArray) -> FloatArray:
    """Return Π 2 sqrt(ε(1-ε)) over the rounds so far, which is the mean of exp(-y F).

    The mean is at least the share of the examples with y F <= 0 whatever the weights; that it is
    the product is due to AdaBoost's (proof of Theorem 24.2). After a voter without error, whose
    weight is finite here, it stays above the product, which is 0.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The bound after each round.

    Raises
    ------
    ValueError
        If the margins are not a matrix with an example and a round.
    """
    return np.exp(_log_losses(margins))


def edges(margins: FloatArray) -> FloatArray:
    """Return γ_t = 1/2 - ε_t of every round, from W_{t+1}/W_t = sqrt(1 - 4 γ_t²).

    The sums W of the example weights are those of exp(-y F) (proof of Theorem 24.2). The least of
    the edges is the γ of the theorem; a round that added nothing has edge 0.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds of AdaBoost.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The edges, in [0, 1/2].

    Raises
    ------
    ValueError
        If the margins are not a matrix with an example and a round, or the loss rises, which it
        does not in AdaBoost.
    """
    steps = np.diff(_log_losses(margins), prepend=0.0)
    _check_falls(steps <= ROUNDING, "exponential", "AdaBoost")
    return np.asarray(0.5 * np.sqrt(-np.expm1(2 * np.minimum(steps, 0.0))))


def exponential_bound(gamma: ArrayLike, n_rounds: ArrayLike) -> FloatArray:
    """Return exp(-2γ²T), AdaBoost's bound on the training error (Theorem 24.2).

    Parameters
    ----------
    gamma : array-like
        γ in [0, 1/2]: no edge of the T rounds is smaller. One number, such as the least edge of
        all rounds, or the least edge so far for every T.
    n_rounds : array-like
        Numbers of rounds T, of a shape that goes with that of `gamma`.

    Returns
    -------
    ndarray
        The bound, in the common shape.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    gamma, T = _checked(gamma, 0.5), _checked(n_rounds, np.inf, "n_rounds")
    return np.exp(-2 * gamma**2 * T)


def rounds_to_zero_error(d: int, gamma: float) -> int:
    """Return the least T >= ln(2d)/(2γ²), after which no one of d points is wrong (section 5).

    Parameters
    ----------
    d : int
        Number of points, one or more.
    gamma : float
        Edge γ, in (0, 1/2], of every round.

    Returns
    -------
    int
        Number of rounds, which is where exp(-2γ²T) falls to 1/(2d).

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if d < 1:
        raise ValueError(f"d must be at least 1, not {d}")
    if not 0 < gamma <= 0.5:
        raise ValueError(f"gamma must be in (0, 1/2], not {gamma}")
    return ceil(log(2 * d) / (2 * gamma**2))


def correlations(margins: FloatArray) -> FloatArray:
    """Return |c| of every round's pick, from the c² by which the quadratic risk falls.

    The risk is the mean of (1 - y F)² (QuadBoost, section 3, vanilla, with voters of values -1
    and +1).

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds of QuadBoost without regularisation.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The correlations' sizes; 0 for a round that added nothing.

    Raises
    ------
    ValueError
        If the margins are not a matrix with an example and a round, or the risk rises, which it
        does not in QuadBoost.
    """
    risks = ((1 - _matrix(margins)) ** 2).mean(axis=0)
    falls = -np.diff(risks, prepend=1.0)
    _check_falls(falls >= -ROUNDING, "quadratic", "QuadBoost")
    return np.asarray(np.sqrt(np.maximum(falls, 0.0)))


def quadratic_bound(gamma: ArrayLike, n_rounds: ArrayLike) -> FloatArray:
    """Return 1 - Tγ², QuadBoost's bound on its quadratic risk and so on the training error.

    It holds while every round's pick has |c| >= γ (QuadBoost, section 3).

    Parameters
    ----------
    gamma : array-like
        γ in [0, 1]: no |c| of the T rounds is smaller.
    n_rounds : array-like
        Numbers of rounds T, of a shape that goes with that of `gamma`.

    Returns
    -------
    ndarray
        The bound, in the common shape; below 0 where γ cannot last that long.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    gamma, T = _checked(gamma, 1.0), _checked(n_rounds, np.inf, "n_rounds")
    return np.asarray(1 - T * gamma**2)


def _matrix(margins: FloatArray) -> FloatArray:
    margins = np.asarray(margins, dtype=np.float64)
    if margins.ndim != 2 or margins.size == 0:
        raise ValueError(f"margins must be a matrix of examples by rounds, not {margins.shape}")
    return margins


def _log_losses(margins: FloatArray) -> FloatArray:
    """Return the logarithms of the mean exponential losses, which are too small for long runs."""
    margins = _matrix(margins)
    return np.asarray(np.logaddexp.reduce(-margins, axis=0) - np.log(len(margins)))


def _check_falls(falls: np.ndarray, loss: str, algorithm: str) -> None:
    if not falls.all():
        t = int(np.argmin(falls)) + 1
        raise ValueError(f"the {loss} loss rises in round {t}: these are no margins of {algorithm}")


def _checked(values: ArrayLike, high: float, name: str = "gamma") -> FloatArray:
    checked = np.asarray(values, dtype=np.float64)
    if not ((checked >= 0) & (checked <= high)).all():
        raise ValueError(f"{name} must be in [0, {high:g}], not {checked}")
    return checked
