"""Poisson binomial test of one algorithm against another (Lacoste, Laviolette, Marchand 2012)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betainc

from quadrepro._typing import BoolArray, FloatArray


def better_on_one(only_a_wrong: int, only_b_wrong: int) -> float:
    """Return the probability that A is better than B on one data set.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        Test examples that one gets wrong and the other right.

    Returns
    -------
    float
        BetaCDF(1/2; 1 + only_a_wrong, 1 + only_b_wrong).
    """
    return float(betainc(1 + only_a_wrong, 1 + only_b_wrong, 0.5))


def distribution_of_wins(p: Sequence[float]) -> FloatArray:
    """Return the distribution of the number of wins in independent trials.

    Parameters
    ----------
    p : sequence of float
        Probability of a win in each trial.

    Returns
    -------
    ndarray of shape (len(p) + 1,)
        Probability of each number of wins, by the paper's recursion, which keeps the tails.
    """
    q = np.array([1.0])
    for p_i in p:
        q = np.append(q * (1 - p_i), 0.0) + np.append(0.0, q * p_i)
    return q


def better_over_all(p: Sequence[float]) -> float:
    """Return the probability that A is better than B over data sets.

    Parameters
    ----------
    p : sequence of float
        Probability that A is better on each.

    Returns
    -------
    float
        Σ_κ Pr(κ wins) BetaCDF(1/2; N - κ + 1, κ + 1).
    """
    wins = np.arange(len(p) + 1)
    return float(distribution_of_wins(p) @ betainc(len(p) - wins + 1, wins + 1, 0.5))


def poisson_binomial_test(a_wrong: Sequence[BoolArray], b_wrong: Sequence[BoolArray]) -> float:
    """Return the probability that A is better than B, from which test examples each gets wrong.

    Parameters
    ----------
    a_wrong, b_wrong : sequence of ndarray of bool
        One array a data set, the same examples in the same order for both.

    Returns
    -------
    float
        Probability that A is better than B.
    """
    return better_over_all(
        [
            better_on_one(int((a & ~b).sum()), int((b & ~a).sum()))
            for a, b in zip(a_wrong, b_wrong, strict=True)
        ]
    )
