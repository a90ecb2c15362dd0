"""Algorithms: learners that find a weighted vote over voters.

The contract is `Algorithm.path`, which returns the weights of a whole grid from one call. A search
over a fixed voter matrix needs nothing else. If stumps are drawn in every round, it needs
`Algorithm.hold_out`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.base import Hyperparameter, Learner
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.stopping import Stopping
from quadrepro.learners.training import Trainer, TrainingData
from quadrepro.voters.random_stumps import Codes, RandomStumps, StumpVote
from quadrepro.voters.reduction import GramProblem, VotingProblem, reduce_problem
from quadrepro.voters.source import ZERO_VOTE


@dataclass(frozen=True, eq=False)
class DrawnProblem:
    """Coded training and held-out examples, for algorithms that learn from drawn stumps.

    Attributes
    ----------
    source : callable
        Returns a new source of stumps over the training examples. All sources draw the same
        stumps.
    train, valid : ndarray of uint16, shape (n_attributes, n_examples)
        Coded examples.
    y_train, y_valid : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    stopping : Stopping
        When a run ends, and which of its rounds is taken.
    """

    source: Callable[[], RandomStumps]
    train: Codes
    y_train: FloatArray
    valid: Codes
    y_valid: FloatArray
    stopping: Stopping


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Candidates trained over drawn stumps, each for its chosen number of rounds.

    Attributes
    ----------
    errors : ndarray of int of shape (n_candidates,)
        Errors on the held-out examples, each after the chosen number of rounds.
    candidates : list of dict
        Values of the hyper-parameters, including the number of rounds.
    vote : callable
        Returns the vote of the candidate with a given index.
    """

    errors: IntArray
    candidates: list[dict[str, Value]]
    vote: Callable[[int], StumpVote]


@dataclass(frozen=True)
class Algorithm(Learner):
    """A learner that finds a vote over given voters.

    Attributes
    ----------
    hyperparameters : tuple of Hyperparameter
        The hyper-parameters that a grid may name.
    """

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]]
    gives_votes = True

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged; False if the weight of each one is restricted."""
        return True

    def path(
        self, H: FloatArray, y: FloatArray, grid: Grid, samples: FloatArray | None = None
    ) -> FloatArray:
        """Return the weights of every candidate of a grid.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Voter matrix, values in [-1, 1].
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        grid : Grid
            Values of the hyper-parameters.
        samples : ndarray of shape (n_samples, n_examples) or None, default None
            How often each sample, such as the training part of a fold, contains each example;
            None for a single sample that contains every example once.

        Returns
        -------
        ndarray of shape (n_candidates, n_voters), or (n_samples, n_candidates, n_voters)
            Signed voter weights; NaN if a candidate has no solution. The longer shape is for
            given `samples`.

        Raises
        ------
        ValueError
            If the problem or the grid does not suit the algorithm.
        """
        weights = self.paths(self.reduced(H, y, samples), [grid])
        return weights[0] if samples is None else weights

    def reduced(
        self, H: FloatArray, y: FloatArray, samples: FloatArray | None = None
    ) -> VotingProblem:
        """Return the problem without repetitions, as far as the algorithm allows it; see `path`."""
        return reduce_problem(H, y, samples, merge_voters=self.merges_voters)

    def paths(self, problem: VotingProblem, grids: Sequence[Grid]) -> FloatArray:
        """Return the weights of every candidate of some grids, one after the other.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples, from `reduced`. Gram matrices are computed once for all
            grids.
        grids : sequence of Grid
            Values of the hyper-parameters.

        Returns
        -------
        ndarray of shape (n_samples, n_candidates, n_voters)
            Signed weights of the plain voters; NaN if a candidate has no solution.

        Raises
        ------
        ValueError
            If the problem or a grid does not suit the algorithm.
        """
        for grid in grids:
            self.check(grid)
        found = [self._paths(problem, grid) for grid in grids]
        return problem.expand(np.concatenate(found, axis=1))

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> HeldOut:
        """Train every candidate over drawn stumps; held-out examples choose the number of rounds.

        Parameters
        ----------
        problem : DrawnProblem
            Training and held-out examples, and the source of stumps.
        grid : Grid
            Values of the hyper-parameters other than the number of rounds.

        Raises
        ------
        ValueError
            If the algorithm needs a voter matrix.
        """
        raise ValueError(f"{type(self).__name__} needs a voter matrix, not drawn stumps")

    def limit(self, problem: GramProblem) -> str:
        """Return a sentence that says which candidates have a solution, or "" if all have one."""
        return ""

    def trainer(self, data: TrainingData, grids: Sequence[Grid]) -> Trainer:
        """Return the trainer over the voters of the data."""
        return data.voters.trainer(self, data, grids)

    @abstractmethod
    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        """Return weights of shape (n_samples, n_candidates, n_voters) on the reduced problem."""


def positive_votes(H: FloatArray, weights: FloatArray) -> BoolArray:
    """Return which examples each vote classifies as positive: those with a sum above zero.

    A zero sum is negative (QuadBoost, section 2). A sum of at most `ZERO_VOTE` times the total
    weight counts as zero, so that an even vote does not depend on the rounding of a matrix product.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix.
    weights : ndarray of shape (n_candidates, n_voters)
        One vote per row.

    Returns
    -------
    ndarray of bool of shape (n_examples, n_candidates)
        True for +1.
    """
    return np.asarray(ZERO_VOTE * np.abs(weights).sum(axis=1) < H @ weights.T)
