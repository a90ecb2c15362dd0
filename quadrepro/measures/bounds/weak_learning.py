"""How weak the weak learners are: the edge that some voter has on every weighting (lecture)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.lp_reg import MarginLP
from quadrepro.voters.reduction import reduce_problem

if TYPE_CHECKING:
    from quadrepro.measures.trained import Trained


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

    Returns
    -------
    float
        The edge, in [0, 1/2].

    Raises
    ------
    SolverError
        If the solver does not find an optimum.

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
    value = MarginLP(np.hstack([margins, -margins]), counts).solve(1 / len(margins)).dual
    return float(np.clip(value / 2, 0.0, 0.5))


def measured_edge(trained: Trained) -> FloatArray:
    """Return the edge of the voters on the training examples, the same for all candidates."""
    return trained.constant(trained.least_edge)
