"""Shared by linear and quadratic programs: solutions, margins, guesses at an active set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Hyperparameter
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.programs.ordered import Cholesky
from quadrepro.core.voters.reduction import VotingProblem

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
        The solver's status.
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
    """An optimal solution of a quadratic program, with a KKT residual of at most `RESIDUAL`."""

    residual: float


def require_optimal(residual: float, program: str) -> None:
    """Raise SolverError if a KKT residual is too large or NaN."""
    if not residual <= RESIDUAL:
        raise SolverError(f"{program} with a KKT residual of {residual:.1g}, above {RESIDUAL:g}")


STEPS = 3
"""Proximal steps with one `ProximalSystem`, which remove the effect of its shift."""

MANY_STEPS = 50
"""Largest number of proximal steps where they end when an error no longer halves."""

TOUCH = 1e-9
"""What is closer to a bound than this is on it, in the unit of the program."""

Point = TypeVar("Point")


class ProximalSystem(Cholesky):
    """The factor of the system of a proximal step: a matrix K whose diagonal is shifted by δ.

    K is positive semidefinite, and singular if voters or examples depend on each other linearly.
    To minimise x'Kx/2 - c'x, the proximal-point method repeats
    x ← argmin x'Kx/2 - c'x + δ‖x - x_old‖²/2, which is x ← x + (K + δI)⁻¹ (c - Kx). In the
    direction of an eigenvector with eigenvalue κ, a step multiplies the error by δ/(κ + δ). `STEPS`
    of them thus remove the effect of the shift wherever κ is well above δ. Directions with κ = 0
    are left alone: of several solutions one gets the one nearest to the start.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        K, which is not changed.
    shift : float
        δ > 0.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the shifted matrix is not positive definite.
    """

    def __init__(self, matrix: FloatArray, shift: float) -> None:
        shifted = matrix.copy()
        shifted[np.diag_indices(len(matrix))] += shift
        super().__init__(shifted)


def kkt_residual(
    x: FloatArray, moved: FloatArray, low: FloatArray | float, high: FloatArray, scale: float
) -> float:
    """Return how far bounded variables are from satisfying the KKT conditions.

    With a slope d, the gradient of a convex function f in a unit of the caller's choice, and
    moved = x - s d, the residual is::

        r = max_i |x_i - clip(moved_i, low_i, high_i)| / s

    This is the natural map of the problem min f(x) over low <= x <= high. It is zero if and only if
    x is optimal, since the KKT conditions say that no projected gradient step moves x. For x within
    its bounds, entry i is the larger of::

        min(max(d_i, 0), (x_i - low_i)/s)    and    min(max(-d_i, 0), (high_i - x_i)/s)

    So r <= tol means for every variable: its slope is at most tol in size, or the slope pushes it
    against a bound that is at most tol s away. Slopes are measured in the caller's unit and
    distances from bounds in units of s, the size of a typical variable.

    Parameters
    ----------
    x : ndarray of shape (n,)
        The point, within its bounds.
    moved : ndarray of shape (n,)
        x - s d.
    low, high : ndarray of shape (n,) or float
        Bounds.
    scale : float
        s > 0.
    """
    return float(np.abs(x - np.clip(moved, low, high)).max() / scale)


def best_guess(
    start: Point, guesses: Iterable[Point], residual: Callable[[Point], float], enough: float
) -> tuple[Point, float]:
    """Return the point with the smallest residual among a start and guesses at the optimum."""
    best, least = start, residual(start)
    for point in guesses:
        if (found := residual(point)) < least:
            best, least = point, found
        if least <= enough:
            break
    return best, least


ROUNDING = 1e-12
"""Share by which μ may exceed the largest feasible one, which is a rounded sum."""

# At the largest feasible μ nothing is left to choose: MinCq's weights all have the same size, and
# CqBoost's vote is the best voter.
MU = Hyperparameter("mu", "number", "large", "mean margin of the vote", smallest=1e-9)


def feasible(mu: float, largest: float) -> bool:
    """Return whether μ is at most the largest that a vote can have, up to rounding."""
    return mu <= largest * (1 + ROUNDING)


def mu_limit(largest: FloatArray) -> str:
    """Return the largest feasible μ in a sentence, rounded down so that it can be used.

    Parameters
    ----------
    largest : ndarray of shape (n_samples,)
        The largest μ that each sample allows.
    """
    smallest = float(largest.min())
    if not smallest > 0:
        return "no voter is right more or less often than wrong: no mu above 0 is feasible"
    unit = 10.0 ** (math.floor(math.log10(smallest)) - 2)
    shown = math.floor(smallest / unit) * unit
    where = " on the smallest of these samples" if len(largest) > 1 else ""
    return f"mu can be at most {shown:.3g}{where}"


def infeasible(algorithm: Algorithm, mu: float, problem: VotingProblem) -> ValueError:
    """Return the error for a mean margin that no vote has."""
    return ValueError(f"no vote has a mean margin of mu = {mu:g}: {algorithm.limit(problem)}")
