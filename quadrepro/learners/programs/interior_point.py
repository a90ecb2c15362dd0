"""A guess at QP_REG's optimum by an interior-point method (Mehrotra 1992).

The conditions of the optimum, with w for the excess of margin plus slack over 1, and with the
multipliers t of xi >= 0 and z of b >= 0::

    M b + xi - w = 1    2b - M'u - z = 0    t = C n - u
    w u = 0    xi t = 0    b z = 0    w, u, xi, t, b, z >= 0

The products are kept positive and nearly equal, and go to zero. Newton's equations are reduced to
the voters: with D = 1/(w/u + xi/t), the matrix of the system for b is 2 + z/b + M'DM. So its size
does not depend on the number of examples. The last bits of the result depend on the BLAS.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from quadrepro._typing import BoolArray, FloatArray

STEPS = 100
"""Largest number of steps; 10 to 30 are usual."""

GAP = 1e-12
"""A duality gap of this share of the primal objective ends the method."""

BACK = 0.995
"""Share of the way to the boundary that a step goes at most."""


class Guess(NamedTuple):
    """Dual weights close to the optimum, and on which side of each condition the optimum seems."""

    u: FloatArray
    free: BoolArray  # examples on the margin
    capped: BoolArray  # examples short of the margin, with the dual weight C n
    used: BoolArray  # voters with weight
    steps: int


def guess_optimum(margins: FloatArray, caps: FloatArray) -> Guess:
    """Return a guess at the optimum of QP_REG's program.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        M.
    caps : ndarray of shape (n_examples,)
        C n, the largest dual weights; positive.

    Returns
    -------
    Guess
        From where the method ended: at a small gap, or where its system could not be solved.
    """
    x, s = _start(margins, caps)
    steps = 0
    while steps < STEPS:
        point = _Point(x, s, len(caps))
        gap = float(x @ s)
        if not gap > GAP * float(point.b @ point.b + caps @ point.xi):
            break
        try:
            newton = _Newton(margins, point)
        except LinAlgError:
            break
        dx, ds = newton.direction(-x * s)
        reach = min(_reach(x, dx), _reach(s, ds))
        centring = (float((x + reach * dx) @ (s + reach * ds)) / gap) ** 3
        dx, ds = newton.direction(centring * gap / len(x) - x * s - dx * ds)
        reach = BACK * min(_reach(x, dx), _reach(s, ds))
        x, s = x + reach * dx, s + reach * ds
        steps += 1
    point = _Point(x, s, len(caps))
    # Of each product, which factor is the larger? Dual weights are in units of the largest.
    scale = point.u.max()
    capped = scale * point.xi >= point.t
    free = (scale * point.w < point.u) & ~capped
    return Guess(np.minimum(point.u, caps), free, capped, point.z < 2 * point.b, steps)


def _start(margins: FloatArray, caps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (w, ξ, b) and (u, t, z) that satisfy all equations but those of the products.

    u is the multiple of the caps with the largest dual, but at most half of them.
    """
    edges = np.maximum(0.0, caps @ margins)
    square = float(edges @ edges)
    share = min(0.5, 2 * float(caps.sum()) / square) if square > 0 else 0.5
    b = share * edges / 2
    b += max(0.1 * b.max(), 0.01 * np.sqrt(share * caps.mean()))
    short = 1.0 - margins @ b
    slack = np.maximum(0.0, short) + 1.0
    u = share * caps
    x = np.concatenate([slack - short, slack, b])
    return x, np.concatenate([u, caps - u, 2 * b - u @ margins])


class _Point:
    """The parts of x = (w, ξ, b) and s = (u, t, z)."""

    def __init__(self, x: FloatArray, s: FloatArray, m: int) -> None:
        self.w, self.xi, self.b = np.split(x, [m, 2 * m])
        self.u, self.t, self.z = np.split(s, [m, 2 * m])


class _Newton:
    """Newton's equations at a point, factorised."""

    def __init__(self, margins: FloatArray, point: _Point) -> None:
        self._margins, self._point = margins, p = margins, point
        # Rounding alone keeps these from being zero.
        self._short = 1.0 - (margins @ p.b + p.xi - p.w)
        self._edges = p.u @ margins + p.z - 2 * p.b
        self._stiff = 1.0 / (p.w / p.u + p.xi / p.t)
        rows = margins * np.sqrt(self._stiff)[:, None]
        matrix = rows.T @ rows
        matrix[np.diag_indices(len(p.b))] += 2.0 + p.z / p.b
        self._factor = cho_factor(matrix, overwrite_a=True, check_finite=False)

    def direction(self, change: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the directions of x and s that change their products by given amounts."""
        p, m = self._point, len(self._margins)
        of_w, of_xi, of_b = np.split(change, [m, 2 * m])
        short = of_w / p.u - of_xi / p.t + self._short
        right = self._edges + (self._stiff * short) @ self._margins + of_b / p.b
        db = cho_solve(self._factor, right, check_finite=False)
        du = self._stiff * (short - self._margins @ db)
        dx = np.concatenate([(of_w - p.w * du) / p.u, (of_xi + p.xi * du) / p.t, db])
        return dx, np.concatenate([du, -du, (of_b - p.z * db) / p.b])


def _reach(x: FloatArray, dx: FloatArray) -> float:
    """Return the longest step, at most 1, that leaves x nonnegative."""
    falls = dx < 0
    return float((x[falls] / -dx[falls]).min(initial=1.0))
