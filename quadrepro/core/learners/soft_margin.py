"""LP_REG and QP_REG: programs over the voters of AdaBoost (Rätsch, Onoda and Müller 2001).

Also called RLP-Boost and RQP-Boost. AdaBoost gives the voters, and a program gives their weights.
M_it = y_i h_t(x_i) are the margins, n_i is the number of examples equal to example i, and m is the
sum of the n_i.

LP_REG finds the weights a of the largest soft margin, with C = 1/(ν m)::

    max  rho - C sum_i n_i xi_i    s.t.  (M a)_i >= rho - xi_i,  sum_t a_t = 1,  a, xi >= 0

The program solved is the dual, over weights d of the examples; the weights a are the multipliers of
the rows of the voters::

    min  gamma    s.t.  (M'd)_t <= gamma,  sum_i d_i = 1,  0 <= d_i <= C n_i

QP_REG finds the weights b of least norm, which are unique::

    min  |b|^2 + C sum_i n_i xi_i    s.t.  (M b)_i >= 1 - xi_i,  b, xi >= 0
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import highspy
import numpy as np
from scipy import sparse

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.lpboost import LinearProgram
from quadrepro.core.learners.solvers import SolverError, solve_sparse_program
from quadrepro.core.training.contract import (
    Algorithm,
    DrawnProblem,
    Registered,
    StoppedRuns,
    positive_votes,
)
from quadrepro.core.training.grid import Grid, Hyperparameter
from quadrepro.core.voters.drawn import StumpVote
from quadrepro.core.voters.reduction import VotingProblem

ROM = "Raetsch, Onoda and Mueller 2001"


@dataclass(frozen=True)
class SoftMargin(Algorithm):
    """New weights for AdaBoost's voters from one program, with the same signs.

    Subclasses have one hyper-parameter and solve their program for its values.
    """

    takes_drawn_stumps = True

    n_rounds: int = 100
    """Number of rounds of AdaBoost, unless held-out examples choose it."""

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the number of rounds cannot be used."""
        super().check(grid)
        AdaBoost().check(self._rounds)

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Return new weights for AdaBoost's stumps, whose number the hold-out chooses."""
        runs = AdaBoost().hold_out(problem, Grid.from_values({}))
        vote, rounds = runs.vote(0), runs.candidates[0]
        signs = np.sign(vote.weights)
        # A stump that is picked twice is one voter; a round without an edge has no voter.
        picks = np.stack([vote.attributes, vote.cuts, signs])
        first = np.sort(np.unique(picks, axis=1, return_index=True)[1])
        first = first[signs[first] != 0]
        margins = (vote.outputs(problem.train) * problem.y_train[:, None] * signs)[:, first]
        weights = np.zeros((len(grid), len(signs)))
        weights[:, first] = self.solve(margins, np.ones(len(margins)), grid) * signs[first]
        positive = positive_votes(vote.outputs(problem.valid), weights)
        errors = (positive != (problem.y_valid > 0)[:, None]).sum(axis=0)
        unsolved = np.isnan(weights).any(axis=1)
        return StoppedRuns(
            np.where(unsolved, np.nan, errors),
            [candidate | rounds for candidate in grid.candidates],
            lambda i: StumpVote(vote.attributes, vote.cuts, weights[i]),
        )

    def solve(self, margins: FloatArray, counts: FloatArray, grid: Grid) -> FloatArray:
        """Return the weights of the voters for every candidate.

        Parameters
        ----------
        margins : ndarray of shape (n_examples, n_voters)
            y_i h_t(x_i), with voters of negative weight in AdaBoost's vote negated.
        counts : ndarray of shape (n_examples,)
            How often each example occurs; all positive.
        grid : Grid
            Values of the hyper-parameter.

        Returns
        -------
        ndarray of shape (n_candidates, n_voters)
            Nonnegative weights; NaN if the solver finds no optimum.
        """
        [parameter] = self.hyperparameters
        values = grid.axis(parameter.name) or ()
        weights = np.full((len(values), margins.shape[1]), np.nan)
        if not weights.size:
            return weights
        distinct, groups = np.unique(margins, axis=0, return_inverse=True)
        merged = np.zeros(len(distinct))
        np.add.at(merged, groups.ravel(), counts)
        solve_for = self._solver(distinct, merged)
        for row, value in zip(weights, values, strict=True):
            with suppress(SolverError):
                row[:] = solve_for(value)
        return weights

    @abstractmethod
    def _solver(self, margins: FloatArray, counts: FloatArray) -> Callable[[float], FloatArray]:
        """Return a function from the hyper-parameter to weights, shape (n_voters,)."""

    @property
    def _rounds(self) -> Grid:
        return Grid.from_values({"n_rounds": [self.n_rounds]})

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        votes = AdaBoost()._paths(problem, self._rounds)[:, 0]
        paths = np.zeros((len(problem.counts), len(grid), problem.n_voters))
        for path, vote, counts in zip(paths, votes, problem.counts, strict=True):
            voters, held = np.flatnonzero(vote), counts > 0
            signs = np.sign(vote[voters])
            margins = (problem.voters.matrix(voters) * problem.y[:, None])[held] * signs
            path[:, voters] = self.solve(margins, counts[held], grid) * signs
        return paths


# At ν = 1 every example has the weight 1/m, and the voter of least error is the whole vote.
SHARE = "share of examples allowed to miss the margin"
NU = Hyperparameter("nu", "number", "large", SHARE, smallest=1e-6, largest=1.0)


class MarginLP:
    """LP_REG over the margins M, (n_examples, n_voters), of examples with positive counts."""

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        m, n = margins.shape
        rows = np.block([[margins.T, -np.ones((n, 1))], [np.ones(m), 0.0]])
        low = np.append(np.full(n, -highspy.kHighsInf), 1.0)
        high = np.append(np.zeros(n), 1.0)
        least = np.append(np.zeros(m), -highspy.kHighsInf)
        self._dual = LinearProgram(np.append(np.zeros(m), 1.0), rows, low, high, least)
        self._counts = counts

    def solve(self, nu: float) -> tuple[FloatArray, float]:
        """Return the weights a, shape (n_voters,), which sum to 1, and the soft margin γ for ν."""
        most = self._counts / (nu * self._counts.sum())
        x, multipliers = self._dual.solve(np.append(most, highspy.kHighsInf))
        weights = np.maximum(0.0, -multipliers[:-1])
        return weights / math.fsum(weights), float(x[-1])


@dataclass(frozen=True)
class RegularizedLP(SoftMargin):
    """LP_REG: the weights of largest soft margin ρ - C Σξ, with C = 1/(ν m)."""

    hyperparameters = (NU,)
    packages = ("highspy",)

    def _solver(self, margins: FloatArray, counts: FloatArray) -> Callable[[float], FloatArray]:
        # If voters are equal on these examples, the first gets the weight.
        first = np.sort(np.unique(margins, axis=1, return_index=True)[1])
        program = MarginLP(margins[:, first], counts)

        def solve(nu: float) -> FloatArray:
            weights = np.zeros(margins.shape[1])
            weights[first] = program.solve(nu)[0]
            return weights

        return solve


_NUS = {"nu": [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01]}
RLP_BOOST = Registered(RegularizedLP, "RLP-Boost", f"{ROM}, LP_REG", _NUS)


NO_SLACK = 1e-9
"""Largest slack that counts as zero."""

C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e6)


class MarginQP:
    """QP_REG over the margins M, (n_examples, n_voters), of examples with positive counts."""

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        m, n = margins.shape
        self._margins, self._counts = margins, counts
        self._squares = sparse.csc_matrix(sparse.diags(np.repeat([2.0, 0.0], [n, m])))
        self._with_slack = sparse.csc_matrix(sparse.hstack([margins, sparse.identity(m)]))
        self._last = np.zeros(n)

    def solve(self, C: float) -> FloatArray:
        """Return the weights b, shape (n_voters,), for a price C; rising prices are the fastest."""
        # Where no example has slack, a higher price changes nothing.
        if (self._margins @ self._last).min() >= 1 - NO_SLACK:
            return self._last
        # Where every example has slack, b minimises |b|^2 - C sum_i n_i (M b)_i.
        b = np.maximum(0.0, C * self._counts @ self._margins / 2)
        if (self._margins @ b).max() > 1:
            m, n = self._margins.shape
            c = np.append(np.zeros(n), C * self._counts)
            b = solve_sparse_program(self._squares, c, self._with_slack, np.ones(m))[:n]
        self._last = b
        return b


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    packages = ("piqp",)

    def _solver(self, margins: FloatArray, counts: FloatArray) -> Callable[[float], FloatArray]:
        return MarginQP(margins, counts).solve


_PRICES = {"C": {"from": 1e-3, "to": 100, "points": 11}}
RQP_BOOST = Registered(RegularizedQP, "RQP-Boost", f"{ROM}, QP_REG", _PRICES)
