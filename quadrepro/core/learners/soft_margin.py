"""Base of LP_REG and QP_REG: one program over AdaBoost's voters (Rätsch et al. 2001)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.programs import SolverError
from quadrepro.core.training.contract import Algorithm, DrawnProblem, StoppedRuns, positive_votes
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.drawn import StumpVote
from quadrepro.core.voters.reduction import VotingProblem


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
