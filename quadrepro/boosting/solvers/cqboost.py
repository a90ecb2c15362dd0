"""The quadratic program of CqBoost, kept warm while voters come.

Primal, over the weights q of the voters added so far (Roy et al. 2016)::

    min  q'Gq    s.t.  m'q >= mu,  sum_j q_j = 1,  q >= 0

Dual, over the multipliers beta >= 0 of the mean margin and nu of the sum, and a vote u::

    max  beta mu - nu - u'Gu    s.t.  beta m_j - 2 (Gu)_j <= nu    for every voter j

G = H'H/m and m_j, the mean of y h_j, are those of the added voters, so that the program knows no
examples. An example with margin g has the weight (beta - 2 g)/m, and beta m_j - 2 (Gq)_j is the
edge of voter j under these weights: voters with weight have the edge nu, all others at most that.

The solver is an active-set method. It holds the voters with weight, and steps to the optimum over
them as if weights could be negative; where a weight reaches zero first, its voter is let go, and
where the mean margin falls to mu first, it is held there. At the optimum the voter of largest edge
joins, or the mean margin is set free if beta < 0. Every step starts from the last one's Cholesky
factor of G + 1, which q'1 = 1 allows in place of G and which is singular only for voters that
depend on each other affinely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from quadrepro.boosting.solvers.program import SolverError
from quadrepro.voters.reduction import FloatArray

RESIDUAL = 1e-8
"""A solution with a larger KKT residual is not returned."""

NOISE = 1e-12
"""Weights up to this are zero, and edges that differ by this share of max(1, β) are equal."""

PROXIMAL = 1e-13
"""Shift of the voters' system, which is singular where voters depend on each other."""


@dataclass(frozen=True)
class CqBoostSolution:
    """An optimal solution of CqBoost over the added voters.

    Attributes
    ----------
    voter_weights : ndarray of shape (n_added,)
        Weights q of the voters in the order in which they were added.
    edges : ndarray of shape (n_voters,)
        β m_j - 2 (Gq)_j of every voter of the problem, added or not; its complement has the
        negative.
    beta, nu : float
        Multipliers of the mean margin and of the sum of the weights.
    primal, dual : float
        The two objectives, the dual one at u = q and the largest edge of an added voter as ν.
    status : str
        How many steps it took.
    residual : float
        Largest violation of a constraint or of an edge's condition, against max(1, β).
    best : tuple of (int, float)
        The voter of largest edge among those not added, and -1.0 if its complement is meant, else
        1.0; the first where several have it.
    excess : float
        By how much that edge is above ν; 0 where what is left is rounding.
    """

    voter_weights: FloatArray
    edges: FloatArray
    beta: float
    nu: float
    primal: float
    dual: float
    status: str
    residual: float
    best: tuple[int, float]
    excess: float

    @property
    def gap(self) -> float:
        """Relative duality gap; the primal objective is at least μ²."""
        return abs(self.primal - self.dual) / self.primal


def _noise(beta: float) -> float:
    return NOISE * max(1.0, beta)


class CqBoostMaster:
    """The restricted master problem.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G = HᵀH/m of all voters.
    margins : ndarray of shape (n_voters,)
        Mean of y h for each of them.
    mu : float
        Least mean margin of the vote; the first voter added must have it.
    """

    def __init__(self, gram: FloatArray, margins: FloatArray, mu: float) -> None:
        self._gram, self._mu = gram, mu
        # A margin a hair from mu would divide rounding by rounding.
        near = np.abs(np.abs(margins) - mu) <= NOISE
        self._margins = np.where(near, np.copysign(mu, margins), margins)
        self._voters = np.zeros(0, dtype=np.intp)
        self._signs, self._surplus, self._q = np.zeros((3, 0))
        self._free = np.zeros(0, dtype=np.intp)
        self._factor = np.zeros((0, 0))
        self._held = False

    def add_voter(self, voter: int, sign: float) -> None:
        """Add a voter, with sign 1, or its complement, with sign -1."""
        self._voters = np.append(self._voters, voter)
        self._signs = np.append(self._signs, sign)
        self._surplus = np.append(self._surplus, sign * self._margins[voter] - self._mu)
        self._q = np.append(self._q, 0.0 if len(self._q) else 1.0)
        self._join(len(self._q) - 1)

    def vote(self) -> FloatArray:
        """Return the signed weight of every voter of the problem, shape (n_voters,)."""
        used = self._free
        signed = self._q[used] * self._signs[used]
        vote = np.zeros(len(self._margins))
        # A voter and its complement may both have weight.
        np.add.at(vote, self._voters[used], signed)
        return vote

    def solve(self) -> CqBoostSolution:
        """Solve over the voters added so far.

        Raises
        ------
        SolverError
            If no optimum with a small KKT residual is found.
        """
        limit = 20 + 10 * len(self._q)
        for step in range(1, limit + 1):
            target, beta, nu = self._optimum_over_free()
            if self._blocked(target):
                continue
            if self._held and beta < 0:
                self._held = False
                continue
            used = self._voters[self._free]
            product = (self._q * self._signs)[self._free] @ self._gram[used]
            edges = beta * self._margins - 2 * product
            added = edges[self._voters] * self._signs
            idle = np.setdiff1d(np.arange(len(added)), self._free, assume_unique=True)
            if len(idle) and added[worst := idle[added[idle].argmax()]] > nu + _noise(beta):
                self._join(int(worst))
                continue
            return self._checked(edges, added, beta, nu, f"optimal after {step} steps")
        raise SolverError(
            f"CqBoost's quadratic program at mu = {self._mu:g} over {len(self._q)} voters "
            f"has no optimum after {limit} steps"
        )

    def _checked(
        self, edges: FloatArray, added: FloatArray, beta: float, nu: float, word: str
    ) -> CqBoostSolution:
        q, surplus = self._q, float(self._surplus @ self._q)
        residual = max(
            float((added - nu).max()) / max(1.0, beta),
            float(np.abs(added - nu)[self._free].max()) / max(1.0, beta),
            *(-surplus, beta * surplus, abs(float(q.sum()) - 1.0)),
        )
        if not residual <= RESIDUAL:
            raise SolverError(
                f"CqBoost's quadratic program at mu = {self._mu:g} over {len(q)} voters ended "
                f"with a KKT residual of {residual:.1g}, above {RESIDUAL:g}"
            )
        # q'Gq from the edges: 2 (Gq)_j = beta m_j - edge_j.
        margins = self._signs * self._margins[self._voters]
        primal = float(q @ (beta * margins - added)) / 2
        dual = beta * self._mu - float(added.max()) - primal
        best, excess = self._best_outside(edges, beta, nu)
        return CqBoostSolution(
            q.copy(), edges, beta, nu, primal, dual, word, residual, best, excess
        )

    def _best_outside(
        self, edges: FloatArray, beta: float, nu: float
    ) -> tuple[tuple[int, float], float]:
        both = np.stack([edges, -edges])
        both[np.where(self._signs > 0, 0, 1), self._voters] = -np.inf
        largest = float(both.max())
        complement, voter = divmod(int((both >= largest - _noise(beta)).argmax()), len(edges))
        excess = largest - nu
        return (voter, -1.0 if complement else 1.0), excess if excess > _noise(beta) else 0.0

    def _optimum_over_free(self) -> tuple[FloatArray, float, float]:
        """Return the weights over the free voters, of any sign, with β and ν."""
        right = np.column_stack([np.ones(len(self._free)), self._surplus[self._free]])
        half = solve_triangular(self._factor, right, lower=True)
        products = half.T @ half
        # Where every free voter has the margin mu, nothing has to hold it.
        self._held &= bool(np.linalg.det(products) > NOISE * products.diagonal().prod())
        if self._held:
            multipliers = np.linalg.solve(products, [1.0, 0.0])
        else:
            multipliers = np.array([1 / products[0, 0], 0.0])
        target = solve_triangular(self._factor, half @ multipliers, lower=True, trans=1)
        lam, beta = 2 * multipliers
        return target, float(beta), float(2 - lam + beta * self._mu)

    def _blocked(self, target: FloatArray) -> bool:
        """Go towards the target; tell whether a weight or the mean margin stopped it."""
        q, surplus = self._q[self._free], self._surplus[self._free]
        step = target - q
        reach = np.divide(q, -step, out=np.full(len(q), np.inf), where=target < -NOISE)
        first = int(reach.argmin())
        fall = -float(surplus @ step)
        if not self._held and fall > NOISE:
            room = max(0.0, float(surplus @ q)) / fall
            if room < min(1.0, reach[first]):
                self._q[self._free] = np.maximum(0.0, q + room * step)
                self._held = True
                return True
        if reach[first] < 1.0:
            self._q[self._free] = np.maximum(0.0, q + reach[first] * step)
            self._leave(first)
            return True
        self._q[self._free] = np.maximum(0.0, target)
        return False

    def _join(self, added: int) -> None:
        column = self._column(added)
        row = solve_triangular(self._factor, column[:-1], lower=True) if len(self._free) else ()
        k = len(self._free)
        factor = np.zeros((k + 1, k + 1), order="F")
        factor[:k, :k] = self._factor
        factor[k, :k] = row
        factor[k, k] = np.sqrt(max(PROXIMAL, column[-1] - np.dot(row, row)))
        self._factor = factor
        self._free = np.append(self._free, added)

    def _column(self, added: int) -> FloatArray:
        """Return the products of a voter with the free voters and itself, each plus 1."""
        others = np.append(self._free, added)
        products = self._gram[self._voters[added], self._voters[others]]
        column = self._signs[added] * self._signs[others] * products + 1.0
        column[-1] += PROXIMAL
        return np.asarray(column)

    def _leave(self, position: int) -> None:
        self._q[self._free[position]] = 0.0
        self._free = np.delete(self._free, position)
        voters, signs = self._voters[self._free], self._signs[self._free]
        matrix = self._gram[np.ix_(voters, voters)] * np.outer(signs, signs) + 1.0
        matrix.flat[:: len(matrix) + 1] += PROXIMAL
        self._factor = cholesky(matrix, lower=True)
