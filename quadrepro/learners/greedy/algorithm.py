"""Algorithms whose path the greedy loop walks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.greedy.loop import Checkpoints, Rule, S, Watcher, boost
from quadrepro.learners.grid import Grid
from quadrepro.voters.reduction import VotingProblem


@dataclass(frozen=True)
class GreedyAlgorithm(Algorithm, Generic[S]):
    """An algorithm whose path the greedy loop walks.

    The numbers of rounds are nested, so they cost one run; the values of the other
    hyper-parameter, if there is one, are trajectories side by side.
    """

    value_name: ClassVar[str] = ""
    """Name of the hyper-parameter other than ``n_rounds``; empty if there is none."""

    @abstractmethod
    def state(self, problem: VotingProblem, sample_of: IntArray) -> S:
        """Return the start of one trajectory for each entry of `sample_of`."""

    @abstractmethod
    def rule(self, values: FloatArray) -> Rule[S]:
        """Return the step rule for one hyper-parameter value per trajectory."""

    def values(self, grid: Grid) -> FloatArray:
        """Return the values of the other hyper-parameter; a single NaN if there is none."""
        return np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)

    def rounds(self, grid: Grid) -> list[int]:
        """Return the numbers of rounds at which the path is kept."""
        return [int(t) for t in grid.axis("n_rounds") or ()]

    def run(
        self,
        problem: VotingProblem,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher[S]],
    ) -> None:
        """Run the loop for every pair of a sample and a hyper-parameter value."""
        sample_of = np.repeat(np.arange(problem.n_samples), len(values))
        rule = self.rule(np.tile(values, problem.n_samples))
        boost(rule, self.state(problem, sample_of), n_rounds, watchers)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, rounds = self.values(grid), self.rounds(grid)
        n_voters = problem.H.shape[1]
        checkpoints = Checkpoints(rounds, problem.n_samples * len(values), n_voters)
        self.run(problem, values, rounds[-1], [checkpoints])
        shaped = checkpoints.path.reshape(problem.n_samples, len(values), len(rounds), n_voters)
        return grid.flatten(shaped, (self.value_name, "n_rounds"))
