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

import math

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.kernels import compiling
from quadrepro.learners.programs.active_set import STEPS
from quadrepro.learners.programs.cqboost_solution import CqBoostSolution
from quadrepro.learners.programs.growing_cholesky import GrowingCholesky
from quadrepro.learners.programs.ordered import ordered_sum, weighted_sum
from quadrepro.learners.programs.program import SolverError, require_optimal

NOISE = 1e-12
"""Weights up to this are zero; edges that differ by up to this times max(1, β) are equal."""

PROXIMAL = 1e-9
"""Added to the diagonal of the system for a voter that nearly depends on the support.

A step is then a proximal one in its weight. Up to `STEPS` of them remove the effect.
"""


def _noise(beta: float) -> float:
    return NOISE * max(1.0, beta)


def _dot(a: FloatArray, b: FloatArray) -> float:
    return ordered_sum(a * b)


def _lacking(weights: FloatArray) -> float:
    return 1.0 - ordered_sum(weights)


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

    Attributes
    ----------
    n_added : int
        Number of voters added so far.
    """

    def __init__(self, gram: FloatArray, margins: FloatArray, mu: float) -> None:
        n = len(margins)
        self._gram, self._mu = np.ascontiguousarray(gram), mu
        # A margin that differs from mu by rounding alone would make the system divide by that.
        near = np.abs(np.abs(margins) - mu) <= NOISE
        margins = np.where(near, np.copysign(mu, margins), margins)
        # From here on the complement of voter j is voter n + j.
        self._voters = np.tile(np.arange(n), 2)
        self._signs = np.repeat([1.0, -1.0], n)
        self._margins = np.concatenate([margins, -margins])
        self._is_added = np.zeros(2 * n, dtype=np.bool_)
        self._q, self._edges = np.zeros((2, 2 * n))
        self._beta = 0.0
        # The first entries count: as many as were added, and as many as the factor has rows, in
        # whose order they are.
        self._all_added, self._all_support = np.zeros((2, 2 * n), dtype=np.intp)
        self.n_added = 0
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
        self._all_added[self.n_added] = new
        self.n_added += 1
        self._is_added[new] = True
        if self.n_added == 1:
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
        return self._take_rounds(math.inf, 0)

    def generate(self, epsilon: float, n_voters: int) -> CqBoostSolution:
        """Solve, and add the best voter and solve again, until none is better by more than ε.

        Parameters
        ----------
        epsilon : float
            Excess of an edge that ends the run, not negative.
        n_voters : int
            Number of added voters that ends the run.

        Returns
        -------
        CqBoostSolution
            The solution over all added voters.

        Raises
        ------
        SolverError
            If no optimum is found, or its KKT residual is too large.
        """
        while True:
            solution = self._take_rounds(epsilon, n_voters)
            if not solution.excess > epsilon or self.n_added >= n_voters:
                return solution
            self.add_voter(*solution.best)

    def _take_rounds(self, epsilon: float, n_voters: int) -> CqBoostSolution:
        """Take a round, or several up to the end of the run in a compiled loop."""
        if not compiling.enabled():
            return self._solve()
        from quadrepro.kernels import cqboost

        factor = self._factor
        factor.reserve(self.n_added)
        programs, self.n_added, factor.n, self._beta = cqboost.take_rounds(
            self._gram,
            self._margins,
            self._mu,
            self._q,
            self._edges,
            self._is_added,
            self._all_added,
            self.n_added,
            self._all_support,
            factor.n,
            factor.upper,
            factor.lower,
            self._beta,
            epsilon,
            min(n_voters, len(factor.upper)),
        )
        return self._checked(programs)

    def _solve(self) -> CqBoostSolution:
        for programs in range(self._limit):
            best, level = self._highest(), float(self._edges[self._support].max())
            if not self._edges[best] > level + _noise(self._beta):
                return self._checked(programs)
            self._join(best)
            self._descend()
        return self._checked(-1)

    def _highest(self) -> int:
        """Return the added voter with the largest edge."""
        return int(np.where(self._is_added, self._edges, -np.inf).argmax())

    @property
    def _limit(self) -> int:
        return 20 + 10 * self.n_added

    @property
    def _support(self) -> IntArray:
        return self._all_support[: self._factor.n]

    @property
    def _name(self) -> str:
        return f"CqBoost's quadratic program at mu = {self._mu:g} over {self.n_added} voters"

    def _checked(self, programs: int) -> CqBoostSolution:
        """Return the solution after a number of programs, -1 if there is none."""
        if programs < 0:
            raise SolverError(f"{self._name} has no optimum after {self._limit} programs")
        beta, edges, weights = self._beta, self._edges[self._support], self._q[self._support]
        nu, margins = _dot(weights, edges), self._margins[self._support]
        surplus, highest = _dot(weights, margins - self._mu), float(self._edges[self._highest()])
        residual = max(
            max(highest - nu, float(np.abs(edges - nu).max())) / max(1.0, beta),
            *(-surplus, beta * surplus, abs(_lacking(weights))),
        )
        require_optimal(residual, f"{self._name} ended")
        # q'Gq from the edges: 2 (Gq)_j = beta m_j - edge_j.
        primal = _dot(weights, beta * margins - edges) / 2
        best, excess = self._best_outside(nu)
        return CqBoostSolution(
            voter_weights=self._q[self._all_added[: self.n_added]],
            primal=primal,
            dual=beta * self._mu - highest - primal,
            status=f"optimal after {programs} programs",
            residual=residual,
            edges=self._edges[: len(self._gram)].copy(),
            beta=beta,
            nu=nu,
            best=best,
            excess=excess,
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
        self._support[-1] = voter

    def _leave(self, place: int) -> None:
        """Take the voter at a place of the support out of it."""
        support = self._support
        self._q[support[place]] = 0.0
        support[place:-1] = support[place + 1 :].copy()
        self._factor.remove(place)

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
        squares = _dot(ones, ones)
        move += (_lacking(weights) - _dot(ones, move)) / squares * ones
        keeping = surplus - _dot(ones, surplus) / squares * ones
        squares, price = _dot(keeping, keeping), -self._beta / 2
        # If every voter has the same margin, so has every vote.
        if squares > NOISE * _dot(surplus, surplus):
            lacking = -_dot(weights, above)
            price = max(price, (lacking - _dot(surplus, move)) / squares)
        return self._factor.backward(move + price * keeping), 2 * price

    def _excesses(self) -> FloatArray:
        """Return by how much the edge of each voter of the support is above ν."""
        edges = self._edges[self._support]
        return edges - _dot(self._q[self._support], edges)

    def _update_edges(self) -> None:
        support = self._support
        weights = self._q[support] * self._signs[support]
        products = weighted_sum(weights, self._gram[self._voters[support]])
        edges = self._beta * self._margins[: len(products)] - 2 * products
        self._edges = np.concatenate([edges, -edges])
