"""The quadratic program of MinCq, over the weights of given voters.

Primal (Germain et al. 2015; quasi-uniform weights, first moment of the margin fixed to μ)::

    min  w'Gw    s.t.  m'w = mu,  |w_j| <= 1/n;    G = H'H/m,  m_j = mean of y h_j

It is solved for v = w/μ, whose size does not depend on μ, with b_j = 1/(n μ)::

    min  v'Gv                                s.t.  m'v = 1,  |v_j| <= b_j
    max  eta - v'Gv - sum_j b_j |2 (Gv)_j - eta m_j|    over v and eta

The minimum is 1/(1 - C), with C the C-bound of the vote. In the weights q of the 2n voters
{h, -h}, w_j + 1/n = 2 q_j with 0 <= q_j <= 1/n, and the q sum to 1.

Voters that are equal up to sign have equal rows in G. They are merged into one voter, whose bound
is the sum of theirs and whose weight they share. PIQP, a proximal interior-point solver, solves the
program. Its solution gives a guess at the weights on a bound, and with that guess one linear
system gives the exact solution.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import LinAlgError

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.active_set import (
    STEPS,
    ProximalSystem,
    best_guess,
    kkt_residual,
)
from quadrepro.learners.programs.program import RESIDUAL, QuadraticSolution, require_optimal

GUESSES = 8
"""Largest number of guesses at the weights on a bound."""

PROXIMAL = 1e-10
"""Shift of the system of the free voters, which is singular if voters depend on each other."""


class MinCqProgram:
    """MinCq over given voters.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G = HᵀH/m.
    margins : ndarray of shape (n_voters,)
        Mean of y h for each voter.
    """

    def __init__(self, gram: FloatArray, margins: FloatArray) -> None:
        leading = gram[np.arange(len(gram)), (gram != 0).argmax(axis=1)]
        self._signs = np.where(leading < 0, -1.0, 1.0)
        # Adding zero turns -0.0 into 0.0, which `unique` would otherwise tell apart.
        rows = gram * self._signs[:, None] + 0.0
        _, first, inverse, copies = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self._inverse = inverse.ravel()
        self._copies = copies.astype(np.float64)
        self._margins = (margins * self._signs)[first]
        self._gram = rows[first][:, first] * self._signs[first]

    @property
    def largest_mu(self) -> float:
        """The largest feasible mean margin: that of the weights ±1/n with the signs of m."""
        return float(self._copies @ np.abs(self._margins) / len(self._signs))

    def solve(self, mu: float) -> QuadraticSolution:
        """Solve for a mean margin μ.

        Parameters
        ----------
        mu : float
            Mean margin of the vote, at most `largest_mu`.

        Returns
        -------
        QuadraticSolution
            Signed weights w, and the objectives of the program in v = w/μ. The residual is the
            larger of |m'v - 1| and the `kkt_residual` of v with the slope 2 G v/η - m; its s is
            max b.

        Raises
        ------
        SolverError
            If the KKT residual is too large, as it always is for μ above `largest_mu`.
        """
        bounds = self._copies / (len(self._signs) * mu)
        v, eta, word = self._piqp(bounds)
        (v, eta), residual = best_guess(
            (v, eta),
            self._guesses(bounds, v, eta),
            lambda point: self._residual(bounds, *point),
            RESIDUAL / 1000,
        )
        require_optimal(residual, f"MinCq's quadratic program at mu = {mu:g} ended as {word!r}")
        product = self._gram @ v
        primal = float(v @ product)
        dual = eta - primal - float(bounds @ np.abs(2 * product - eta * self._margins))
        weights = (mu * v / self._copies)[self._inverse] * self._signs
        return QuadraticSolution(weights, primal, dual, word, residual)

    def _moved(self, bounds: FloatArray, v: FloatArray, eta: float) -> FloatArray:
        """Return v after a step against the slope, which may leave the bounds."""
        slope = 2 * self._gram @ v / eta - self._margins
        return np.asarray(v - bounds.max() * slope)

    def _residual(self, bounds: FloatArray, v: FloatArray, eta: float) -> float:
        if not eta > 0:
            return float("inf")
        moved = self._moved(bounds, v, eta)
        stationarity = kkt_residual(v, moved, -bounds, bounds, bounds.max())
        return max(stationarity, float(abs(self._margins @ v - 1.0)))

    def _guesses(
        self, bounds: FloatArray, v: FloatArray, eta: float
    ) -> Iterator[tuple[FloatArray, float]]:
        """Yield v and η of one guess after another, v clipped to its bounds."""
        for _ in range(GUESSES):
            if not eta > 0:
                return
            v, eta = self._on_bounds(bounds, v, self._moved(bounds, v, eta), eta)
            yield np.clip(v, -bounds, bounds), eta

    def _on_bounds(
        self, bounds: FloatArray, v: FloatArray, moved: FloatArray, eta: float
    ) -> tuple[FloatArray, float]:
        """Return v and η if just the weights that `moved` has on or beyond a bound are on it."""
        free = np.abs(moved) < bounds
        v = np.where(free, v, np.copysign(bounds, moved))
        if not free.any():
            return v, eta
        m = self._margins[free]
        try:
            system = ProximalSystem(2 * self._gram[np.ix_(free, free)], PROXIMAL)
        except LinAlgError:
            return v, eta
        along = system.solve(m)
        for _ in range(STEPS):
            step = -system.solve(2 * self._gram[free] @ v)
            if m.any():
                eta = float((1.0 - self._margins @ v - m @ step) / (m @ along))
            v[free] += step + eta * along
        return v, eta

    def _piqp(self, bounds: FloatArray) -> tuple[FloatArray, float, str]:
        """Return v, η and how PIQP says it ended."""
        import piqp

        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = RESIDUAL / 10_000
        solver.setup(
            np.asfortranarray(2 * self._gram),
            np.zeros(len(bounds)),
            np.asfortranarray(self._margins[None, :]),
            np.ones(1),
            None,
            None,
            None,
            -bounds,
            bounds,
        )
        word = str(solver.solve())
        v = np.clip(solver.result.x, -bounds, bounds)
        return v, -float(solver.result.y[0]), word
