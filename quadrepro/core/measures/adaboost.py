"""How weak the weak learners are: the edge that some voter has on every weighting (lecture).

To the bounds on boosting by experts, every training example is an expert, and multiplicative
weights with a rate η <= 1/2 has a regret of at most η T + ln(m)/η after T rounds (section 3).
"""

from __future__ import annotations

from math import ceil, floor, log, nan

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.lp_reg import MarginLP
from quadrepro.core.measures.concentration import (
    ROUNDING,
    check_edge,
    check_falls,
    in_range,
    margin_matrix,
)
from quadrepro.core.measures.measure import Measure, Trained
from quadrepro.core.voters.reduction import reduce_problem


def product_bound(margins: FloatArray) -> FloatArray:
    """Return Π 2 sqrt(ε(1-ε)) over the rounds so far, as the mean of exp(-y F).

    The mean is at least the share of examples with y F <= 0 for any weights. It equals the product
    for AdaBoost's weights (proof of Theorem 24.2), except after a voter without error: the product
    is then 0, and the mean stays positive because the weight of that voter is finite here.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The bound after each round.

    Examples
    --------
    One voter with error 1/3 on three examples: 2 sqrt(1/3 · 2/3).

    >>> import numpy as np
    >>> weight = np.log(2) / 2
    >>> product_bound(weight * np.array([[1], [1], [-1]])).round(6).tolist()
    [0.942809]
    """
    return np.exp(_log_losses(margins))


def edges(margins: FloatArray) -> FloatArray:
    """Return the edge γ_t = 1/2 - ε_t of every round, from W_{t+1}/W_t = sqrt(1 - 4 γ_t²).

    W is the sum of the example weights exp(-y F) (proof of Theorem 24.2). The least edge is the γ
    of the theorem.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_rounds)
        y F(x) after 1, 2, ... rounds of AdaBoost.

    Returns
    -------
    ndarray of shape (n_rounds,)
        The edges, in [0, 1/2]; 0 for a round that added nothing.
    """
    steps = np.diff(_log_losses(margins), prepend=0.0)
    check_falls(steps <= ROUNDING, "exponential", "AdaBoost")
    return np.asarray(0.5 * np.sqrt(-np.expm1(2 * np.minimum(steps, 0.0))))


def exponential_bound(gamma: ArrayLike, n_rounds: ArrayLike) -> FloatArray:
    """Return exp(-2γ²T), AdaBoost's bound on the training error (Theorem 24.2).

    Examples
    --------
    >>> exponential_bound(1 / 6, [18, 36]).round(4).tolist()
    [0.3679, 0.1353]
    """
    gamma, T = in_range("gamma", gamma, 0.5), in_range("n_rounds", n_rounds, np.inf)
    return np.exp(-2 * gamma**2 * T)


def rounds_to_zero_error(d: int, gamma: float) -> int:
    """Return the least T >= ln(2d)/(2γ²), after which AdaBoost errs on none of d points.

    exp(-2γ²T) is then at most 1/(2d), less than the share of one point (lecture, section 5).

    Examples
    --------
    >>> rounds_to_zero_error(3, 1 / 6)
    33
    """
    if d < 1:
        raise ValueError(f"d must be at least 1, not {d}")
    check_edge(gamma)
    return ceil(log(2 * d) / (2 * gamma**2))


def measured_product_bound(trained: Trained) -> FloatArray:
    """Return AdaBoost's product bound; for other learners, the mean exponential loss."""
    return product_bound(trained.plain_margins)


def measured_exponential_bound(trained: Trained) -> FloatArray:
    """Return exp(-2γ²T) with the least edge γ of the first T rounds."""
    least = np.minimum.accumulate(edges(trained.plain_margins))
    return exponential_bound(least, trained.rounds)


def measured_rounds(trained: Trained) -> FloatArray:
    """Return the rounds until no training example is wrong, the same for all candidates.

    NaN if some weighting of the examples leaves no voter an edge.
    """
    gamma, m = trained.once(edge_of_voters), len(trained.y)
    return trained.constant(rounds_to_zero_error(m, gamma) if gamma > ROUNDING else nan)


def _log_losses(margins: FloatArray) -> FloatArray:
    """Return the logarithms of the mean exponential losses, which underflow in long runs."""
    margins = margin_matrix(margins)
    return np.asarray(np.logaddexp.reduce(-margins, axis=0) - np.log(len(margins)))


def least_edge(H: FloatArray, y: FloatArray) -> float:
    """Return γ: on every weighting of the examples some voter errs on at most 1/2 - γ.

    Voters and weightings play a game whose value is the largest minimum margin of a vote (lecture,
    sections 2 and 3). It is found by a linear program, LP_REG without slack.

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
    problem = reduce_problem(H, y)
    margins = problem.H * problem.y[:, None]
    # With ν = 1/m no example's weight is capped below 1.
    counts = np.ones(len(margins))
    _, value = MarginLP(np.hstack([margins, -margins]), counts).solve(1 / len(margins))
    return float(np.clip(value / 2, 0.0, 0.5))


def edge_of_voters(trained: Trained) -> float:
    """Return the edge that some voter has on every weighting of the training examples."""
    return least_edge(trained.voters, trained.y)


def measured_edge(trained: Trained) -> FloatArray:
    """Return the edge of the voters on the training examples, the same for all candidates."""
    return trained.constant(trained.once(edge_of_voters))


ADABOOST_PRODUCT_BOUND = Measure("Π 2 sqrt(ε(1-ε))", measured_product_bound)
ADABOOST_EXPONENTIAL_BOUND = Measure("exp(-2γ²T)", measured_exponential_bound, every_round=True)
ADABOOST_ROUNDS = Measure("ln(2m)/(2γ²)", measured_rounds, needs="voters", direction=None)
WEAK_EDGE = Measure("γ", measured_edge, needs="voters", direction="higher")


def experts_rounds(gamma: float, m: int) -> int:
    """Return the least T > 4 ln(m)/γ², after which the vote is right on all m examples.

    From there on 2 sqrt(T ln m), the bound on the regret at the rate η = sqrt(ln(m)/T), is below
    γ T, so that every example is right in more than half of the rounds.

    Examples
    --------
    >>> experts_rounds(1 / 6, 60)
    590
    """
    if m < 2:
        raise ValueError(f"the experts need m >= 2 training examples, not {m}")
    check_edge(gamma)
    return floor(4 * log(m) / gamma**2) + 1


def measured_experts_rounds(trained: Trained) -> FloatArray:
    """Return the experts' number of rounds, the same for all candidates; NaN without an edge."""
    gamma, m = trained.once(edge_of_voters), len(trained.y)
    return trained.constant(experts_rounds(gamma, m) if gamma > ROUNDING else nan)


EXPERTS_ROUNDS = Measure("4 ln(m)/γ²", measured_experts_rounds, needs="voters", direction=None)
