"""The quadratic program of QP_REG (RQP-Boost).

Primal, over the weights b of given voters (Rätsch, Onoda and Müller 2001)::

    min  ||b||² + C sum_i n_i xi_i    s.t.  y_i (H b)_i >= 1 - xi_i,  b, xi >= 0

Dual, with M for the matrix of the margins y_i h_t(x_i)::

    max  sum_i u_i - 1/4 ||(M'u)_+||²    s.t.  0 <= u_i <= C n_i;    b = 1/2 (M'u)_+

n_i counts equal examples. PIQP, a proximal interior point, solves the primal. From its guess at the
examples that lie on the margin, the exact solution follows from one more linear system. The KKT
residual of what is returned is computed from u alone where that is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import ProgramSolution, SolverError

RESIDUAL = 1e-8
"""A solution with a larger KKT residual is not returned."""

PROXIMAL = 1e-9
"""Relative shift of the margin's system, which is singular where examples depend on each other."""


@dataclass(frozen=True)
class QPSolution(ProgramSolution):
    """An optimal solution of QP_REG.

    Attributes
    ----------
    residual : float
        KKT residual: max |u - clip(u + s (1 - M b), 0, C n)| / s with s = max u, where b follows
        from u, so that all other conditions hold by construction; else the largest violation of
        any condition, against max(1, s).
    """

    residual: float


class _Point(NamedTuple):
    """What PIQP ends with: primal and dual variables, none negative."""

    b: FloatArray
    lower: FloatArray  # multipliers of b >= 0
    u: FloatArray
    rest: FloatArray  # C n - u
    excess: FloatArray  # by how much a margin is above 1 - slack
    slack: FloatArray


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
            If what comes out has not a small KKT residual.
        """
        caps = C * self._counts
        point, word = self._piqp(caps)
        u = self._better(caps, point)
        b, residual = self._voter_weights(u), self._residual(caps, u)
        if residual > RESIDUAL:
            # Voters on the verge of a weight: u does not tell them apart, the multipliers do.
            u, b, residual = point.u, np.maximum(0.0, point.b), self._kkt_residual(point)
        slack = np.maximum(0.0, 1.0 - self._margins @ b)
        square = float(b @ b)
        if not residual <= RESIDUAL:
            raise SolverError(
                f"QP_REG's quadratic program at C = {C:g} ended as {word!r} "
                f"with a KKT residual of {residual:.1g}, above {RESIDUAL:g}"
            )
        primal, dual = square + float(caps @ slack), float(u.sum()) - square
        return QPSolution(b, u, primal, dual, word, residual)

    def _voter_weights(self, u: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, u @ self._margins) / 2)

    def _residual(self, caps: FloatArray, u: FloatArray) -> float:
        scale = u.max()
        if not scale > 0:
            return float("inf")
        short = 1.0 - self._margins @ self._voter_weights(u)
        return float(np.abs(u - np.clip(u + scale * short, 0.0, caps)).max() / scale)

    def _kkt_residual(self, point: _Point) -> float:
        """Return the largest violation of stationarity, feasibility and complementarity."""
        b, lower, u, rest, excess, slack = point
        violations = (
            2 * b - u @ self._margins - lower,
            np.minimum(0.0, np.concatenate([b, lower, u, rest, excess, slack])),
            *(lower * b, u * excess, rest * slack),
        )
        return float(max(np.abs(v).max() for v in violations) / max(1.0, u.max()))

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
        try:
            factor = cho_factor(matrix)
        except LinAlgError:
            return point.u
        for _ in range(3):
            u[free] += cho_solve(factor, 1.0 - rows[free] @ (u @ rows) / 2)
        return np.clip(u, 0.0, caps)

    def _piqp(self, caps: FloatArray) -> tuple[_Point, str]:
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
        return _Point(b, solver.result.z_bl[:n], u, caps - u, excess, slack), word
