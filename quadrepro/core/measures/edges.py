"""AdaBoost's bounds on the training error, and the edge that they need (lecture).

With the error ε_t = 1/2 - γ_t of round t on AdaBoost's example weights, the training error is at
most Π 2 sqrt(ε_t(1-ε_t)) and so at most exp(-2γ²T), γ being the least edge (Theorem 24.2). The
proof is about the sum of the weights exp(-y F), which each round multiplies by sqrt(1 - 4γ_t²).
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor, log, nan

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import ROUNDING, Trained, falls, measure
from quadrepro.core.voters.reduction import reduce_problem


@measure("Π 2 sqrt(ε(1-ε))")
def adaboost_product_bound(t: Trained) -> FloatArray:
    """Return the mean of exp(-y F), which is the product of AdaBoost's rounds.

    It bounds the training error of any vote. After a voter without error the product would be 0:
    the mean stays positive, since that voter's weight is finite here.
    """
    return np.exp(_log_losses(t))


@measure("exp(-2γ²T)", every_round=True)
def adaboost_exponential_bound(t: Trained) -> FloatArray:
    """Return exp(-2γ²T) with the least edge γ of the first T rounds."""
    edges = 0.5 * np.sqrt(-np.expm1(-2 * falls(_log_losses(t), 0.0, "exponential", "AdaBoost")))
    return np.exp(-2 * np.minimum.accumulate(edges) ** 2 * t.rounds)


def _log_losses(t: Trained) -> FloatArray:
    """Return the logarithms of the means of exp(-y F), which underflow in long runs."""
    return np.asarray(np.logaddexp.reduce(-t.plain_margins, axis=0) - np.log(len(t.y)))


def least_edge(H: FloatArray, y: FloatArray) -> float:
    """Return γ: on every weighting of the examples some voter errs on at most 1/2 - γ.

    Voters and weightings play a game whose value is the largest minimum margin of a vote, 2γ
    (lecture, sections 2 and 3). It is found by a linear program, LP_REG without slack.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values -1 and +1; complements are voters too.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.

    Examples
    --------
    Example 24.1 on three points: two thresholds and the constant voter.

    >>> import numpy as np
    >>> H = np.array([[1.0, -1, -1], [1, 1, -1], [1, 1, 1]])
    >>> round(least_edge(H, np.array([-1.0, 1, -1])), 6)
    0.166667
    """
    # Importing the solver is slow.
    from quadrepro.core.learners.soft_margin import MarginLP

    problem = reduce_problem(H, y)
    margins = problem.H * problem.y[:, None]
    # With ν = 1/m no example's weight is capped below 1.
    _, value = MarginLP(np.hstack([margins, -margins]), np.ones(len(margins))).solve(
        1 / len(margins)
    )
    return float(np.clip(value / 2, 0.0, 0.5))


@lru_cache(maxsize=1)  # several measures share it
def _edge(t: Trained) -> float:
    return least_edge(t.voters, t.y)


@measure("γ", needs="voters")
def weak_edge(t: Trained) -> FloatArray:
    """Return the edge that some voter has on every weighting of the training examples."""
    return t.constant(_edge(t))


@measure("ln(2m)/(2γ²)", needs="voters")
def adaboost_rounds(t: Trained) -> FloatArray:
    """Return the least T >= ln(2m)/(2γ²), after which AdaBoost errs on no training example.

    exp(-2γ²T) is then less than the share 1/m of one example. NaN without an edge.
    """
    gamma = _edge(t)
    return t.constant(ceil(log(2 * len(t.y)) / (2 * gamma**2)) if gamma > ROUNDING else nan)


@measure("4 ln(m)/γ²", needs="voters")
def experts_rounds(t: Trained) -> FloatArray:
    """Return the least T > 4 ln(m)/γ², after which boosting by experts errs on no example.

    Every training example is an expert. From there on 2 sqrt(T ln m), the bound on the regret of
    multiplicative weights with the rate sqrt(ln(m)/T), is below γT: every example is right in more
    than half of the rounds (lecture, section 3). NaN without an edge.
    """
    gamma = _edge(t)
    return t.constant(floor(4 * log(len(t.y)) / gamma**2) + 1 if gamma > ROUNDING else nan)
