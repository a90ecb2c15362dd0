"""Learners trained on the examples of a cell, with all candidates of their grids.

A learner of two classes is trained once for each of several classes, against the rest.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Need, Targets, Task
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


EachOutputs = list[Outputs | None]
"""The outputs of each candidate; None without a solution."""


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

    def fold_outputs(self, fold: IntArray, need: Need = "predictions") -> Iterator[EachOutputs]:
        """Yield the outputs of all candidates for each fold, trained without this fold.

        Parameters
        ----------
        fold : ndarray of int, shape (n_train,)
            Fold of each training example, see `trained_on`.
        need : {"predictions", "scores", "probabilities"}, default "predictions"
            Outputs that are used; others may be missing.
        """
        raise NotImplementedError

    def validation_outputs(self) -> Iterator[EachOutputs]:
        """Yield the outputs of all candidates for the validation part."""
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
        actual = self.data.codes_of(self.data.validation.y)
        return self.total_losses((actual, each) for each in self.validation_outputs())

    def total_losses(self, parts: Iterable[tuple[Targets, EachOutputs]]) -> FloatArray:
        """Return the losses over parts of the examples, shape (n_candidates,); 0 without parts."""
        losses = np.zeros(len(self.candidates))
        for actual, each in parts:
            losses += losses_of(each, actual, self.data.task)
        return losses

    def unsolved(self) -> NoSolutionError:
        """Return the error that no candidate has a solution."""
        return NoSolutionError("no candidate has a solution on all parts of the examples")


def losses_of(each: EachOutputs, actual: Targets, task: Task) -> FloatArray:
    """Return the number of errors, or the sum of squared errors, shape (n_candidates,).

    It is NaN without a solution, and infinite for a regression whose predictions overflow.
    """
    nothing = np.full(len(actual), np.nan)
    predicted = np.array([nothing if one is None else one.predicted for one in each])
    if task == "regression":
        losses = np.square(predicted - actual).sum(axis=1)
        losses = np.where(np.isnan(losses), np.inf, losses)
    else:
        losses = (predicted != actual).sum(axis=1)
    return np.where([one is None for one in each], np.nan, losses)


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

    @cached_property
    def weights(self) -> FloatArray:
        """Votes on the whole training part, shape (n_candidates, n_voters); NaN if unsolved."""
        return np.asarray(self._train(self.voters, self.data.train.y)[0])

    def fold_outputs(self, fold: IntArray, need: Need = "predictions") -> Iterator[EachOutputs]:
        """Yield the outputs of each fold from votes trained without it."""
        X, y = self.data.train
        folds = range(int(fold.max()) + 1)
        seen = [trained_on(fold, f) for f in folds]
        if not self.data.voters.learn:
            # The last sample is the whole training part.
            samples = np.vstack([*seen, np.ones_like(fold)]).astype(np.float64)
            *votes, self.weights = self._train(self.voters, y, samples)
        for f in folds:
            out = fold == f
            if self.data.voters.learn:
                part = Part(X[seen[f]], y[seen[f]])
                voters, on_held_out = self.data.voters.outputs(part, X[out], self.data.rng)
                [weights] = self._train(voters, part.y)
            else:
                weights, on_held_out = votes[f], self.voters.on(out)
            if np.ptp(y[seen[f]]) == 0:  # infinite: decides one against the rest
                sums = np.full((len(weights), out.sum()), y[seen[f]][0] * np.inf)
            else:
                sums = on_held_out.vote(weights)
            totals = np.abs(weights).sum(axis=1)
            solved = ~np.isnan(totals) & ~np.isnan(self.weights).any(axis=1)
            yield outputs_of_votes(sums, totals, solved)

    def outputs(self, i: int) -> Outputs:
        """Return the sums of the vote, or the only class of the training part."""
        y = self.data.train.y
        if np.ptp(y) == 0:
            return Outputs.by_vote(np.full(self.on_test.n_examples, y[0]), 0.0)
        weights = self.weights[[i]]
        total = float(np.abs(weights).sum())
        if np.isnan(total):
            raise self.unsolved()
        return Outputs.by_vote(self.on_test.vote(weights)[0], ZERO_VOTE * total)

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

    def _train(
        self, voters: VoterOutputs, y: FloatArray, samples: FloatArray | None = None
    ) -> FloatArray:
        """Return the votes of all candidates, (n_samples, n_candidates, n_voters)."""
        if np.ptp(y) == 0:  # the only class is predicted, without a vote
            shape = 1 if samples is None else len(samples), len(self.candidates), voters.n_voters
            return np.zeros(shape)
        self._problem = self.algorithm.reduced(voters, y, samples)
        return self.algorithm.paths(self._problem, self.grids)


def outputs_of_votes(sums: FloatArray, totals: FloatArray, solved: BoolArray) -> EachOutputs:
    """Return the outputs of votes with sums of shape (n_candidates, n_new).

    Their total absolute weights and the mask of solutions have shape (n_candidates,).
    """
    votes = zip(sums, (ZERO_VOTE * totals).tolist(), solved, strict=True)
    return [Outputs.by_vote(*vote) if is_solved else None for *vote, is_solved in votes]


class FittedDrawnVotes(Fitted):
    """Votes over stumps that are drawn in every round; a validation part ends the runs."""

    def __init__(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> None:
        voters, validation = data.voters, data.validation
        self.data, self.algorithm, self.grids = data, algorithm, grids
        train, valid, self.on_test = data.coded
        self.problem = DrawnProblem(
            lambda: voters.make(train), train, data.train.y, valid, validation.y, voters.stopping
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

    def validation_outputs(self) -> Iterator[EachOutputs]:
        """Yield the outputs for the validation part of each candidate after its chosen round."""
        votes = [run.vote(i) for run, i in self._runs]
        sums = np.array([vote.sums(self.problem.valid) for vote in votes])
        totals = np.array([np.abs(vote.weights).sum() for vote in votes])
        yield outputs_of_votes(sums, totals, ~np.isnan(totals))

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

    def fold_outputs(self, fold: IntArray, need: Need = "predictions") -> Iterator[EachOutputs]:
        """Yield the outputs for each fold; a single candidate is not trained for them."""
        (X, y), predictor = self.data.train, self.predictor
        predictions_suffice = predictor.outputs_of(np.zeros(1)) is not None
        for f in range(int(fold.max()) + 1) if len(self.candidates) > 1 else ():
            seen, X_out = trained_on(fold, f), X[fold == f]
            part, draws = Part(X[seen], y[seen]), f"fold {f}"
            if need != "predictions" and not predictions_suffice:
                data = replace(self.data, train=part)
                yield [predictor.outputs(data, c, X_out, draws) for c in self.candidates]
                continue
            values = predictor.predictions(part, self.grids, X_out, self.data.rng(draws))
            if need == "predictions":
                yield self._predicted(values)
            else:
                yield [*map(predictor.outputs_of, values)]

    def validation_outputs(self) -> Iterator[EachOutputs]:
        """Yield the outputs for the validation part; a single candidate is not trained for them."""
        if len(self.candidates) == 1:
            return
        data, X = self.data, self.data.validation.X
        keep = len(self.candidates) * len(data.test.X) <= MOST_KEPT
        both = np.vstack([X, data.test.X]) if keep else X
        values = self.predictor.predictions(data.train, self.grids, both, data.rng("all"))
        if keep:
            values, self._on_test = np.split(values, [len(X)], axis=1)
        yield self._predicted(values)

    def _predicted(self, values: FloatArray) -> EachOutputs:
        """Return the predictions alone, given values of shape (n_candidates, n_new)."""
        if self.data.task == "classification":
            return [*map(Outputs, (values > 0).astype(np.intp), values)]
        return [*map(Outputs, values)]

    def outputs(self, i: int) -> Outputs:
        """Return outputs from the kept predictions, or train the candidate once more."""
        data, on_test = self.data, self._on_test
        outputs = None if on_test is None else self.predictor.outputs_of(on_test[i])
        return outputs or self.predictor.outputs(data, self.candidates[i], data.test.X)

    def trained(self) -> Trained:
        """Return the scores of all candidates on training and test examples."""
        data = self.data
        both = np.vstack([data.train.X, data.test.X])
        scores = self.predictor.predictions(data.train, self.grids, both, data.rng("all"))
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

    def fold_outputs(self, fold: IntArray, need: Need = "predictions") -> Iterator[EachOutputs]:
        """Yield the outputs for each fold, with every class against the rest."""
        parts = zip(*(fitted.fold_outputs(fold, need) for fitted in self.each), strict=True)
        return map(self._each_joined, parts)

    def validation_outputs(self) -> Iterator[EachOutputs]:
        """Yield the outputs for the validation part, with every class against the rest."""
        parts = zip(*(fitted.validation_outputs() for fitted in self.each), strict=True)
        return map(self._each_joined, parts)

    def outputs(self, i: int) -> Outputs:
        """Return the scores of all classes, and the class of the largest."""
        return self._joined([fitted.outputs(i) for fitted in self.each])

    def _each_joined(self, parts: Sequence[EachOutputs]) -> EachOutputs:
        """Return the outputs of each candidate, from outputs of each class against the rest."""
        candidates = zip(*parts, strict=True)
        solved = ([outputs for outputs in each if outputs is not None] for each in candidates)
        return [self._joined(each) if len(each) == len(parts) else None for each in solved]

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
