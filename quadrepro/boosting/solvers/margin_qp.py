"""The quadratic program of QP_REG (RQP-Boost).

Primal, over the weights b of given voters (Rätsch, Onoda and Müller 2001)::

    min  ||b||² + C sum_i n_i xi_i    s.t.  y_i (H b)_i >= 1 - xi_i,  b, xi >= 0

Dual, with M for the matrix of the margins y_i h_t(x_i)::

    max  sum_i u_i - 1/4 ||(M'u)_+||²    s.t.  0 <= u_i <= C n_i;    b = 1/2 (M'u)_+

n_i counts equal examples. A primal-dual interior point (Mehrotra's predictor and corrector)
eliminates all but b from the Newton equations, which leaves one Cholesky factor of a matrix of
n_voters x n_voters a step. From its guess at the examples that lie on the margin, the exact
solution follows from one more linear system. The KKT residual of what is returned is computed
from u alone. Where it is not small, PIQP solves the program as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from quadrepro.boosting.solvers.lp import SolverError
from quadrepro.boosting.solvers.margin_lp import MarginSolution
from quadrepro.voters.reduction import FloatArray

RESIDUAL = 1e-8
"""A solution with a larger KKT residual is not returned."""

MAX_STEPS = 60
"""Interior points need 8 to 25 steps here."""

CLOSE = 1e-2
"""From this KKT residual on, the set of examples on the margin is worth a guess."""

STIFFEST = 1e-11
"""Bounds the weights in the Newton matrix by its inverse, which keeps the matrix definite."""

PROXIMAL = 1e-9
"""Relative shift of the margin's system, which is singular where examples depend on each other."""


@dataclass(frozen=True)
class QPSolution(MarginSolution):
    """An optimal solution of QP_REG.

    Attributes
    ----------
    residual : float
        KKT residual: max |u - clip(u + s (1 - M b), 0, C n)| / s with s = max u. All other
        conditions hold by the construction of b from u.
    """

    residual: float


class _Point(NamedTuple):
    """Variables of the interior point; all stay positive."""

    b: FloatArray
    lower: FloatArray  # multipliers of b >= 0
    u: FloatArray
    rest: FloatArray  # C n - u
    excess: FloatArray  # by how much a margin is above 1 - slack
    slack: FloatArray

    def moved(self, by: _Point, length: float) -> _Point:
        return _Point(*(x + length * d for x, d in zip(self, by, strict=True)))

    def complementarity(self) -> float:
        total = self.u @ self.excess + self.rest @ self.slack + self.lower @ self.b
        return float(total) / (2 * len(self.u) + len(self.b))

    def longest(self, by: _Point) -> float:
        """Return the longest step, up to 1, that keeps all variables nonnegative."""
        return 1.0 / max(1.0, *(float((-d / x).max()) for x, d in zip(self, by, strict=True)))


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

    def solve(self, C: float) -> QPSolution:
        """Solve for a price C of slack.

        Raises
        ------
        SolverError
            If neither the interior point nor PIQP comes to a small KKT residual.
        """
        caps = C * self._counts
        solution = self._solution(caps, self._interior_point(caps), "interior point")
        if not solution.residual <= RESIDUAL:
            u, word = self._piqp(caps)
            solution = self._solution(caps, u, word)
        if not solution.residual <= RESIDUAL:
            raise SolverError(
                f"QP_REG's quadratic program at C = {C:g} ended as {solution.status!r} "
                f"with a KKT residual of {solution.residual:.1g}, above {RESIDUAL:g}"
            )
        return solution

    def _solution(self, caps: FloatArray, u: FloatArray, word: str) -> QPSolution:
        b = self._voter_weights(u)
        slack = np.maximum(0.0, 1.0 - self._margins @ b)
        square = float(b @ b)
        residual = self._residual(caps, u)
        return QPSolution(b, u, square + float(caps @ slack), u.sum() - square, word, residual)

    def _voter_weights(self, u: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, u @ self._margins) / 2)

    def _residual(self, caps: FloatArray, u: FloatArray) -> float:
        scale = u.max()
        if not scale > 0:
            return float("inf")
        short = 1.0 - self._margins @ self._voter_weights(u)
        return float(np.abs(u - np.clip(u + scale * short, 0.0, caps)).max() / scale)

    def _interior_point(self, caps: FloatArray) -> FloatArray:
        """Return the best u found."""
        point = self._start(caps)
        best, least = point.u, float("inf")
        for _ in range(MAX_STEPS):
            u = point.u
            if self._residual(caps, u) < CLOSE:
                u = self._better(caps, point)
            if (residual := self._residual(caps, u)) < least:
                best, least = u, residual
            # Better than asked, since a step more mostly gives the exact solution.
            if least < RESIDUAL / 100:
                break
            following = self._step(point)
            if following is None:
                break
            point = following
        return best

    def _start(self, caps: FloatArray) -> _Point:
        u = caps / 2
        b = self._voter_weights(u)
        b /= max(1.0, float((self._margins @ b).max()))
        b += 0.1 * max(float(b.max()), 1e-3)
        short = 1.0 - self._margins @ b
        excess = 1.0 + np.maximum(0.0, -short)
        lower = np.full(len(b), u @ excess / len(u) / b.mean())
        return _Point(b, lower, u, caps - u, excess, excess + short)

    def _step(self, point: _Point) -> _Point | None:
        """Return the next point, or None where the machine's precision is used up."""
        M = self._margins
        b, lower, u, rest, excess, slack = point
        margin_fault = M @ b - 1.0 - excess + slack
        weight_fault = 2 * b - u @ M - lower
        D = 1.0 / (excess / u + slack / rest + STIFFEST)
        scaled = M * np.sqrt(D)[:, None]
        matrix = scaled.T @ scaled
        matrix.flat[:: len(b) + 1] += 2.0 + lower / b
        factor, info = dpotrf(matrix, lower=1, overwrite_a=1)
        if info:
            return None

        def direction(to_excess: FloatArray, to_slack: FloatArray, to_b: FloatArray) -> _Point:
            wanted = to_excess / u - to_slack / rest - margin_fault
            db, _ = dpotrs(factor, (D * wanted) @ M - weight_fault + to_b / b, lower=1)
            du = D * (wanted - M @ db)
            return _Point(
                db,
                (to_b - lower * db) / b,
                du,
                -du,
                (to_excess - excess * du) / u,
                (to_slack + slack * du) / rest,
            )

        affine = direction(-u * excess, -rest * slack, -lower * b)
        mu = point.complementarity()
        reached = point.moved(affine, point.longest(affine)).complementarity()
        aim = mu * (reached / mu) ** 3
        by = direction(
            aim - u * excess - affine.u * affine.excess,
            aim - rest * slack - affine.rest * affine.slack,
            aim - lower * b - affine.lower * affine.b,
        )
        following = point.moved(by, 0.995 * point.longest(by))
        return following if all((x > 0).all() for x in following) else None

    def _better(self, caps: FloatArray, point: _Point) -> FloatArray:
        """Return the point's u or the one that follows from its guess, whichever is better."""
        return min(point.u, self._on_margin(caps, point), key=lambda u: self._residual(caps, u))

    def _on_margin(self, caps: FloatArray, point: _Point) -> FloatArray:
        """Return u if the examples that seem to lie on the margin do, and the others do not.

        Among several such u it is the one nearest to the point's, by proximal steps.
        """
        scale = point.u.max()
        free = (scale * point.excess < point.u) & (scale * point.slack < point.rest)
        u = np.where(scale * point.slack >= point.rest, caps, 0.0)
        if not free.any():
            return u
        u[free] = point.u[free]
        used = point.lower < 2 * point.b
        rows = self._margins[:, used]
        matrix = rows[free] @ rows[free].T / 2
        matrix.flat[:: len(matrix) + 1] += PROXIMAL * matrix.diagonal().max()
        factor, info = dpotrf(matrix, lower=1, overwrite_a=1)
        if info:
            return point.u
        for _ in range(3):
            change, _ = dpotrs(factor, 1.0 - rows[free] @ (u @ rows) / 2, lower=1)
            u[free] += change
        return np.clip(u, 0.0, caps)

    def _piqp(self, caps: FloatArray) -> tuple[FloatArray, str]:
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
        excess = M @ b - 1.0 + slack
        point = _Point(b, solver.result.z_bl[:n], u, caps - u, excess, slack)
        return self._better(caps, point), word
