"""Training votes over voter sets with scikit-learn's interface, such as small trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import (
    Algorithm,
    NoSolutionError,
    Part,
    Rng,
    Scored,
    Trainer,
    TrainingData,
    Validation,
    Voters,
    trained_on,
)
from quadrepro.core.learners.voting import NO_HOLD_OUT, MatrixVotes
from quadrepro.core.voters.source import ZERO_VOTE
from quadrepro.core.voters.voter_set import VoterSet, voter_matrix


@dataclass(frozen=True)
class NamedVoters(Voters):
    """The voters of a transformer, the same in every round.

    One that learns from labels gives every fold its own voters, which have not seen the labels of
    the examples that are held out; else all folds have those of the whole training part.
    """

    make: Callable[[], VoterSet]
    needs_labels: bool
    n_voters: int | None = None

    def trainer(
        self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]
    ) -> MatrixVotes:
        """Return the trainer over the voter matrix, as described in `Voters.trainer`."""
        H, H_test = self.matrices(data.train, data.test.X, data.rng)
        if not self.needs_labels:
            return MatrixVotes(grids, algorithm, H, data.train.y, H_test)
        return LabelledVotes(grids, algorithm, H, data.train.y, H_test, self, data)

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples."""
        voters = self.make()
        voters.fit(train.X, train.y if self.needs_labels else None)
        H, H_new = voter_matrix(voters, train.X), voter_matrix(voters, X_new)
        if self.n_voters is None:
            return H, H_new
        varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
        if len(varying) < self.n_voters:
            raise ValueError(
                f"{self.n_voters} voters are asked for, but only {len(varying)} are not constant "
                "on the training part"
            )
        chosen = np.sort(rng("voters").permutation(varying)[: self.n_voters])
        return H[:, chosen], H_new[:, chosen]


@dataclass(frozen=True, eq=False)
class LabelledVotes(MatrixVotes):
    """Trains votes over voters that have learned from the labels."""

    voters: NamedVoters
    data: TrainingData

    def validate(self, fold: IntArray | None) -> Validation:
        """Score the folds, each with voters that have not seen it."""
        if fold is None:
            raise ValueError(NO_HOLD_OUT)
        problem = self.algorithm.reduced(self.H, self.y)
        [whole] = self.algorithm.paths(problem, self.grids)
        solved = ~np.isnan(whole).any(axis=1)
        parts = []
        for f in range(int(fold.max()) + 1):
            part, weights = self._without(fold, f)
            solved &= ~np.isnan(weights).any(axis=1)
            parts.append(part)
        if not solved.any():
            raise NoSolutionError(self._limit(problem))
        return Validation(parts, solved, lambda i: self._fitted(i, whole[i]))

    def for_labels(self, data: TrainingData) -> Trainer:
        """Return the trainer over voters that learn from other labels."""
        return self.voters.trainer(self.algorithm, data, self.grids)

    def _without(self, fold: IntArray, f: int) -> tuple[Scored, FloatArray]:
        """Return the scores of a fold, and the weights of the votes that do not know it."""
        X, y, seen, out = self.data.train.X, self.y, trained_on(fold, f), fold == f
        H, H_out = self.voters.matrices(Part(X[seen], y[seen]), X[out], self.data.rng)
        [weights] = self.algorithm.paths(self.algorithm.reduced(H, y[seen]), self.grids)
        zero = ZERO_VOTE * np.abs(weights).sum(axis=1)
        return Scored(y[out], (H_out @ weights.T).T, zero), weights
