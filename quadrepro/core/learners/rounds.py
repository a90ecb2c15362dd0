"""Algorithms that change the weight of one voter in every round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.grid import N_ROUNDS, Grid
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.voters.reduction import VotingProblem


@dataclass(frozen=True)
class BoostingAlgorithm(Algorithm):
    """An algorithm that runs for a number of rounds.

    It has at most one hyper-parameter other than that number. Numbers of rounds are nested: one run
    for each value of the other hyper-parameter serves all of them.
    """

    @abstractmethod
    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of some runs after given numbers of rounds.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        sample_of : ndarray of int, shape (n_runs,)
            The sample that each run trains on.
        values : ndarray of shape (n_runs,)
            Value of the hyper-parameter other than ``n_rounds``; NaN if there is none.
        rounds : sequence of int
            Numbers of rounds, increasing.

        Returns
        -------
        ndarray of shape (n_runs, len(rounds), n_voters)
            The votes. A run that ends early keeps its last vote.
        """

    @abstractmethod
    def steps(
        self, problem: VotingProblem, value: float, n_rounds: int
    ) -> tuple[IntArray, FloatArray]:
        """Return each round's voter in a run on the first sample, and what its weight changes by.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        value : float
            Value of the hyper-parameter other than ``n_rounds``; NaN if there is none.
        n_rounds : int
            Largest number of rounds.

        Returns
        -------
        picks : ndarray of int, shape (n_taken,)
            The picked voters, as many as rounds were taken.
        changes : ndarray of shape (n_taken,)
            What each round adds to the weight of its voter.
        """

    @property
    def value_name(self) -> str:
        """Name of the hyper-parameter other than ``n_rounds``; empty if there is none."""
        return next((h.name for h in self.hyperparameters if h != N_ROUNDS), "")

    def rounds(self, grid: Grid) -> list[int]:
        """Return the numbers of rounds after which a vote is kept."""
        return [int(t) for t in grid.axis(N_ROUNDS.name) or ()]

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)
        rounds, n_samples = self.rounds(grid), problem.n_samples
        sample_of = np.repeat(np.arange(n_samples), len(values))
        votes = self.runs(problem, sample_of, np.tile(values, n_samples), rounds)
        shaped = votes.reshape(n_samples, len(values), len(rounds), -1)
        return grid.flatten(shaped, (self.value_name, N_ROUNDS.name))
