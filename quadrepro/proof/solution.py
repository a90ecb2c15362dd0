"""What a learner found for a cell, in a form that can be checked; one way to get it per family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any, ClassVar

import numpy as np

from quadrepro.base.types import FloatArray, Targets, Task
from quadrepro.core.learners.grid import Grid, Value
from quadrepro.core.learners.learner import DrawnProblem, Learner, TrainingData
from quadrepro.core.learners.voter_sets import NamedVoters
from quadrepro.core.learners.voting import FixedStumps, PerRoundStumps
from quadrepro.proof.certificate import Certificate, LongArray, Rounds
from quadrepro.proof.voters import ZERO, Grid16, Matrix, StumpMatrix, Vote, VoterSetMatrix


@dataclass(frozen=True, eq=False)
class Cell:
    """The examples of a cell and the candidate that its record names.

    Attributes
    ----------
    data : TrainingData
        Prepared examples, and where voters come from.
    grids : sequence of Grid
        All candidates.
    chosen : dict
        The chosen one.
    """

    data: TrainingData
    grids: Sequence[Grid]
    chosen: dict[str, Any]

    @property
    def drawn(self) -> PerRoundStumps | None:
        """How stumps are drawn; None if they are fixed."""
        return self.data.voters if isinstance(self.data.voters, PerRoundStumps) else None

    @property
    def alone(self) -> Grid:
        """The grid with the chosen candidate alone, as far as grids name its parameters."""
        named = {name for name, _ in self.grids[0].axes}
        return Grid.of({name: [value] for name, value in self.chosen.items() if name in named})

    @property
    def up_to(self) -> Grid:
        """The candidates of one hyper-parameter up to the chosen one, in their order."""
        chosen = dict(self.alone.axes)
        for grid in self.grids:
            if all(chosen[name][0] in values for name, values in grid.axes):
                [(name, values)] = grid.axes
                return Grid.of({name: values[: values.index(chosen[name][0]) + 1]})
        return self.alone

    def matrix(self) -> tuple[Matrix, FloatArray]:
        """Return the fixed voters, and the voter matrix of the training examples."""
        return self._matrix

    @cached_property
    def _matrix(self) -> tuple[Matrix, FloatArray]:
        voters = self.data.voters
        found: Matrix
        if isinstance(voters, NamedVoters):
            found = VoterSetMatrix(voters, self.data)
        else:
            assert isinstance(voters, FixedStumps)
            found = StumpMatrix.of(self.data, voters)
        return found, found.outputs(self.data.train.X)


def drawn_problem(data: TrainingData, voters: PerRoundStumps) -> tuple[DrawnProblem, Grid16]:
    """Return the examples on the grid of the thresholds, as algorithms learn from them."""
    assert data.valid is not None
    on_grid, train, valid = Grid16.of(data.train.X), data.train, data.valid
    codes, held_out = (on_grid.codes(part.X).astype(np.uint16) for part in (train, valid))
    # Algorithms expect the examples of an attribute next to each other.
    codes, held_out = np.ascontiguousarray(codes), np.ascontiguousarray(held_out)
    problem = DrawnProblem(
        source=lambda: voters.make(codes, train.y),
        train=codes,
        y_train=train.y,
        valid=held_out,
        y_valid=valid.y,
        stopping=voters.stopping,
    )
    return problem, on_grid


@dataclass(frozen=True, eq=False)
class Solution(ABC):
    """What a learner found.

    Attributes
    ----------
    candidate : dict
        Its hyper-parameters.
    """

    candidate: dict[str, Value]

    warm: ClassVar[bool] = False
    """Whether every candidate starts from the solution of the one before."""

    @property
    def vote(self) -> Vote | None:
        """The vote; None if the learner gives none."""
        return None

    def scores(self, X: FloatArray) -> tuple[LongArray, float]:
        """Return the score of each example, and the largest that is negative."""
        assert self.vote is not None
        return self.vote.sums(X), ZERO * float(self.vote.total)

    def predicted(self, X: FloatArray, task: Task) -> Targets | LongArray:
        """Return the class code, or the number, that is predicted for each example."""
        return called(task, *self.scores(X))

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return the scores that a record of classes keeps; None if they are not known."""
        scores, zero = self.scores(X)
        return np.where(np.abs(scores) <= zero, 0, scores)

    @abstractmethod
    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the solution by the definition of the algorithm."""


def called(task: Task, scores: LongArray, zero: float) -> Targets | LongArray:
    """Return what scores predict: classes by their sign, or what they are themselves."""
    return (scores > zero).astype(np.intp) if task == "classification" else scores


@singledispatch
def solve(learner: Learner, cell: Cell) -> Solution:
    """Train the chosen candidate of a cell once more."""
    raise NotImplementedError(f"nothing is known that proves {type(learner).__name__}'s results")
