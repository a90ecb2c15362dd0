"""Algorithms that run the greedy loop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.greedy.loop import Checkpoints, Rule, S, Watcher, boost
from quadrepro.learners.grid import Grid
from quadrepro.voters.reduction import GramProblem, VotingProblem


@dataclass(frozen=True)
class GreedyAlgorithm(Algorithm, Generic[S]):
    """An algorithm that runs the greedy loop.

    It has at most one hyper-parameter besides the number of rounds. Its values are trajectories
    side by side. The numbers of rounds are nested, so one run serves all of them.
    """

    @abstractmethod
    def state(self, problem: GramProblem, sample_of: IntArray) -> S:
        """Return the state of the empty vote.

        Parameters
        ----------
        problem : GramProblem
            Voters and labels, or their moments if the algorithm needs no more.
        sample_of : ndarray of int, shape (n_trajectories,)
            The sample that each trajectory trains on.
        """

    @abstractmethod
    def rule(self, values: FloatArray) -> Rule[S]:
        """Return the step rule for one hyper-parameter value per trajectory."""

    @property
    def value_name(self) -> str:
        """Name of the hyper-parameter other than ``n_rounds``; empty if there is none."""
        return next((h.name for h in self.hyperparameters if h != N_ROUNDS), "")

    def values(self, grid: Grid) -> FloatArray:
        """Return the values of the other hyper-parameter; a single NaN if there is none."""
        return np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)

    def rounds(self, grid: Grid) -> list[int]:
        """Return the numbers of rounds after which the path is kept."""
        return [int(t) for t in grid.axis(N_ROUNDS.name) or ()]

    def run(
        self,
        problem: VotingProblem,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher[S]],
    ) -> None:
        """Run the loop for every pair of a sample and a hyper-parameter value.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        values : ndarray of shape (n_values,)
            Values of the hyper-parameter other than ``n_rounds``; a single NaN if there is none.
        n_rounds : int
            Largest number of rounds.
        watchers : sequence of Watcher
            They see every round. Trajectories are numbered sample by sample.
        """
        sample_of = np.repeat(np.arange(problem.n_samples), len(values))
        rule = self.rule(np.tile(values, problem.n_samples))
        boost(rule, self.state(problem, sample_of), n_rounds, watchers)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, rounds = self.values(grid), self.rounds(grid)
        n_voters = problem.n_voters
        checkpoints = Checkpoints(rounds, problem.n_samples * len(values), n_voters)
        self.run(problem, values, rounds[-1], [checkpoints])
        shaped = checkpoints.path.reshape(problem.n_samples, len(values), len(rounds), n_voters)
        return grid.flatten(shaped, (self.value_name, N_ROUNDS.name))
