"""What all programs share: the solution with its certificate, and the failure to find one."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import FloatArray

RESIDUAL = 1e-8
"""Largest KKT residual of a solution of a quadratic program."""


class SolverError(ValueError):
    """The solver ended without an optimal solution."""


@dataclass(frozen=True)
class ProgramSolution:
    """An optimal solution over given voters.

    Attributes
    ----------
    voter_weights : ndarray of shape (n_voters,)
        Weights of the voters in the order in which they were given.
    primal, dual : float
        The two objectives, each computed from its own variables.
    status : str
        How the solver says it ended.
    """

    voter_weights: FloatArray
    primal: float
    dual: float
    status: str

    @property
    def gap(self) -> float:
        """Duality gap |primal - dual|, relative to max(1, |dual|)."""
        return abs(self.primal - self.dual) / max(1.0, abs(self.dual))


@dataclass(frozen=True)
class QuadraticSolution(ProgramSolution):
    """An optimal solution of a quadratic program.

    Attributes
    ----------
    residual : float
        KKT residual, at most `RESIDUAL`. Each program documents its own.
    """

    residual: float


def require_optimal(residual: float, program: str) -> None:
    """Raise SolverError if a KKT residual is too large or NaN.

    Parameters
    ----------
    residual : float
        KKT residual of the point that the solver ended with.
    program : str
        What the message starts with: the program and how it ended.

    Raises
    ------
    SolverError
        If the residual is not at most `RESIDUAL`.
    """
    if not residual <= RESIDUAL:
        raise SolverError(f"{program} with a KKT residual of {residual:.1g}, above {RESIDUAL:g}")
