"""The quadratic program of CqBoost, kept warm while voters are added.

Primal, over the weights q of the voters added so far (Roy et al. 2016)::

    min  q'Gq    s.t.  m'q >= mu,  sum_j q_j = 1,  q >= 0

Dual, over the multipliers beta >= 0 of the mean margin and nu of the sum, and a vote u::

    max  beta mu - nu - u'Gu    s.t.  beta m_j - 2 (Gu)_j <= nu    for every voter j

G = H'H/m and m_j, the mean of y h_j, are restricted to the added voters, so the size of the program
does not depend on the number of examples. An example with margin g has the weight (beta - 2 g)/m,
and beta m_j - 2 (Gq)_j is the edge of voter j under these weights. In the optimum, voters with
weight have the edge nu and no other voter has a larger edge.

A primal active-set method solves it. Only the voters of its support have weight. An added voter
with an edge above theirs joins, and the weights move to the optimum over the support in which they
may have any sign. If one would fall below zero, they stop where the first is zero, its voter
leaves, and they move on. All voters of the support end with the same edge.

The optimum of any sign is the solution of one linear system. Its matrix is G + 1 over the support,
which changes nothing since q'1 = 1. Its Cholesky factor gains or loses a row with each voter. Its
right side is by how much each edge is above nu, computed afresh, so that rounding does not add up.

A voter that depends affinely on the support has the edge nu as well and does not join. Of several
optima, the solution is therefore one whose voters do not depend on each other affinely: the one at
the end of the path that begins with the first voter and takes in the others as they are added. The
path depends on nothing else, since all sums run in a fixed order. Of voters with the same edge the
first one joins, where complements come after all voters; of voters whose weights are zero at the
same point, the one that joined first leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.programs.active_set import STEPS
from quadrepro.learners.programs.cqboost_loops import loops
from quadrepro.learners.programs.growing_cholesky import GrowingCholesky
from quadrepro.learners.programs.program import QuadraticSolution, SolverError, require_optimal

NOISE = 1e-12
"""Weights up to this are zero; edges that differ by up to this times max(1, β) are equal."""

PROXIMAL = 1e-9
"""Added to the diagonal of the system for a voter that nearly depends on the support.

A step is then a proximal one in its weight. Up to `STEPS` of them remove the effect.
"""


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
        n = len(margins)
        self._loops = loops()
        self._gram, self._mu = np.ascontiguousarray(gram), mu
        # A margin that differs from mu by rounding alone would make the system divide by that.
        near = np.abs(np.abs(margins) - mu) <= NOISE
        margins = np.where(near, np.copysign(mu, margins), margins)
        # From here on the complement of voter j is voter n + j.
        self._voters = np.tile(np.arange(n), 2)
        self._signs = np.repeat([1.0, -1.0], n)
        self._margins = np.concatenate([margins, -margins])
        self._added: IntArray = np.zeros(0, dtype=np.intp)
        self._is_added = np.zeros(2 * n, dtype=np.bool_)
        self._q, self._edges = np.zeros((2, 2 * n))
        self._beta = 0.0
        # The support has the order of the rows of the factor.
        self._support: IntArray = np.zeros(0, dtype=np.intp)
        self._factor = GrowingCholesky()

    def add_voter(self, voter: int, sign: float) -> None:
        """Add a voter or its complement, with weight 0.

        Parameters
        ----------
        voter : int
            Index of the voter in the problem.
        sign : {1.0, -1.0}
            1.0 for the voter, -1.0 for its complement.
        """
        new = voter if sign > 0 else voter + len(self._gram)
        self._added = np.append(self._added, new)
        self._is_added[new] = True
        if len(self._added) == 1:
            self._q[new] = 1.0
            self._join(new)
            self._update_edges()

    def vote(self) -> FloatArray:
        """Return the signed weight of every voter of the problem, shape (n_voters,)."""
        # A voter and its complement may both have weight.
        return self._q[: len(self._gram)] - self._q[len(self._gram) :]

    def solve(self) -> CqBoostSolution:
        """Solve over the voters added so far, at least one.

        Raises
        ------
        SolverError
            If no optimum is found, or its KKT residual is too large.
        """
        limit = 20 + 10 * len(self._added)
        for programs in range(limit):
            added = np.where(self._is_added, self._edges, -np.inf)
            best, level = int(added.argmax()), float(self._edges[self._support].max())
            if not added[best] > level + _noise(self._beta):
                return self._checked(float(added[best]), f"optimal after {programs} programs")
            self._join(best)
            self._descend()
        raise SolverError(f"{self._name} has no optimum after {limit} programs")

    @property
    def _name(self) -> str:
        return f"CqBoost's quadratic program at mu = {self._mu:g} over {len(self._added)} voters"

    def _checked(self, highest: float, word: str) -> CqBoostSolution:
        """Return the solution; `highest` is the largest edge of an added voter."""
        beta, edges, weights = self._beta, self._edges[self._support], self._q[self._support]
        nu, margins = self._dot(weights, edges), self._margins[self._support]
        surplus = self._dot(weights, margins - self._mu)
        residual = max(
            max(highest - nu, float(np.abs(edges - nu).max())) / max(1.0, beta),
            *(-surplus, beta * surplus, abs(self._lacking(weights))),
        )
        require_optimal(residual, f"{self._name} ended")
        # q'Gq from the edges: 2 (Gq)_j = beta m_j - edge_j.
        primal = self._dot(weights, beta * margins - edges) / 2
        dual = beta * self._mu - highest - primal
        best, excess = self._best_outside(nu)
        return CqBoostSolution(
            self._q[self._added],
            *(primal, dual, word, residual, self._edges[: len(self._gram)], beta, nu, best, excess),
        )

    def _best_outside(self, nu: float) -> tuple[tuple[int, float], float]:
        noise, edges = _noise(self._beta), np.where(self._is_added, -np.inf, self._edges)
        largest = float(edges.max())
        first = int((edges >= largest - noise).argmax())
        best = int(self._voters[first]), float(self._signs[first])
        return best, largest - nu if largest - nu > noise else 0.0

    def _join(self, voter: int) -> None:
        """Put an added voter into the support."""
        row = self._gram[self._voters[voter]]
        products = self._signs[self._support] * row[self._voters[self._support]]
        column = self._signs[voter] * products + 1.0
        self._factor.append(column, float(row[self._voters[voter]]) + 1.0, PROXIMAL)
        self._support = np.append(self._support, voter)

    def _leave(self, place: int) -> None:
        """Take the voter at a place of the support out of it."""
        self._q[self._support[place]] = 0.0
        self._factor.remove(place)
        self._support = np.delete(self._support, place)

    def _descend(self) -> None:
        """Move to the optimum over the support; voters whose weight would be negative leave it."""
        steps = 0
        while steps < STEPS:
            weights = self._q[self._support]
            move, rise = self._step(weights)
            if steps == 0 and not move[-1] > 0:
                # If the voter that has just joined cannot gain weight, none can move.
                move[:] = 0.0
            below = np.flatnonzero(weights + move < -NOISE)
            shares = weights[below] / -move[below]
            share = float(shares.min(initial=1.0))
            self._q[self._support] = np.maximum(0.0, weights + share * move)
            self._beta += share * rise
            if len(below):
                self._leave(int(below[shares.argmin()]))
            self._update_edges()
            if not len(below):
                steps += 1
                if np.abs(self._excesses()).max() <= _noise(self._beta):
                    return

    def _step(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """Return the changes of the weights and of β up to the optimum of any sign."""
        above = self._margins[self._support] - self._mu
        sides = np.stack([self._excesses() / 2, np.ones(len(weights)), above])
        move, ones, surplus = self._factor.forward(sides)
        # First what the sum lacks, then what the mean margin does, in directions that keep the sum.
        squares = self._dot(ones, ones)
        move += (self._lacking(weights) - self._dot(ones, move)) / squares * ones
        keeping = surplus - self._dot(ones, surplus) / squares * ones
        squares, price = self._dot(keeping, keeping), -self._beta / 2
        # If every voter has the same margin, so has every vote.
        if squares > NOISE * self._dot(surplus, surplus):
            lacking = -self._dot(weights, above)
            price = max(price, (lacking - self._dot(surplus, move)) / squares)
        return self._factor.backward(move + price * keeping), 2 * price

    def _excesses(self) -> FloatArray:
        """Return by how much the edge of each voter of the support is above ν."""
        edges = self._edges[self._support]
        return edges - self._dot(self._q[self._support], edges)

    def _lacking(self, weights: FloatArray) -> float:
        return 1.0 - float(np.add.accumulate(weights)[-1])

    def _update_edges(self) -> None:
        products = np.zeros(len(self._gram))
        weights = self._q[self._support] * self._signs[self._support]
        self._loops.add_rows(weights, self._voters[self._support], self._gram, products)
        edges = self._beta * self._margins[: len(products)] - 2 * products
        self._edges = np.concatenate([edges, -edges])

    def _dot(self, a: FloatArray, b: FloatArray) -> float:
        return float(self._loops.dot(a, b))
