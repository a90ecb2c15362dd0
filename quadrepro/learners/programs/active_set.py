"""What the quadratic programs share: guesses at the active set, and how good a point is.

An interior-point solver ends close to the optimum, but never quite on a bound. From such a point
one can guess which variables are on a bound in the optimum (the active set). If the guess is right,
a linear system in the other variables gives the optimum to the last digits. Every program has a
system of its own; this module holds what does not depend on the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.ordered import Cholesky

STEPS = 3
"""Proximal steps with one `ProximalSystem`, which remove the effect of its shift."""

MANY_STEPS = 50
"""Largest number of proximal steps where they end when an error no longer halves."""

TOUCH = 1e-9
"""What is closer to a bound than this is on it, in the unit of the program."""

Point = TypeVar("Point")


class ProximalSystem:
    """The linear system of a proximal step: a matrix K whose diagonal is shifted by δ.

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
        self._factor = Cholesky(shifted)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return (K + δI)⁻¹ times a vector of shape (n,) or a matrix of shape (n, k)."""
        return self._factor.solve(right)


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

    Returns
    -------
    float
        r, without a unit.
    """
    return float(np.abs(x - np.clip(moved, low, high)).max() / scale)


def best_guess(
    start: Point, guesses: Iterable[Point], residual: Callable[[Point], float], enough: float
) -> tuple[Point, float]:
    """Return the point with the smallest residual among a start and guesses at the optimum.

    Parameters
    ----------
    start : point
        Where the solver ended.
    guesses : iterable of points
        Guesses, each made only when the one before was not good enough.
    residual : callable
        Returns the KKT residual of a point.
    enough : float
        No further guess is made once a residual is at most this. The first is always made.

    Returns
    -------
    point : point
        The best, the first of equals.
    residual : float
        Its KKT residual.
    """
    best, least = start, residual(start)
    for point in guesses:
        if (found := residual(point)) < least:
            best, least = point, found
        if least <= enough:
            break
    return best, least
