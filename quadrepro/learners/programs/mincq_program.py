"""The quadratic program of MinCq, over the weights of given voters.

Primal (Germain et al. 2015; quasi-uniform weights, first moment of the margin fixed to μ)::

    min  w'Gw    s.t.  m'w = mu,  |w_j| <= 1/n;    G = H'H/m,  m_j = mean of y h_j

It is solved for v = w/μ, whose size does not depend on μ, with b_j = 1/(n μ)::

    min  v'Gv                                s.t.  m'v = 1,  |v_j| <= b_j
    max  eta - v'Gv - sum_j b_j |2 (Gv)_j - eta m_j|    over v and eta

The least value is 1/(1 - C), with C the C-bound of the vote. In the weights q of the 2n voters
{h, -h} this is 2 q_j = w_j + 1/n with 0 <= q_j <= 1/n and sum 1.

Voters that are equal up to sign have equal rows in G. They are one voter with the bounds of all of
them, which share its weight. PIQP, a proximal interior point, solves the program; from its guess at
the weights on a bound, the exact solution follows from one more linear system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import SolverError

RESIDUAL = 1e-8
"""A solution with a larger KKT residual is not returned."""

GUESSES = 8
"""How often the guess at the weights on a bound is mended."""

PROXIMAL = 1e-10
"""Shift of the free voters' system, which is singular where voters depend on each other."""


@dataclass(frozen=True)
class MinCqSolution:
    """An optimal solution of MinCq.

    Attributes
    ----------
    voter_weights : ndarray of shape (n_voters,)
        Signed weights w.
    primal, dual : float
        The two objectives of the program in v = w/μ, each computed from its own variables.
    status : str
        The solver's word for how it ended.
    residual : float
        KKT residual: the larger of |m'v - 1| and max |v - clip(v - s g/η, -b, b)| / s, where
        g = 2 G v - η m and s = max b.
    """

    voter_weights: FloatArray
    primal: float
    dual: float
    status: str
    residual: float

    @property
    def gap(self) -> float:
        """Relative duality gap; both objectives are at least 1."""
        return abs(self.primal - self.dual) / self.primal


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
        """The largest feasible mean margin, that of weights of 1/n with the right signs."""
        return float(self._copies @ np.abs(self._margins) / len(self._signs))

    def solve(self, mu: float) -> MinCqSolution:
        """Solve for a mean margin μ.

        Raises
        ------
        SolverError
            If what comes out has not a small KKT residual; with μ above `largest_mu` it never has.
        """
        bounds = self._copies / (len(self._signs) * mu)
        v, eta, word = self._piqp(bounds)
        v, eta, residual = self._refined(bounds, v, eta)
        if not residual <= RESIDUAL:
            raise SolverError(
                f"MinCq's quadratic program at mu = {mu:g} ended as {word!r} "
                f"with a KKT residual of {residual:.1g}, above {RESIDUAL:g}"
            )
        product = self._gram @ v
        primal = float(v @ product)
        dual = eta - primal - float(bounds @ np.abs(2 * product - eta * self._margins))
        weights = (mu * v / self._copies)[self._inverse] * self._signs
        return MinCqSolution(weights, primal, dual, word, residual)

    def _moved(self, bounds: FloatArray, v: FloatArray, eta: float) -> FloatArray:
        """Return v after a step against the gradient, which may leave the bounds."""
        slope = 2 * self._gram @ v / eta - self._margins
        return np.asarray(v - bounds.max() * slope)

    def _residual(self, bounds: FloatArray, v: FloatArray, eta: float) -> float:
        if not eta > 0:
            return float("inf")
        step = v - np.clip(self._moved(bounds, v, eta), -bounds, bounds)
        return float(max(np.abs(step).max() / bounds.max(), abs(self._margins @ v - 1.0)))

    def _refined(
        self, bounds: FloatArray, v: FloatArray, eta: float
    ) -> tuple[FloatArray, float, float]:
        """Return the best of the point and those its guesses give, with the residual."""
        best, least = (v, eta), self._residual(bounds, v, eta)
        for _ in range(GUESSES):
            if not eta > 0:
                break
            v, eta = self._on_bounds(bounds, v, self._moved(bounds, v, eta), eta)
            clipped = np.clip(v, -bounds, bounds)
            if (residual := self._residual(bounds, clipped, eta)) < least:
                best, least = (clipped, eta), residual
            if least <= RESIDUAL / 1000:
                break
        return *best, least

    def _on_bounds(
        self, bounds: FloatArray, v: FloatArray, moved: FloatArray, eta: float
    ) -> tuple[FloatArray, float]:
        """Return v and η if the weights that `moved` has on a bound are, and the others are free.

        Among several such v it is the one nearest to the given one, by proximal steps.
        """
        free = np.abs(moved) < bounds
        v = np.where(free, v, np.copysign(bounds, moved))
        if not free.any():
            return v, eta
        m = self._margins[free]
        matrix = 2 * self._gram[np.ix_(free, free)]
        matrix.flat[:: len(matrix) + 1] += PROXIMAL
        try:
            factor = cho_factor(matrix)
        except LinAlgError:
            return v, eta
        along = cho_solve(factor, m)
        for _ in range(3):
            step = -cho_solve(factor, 2 * self._gram[free] @ v)
            if m.any():
                eta = float((1.0 - self._margins @ v - m @ step) / (m @ along))
            v[free] += step + eta * along
        return v, eta

    def _piqp(self, bounds: FloatArray) -> tuple[FloatArray, float, str]:
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
