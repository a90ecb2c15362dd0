"""The mean margin μ, which MinCq and CqBoost fix, and which values of it some vote has."""

from __future__ import annotations

import math

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import Hyperparameter
from quadrepro.voters.reduction import GramProblem

ROUNDING = 1e-12
"""Share by which μ may exceed the largest feasible one, which is a rounded sum."""

# At the largest feasible μ nothing is left to choose: MinCq's weights all have the same size, and
# CqBoost's vote is the best voter.
MU = Hyperparameter("mu", "number", "large", "mean margin of the vote", smallest=1e-9)


def feasible(mu: float, largest: float) -> bool:
    """Return whether μ is at most the largest that a vote can have, up to rounding.

    Parameters
    ----------
    mu : float
        Mean margin.
    largest : float
        Largest mean margin that a vote can have.

    Returns
    -------
    bool
        Whether a program with this μ has a solution.
    """
    return mu <= largest * (1 + ROUNDING)


def mu_limit(largest: FloatArray) -> str:
    """Return the largest feasible μ in a sentence, rounded down so that it can be used.

    Parameters
    ----------
    largest : ndarray of shape (n_samples,)
        The largest μ that each sample allows.

    Returns
    -------
    str
        One sentence without a full stop.
    """
    smallest = float(largest.min())
    if not smallest > 0:
        return "no voter is right more or less often than wrong: no mu above 0 is feasible"
    unit = 10.0 ** (math.floor(math.log10(smallest)) - 2)
    shown = math.floor(smallest / unit) * unit
    where = " on the smallest of these samples" if len(largest) > 1 else ""
    return f"mu can be at most {shown:.3g}{where}"


def infeasible(algorithm: Algorithm, mu: float, problem: GramProblem) -> ValueError:
    """Return the error for a mean margin that no vote has.

    Parameters
    ----------
    algorithm : Algorithm
        States the limit.
    mu : float
        Mean margin.
    problem : GramProblem
        The reduced problem.

    Returns
    -------
    ValueError
        Names μ and the largest feasible one.
    """
    return ValueError(f"no vote has a mean margin of mu = {mu:g}: {algorithm.limit(problem)}")
