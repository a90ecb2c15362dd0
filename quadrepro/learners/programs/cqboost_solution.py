"""A solution of CqBoost's quadratic program, with its certificate."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import QuadraticSolution


@dataclass(frozen=True)
class CqBoostSolution(QuadraticSolution):
    """An optimal solution of CqBoost over the added voters.

    The weights q are those of the added voters, in the order in which they were added. The dual
    objective is taken at u = q, with the largest edge of an added voter as ν. The residual is the
    largest violation of a constraint on q, of β (m'q - μ) = 0, or of a condition on an edge; the
    last are divided by max(1, β).

    Attributes
    ----------
    edges : ndarray of shape (n_voters,)
        β m_j - 2 (Gq)_j of every voter of the problem, added or not; its complement has the
        negative.
    beta, nu : float
        Multipliers of the mean margin and of the sum of the weights.
    best : tuple of (int, float)
        The voter with the largest edge among those not added, and its sign: 1.0 for the voter, -1.0
        for its complement. The first of several.
    excess : float
        By how much that edge is above ν; 0 if the difference is rounding.
    """

    edges: FloatArray
    beta: float
    nu: float
    best: tuple[int, float]
    excess: float

    @property
    def gap(self) -> float:
        """Duality gap relative to the primal objective, which is at least μ²."""
        return abs(self.primal - self.dual) / self.primal
