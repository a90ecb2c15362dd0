"""Learners trained on the examples of a cell, with all candidates of their grids.

A learner of two classes is trained once for each of several classes, against the rest.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Need, Task
from quadrepro.core.measures.measure import Trained
from quadrepro.core.training.contract import (
    Algorithm,
    DrawnProblem,
    Learner,
    Outputs,
    Part,
    Predictor,
    StoppedRuns,
    TrainingData,
    trained_on,
)
from quadrepro.core.training.grid import Grid, Value
from quadrepro.core.training.voting import DrawnStumps
from quadrepro.core.voters.coded import ZERO_VOTE, VoterOutputs
from quadrepro.core.voters.reduction import VotingProblem

MOST_KEPT = 2**24
"""Largest number of test scores to keep, 128 MB; with more, the candidate is trained again."""


class NoSolutionError(ValueError):
    """No candidate has a solution on every part of the examples."""


class Scores(NamedTuple):
    """Held-out examples with the scores of all candidates.

    Attributes
    ----------
    y : ndarray of shape (n_examples,)
        Labels -1 or +1, class codes, or numbers.
    values : ndarray of shape (n_candidates, n_examples)
        Scores that are above zero for +1, predicted codes, or predicted numbers.
    zero : ndarray of shape (n_candidates,) or float, default 0.0
        Largest size of a score that counts as zero, due to rounding.
    solved : ndarray of bool of shape (n_candidates,) or bool, default True
        Mask of the candidates with a solution.
    """

    y: FloatArray
    values: FloatArray
    zero: FloatArray | float = 0.0
    solved: BoolArray | bool = True

    def losses(self, task: Task) -> FloatArray:
        """Return the number of errors, or the sum of squared errors, shape (n_candidates,).

        It is NaN without a solution, and infinite for a regression whose predictions overflow.
        """
        if task == "regression":
            losses = np.square(self.values - self.y).sum(axis=1)
            losses = np.where(np.isnan(losses), np.inf, losses)
        elif task == "multiclass":
            losses = (self.values != self.y).sum(axis=1)
        else:
            positive = self.values > np.reshape(self.zero, (-1, 1))
            losses = (positive != (self.y > 0)).sum(axis=1)
        return np.where(self.solved, losses, np.nan)

    def outputs(self, task: Task) -> list[Outputs | None]:
        """Return the outputs of each candidate, None without a solution."""
        n = len(self.values)
        solved, zero = np.broadcast_to(self.solved, n), np.broadcast_to(self.zero, n)
        if task == "classification":
            every = map(Outputs.by_vote, self.values, zero.tolist())
        else:
            every = map(Outputs, self.values)
        return [outputs if ok else None for outputs, ok in zip(every, solved, strict=True)]


class Fitted(ABC):
    """A learner trained on the examples of a cell, with the candidates of its grids.

    Attributes
    ----------
    data : TrainingData
        The examples.
    candidates : list of dict
        All candidates in order. If a validation part chooses numbers of rounds, they are added.
    """

    data: TrainingData
    candidates: list[dict[str, Value]]

    def fold_scores(self, fold: IntArray) -> Iterator[Scores]:
        """Yield the scores of each fold from all candidates, trained without this fold.

        Parameters
        ----------
        fold : ndarray of int, shape (n_train,)
            Fold of each training example, see `trained_on`.
        """
        raise NotImplementedError

    def validation_scores(self) -> Iterator[Scores]:
        """Yield the scores of the validation part."""
        raise NotImplementedError

    def outputs(self, i: int) -> Outputs:
        """Return the outputs for test examples of a candidate trained on the training part."""
        raise NotImplementedError

    def trained(self) -> Trained:
        """Return all candidates, trained on the whole training part, for measures.

        Configs cannot name measures with drawn stumps or with more than two classes.
        """
        raise NotImplementedError

    def validation_losses(self) -> FloatArray:
        """Return the loss of each candidate on the validation part, shape (n_candidates,)."""
        return self.total_losses(self.validation_scores())

    def total_losses(self, parts: Iterable[Scores]) -> FloatArray:
        """Return the losses over parts of the examples, shape (n_candidates,); 0 without parts."""
        losses = np.zeros(len(self.candidates))
        for scores in parts:
            losses += scores.losses(self.data.task)
        return losses

    def fold_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs of all candidates for each fold that a metric needs."""
        for scores in self.fold_scores(fold):
            yield scores.outputs(self.data.task)

    def unsolved(self) -> NoSolutionError:
        """Return the error that no candidate has a solution."""
        return NoSolutionError("no candidate has a solution on all parts of the examples")


class FittedVotes(Fitted):
    """Votes over voters that are fixed before training.

    Voters that ignore labels are made once from the whole training part, and folds are samples of
    one problem. Voters that learn from labels are made again without each fold.
    """

    def __init__(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> None:
        self.data, self.algorithm, self.grids = data, algorithm, grids
        self.candidates = [c for grid in grids for c in grid.candidates]
        self.voters, self.on_test = data.voter_outputs
        self._problem: VotingProblem | None = None
        self._whole: FloatArray | None = None

    @property
    def weights(self) -> FloatArray:
        """Votes on the whole training part, shape (n_candidates, n_voters); NaN if unsolved."""
        if self._whole is None:
            [self._whole] = self._paths(self.voters, self.data.train.y)
        return self._whole

    def fold_scores(self, fold: IntArray) -> Iterator[Scores]:
        """Yield the scores of each fold from votes trained without it."""
        X, y = self.data.train
        folds = range(int(fold.max()) + 1)
        seen = [trained_on(fold, f) for f in folds]
        if not self.data.voters.learn:
            samples = np.vstack([*seen, np.ones_like(fold)]).astype(np.float64)
            *votes, self._whole = self._paths(self.voters, y, samples)
        for f in folds:
            out = fold == f
            if self.data.voters.learn:
                part = Part(X[seen[f]], y[seen[f]])
                voters, on_held_out = self.data.voters.outputs(part, X[out], self.data.rng)
                [weights] = self._paths(voters, part.y)
            else:
                weights, on_held_out = votes[f], self.voters.on(out)
            all_solved = _solved(self.weights)
            if np.ptp(y[seen[f]]) == 0:  # infinite: decides one against the rest
                values = np.full((len(weights), out.sum()), y[seen[f]][0] * np.inf)
                yield Scores(y[out], values, solved=all_solved)
            else:
                zero = ZERO_VOTE * np.abs(weights).sum(axis=1)
                solved = all_solved & _solved(weights)
                yield Scores(y[out], on_held_out.vote(weights), zero, solved)

    def outputs(self, i: int) -> Outputs:
        """Return the sums of the vote, or the only class of the training part."""
        y = self.data.train.y
        if np.ptp(y) == 0:
            return Outputs.by_vote(np.full(self.on_test.n_examples, y[0]), 0.0)
        weights = self.weights[[i]]
        if np.isnan(weights).any():
            raise self.unsolved()
        zero = ZERO_VOTE * float(np.abs(weights).sum(axis=1)[0])
        return Outputs.by_vote(self.on_test.vote(weights)[0], zero)

    def trained(self) -> Trained:
        """Return the votes of all candidates with their voter matrix."""
        weights, data, H = self.weights, self.data, self.voters.matrix()
        scores = weights @ H.T, weights @ self.on_test.matrix().T
        return Trained(data.train.y, data.test.y, *scores, H, weights, data.rng)

    def unsolved(self) -> NoSolutionError:
        """Return the error with the limit of the hyper-parameters."""
        name = type(self.algorithm).__name__
        problem = self._problem or self.algorithm.reduced(self.voters, self.data.train.y)
        why = self.algorithm.limit(problem) or "the solver found no optimum"
        return NoSolutionError(f"no candidate of {name} has a solution: {why}")

    def _paths(
        self, voters: VoterOutputs, y: FloatArray, samples: FloatArray | None = None
    ) -> FloatArray:
        if np.ptp(y) == 0:  # the only class is predicted, without a vote
            shape = 1 if samples is None else len(samples), len(self.candidates), voters.n_voters
            return np.zeros(shape)
        self._problem = self.algorithm.reduced(voters, y, samples)
        return self.algorithm.paths(self._problem, self.grids)


def _solved(weights: FloatArray) -> BoolArray:
    """Return a mask of the candidates with a solution, shape (n_candidates,)."""
    return np.asarray(~np.isnan(weights).any(axis=1))


class FittedDrawnVotes(Fitted):
    """Votes over stumps that are drawn in every round; a validation part ends the runs."""

    def __init__(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> None:
        voters, validation = data.voters, data.validation
        self.data, self.algorithm, self.grids = data, algorithm, grids
        train, valid, self.on_test = data.coded
        self.problem = DrawnProblem(
            source=lambda: voters.make(train),
            train=train,
            y_train=data.train.y,
            valid=valid,
            y_valid=validation.y,
            stopping=voters.stopping,
        )

    @cached_property
    def _runs(self) -> list[tuple[StoppedRuns, int]]:
        """The run of each candidate, and its index in this run."""
        runs = [self.algorithm.hold_out(self.problem, grid) for grid in self.grids]
        return [(run, i) for run in runs for i in range(len(run.candidates))]

    @property
    def candidates(self) -> list[dict[str, Value]]:  # type: ignore[override]
        """All candidates, each with its chosen number of rounds."""
        return [run.candidates[i] for run, i in self._runs]

    def validation_losses(self) -> FloatArray:
        """Return the errors on the validation part, counted by the runs, shape (n_candidates,)."""
        return np.array([run.errors[i] for run, i in self._runs], dtype=np.float64)

    def validation_scores(self) -> Iterator[Scores]:
        """Yield the scores of the validation part from each candidate after its chosen round."""
        votes = [run.vote(i) for run, i in self._runs]
        values = np.array([vote.sums(self.problem.valid) for vote in votes])
        zero = np.array([ZERO_VOTE * np.abs(vote.weights).sum() for vote in votes])
        solved = ~np.isnan(self.validation_losses())
        yield Scores(self.problem.y_valid, values, zero, solved)

    def outputs(self, i: int) -> Outputs:
        """Return the sums of the vote, and the margins of the training examples."""
        run, index = self._runs[i]
        vote, problem = run.vote(index), self.problem
        total = float(np.abs(vote.weights).sum())
        margins = problem.y_train * vote.sums(problem.train) / (total if total > 0 else 1.0)
        return Outputs.by_vote(vote.sums(self.on_test), ZERO_VOTE * total, margins)


class FittedPredictions(Fitted):
    """The candidates of a predictor, described by their predictions."""

    def __init__(self, predictor: Predictor, data: TrainingData, grids: Sequence[Grid]) -> None:
        self.data, self.grids = data, grids
        self.candidates = [c for grid in grids for c in grid.candidates]
        self.predictor = predictor.for_columns(data)
        self._on_test: FloatArray | None = None

    def fold_scores(self, fold: IntArray) -> Iterator[Scores]:
        """Yield the scores of each fold; a single candidate is not trained for them."""
        X, y = self.data.train
        for f in range(int(fold.max()) + 1) if len(self.candidates) > 1 else ():
            seen, out = trained_on(fold, f), fold == f
            rng = self.data.rng(f"fold {f}")
            yield Scores(
                y[out], self.predictor.predictions(X[seen], y[seen], self.grids, X[out], rng)
            )

    def validation_scores(self) -> Iterator[Scores]:
        """Yield the scores of the validation part; a single candidate is not trained for them."""
        if len(self.candidates) == 1:
            return
        data, (X, y) = self.data, self.data.validation
        keep = len(self.candidates) * len(data.test.X) <= MOST_KEPT
        both = np.vstack([X, data.test.X]) if keep else X
        values = self.predictor.predictions(*data.train, self.grids, both, data.rng("all"))
        if keep:
            values, self._on_test = np.split(values, [len(X)], axis=1)
        yield Scores(y, values)

    def fold_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs for each fold; scores and probabilities may need another fit."""
        if need == "predictions":
            yield from super().fold_outputs(fold, need)
            return
        # Predictions determine scores and probabilities.
        if self.predictor.outputs_of(np.zeros(1)) is not None:
            for scores in self.fold_scores(fold):
                yield [*map(self.predictor.outputs_of, scores.values)]
            return
        X, y = self.data.train
        for f in range(int(fold.max()) + 1):

            def rng(_: str, f: int = f) -> np.random.Generator:
                return self.data.rng(f"fold {f}")

            seen = trained_on(fold, f)
            data = replace(self.data, train=Part(X[seen], y[seen]), rng=rng)
            yield [self.predictor.outputs(data, c, X[fold == f]) for c in self.candidates]

    def outputs(self, i: int) -> Outputs:
        """Return outputs from the kept predictions, or train the candidate once more."""
        data, on_test = self.data, self._on_test
        outputs = None if on_test is None else self.predictor.outputs_of(on_test[i])
        return outputs or self.predictor.outputs(data, self.candidates[i], data.test.X)

    def trained(self) -> Trained:
        """Return the scores of all candidates on training and test examples."""
        data = self.data
        both = np.vstack([data.train.X, data.test.X])
        scores = self.predictor.predictions(*data.train, self.grids, both, data.rng("all"))
        on_train, self._on_test = np.split(scores, [len(data.train.X)], axis=1)
        return Trained(data.train.y, data.test.y, on_train, self._on_test, rng=data.rng)


def fit(learner: Learner, data: TrainingData, grids: Sequence[Grid]) -> Fitted:
    """Train a learner, once for every class if it separates only two."""
    learner = learner.made()
    if learner.against_rest(data.task):
        codes = [int(code) for code in np.unique(data.train.y)]
        each = {code: fit(learner, data.against_rest(code), grids) for code in codes}
        return FittedOneVsRest(data, grids, each)
    if isinstance(learner, Predictor):
        return FittedPredictions(learner, data, grids)
    assert isinstance(learner, Algorithm)
    drawn = isinstance(data.voters, DrawnStumps)
    return (FittedDrawnVotes if drawn else FittedVotes)(learner, data, grids)


class FittedOneVsRest(Fitted):
    """The same candidates, trained once for every class, as +1 against all others.

    The class with the largest score is predicted. If scores tie, up to rounding, the first class
    is predicted. A class without training examples is never predicted.
    """

    def __init__(
        self, data: TrainingData, grids: Sequence[Grid], each: Mapping[int, Fitted]
    ) -> None:
        self.data, self.each = data, [*each.values()]
        self.candidates = [c for grid in grids for c in grid.candidates]
        self._codes = np.array([*each], dtype=np.intp)

    def fold_scores(self, fold: IntArray) -> Iterator[Scores]:
        """Yield the predicted codes of each fold."""
        each = (fitted.fold_scores(fold) for fitted in self.each)
        for parts in zip(*each, strict=True):
            yield self._codes_of(parts)

    def validation_scores(self) -> Iterator[Scores]:
        """Yield the predicted codes of the validation part."""
        each = (fitted.validation_scores() for fitted in self.each)
        for parts in zip(*each, strict=True):
            yield self._codes_of(parts)

    def _codes_of(self, parts: Sequence[Scores]) -> Scores:
        """Return the predicted codes, given the scores of each class against the rest."""
        values = np.array([part.values for part in parts])
        zero = np.max([np.broadcast_to(part.zero, len(values[0])) for part in parts], axis=0)
        is_class = np.array([part.y > 0 for part in parts])
        # A class without training examples gets a code that is never predicted.
        y = np.where(is_class.any(axis=0), self._codes[is_class.argmax(axis=0)], -1)
        predicted = self._codes[first_within(values, zero[:, None])]
        solved = np.ones(len(predicted), dtype=np.bool_)
        for part in parts:
            solved &= part.solved
        return Scores(y.astype(np.float64), predicted.astype(np.float64), solved=solved)

    def outputs(self, i: int) -> Outputs:
        """Return the scores of all classes, and the class of the largest."""
        return self._joined([fitted.outputs(i) for fitted in self.each])

    def fold_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs for each fold, with every class against the rest."""
        each = (fitted.fold_outputs(fold, need) for fitted in self.each)
        for parts in zip(*each, strict=True):
            candidates = zip(*parts, strict=True)
            solved = ([outputs for outputs in one if outputs is not None] for one in candidates)
            yield [self._joined(o) if len(o) == len(parts) else None for o in solved]

    def _joined(self, binary: Sequence[Outputs]) -> Outputs:
        """Return the outputs for all classes, given outputs of each class against the rest."""
        columns = np.array([outputs.scores for outputs in binary])
        predicted = first_within(columns, max(outputs.zero for outputs in binary))
        scores = np.full((columns.shape[1], self.data.n_classes), -np.inf)
        scores[:, self._codes] = columns.T
        return Outputs(self._codes[predicted], scores, self._probabilities(binary))

    def unsolved(self) -> NoSolutionError:
        """Return the error of the first class."""
        return self.each[0].unsolved()

    def _probabilities(self, binary: Sequence[Outputs]) -> FloatArray | None:
        """Return normalised probabilities of each class against the rest, (n_new, n_classes)."""
        columns = [o.probabilities[:, 1] for o in binary if o.probabilities is not None]
        if len(columns) < len(binary):
            return None
        sums = np.zeros((len(columns[0]), self.data.n_classes))
        sums[:, self._codes] = np.column_stack(columns)
        total = sums.sum(axis=1, keepdims=True)
        equal = np.isin(np.arange(self.data.n_classes), self._codes) / len(columns)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), equal)


def first_within(scores: FloatArray, zero: FloatArray | float) -> IntArray:
    """Return the index of the first largest score along the first axis, shape (...).

    Parameters
    ----------
    scores : ndarray of shape (n_classes, ...)
        Scores; NaN, the result of an overflow, is below all others.
    zero : ndarray or float
        Scores that differ by at most this are equal.
    """
    ordered = np.where(np.isnan(scores), -np.inf, scores)
    return np.asarray((ordered >= ordered.max(axis=0) - zero).argmax(axis=0))
