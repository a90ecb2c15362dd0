"""The quadratic program of CqBoost, kept warm while voters are added.

Primal, over the weights q of the voters added so far (Roy et al. 2016)::

    min  q'Gq    s.t.  m'q >= mu,  sum_j q_j = 1,  q >= 0

Dual, over the multipliers beta >= 0 of the mean margin and nu of the sum, and a vote u::

    max  beta mu - nu - u'Gu    s.t.  beta m_j - 2 (Gu)_j <= nu    for every voter j

G = H'H/m and m_j, the mean of y h_j, are restricted to the added voters, so the size of the program
does not depend on the number of examples. An example with margin g has the weight (beta - 2 g)/m,
and beta m_j - 2 (Gq)_j is the edge of voter j under these weights. In the optimum, voters with
weight have the edge nu and no other voter has a larger edge.

The program is solved repeatedly over the voters with weight and the voter with the largest edge
among the others, until no edge is above nu. In most cases no voter loses its weight. The optimum
over weights of any sign is then the solution, and one linear system gives it. Otherwise DAQP, a
dual active-set solver, finds which voters have weight, and the same system over these voters gives
the last digits. G is replaced by G + 1, which changes nothing since q'1 = 1, and which is singular
only if voters depend on each other affinely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.programs.active_set import STEPS, ProximalSystem
from quadrepro.learners.programs.program import QuadraticSolution, SolverError, require_optimal

NOISE = 1e-12
"""Weights up to this are zero; edges that differ by up to this times max(1, β) are equal."""

PROXIMAL = 1e-9
"""Shift of the system of the voters, ill-conditioned if voters nearly depend on each other."""


@dataclass(frozen=True)
class CqBoostSolution(QuadraticSolution):
    """An optimal solution of CqBoost over the added voters.

    The weights q are those of the added voters, in the order in which they were added. The dual
    objective is taken at u = q, with the largest edge of an added voter as ν. The residual is the
    largest violation of a constraint on q, of β (m'q - μ) = 0, or of a condition on an edge; the
    last are divided by max(1, β).

    Attributes
    ----------
    edges : ndarray of shape (n_voters,)
        β m_j - 2 (Gq)_j of every voter of the problem, added or not; its complement has the
        negative.
    beta, nu : float
        Multipliers of the mean margin and of the sum of the weights.
    best : tuple of (int, float)
        The voter with the largest edge among those not added, and its sign: 1.0 for the voter, -1.0
        for its complement. The first of several.
    excess : float
        By how much that edge is above ν; 0 if the difference is rounding.
    """

    edges: FloatArray
    beta: float
    nu: float
    best: tuple[int, float]
    excess: float

    @property
    def gap(self) -> float:
        """Duality gap relative to the primal objective, which is at least μ²."""
        return abs(self.primal - self.dual) / self.primal


def _noise(beta: float) -> float:
    return NOISE * max(1.0, beta)


class CqBoostMaster:
    """The restricted master problem, over the voters added so far.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G = HᵀH/m of all voters.
    margins : ndarray of shape (n_voters,)
        Mean of y h for each of them.
    mu : float
        Least mean margin of the vote, which the first voter added must have.
    """

    def __init__(self, gram: FloatArray, margins: FloatArray, mu: float) -> None:
        self._gram, self._mu = gram, mu
        # A margin that differs from mu by rounding alone would make the system divide by that.
        near = np.abs(np.abs(margins) - mu) <= NOISE
        self._margins = np.where(near, np.copysign(mu, margins), margins)
        self._voters: IntArray = np.zeros(0, dtype=np.intp)
        self._signs, self._surplus, self._q = np.zeros((3, 0))

    def add_voter(self, voter: int, sign: float) -> None:
        """Add a voter or its complement, with weight 0.

        Parameters
        ----------
        voter : int
            Index of the voter in the problem.
        sign : {1.0, -1.0}
            1.0 for the voter, -1.0 for its complement.
        """
        self._voters = np.append(self._voters, voter)
        self._signs = np.append(self._signs, sign)
        self._surplus = np.append(self._surplus, sign * self._margins[voter] - self._mu)
        self._q = np.append(self._q, 0.0)
        if len(self._q) == 1:
            self._set(np.zeros(1, dtype=np.intp), np.ones(1), 0.0)

    def vote(self) -> FloatArray:
        """Return the signed weight of every voter of the problem, shape (n_voters,)."""
        vote = np.zeros(len(self._margins))
        # A voter and its complement may both have weight.
        np.add.at(vote, self._voters, self._q * self._signs)
        return vote

    def solve(self) -> CqBoostSolution:
        """Solve over the voters added so far, at least one.

        Raises
        ------
        SolverError
            If no optimum is found, or its KKT residual is too large.
        """
        limit = 20 + 10 * len(self._q)
        for programs in range(limit):
            beta = self._beta
            added = self._edges[self._voters] * self._signs
            nu = float(self._q @ added)
            idle = np.where(self._q > 0, -np.inf, added)
            joins = int(idle.argmax())
            if idle[joins] <= nu + _noise(beta):
                return self._checked(added, nu, f"optimal after {programs} programs")
            self._solve_over(np.append(np.flatnonzero(self._q), joins))
        raise SolverError(f"{self._name} has no optimum after {limit} programs")

    @property
    def _name(self) -> str:
        return f"CqBoost's quadratic program at mu = {self._mu:g} over {len(self._q)} voters"

    def _checked(self, added: FloatArray, nu: float, word: str) -> CqBoostSolution:
        q, beta, edges = self._q, self._beta, self._edges
        surplus = float(self._surplus @ q)
        residual = max(
            float((added - nu).max()) / max(1.0, beta),
            float(np.abs(added - nu)[q > 0].max()) / max(1.0, beta),
            *(-surplus, beta * surplus, abs(float(q.sum()) - 1.0)),
        )
        require_optimal(residual, f"{self._name} ended")
        # q'Gq from the edges: 2 (Gq)_j = beta m_j - edge_j.
        margins = self._signs * self._margins[self._voters]
        primal = float(q @ (beta * margins - added)) / 2
        dual = beta * self._mu - float(added.max()) - primal
        best, excess = self._best_outside(edges, beta, nu)
        return CqBoostSolution(
            q.copy(), primal, dual, word, residual, edges, beta, nu, best, excess
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

    def _solve_over(self, taken: IntArray) -> None:
        """Solve over some of the added voters; the others get no weight."""
        voters, signs = self._voters[taken], self._signs[taken]
        matrix = self._gram[np.ix_(voters, voters)] * np.outer(signs, signs) + 1.0
        surplus = self._surplus[taken]
        try:
            weights, beta = _with_any_sign(matrix, surplus, self._q[taken])
            if weights.min() < -NOISE:
                used = _daqp(matrix, surplus)
                taken, matrix, surplus = taken[used], matrix[np.ix_(used, used)], surplus[used]
                weights, beta = _with_any_sign(matrix, surplus, self._q[taken])
        except LinAlgError as error:
            raise SolverError(f"{self._name} has no optimum: {error}") from error
        self._set(taken, np.maximum(0.0, weights), beta)

    def _set(self, taken: IntArray, weights: FloatArray, beta: float) -> None:
        self._q[:] = 0.0
        self._q[taken] = weights
        self._beta = beta
        product = (weights * self._signs[taken]) @ self._gram[self._voters[taken]]
        self._edges = beta * self._margins - 2 * product


def _with_any_sign(
    matrix: FloatArray, surplus: FloatArray, start: FloatArray
) -> tuple[FloatArray, float]:
    """Return the weights and β of the optimum without q >= 0, the nearest to the start."""
    system = ProximalSystem(matrix, PROXIMAL, lower=True)
    rows = np.stack([np.ones(len(matrix)), surplus])
    columns = system.solve(rows.T)
    products = rows @ columns
    # If every voter has the margin mu, so has every vote.
    differ = np.linalg.det(products) > NOISE * products.diagonal().prod()
    weights = start
    for _ in range(STEPS):
        weights = weights - system.solve(matrix @ weights)
        missing = np.array([1.0, 0.0]) - rows @ weights
        multipliers = np.array([missing[0] / products[0, 0], 0.0])
        if differ and products[1] @ multipliers < missing[1]:
            multipliers = np.linalg.solve(products, missing)
        weights = weights + columns @ multipliers
    return weights, float(2 * multipliers[1])


def _daqp(matrix: FloatArray, surplus: FloatArray) -> BoolArray:
    """Return which weights are not held at zero in the optimum."""
    import daqp

    n, equality = len(matrix), 5
    *_, info = daqp.solve(
        matrix,
        np.zeros(n),
        np.stack([np.ones(n), surplus]),
        np.append(np.full(n, np.inf), [1.0, np.inf]),
        np.append(np.zeros(n), [1.0, 0.0]),
        np.append(np.zeros(n), [equality, 0]).astype(np.intc),
        primal_tol=NOISE,
    )
    return np.asarray(info["lam"][:n] == 0)
