"""The quadratic program of QP_REG.

Primal, over the weights b of given voters (Rätsch, Onoda and Müller 2001)::

    min  ||b||² + C sum_i n_i xi_i    s.t.  y_i (H b)_i >= 1 - xi_i,  b, xi >= 0

Dual, with M for the matrix of the margins y_i h_t(x_i)::

    max  sum_i u_i - 1/4 ||(M'u)_+||²    s.t.  0 <= u_i <= C n_i;    b = 1/2 (M'u)_+

n_i is the number of examples equal to example i. PIQP, a proximal interior-point solver, solves the
primal. Its solution gives a guess at the examples on the margin and at the voters with weight, and
with that guess one linear system gives the exact u. In about one program in 500 the guess is wrong
because the optimum is degenerate: an example on the margin has the dual weight 0 or C n_i, or a
voter without weight is on the verge of one. An active-set method on the dual then finishes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.programs.active_set import (
    STEPS,
    ProximalSystem,
    best_guess,
    kkt_residual,
)
from quadrepro.learners.programs.program import RESIDUAL, QuadraticSolution, require_optimal

CLIMB = 10
"""Largest number of steps of the active-set method, per example and voter."""

PROXIMAL = 1e-9
"""Relative shift of the system of the margin, singular if examples depend on each other."""


@dataclass(frozen=True)
class MarginQPSolution(QuadraticSolution):
    """An optimal solution of QP_REG; `MarginQP.residual` is its KKT residual.

    Attributes
    ----------
    example_weights : ndarray of shape (n_examples,)
        Dual weight u_i of each distinct example, that of all its copies together.
    """

    example_weights: FloatArray


class _Guess(NamedTuple):
    """What PIQP ends with: dual weights, and on which side of each condition the optimum seems."""

    u: FloatArray
    free: BoolArray  # examples on the margin
    capped: BoolArray  # examples short of the margin, with the dual weight C n
    used: BoolArray  # voters with weight


class MarginQP:
    """QP_REG over given voters.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        y_i h_t(x_i).
    counts : ndarray of shape (n_examples,)
        How often each example occurs; all positive.
    """

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        self._margins = np.ascontiguousarray(margins)
        self._counts = counts

    def solve(self, C: float) -> MarginQPSolution:
        """Solve for a price C of slack.

        Parameters
        ----------
        C : float
            Price of a unit of slack, positive.

        Returns
        -------
        MarginQPSolution
            Nonnegative weights b, which are `voter_weights` of the dual weights u.

        Raises
        ------
        SolverError
            If the KKT residual is too large.
        """
        caps = C * self._counts
        guess, word = self._piqp(caps)
        u, residual = best_guess(
            guess.u, self._guesses(caps, guess), lambda u: self._residual(caps, u), RESIDUAL
        )
        require_optimal(residual, f"QP_REG's quadratic program at C = {C:g} ended as {word!r}")
        b = self.voter_weights(u)
        slack = np.maximum(0.0, 1.0 - self._margins @ b)
        square = float(b @ b)
        return MarginQPSolution(
            voter_weights=b,
            primal=square + float(caps @ slack),
            dual=float(u.sum()) - square,
            status=word,
            residual=residual,
            example_weights=u,
        )

    def voter_weights(self, u: FloatArray) -> FloatArray:
        """Return the voter weights b = ½ (M'u)_+ of dual weights.

        Parameters
        ----------
        u : ndarray of shape (n_examples,)
            Dual weights.

        Returns
        -------
        ndarray of shape (n_voters,)
            The weights b >= 0 that minimise the Lagrangian for this u.
        """
        return np.asarray(np.maximum(0.0, u @ self._margins) / 2)

    def residual(self, C: float, u: FloatArray) -> float:
        """Return the KKT residual of dual weights u and the voter weights that follow from them.

        With b = ½ (M'u)_+ and ξ = (1 - M b)_+, most KKT conditions hold for any u in the box
        0 <= u <= C n: b, ξ and the multipliers of b >= 0, which are 2 b - M'u = (-M'u)_+, are
        nonnegative, and b is zero wherever its multiplier is not. What remains is that examples
        short of the margin 1 have u_i = C n_i and those above it u_i = 0, which says that u
        maximises the dual. The residual is the `kkt_residual` of the dual, whose gradient is
        1 - M b::

            r = max_i |u_i - clip(u_i + s (1 - M b)_i, 0, C n_i)| / s,    s = max u

        Both sides of complementarity are thus measured against what is typical of them: how far an
        example is short of the margin, or above it, against the margin 1, and how far u_i is from
        its bound against the largest dual weight s. For every example, the smaller of the two is at
        most r. Neither is multiplied by the other, as in a duality gap: a product of 1e-8 allows
        1e-4 for both, and does so in degenerate optima, where interior-point solvers end just
        there.

        The residual bounds the gap, and the gap bounds the error: the sum over all examples of
        (C n_i - u_i) max(0, 1 - (M b)_i) + u_i max(0, (M b)_i - 1) is the duality gap, so that::

            gap <= r sum_i max(C n_i, s |1 - (M b)_i|)

        and ‖b - b*‖² <= gap for the optimal b*, since the primal objective exceeds its minimum by
        at least ‖b - b*‖².

        Parameters
        ----------
        C : float
            Price of a unit of slack.
        u : ndarray of shape (n_examples,)
            Dual weights between 0 and C n.

        Returns
        -------
        float
            r; infinite if u is zero, which is never optimal.
        """
        return self._residual(C * self._counts, u)

    def _residual(self, caps: FloatArray, u: FloatArray) -> float:
        scale = u.max()
        if not scale > 0:
            return float("inf")
        return kkt_residual(u, u + scale * self._gradient(u), 0.0, caps, scale)

    def _gradient(self, u: FloatArray) -> FloatArray:
        """Return the gradient of the dual: by how much each example is short of the margin."""
        return np.asarray(1.0 - self._margins @ self.voter_weights(u))

    def _guesses(self, caps: FloatArray, guess: _Guess) -> Iterator[FloatArray]:
        """Yield the dual weights of the guess, then those of a climb from the better point."""
        u = self._solve_guess(caps, guess)
        yield u
        u = min(u, guess.u, key=lambda v: self._residual(caps, v))
        for _ in range(CLIMB * sum(self._margins.shape)):
            u = self._climb(caps, u)
            yield u

    def _solve_guess(self, caps: FloatArray, guess: _Guess) -> FloatArray:
        """Return u if the guess is right, or as it was if the system cannot be solved."""
        free = guess.free
        u = np.where(guess.capped, caps, 0.0)
        if not free.any():
            return u
        u[free] = guess.u[free]
        rows = self._margins[:, guess.used]
        try:
            system = _system(rows[free])
        except LinAlgError:
            return guess.u
        for _ in range(STEPS):
            u[free] += system.solve(1.0 - rows[free] @ (u @ rows) / 2)
        return np.clip(u, 0.0, caps)

    def _climb(self, caps: FloatArray, u: FloatArray) -> FloatArray:
        """Return u after one step of an active-set method on the dual, which never descends.

        The direction is Newton's in the examples that can move. The step goes to the maximum in
        this direction, but not beyond the first bound.
        """
        edges = u @ self._margins
        free, direction = self._direction(caps, u, edges > 0)
        bounds = np.where(direction > 0, caps[free], 0.0)
        with np.errstate(divide="ignore"):
            reach = np.abs(bounds - u[free]) / np.abs(direction)
        step = _highest(direction, edges, direction @ self._margins[free], reach.min())
        moved = np.clip(u[free] + step * direction, 0.0, caps[free])
        u = u.copy()
        u[free] = np.where(reach <= step, bounds, moved)
        return u

    def _direction(
        self, caps: FloatArray, u: FloatArray, used: BoolArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the examples that can move and Newton's direction in them."""
        gradient = self._gradient(u)
        free = np.flatnonzero(_inward(caps, u, gradient))
        while True:
            try:
                direction = _system(self._margins[np.ix_(free, used)]).solve(gradient[free])
            except LinAlgError:
                direction = gradient[free]
            stays = _inward(caps[free], u[free], direction)
            if stays.all():
                return free, direction
            free = free[stays]

    def _piqp(self, caps: FloatArray) -> tuple[_Guess, str]:
        """Return the guess that PIQP's solution gives, and how PIQP says it ended."""
        import piqp

        M = self._margins
        m, n = M.shape
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = RESIDUAL / 1000
        solver.setup(
            np.diag(np.append(np.full(n, 2.0), np.zeros(m))),
            np.append(np.zeros(n), caps),
            None,
            None,
            np.hstack([M, np.eye(m)]),
            np.ones(m),
            np.full(m, np.inf),
            np.zeros(n + m),
            np.full(n + m, np.inf),
        )
        word = str(solver.solve())
        b, slack = np.split(solver.result.x, [n])
        u = np.clip(solver.result.z_l, 0.0, caps)
        # Of each complementary pair, which is the larger? Dual weights are in units of the largest.
        below, above = u.max() * slack, u.max() * (M @ b - 1.0 + slack)
        capped = below >= caps - u
        guess = _Guess(u, (above < u) & ~capped, capped, solver.result.z_bl[:n] < 2 * b)
        return guess, word


def _system(rows: FloatArray) -> ProximalSystem:
    """Return the system of examples on the margin, from their margins on voters with weight."""
    matrix = rows @ rows.T / 2
    return ProximalSystem(matrix, PROXIMAL * matrix.diagonal().max())


def _inward(caps: FloatArray, u: FloatArray, direction: FloatArray) -> BoolArray:
    """Return which entries are not on a bound that the direction points beyond."""
    return np.asarray(((u > 0) | (direction > 0)) & ((u < caps) | (direction < 0)))


def _highest(direction: FloatArray, edges: FloatArray, slopes: FloatArray, end: float) -> float:
    """Return the step in [0, end] at which the dual is largest in a direction.

    Its derivative falls with the step, and is linear between the steps at which an edge changes its
    sign.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = -edges / slopes
    steps = np.concatenate([[0.0], np.sort(kinks[(kinks > 0) & (kinks < end)]), [end]])
    rises = direction.sum() - np.maximum(0.0, edges + steps[:, None] * slopes) @ slopes / 2
    return float(np.interp(0.0, -rises, steps))
