"""Training all candidates on the examples of a cell, and choosing one of them.

A trainer scores held-out examples by every candidate, and is then asked for the outputs of the one
that is chosen, trained on the whole training part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

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
from quadrepro.core.voters.coded import VoterOutputs
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import ZERO_VOTE

if TYPE_CHECKING:
    from quadrepro.core.metrics import Metric

MOST_KEPT = 2**24
"""Scores of test examples that are kept, 128 MB; of more, the chosen candidate is trained again."""


class NoSolutionError(ValueError):
    """No candidate has a solution on every part of the examples."""


class Scored(NamedTuple):
    """Held-out examples with the scores of all candidates.

    Attributes
    ----------
    y : ndarray of shape (n_examples,)
        Labels -1 or +1, class codes, or numbers.
    scores : ndarray of shape (n_candidates, n_examples)
        Scores that are above zero for +1, predicted codes, or predicted numbers.
    zero : ndarray of shape (n_candidates,) or float, default 0.0
        The size of a score that differs from zero only by rounding.
    solved : ndarray of bool of shape (n_candidates,) or bool, default True
        Which candidates have a solution.
    """

    y: FloatArray
    scores: FloatArray
    zero: FloatArray | float = 0.0
    solved: BoolArray | bool = True

    def losses(self, task: Task) -> FloatArray:
        """Return the number of errors, or the sum of squared errors, of each candidate.

        It is NaN without a solution, and infinite for a regression whose predictions overflowed.
        """
        if task == "regression":
            losses = np.square(self.scores - self.y).sum(axis=1)
            losses = np.where(np.isnan(losses), np.inf, losses)
        elif task == "multiclass":
            losses = (self.scores != self.y).sum(axis=1)
        else:
            positive = self.scores > np.reshape(self.zero, (-1, 1))
            losses = (positive != (self.y > 0)).sum(axis=1)
        return np.where(self.solved, losses, np.nan)

    def outputs(self, task: Task) -> list[Outputs | None]:
        """Return the outputs of each candidate, None without a solution."""
        n = len(self.scores)
        solved, zero = np.broadcast_to(self.solved, n), np.broadcast_to(self.zero, n)
        if task == "classification":
            every = map(Outputs.of_vote, self.scores, zero.tolist())
        else:
            every = map(Outputs, self.scores)
        return [outputs if ok else None for outputs, ok in zip(every, solved, strict=True)]


class HeldOut(NamedTuple):
    """Held-out examples with the outputs of one candidate, as a metric judges them."""

    classes: range
    actual: Targets
    predicted: Targets
    scores: FloatArray | None
    probabilities: FloatArray | None


class Trainer(ABC):
    """A learner bound to the examples of a cell and to the candidates of its grids.

    Attributes
    ----------
    data : TrainingData
        The examples.
    grids : sequence of Grid
        Values of the hyper-parameters.
    candidates : list of dict
        All candidates in order. Held-out examples that choose a number of rounds add it.
    """

    def __init__(self, data: TrainingData, grids: Sequence[Grid]) -> None:
        self.data, self.grids = data, grids
        self.candidates: list[dict[str, Value]] = [c for grid in grids for c in grid.candidates]

    @abstractmethod
    def held_out(self, fold: IntArray | None) -> Iterator[Scored]:
        """Train all candidates and yield the parts of the held-out examples with their scores.

        Parameters
        ----------
        fold : ndarray of int of shape (n_train,), or None
            Fold of each training example, of which each is held out in turn, see `trained_on`;
            None for the validation part.
        """

    @abstractmethod
    def outputs(self, i: int) -> Outputs:
        """Return the outputs for test examples of a candidate trained on the whole part."""

    def path(self) -> Trained:
        """Train all candidates on the whole training part, to be measured.

        A config asks for no measures of drawn stumps or of more than two classes.
        """
        raise NotImplementedError

    def losses(self, fold: IntArray | None) -> FloatArray:
        """Return the loss of each candidate, summed over all that is held out; see `held_out`."""
        losses = np.zeros(len(self.candidates))
        for part in self.held_out(fold):
            losses += part.losses(self.data.task)
        return losses

    def held_out_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs of all candidates for each fold, as far as a metric needs them."""
        for part in self.held_out(fold):
            yield part.outputs(self.data.task)

    def metric_losses(self, metric: Metric, fold: IntArray) -> FloatArray:
        """Return the metric of each candidate, with a minus sign if the highest is the best.

        Predictions and probabilities of all folds are judged together. Scores of two models need
        not be comparable, so a metric of scores is the mean over the folds in which it is defined.
        """
        parts = [*self.held_out_outputs(fold, metric.needs)]
        if not parts:
            return np.zeros(1)  # a single candidate
        unsolved = np.any([[outputs is None for outputs in part] for part in parts], axis=0)
        y = self.data.codes_of(self.data.train.y)
        actual = [y[fold == f] for f in range(len(parts))]
        if metric.needs != "scores":
            parts = [[_concatenated(folds) for folds in zip(*parts, strict=True)]]
            actual = [np.concatenate(actual)]
        values = np.array(
            [
                [self._value(metric, targets, outputs) for outputs in part]
                for targets, part in zip(actual, parts, strict=True)
            ]
        )
        defined = ~np.isnan(values).all(axis=1)
        if not defined.any() and len(self.candidates) == 1:
            return np.zeros(1)
        if not defined.any():
            raise NoSolutionError(
                f"{metric.name} cannot choose: the learner gives no {metric.needs}, or the folds"
                " have examples of one class only"
            )
        # As with errors, a candidate whose predictions overflowed is worse than all others.
        losses = np.nan_to_num(metric.sign * values[defined], nan=np.inf).mean(axis=0)
        return np.where(unsolved, np.nan, losses)

    def _value(self, metric: Metric, actual: Targets, outputs: Outputs | None) -> float:
        """Return the value of a metric, NaN if it is undefined."""
        if outputs is None:
            return np.nan
        value = metric.value(HeldOut(range(self.data.n_classes), actual, *outputs[:3]))
        return np.nan if value is None else value

    def unsolved(self) -> NoSolutionError:
        """Return the error if no candidate has a solution."""
        return NoSolutionError("no candidate has a solution on all parts of the examples")


def _concatenated(parts: Sequence[Outputs | None]) -> Outputs | None:
    """Return the predictions and the probabilities of a candidate for all folds."""
    solved = [outputs for outputs in parts if outputs is not None]
    if len(solved) < len(parts):
        return None
    columns = [outputs.probabilities for outputs in solved if outputs.probabilities is not None]
    probabilities = np.concatenate(columns) if len(columns) == len(parts) else None
    return Outputs(np.concatenate([outputs.predicted for outputs in solved]), None, probabilities)


def choose(
    trainer: Trainer, fold: IntArray | None, metric: Metric | None = None
) -> tuple[int, FloatArray]:
    """Return the index of the candidate with the smallest loss, the first if tied, and all losses.

    The loss is the number of errors unless there is a metric. A candidate without a solution on
    some part of the examples is never chosen.
    """
    if metric is None:
        losses = trainer.losses(fold)
    else:
        assert fold is not None
        losses = trainer.metric_losses(metric, fold)
    # `nanargmin` would take NaN for as good as an infinite loss.
    solved = np.flatnonzero(~np.isnan(losses))
    if not solved.size:
        raise trainer.unsolved()
    return int(solved[losses[solved].argmin()]), losses


def trainer_of(learner: Learner, data: TrainingData, grids: Sequence[Grid]) -> Trainer:
    """Return the trainer of a learner, or of one for every class if it separates only two."""
    learner = learner.made()
    if learner.against_rest(data.task):
        codes = [int(code) for code in np.unique(data.train.y)]
        each = {code: trainer_of(learner, data.against_rest(code), grids) for code in codes}
        return OneVsRest(data, grids, each)
    if isinstance(learner, Predictor):
        return PredictionTrainer(learner, data, grids)
    assert isinstance(learner, Algorithm)
    drawn = isinstance(data.voters, DrawnStumps)
    return (DrawnTrainer if drawn else VoteTrainer)(learner, data, grids)


class VoteTrainer(Trainer):
    """Trains votes over voters that are fixed before training.

    Voters that do not look at labels are those of the whole training part, and folds are samples of
    one problem. Voters that learn from labels are made again without each fold.
    """

    def __init__(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> None:
        super().__init__(data, grids)
        self.algorithm = algorithm
        self.voters, self.on_test = data.voter_outputs
        self._problem: VotingProblem
        self._whole: FloatArray | None = None

    @property
    def weights(self) -> FloatArray:
        """The votes on the whole training part, shape (n_candidates, n_voters); NaN unsolved."""
        if self._whole is None:
            [self._whole] = self._paths(self.voters, self.data.train.y)
        return self._whole

    def held_out(self, fold: IntArray | None) -> Iterator[Scored]:
        """Yield the folds with the votes that have not seen them."""
        assert fold is not None  # a hold-out chooses among votes over drawn stumps
        X, y = self.data.train
        folds = range(int(fold.max()) + 1)
        seen = [trained_on(fold, f) for f in folds]
        if not self.data.voters.learn:
            samples = np.vstack([*seen, np.ones_like(fold)]).astype(np.float64)
            *votes, self._whole = self._paths(self.voters, y, samples)
        for f in folds:
            out = fold == f
            if self.data.voters.learn:
                rows = seen[f]
                part = Part(X[rows], y[rows])
                voters, on_held_out = self.data.voters.outputs(part, X[out], self.data.rng)
                [weights] = self._paths(voters, part.y)
            else:
                weights, on_held_out = votes[f], self.voters.on(out)
            all_solved = _solved(self.weights)
            if np.ptp(y[seen[f]]) == 0:  # infinite: one against the rest decides
                scores = np.full((len(weights), out.sum()), y[seen[f]][0] * np.inf)
                yield Scored(y[out], scores, solved=all_solved)
            else:
                zero = ZERO_VOTE * np.abs(weights).sum(axis=1)
                solved = all_solved & _solved(weights)
                yield Scored(y[out], on_held_out.vote(weights), zero, solved)

    def outputs(self, i: int) -> Outputs:
        """Return the sums of the vote, or the only class of the training part."""
        y = self.data.train.y
        if np.ptp(y) == 0:
            return Outputs.of_vote(np.full(self.on_test.n_examples, y[0]), 0.0)
        weights = self.weights[[i]]
        if np.isnan(weights).any():
            raise self.unsolved()
        zero = ZERO_VOTE * float(np.abs(weights).sum(axis=1)[0])
        return Outputs.of_vote(self.on_test.vote(weights)[0], zero)

    def path(self) -> Trained:
        """Return the votes of all candidates with their voter matrix."""
        weights, data, H = self.weights, self.data, self.voters.matrix()
        scores = weights @ H.T, weights @ self.on_test.matrix().T
        return Trained(data.train.y, data.test.y, *scores, H, weights, data.rng)

    def unsolved(self) -> NoSolutionError:
        """Return the error with the limit of the hyper-parameters."""
        name = type(self.algorithm).__name__
        why = self.algorithm.limit(self._problem) or "the solver found no optimum"
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
    """Mark the candidates that have a solution."""
    return np.asarray(~np.isnan(weights).any(axis=1))


class DrawnTrainer(Trainer):
    """Trains votes over stumps that are drawn in every round."""

    def __init__(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> None:
        super().__init__(data, grids)
        assert data.valid is not None  # only a hold-out draws stumps
        voters = data.voters
        train, valid, self.test = data.coded
        self.algorithm = algorithm
        self.problem = DrawnProblem(
            source=lambda: voters.make(train, data.train.y),
            train=train,
            y_train=data.train.y,
            valid=valid,
            y_valid=data.valid.y,
            stopping=voters.stopping,
        )
        self._runs: list[tuple[StoppedRuns, int]] = []

    def losses(self, fold: IntArray | None) -> FloatArray:
        """Return the errors on held-out examples, which the runs have counted."""
        runs = [self.algorithm.hold_out(self.problem, grid) for grid in self.grids]
        self._runs = [(run, i) for run in runs for i in range(len(run.candidates))]
        self.candidates = [run.candidates[i] for run, i in self._runs]
        return np.concatenate([run.errors for run in runs], dtype=np.float64)

    def held_out(self, fold: IntArray | None) -> Iterator[Scored]:
        """Yield the held-out examples, with each candidate after its chosen round."""
        losses, codes = self.losses(fold), self.problem.valid
        votes = [run.vote(i) for run, i in self._runs]
        scores = np.array([vote.sums(codes) for vote in votes])
        zero = np.array([ZERO_VOTE * np.abs(vote.weights).sum() for vote in votes])
        yield Scored(self.problem.y_valid, scores, zero, ~np.isnan(losses))

    def outputs(self, i: int) -> Outputs:
        """Return the sums of the vote, and the margins of the training examples."""
        run, place = self._runs[i]
        vote, problem = run.vote(place), self.problem
        total = float(np.abs(vote.weights).sum())
        margins = problem.y_train * vote.sums(problem.train) / (total if total > 0 else 1.0)
        return Outputs.of_vote(vote.sums(self.test), ZERO_VOTE * total, margins)


class PredictionTrainer(Trainer):
    """Trains the candidates of a predictor."""

    def __init__(self, predictor: Predictor, data: TrainingData, grids: Sequence[Grid]) -> None:
        super().__init__(data, grids)
        self.predictor = predictor.for_columns(data)
        self._on_test: FloatArray | None = None
        self._tells_outputs = self.predictor.outputs_of(np.zeros(1)) is not None

    def held_out(self, fold: IntArray | None) -> Iterator[Scored]:
        """Yield the held-out parts; a single candidate is not trained for them."""
        data = self.data
        X, y = data.train
        if len(self.candidates) == 1:
            return
        if fold is None:
            assert data.valid is not None
            keep = len(self.candidates) * len(data.test.X) <= MOST_KEPT
            yield Scored(data.valid.y, self._before_test(data.valid.X, keep))
        else:
            for f in range(int(fold.max()) + 1):
                seen, out = trained_on(fold, f), fold == f
                rng = data.rng(f"fold {f}")
                scores = self.predictor.predictions(X[seen], y[seen], self.grids, X[out], rng)
                yield Scored(y[out], scores)

    def held_out_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs for each fold; scores and probabilities may need another fit."""
        if need == "predictions":
            yield from super().held_out_outputs(fold, need)
            return
        if self._tells_outputs:
            for part in self.held_out(fold):
                yield [*map(self.predictor.outputs_of, part.scores)]
            return
        X, y = self.data.train
        for f in range(int(fold.max()) + 1):
            seen, rng = trained_on(fold, f), partial(self._rng_of_fold, f)
            data = replace(self.data, train=Part(X[seen], y[seen]), rng=rng)
            yield [self.predictor.outputs(data, c, X[fold == f]) for c in self.candidates]

    def _rng_of_fold(self, f: int, name: str) -> np.random.Generator:
        return self.data.rng(f"fold {f}")

    def outputs(self, i: int) -> Outputs:
        """Return the outputs that the predictions decide, or train the candidate once more."""
        data, on_test = self.data, self._on_test
        outputs = None if on_test is None else self.predictor.outputs_of(on_test[i])
        return outputs or self.predictor.outputs(data, self.candidates[i], data.test.X)

    def path(self) -> Trained:
        """Return the scores of all candidates on training and test examples."""
        data = self.data
        on_train = self._before_test(data.train.X)
        assert self._on_test is not None
        return Trained(data.train.y, data.test.y, on_train, self._on_test, rng=data.rng)

    def _before_test(self, X: FloatArray, keep: bool = True) -> FloatArray:
        """Train all candidates and return their scores of examples; keep those of test examples."""
        data = self.data
        both, rng = np.vstack([X, data.test.X]) if keep else X, data.rng("all")
        scores = self.predictor.predictions(*data.train, self.grids, both, rng)
        before, on_test = np.split(scores, [len(X)], axis=1)
        self._on_test = on_test if keep else None
        return before


class OneVsRest(Trainer):
    """Trains the same candidate once for every class, as +1 against all others.

    The class with the largest score is predicted. Scores that differ only by rounding are equal,
    and the first of equal ones counts. A class that the training part lacks is never predicted.
    """

    def __init__(
        self, data: TrainingData, grids: Sequence[Grid], trainers: Mapping[int, Trainer]
    ) -> None:
        super().__init__(data, grids)
        self.trainers = trainers
        self._codes = np.array([*trainers], dtype=np.intp)

    def held_out(self, fold: IntArray | None) -> Iterator[Scored]:
        """Yield the held-out parts with the predicted codes."""
        each = (trainer.held_out(fold) for trainer in self.trainers.values())
        for parts in zip(*each, strict=True):
            scores = np.array([part.scores for part in parts])
            zero = np.max([np.broadcast_to(p.zero, len(scores[0])) for p in parts], axis=0)
            is_class = np.array([part.y > 0 for part in parts])
            # A class that the training part lacks is another one than any that is predicted.
            y = np.where(is_class.any(axis=0), self._codes[is_class.argmax(axis=0)], -1)
            predicted = self._codes[first_of_largest(scores, zero[:, None])]
            solved = np.all([part.solved for part in parts], axis=0)
            yield Scored(y.astype(np.float64), predicted.astype(np.float64), solved=solved)

    def outputs(self, i: int) -> Outputs:
        """Return the scores of all classes, and the class of the largest."""
        return self._joined([trainer.outputs(i) for trainer in self.trainers.values()])

    def held_out_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs for each fold, with every class against the rest."""
        each = (trainer.held_out_outputs(fold, need) for trainer in self.trainers.values())
        for parts in zip(*each, strict=True):
            candidates = zip(*parts, strict=True)
            solved = ([outputs for outputs in one if outputs is not None] for one in candidates)
            yield [self._joined(o) if len(o) == len(parts) else None for o in solved]

    def _joined(self, binary: Sequence[Outputs]) -> Outputs:
        """Return the outputs for all classes, from the outputs of each class against the rest."""
        columns = np.array([outputs.scores for outputs in binary])
        predicted = first_of_largest(columns, max(outputs.zero for outputs in binary))
        scores = np.full((columns.shape[1], self.data.n_classes), -np.inf)
        scores[:, self._codes] = columns.T
        return Outputs(self._codes[predicted], scores, self._probabilities(binary))

    def unsolved(self) -> NoSolutionError:
        """Return the error of the first class."""
        return next(iter(self.trainers.values())).unsolved()

    def _probabilities(self, binary: Sequence[Outputs]) -> FloatArray | None:
        """Return the probability of each class against the rest, divided by their sum."""
        columns = [o.probabilities[:, 1] for o in binary if o.probabilities is not None]
        if len(columns) < len(binary):
            return None
        sums = np.zeros((len(columns[0]), self.data.n_classes))
        sums[:, self._codes] = np.column_stack(columns)
        total = sums.sum(axis=1, keepdims=True)
        equal = np.isin(np.arange(self.data.n_classes), self._codes) / len(columns)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), equal)


def first_of_largest(scores: FloatArray, zero: FloatArray | float) -> IntArray:
    """Return the place of the first score along the first axis that is as large as any.

    Parameters
    ----------
    scores : ndarray of shape (n_classes, ...)
        Scores; NaN, which an overflow leaves, is below all others.
    zero : ndarray or float
        Scores that differ by no more are equal.
    """
    ordered = np.where(np.isnan(scores), -np.inf, scores)
    return np.asarray((ordered >= ordered.max(axis=0) - zero).argmax(axis=0))
