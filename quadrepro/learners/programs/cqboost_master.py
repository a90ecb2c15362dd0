"""The quadratic program of CqBoost, kept warm while voters come.

Primal, over the weights q of the voters added so far (Roy et al. 2016)::

    min  q'Gq    s.t.  m'q >= mu,  sum_j q_j = 1,  q >= 0

Dual, over the multipliers beta >= 0 of the mean margin and nu of the sum, and a vote u::

    max  beta mu - nu - u'Gu    s.t.  beta m_j - 2 (Gu)_j <= nu    for every voter j

G = H'H/m and m_j, the mean of y h_j, are those of the added voters, so that the program knows no
examples. An example with margin g has the weight (beta - 2 g)/m, and beta m_j - 2 (Gq)_j is the
edge of voter j under these weights: voters with weight have the edge nu, all others at most that.

A program is solved over the voters with weight and the one of largest edge among the others, until
no edge is above nu. Mostly no voter loses its weight: then the optimum over weights of any sign is
the solution, and one linear system gives it. Else DAQP, a dual active-set method, says which voters
have weight, and the same system over these gives the last digits. In place of G stands G + 1, which
q'1 = 1 allows and which is singular only for voters that depend on each other affinely.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import SolverError

RESIDUAL = 1e-8
"""A solution with a larger KKT residual is not returned."""

NOISE = 1e-12
"""Weights up to this are zero, and edges that differ by this share of max(1, β) are equal."""

PROXIMAL = 1e-9
"""Shift of the voters' system, ill-conditioned where voters nearly depend on each other."""

STEPS = 3
"""Proximal steps, which take the shift's effect away again."""


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
        How many programs it took.
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

    def add_voter(self, voter: int, sign: float) -> None:
        """Add a voter, with sign 1, or its complement, with sign -1."""
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
        """Solve over the voters added so far.

        Raises
        ------
        SolverError
            If no optimum with a small KKT residual is found.
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
        raise SolverError(
            f"CqBoost's quadratic program at mu = {self._mu:g} over {len(self._q)} voters "
            f"has no optimum after {limit} programs"
        )

    def _checked(self, added: FloatArray, nu: float, word: str) -> CqBoostSolution:
        q, beta, edges = self._q, self._beta, self._edges
        surplus = float(self._surplus @ q)
        residual = max(
            float((added - nu).max()) / max(1.0, beta),
            float(np.abs(added - nu)[q > 0].max()) / max(1.0, beta),
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

    def _solve_over(self, taken: NDArray[np.intp]) -> None:
        """Give weights to these of the added voters alone."""
        voters, signs = self._voters[taken], self._signs[taken]
        matrix = self._gram[np.ix_(voters, voters)] * np.outer(signs, signs) + 1.0
        surplus = self._surplus[taken]
        weights, beta = _with_any_sign(matrix, surplus, self._q[taken])
        if weights.min() < -NOISE:
            used = _daqp(matrix, surplus)
            taken, matrix, surplus = taken[used], matrix[np.ix_(used, used)], surplus[used]
            weights, beta = _with_any_sign(matrix, surplus, self._q[taken])
        self._set(taken, np.maximum(0.0, weights), beta)

    def _set(self, taken: NDArray[np.intp], weights: FloatArray, beta: float) -> None:
        self._q[:] = 0.0
        self._q[taken] = weights
        self._beta = beta
        product = (weights * self._signs[taken]) @ self._gram[self._voters[taken]]
        self._edges = beta * self._margins - 2 * product


def _with_any_sign(
    matrix: FloatArray, surplus: FloatArray, start: FloatArray
) -> tuple[FloatArray, float]:
    """Return the weights and β of the optimum without q >= 0.

    Among several optima it is the one nearest to the start, by proximal steps.
    """
    shifted = matrix.copy()
    shifted.flat[:: len(matrix) + 1] += PROXIMAL
    factor = cho_factor(shifted, lower=True)
    rows = np.stack([np.ones(len(matrix)), surplus])
    columns = cho_solve(factor, rows.T)
    products = rows @ columns
    # Where every voter has the margin mu, nothing has to hold it.
    differ = np.linalg.det(products) > NOISE * products.diagonal().prod()
    weights = start
    for _ in range(STEPS):
        weights = weights - cho_solve(factor, matrix @ weights)
        missing = np.array([1.0, 0.0]) - rows @ weights
        multipliers = np.array([missing[0] / products[0, 0], 0.0])
        if differ and products[1] @ multipliers < missing[1]:
            multipliers = np.linalg.solve(products, missing)
        weights = weights + columns @ multipliers
    return weights, float(2 * multipliers[1])


def _daqp(matrix: FloatArray, surplus: FloatArray) -> NDArray[np.bool_]:
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
