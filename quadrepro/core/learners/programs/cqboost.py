"""CqBoost: the vote of least C-bound, by column generation (Roy, Marchand and Laviolette 2016)."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Algorithm, Entry
from quadrepro.core.learners.programs.ordered import GrowingCholesky, ordered_sum, weighted_sum
from quadrepro.core.learners.programs.program import (
    MU,
    STEPS,
    QuadraticSolution,
    SolverError,
    feasible,
    mu_limit,
    require_optimal,
)
from quadrepro.core.voters.reduction import VotingProblem


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
        """Add a voter or its complement, with weight 0."""
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
        """Solve over the voters added so far, at least one."""
        return self._take_rounds(math.inf, 0)

    def generate(self, epsilon: float, n_voters: int) -> CqBoostSolution:
        """Solve, and add the best voter and solve again, until none is better by more than ε."""
        while True:
            solution = self._take_rounds(epsilon, n_voters)
            if not solution.excess > epsilon or self.n_added >= n_voters:
                return solution
            self.add_voter(*solution.best)

    def _take_rounds(self, epsilon: float, n_voters: int) -> CqBoostSolution:
        """Take a round, or several up to the end of the run in a compiled loop."""
        loops = compiling.beside(__name__)
        if loops is None:
            return self._solve()
        factor = self._factor
        factor.reserve(self.n_added)
        programs, self.n_added, factor.n, self._beta = loops.take_rounds(
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


EPSILON = Hyperparameter("epsilon", "number", "large", "excess of an edge that ends a run")
ROUNDS = Hyperparameter(
    "n_rounds", "integer", "small", "number of rounds T", optional=True, largest=1e9
)


@dataclass(frozen=True)
class CqBoost(Algorithm):
    """CqBoost; the hyper-parameters are the mean margin μ, ε and, optionally, the number of rounds.

    Each round adds the voter or complement with the largest edge and solves the program again over
    all that were added. A run ends when no edge is above ν + ε. One run per μ serves all values of
    ε and of the number of rounds. No vote has a μ above max |m_j|, where m_j is the mean margin of
    voter j. The weights of such a candidate are NaN.
    """

    hyperparameters = (MU, EPSILON, ROUNDS)
    kernels: ClassVar[tuple[str, ...]] = ("learners.programs.cqboost_compiled",)
    uses_gram = True
    version = 2

    def limit(self, problem: VotingProblem) -> str:
        """Return the largest feasible μ in a sentence."""
        return mu_limit(np.abs(problem.correlations()).max(axis=1))

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("mu") or ()
        epsilons = np.array(grid.axis("epsilon"), dtype=np.float64)
        rounds = np.array(grid.axis("n_rounds") or [sys.maxsize])
        n_voters = problem.n_voters
        paths = np.full(
            (problem.n_samples, len(values), len(epsilons), len(rounds), n_voters), np.nan
        )
        samples = zip(problem.grams(), problem.correlations(), strict=True)
        for path, (gram, margins) in zip(paths, samples, strict=True):
            for part, mu in zip(path, values, strict=True):
                with suppress(SolverError):
                    _write_votes(gram, margins, mu, epsilons, rounds, part)
        return grid.flatten(paths, ("mu", "epsilon", "n_rounds"))


def _write_votes(
    gram: FloatArray,
    margins: FloatArray,
    mu: float,
    epsilons: FloatArray,
    rounds: FloatArray,
    out: FloatArray,
) -> None:
    """Write the vote of every ε and number of rounds from one run; leave it if there is none."""
    master = _begin(gram, margins, mu)
    waiting = np.ones(out.shape[:2], dtype=np.bool_)
    while master is not None and waiting.any():
        # The next round after which one of them ends.
        epsilon = float(epsilons[waiting.any(axis=1)].max())
        n_voters = int(rounds[waiting.any(axis=0)].min())
        solution = master.generate(epsilon, n_voters)
        ends = (solution.excess <= epsilons)[:, None] | (master.n_added >= rounds)
        out[waiting & ends] = master.vote()
        waiting &= ~ends


def generate_columns(
    gram: FloatArray, margins: FloatArray, mu: float
) -> Iterator[tuple[FloatArray, CqBoostSolution]]:
    """Yield the vote after each round, until no edge is above ν.

    Parameters
    ----------
    gram : ndarray of shape (n_voters, n_voters)
        G = HᵀH/m.
    margins : ndarray of shape (n_voters,)
        Mean of y h for each voter.
    mu : float
        Least mean margin of the vote. Nothing is yielded if it is above max |margins|.

    Yields
    ------
    tuple of (ndarray of shape (n_voters,), CqBoostSolution)
        Signed weights, and the solution over the voters added so far.
    """
    master = _begin(gram, margins, mu)
    while master is not None:
        solution = master.solve()
        yield master.vote(), solution
        if not solution.excess > 0:
            return
        master.add_voter(*solution.best)


def _begin(gram: FloatArray, margins: FloatArray, mu: float) -> CqBoostMaster | None:
    """Return the master problem over the best voter; None if no vote has the mean margin."""
    sizes = np.abs(margins)
    if not feasible(mu, float(sizes.max())):
        return None
    best = int(sizes.argmax())
    master = CqBoostMaster(gram, margins, mu)
    master.add_voter(best, float(np.sign(margins[best])))
    return master


CQBOOST = Entry(
    CqBoost,
    "CqBoost",
    "Roy et al. 2016",
    {"mu": {"from": 0.3, "to": 0.03, "points": 5}, "epsilon": [1e-2, 1e-4, 1e-8]},
)
