"""How fast QuadBoost's quadratic risk falls (QuadBoost, section 3)."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from quadrepro._typing import FloatArray
from quadrepro.measures.bounds.checks import ROUNDING, check_falls, in_range, margin_matrix

if TYPE_CHECKING:
    from quadrepro.measures.trained import Trained


def correlations(margins: FloatArray) -> FloatArray:
    """Return |c| of every round's pick: the quadratic risk, the mean of (1 - y F)², falls by c².

    This is so for voters with values -1 and +1 and no regularisation (QuadBoost, section 3).

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds of QuadBoost.

    Returns
    -------
    ndarray of shape (n_rounds,)
        Sizes of the correlations; 0 for a round that added nothing.

    Raises
    ------
    ValueError
        If the margins are not a matrix with at least one example and one round, or the risk rises,
        which it does not for QuadBoost.
    """
    risks = ((1 - margin_matrix(margins)) ** 2).mean(axis=0)
    falls = -np.diff(risks, prepend=1.0)
    check_falls(falls >= -ROUNDING, "quadratic", "QuadBoost")
    return np.asarray(np.sqrt(np.maximum(falls, 0.0)))


def quadratic_bound(gamma: ArrayLike, n_rounds: ArrayLike) -> FloatArray:
    """Return 1 - Tγ², QuadBoost's bound on its quadratic risk and so on the training error.

    It holds as long as every round's pick has |c| >= γ (QuadBoost, section 3).

    Parameters
    ----------
    gamma : array-like
        γ in [0, 1], a lower bound on |c| in the T rounds.
    n_rounds : array-like
        Numbers of rounds T, broadcast with `gamma`.

    Returns
    -------
    ndarray
        The bound, in the common shape; below 0 if γ cannot last that long.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> quadratic_bound(0.5, [1, 4, 8]).tolist()
    [0.75, 0.0, -1.0]
    """
    gamma, T = in_range("gamma", gamma, 1.0), in_range("n_rounds", n_rounds, np.inf)
    return np.asarray(1 - T * gamma**2)


def rounds_to_error(gamma: float, error: float = 0.0) -> int:
    """Return the least T >= (1 - ε)/γ², after which QuadBoost's quadratic risk is at most ε.

    1 - Tγ² is then at most ε, and so is the training error. With ε = 0 it is the 1/γ² of the paper,
    which no run exceeds with |c| >= γ in every round.

    Parameters
    ----------
    gamma : float
        γ in (0, 1], a lower bound on |c| in every round.
    error : float, default 0.0
        ε, in [0, 1].

    Returns
    -------
    int
        Number of rounds.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> rounds_to_error(0.5), rounds_to_error(0.5, 0.5)
    (4, 2)

    AdaBoost needs ln(1/ε)/(2γ²) rounds at the same γ, which is more for ε below exp(-2) only.

    >>> from quadrepro.measures.bounds.adaboost import rounds_to_error as adaboost
    >>> [(rounds_to_error(0.1, e), adaboost(0.1, e)) for e in (0.5, 0.1, 0.001)]
    [(50, 35), (90, 116), (100, 346)]
    """
    if not 0 < gamma <= 1:
        raise ValueError(f"gamma must be in (0, 1], not {gamma}")
    return ceil((1 - float(in_range("error", error, 1.0))) / gamma**2)


def measured_quadratic_bound(trained: Trained) -> FloatArray:
    """Return 1 - Tγ² with the least correlation γ of the first T rounds."""
    least = np.minimum.accumulate(correlations(trained.plain_margins))
    return quadratic_bound(least, trained.rounds)
