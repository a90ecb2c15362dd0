"""Training votes over voters that are fixed before training, or drawn in every round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import (
    Algorithm,
    DrawnProblem,
    Fitted,
    Losses,
    NoSolutionError,
    Outputs,
    Part,
    Path,
    Rng,
    Scored,
    StoppedRuns,
    Trainer,
    TrainingData,
    Validation,
    Voters,
    trained_on,
)
from quadrepro.core.voters.groups import above_thresholds, even_thresholds, ranges_of
from quadrepro.core.voters.random_stumps import Codes, RandomStumps, StumpCoding
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import ZERO_VOTE

if TYPE_CHECKING:
    from quadrepro.core.voters.voter_set import VoterSet

NEEDS_HELD_OUT = "drawn stumps need held-out examples to choose the number of rounds"
NO_HOLD_OUT = "a hold-out chooses among votes over drawn stumps, not over a matrix"


def _drawn(varying: IntArray, n_voters: int, rng: Rng, few: str) -> IntArray:
    """Return some voters, drawn from those that vary, in their order."""
    if len(varying) < n_voters:
        raise ValueError(f"{n_voters} voters are asked for, but only {len(varying)} {few}")
    return np.sort(rng("voters").permutation(varying)[:n_voters])


@dataclass(frozen=True)
class FixedStumps(Voters):
    """Evenly spaced stumps, the same in every round; all, or some of those that vary."""

    per_attribute: int
    n_voters: int | None = None

    def trainer(
        self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]
    ) -> MatrixVotes:
        """Return the trainer over the voter matrix, as described in `Voters.trainer`."""
        H, H_test = self.matrices(data.train, data.test.X, data.rng)
        return MatrixVotes(grids, algorithm, H, data.train.y, H_test)

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples."""
        # Not by `Stumps`: scikit-learn takes long to import.
        if not np.isfinite(train.X).all():
            raise ValueError("stumps need attributes without missing and infinite values")
        low, high, _ = ranges_of(train.X)
        thresholds = even_thresholds(low, high, self.per_attribute)
        both = train.X, X_new
        if self.n_voters is None:
            H, H_new = (np.where(above_thresholds(X, thresholds), 1.0, -1.0) for X in both)
            return H, H_new
        varying = np.flatnonzero((low[:, None] <= thresholds) & (thresholds < high[:, None]))
        few = "stumps are not constant on the training part: raise stumps_per_attribute"
        chosen = _drawn(varying, self.n_voters, rng, few)
        attributes, limits = chosen // self.per_attribute, thresholds.ravel()[chosen][:, None]
        H, H_new = (np.where(X.T[attributes] > limits, 1.0, -1.0).T for X in both)
        return H, H_new


@dataclass(frozen=True)
class PerRoundStumps(Voters):
    """Stumps that are drawn in every round, the same by every call of `make`."""

    make: Callable[[Codes, FloatArray], RandomStumps]
    stopping: Stopping

    def trainer(
        self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]
    ) -> DrawnVotes:
        """Return the trainer over drawn stumps, as described in `Voters.trainer`."""
        if data.valid is None:
            raise ValueError(NEEDS_HELD_OUT)
        coding = StumpCoding.fit(data.train.X)
        train, valid, test = (coding.transform(p.X) for p in (data.train, data.valid, data.test))
        problem = DrawnProblem(
            source=lambda: self.make(train, data.train.y),
            train=train,
            y_train=data.train.y,
            valid=valid,
            y_valid=data.valid.y,
            stopping=self.stopping,
        )
        return DrawnVotes(grids, algorithm, problem, test)


@dataclass(frozen=True, eq=False)
class MatrixVotes(Trainer):
    """Trains votes over a fixed voter matrix.

    Attributes
    ----------
    algorithm : Algorithm
        Finds the votes.
    H : ndarray of shape (n_train, n_voters)
        Voter matrix of the training part.
    y : ndarray of shape (n_train,)
        Labels, -1 or +1.
    H_test : ndarray of shape (n_test, n_voters)
        Voter matrix of the test part.
    """

    algorithm: Algorithm
    H: FloatArray
    y: FloatArray
    H_test: FloatArray

    def validate(self, fold: IntArray | None) -> Validation:
        """Score the folds with the voters of the whole training part.

        The folds and the whole training part are the samples of one problem.
        """
        if fold is None:
            raise ValueError(NO_HOLD_OUT)
        k = int(fold.max()) + 1
        seen = [trained_on(fold, f) for f in range(k)]
        samples = np.vstack([*seen, np.ones_like(fold)]).astype(np.float64)
        problem = self.algorithm.reduced(self.H, self.y, samples)
        paths = self.algorithm.paths(problem, self.grids)
        solved = np.asarray(~np.isnan(paths).any(axis=(0, 2)))
        if not solved.any():
            raise NoSolutionError(self._limit(problem))
        parts = (self._scored(fold == f, paths[f]) for f in range(k))
        return Validation(parts, solved, lambda i: self._fitted(i, paths[k, i]))

    def path(self) -> Path:
        """Train all candidates on the whole training part."""
        problem = self.algorithm.reduced(self.H, self.y)
        [weights] = self.algorithm.paths(problem, self.grids)
        if np.isnan(weights[-1]).any():
            raise NoSolutionError(self._limit(problem))
        return Path(
            self._fitted(len(weights) - 1, weights[-1]),
            lambda: (weights @ self.H.T, weights @ self.H_test.T),
            self.H,
            weights,
        )

    def for_labels(self, data: TrainingData) -> Trainer:
        """Return the trainer over the same voters for other labels."""
        return replace(self, y=data.train.y)

    def _scored(self, held_out: BoolArray, weights: FloatArray) -> Scored:
        scores = (self.H[held_out] @ weights.T).T
        return Scored(self.y[held_out], scores, ZERO_VOTE * np.abs(weights).sum(axis=1))

    def _fitted(self, i: int, weights: FloatArray) -> Fitted:
        # The same product as in `positive_votes`, so that both are rounded in the same way.
        scores = (self.H_test @ weights[None, :].T)[:, 0]
        zero = ZERO_VOTE * float(np.abs(weights[None, :]).sum(axis=1)[0])
        return Fitted(self.candidates[i], _outputs(scores, zero), zero, weights)

    def _limit(self, problem: VotingProblem) -> str:
        name = type(self.algorithm).__name__
        why = self.algorithm.limit(problem) or "the solver found no optimum"
        return f"no candidate of {name} has a solution: {why}"


@dataclass(frozen=True, eq=False)
class DrawnVotes(Trainer):
    """Trains votes over stumps that are drawn in every round.

    Attributes
    ----------
    algorithm : Algorithm
        Learns from drawn stumps.
    problem : DrawnProblem
        Coded training and held-out examples.
    test : ndarray of uint16, shape (n_attributes, n_test)
        Coded test examples.
    """

    algorithm: Algorithm
    problem: DrawnProblem
    test: Codes

    def validate(self, fold: IntArray | None) -> Validation:
        """Score held-out examples, with each candidate after its chosen round."""
        if fold is not None:
            raise ValueError(NEEDS_HELD_OUT)
        errors, places = self._held_out()
        votes = [held.vote(i) for held, i in places]
        scores = np.array([vote.sums(self.problem.valid) for vote in votes])
        zero = np.array([ZERO_VOTE * np.abs(vote.weights).sum() for vote in votes])
        part = Scored(self.problem.y_valid, scores, zero)
        return Validation([part], ~np.isnan(errors), lambda i: self._fitted(*places[i]))

    def losses(self, fold: IntArray | None) -> Losses:
        """Return the errors on held-out examples, which the runs have counted."""
        if fold is not None:
            raise ValueError(NEEDS_HELD_OUT)
        errors, places = self._held_out()
        return Losses(errors, lambda i: self._fitted(*places[i]))

    def path(self) -> Path:
        """Raise ValueError: a path has no held-out examples to choose the number of rounds."""
        raise ValueError(NEEDS_HELD_OUT)

    def for_labels(self, data: TrainingData) -> Trainer:
        """Return the trainer over stumps that are drawn in the same way for other labels."""
        return data.voters.trainer(self.algorithm, data, self.grids)

    def _held_out(self) -> tuple[FloatArray, list[tuple[StoppedRuns, int]]]:
        """Return the held-out errors of all candidates, and where each of them is kept."""
        found = [self.algorithm.hold_out(self.problem, grid) for grid in self.grids]
        places = [(held, i) for held in found for i in range(len(held.candidates))]
        return np.concatenate([held.errors for held in found], dtype=np.float64), places

    def _fitted(self, held: StoppedRuns, i: int) -> Fitted:
        vote, problem = held.vote(i), self.problem
        total = float(np.abs(vote.weights).sum())
        margins = problem.y_train * vote.sums(problem.train) / (total if total > 0 else 1.0)
        outputs = _outputs(vote.sums(self.test), ZERO_VOTE * total)
        return Fitted(held.candidates[i], outputs, ZERO_VOTE * total, margins=margins)


def _outputs(sums: FloatArray, zero: float) -> Outputs:
    """Return the outputs of a vote, whose sums are not probabilities; an even vote is 0."""
    return Outputs.by_score(np.where(np.abs(sums) <= zero, 0.0, sums))


@dataclass(frozen=True)
class NamedVoters(Voters):
    """The voters of a transformer, the same in every round; every fold has its own."""

    make: Callable[[], VoterSet]
    n_voters: int | None = None

    def trainer(
        self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]
    ) -> RefittedVotes:
        """Return the trainer over the voter matrix, as described in `Voters.trainer`."""
        H, H_test = self.matrices(data.train, data.test.X, data.rng)
        return RefittedVotes(grids, algorithm, H, data.train.y, H_test, self, data)

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples."""
        # scikit-learn takes long to import.
        from quadrepro.core.voters.voter_set import voter_matrix

        voters = self.make()
        voters.fit(train.X, train.y)
        H, H_new = voter_matrix(voters, train.X), voter_matrix(voters, X_new)
        if self.n_voters is None:
            return H, H_new
        varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
        chosen = _drawn(varying, self.n_voters, rng, "are not constant on the training part")
        return H[:, chosen], H_new[:, chosen]


@dataclass(frozen=True, eq=False)
class RefittedVotes(MatrixVotes):
    """Trains votes over voters that are fitted to the examples, which every fold does again."""

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
