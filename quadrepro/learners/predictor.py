"""Predictors: learners that train on attributes and give predictions instead of votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray, Task
from quadrepro.learners.base import Learner
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.training import Fitted, Losses, Outputs, Path, Trainer, TrainingData


@dataclass(frozen=True)
class Predictor(Learner):
    """A learner that trains on attributes; its candidates are known by their predictions."""

    gives_votes = False
    draws = True

    def trainer(self, data: TrainingData, grids: Sequence[Grid]) -> Predictions:
        """Return the trainer on the attributes."""
        return Predictions(grids, self, data)

    @abstractmethod
    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train every candidate of a grid and return its predictions.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Training examples.
        y : ndarray of shape (n_examples,)
            Labels -1 or +1, or the numbers to predict.
        grid : Grid
            Values of the hyper-parameters.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.
        rng : numpy.random.Generator
            Generator of all random draws.

        Returns
        -------
        ndarray of shape (n_candidates, n_new)
            Predicted numbers, or for classes scores that are above zero for +1.
        """

    def all_predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Train every candidate of several grids and return its predictions.

        See `predictions`. A predictor may train candidates of different grids together.
        """
        found = [self.predictions(X, y, grid, X_new, rng) for grid in grids]
        # Most learners have one grid, whose scores may take as long to copy as rounds to run.
        return found[0] if len(found) == 1 else np.concatenate(found)

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Train one candidate on the training part and return its outputs on new examples.

        Parameters
        ----------
        data : TrainingData
            The examples of the cell; the generator ``all`` is that of all random draws.
        candidate : dict
            Value of each hyper-parameter.
        X_new : ndarray of shape (n_new, n_attributes)
            New examples.
        """
        alone = Grid.of({name: [value] for name, value in candidate.items()})
        [found] = self.predictions(*data.train, alone, X_new, data.rng("all"))
        told = self.outputs_of(found)
        assert told is not None
        return told

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return the outputs that a candidate's `predictions` tell.

        Parameters
        ----------
        predictions : ndarray of shape (n_new,)
            Those of one candidate.

        Returns
        -------
        Outputs or None
            None if they tell too little, so that the candidate must be trained for its `outputs`.
        """
        if self.task == "regression":
            return Outputs(predictions)
        return Outputs.by_score(predictions)

    def held_out_predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_valid: FloatArray,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, Callable[[int, FloatArray], Outputs] | None]:
        """Train every candidate of several grids and return its predictions of held-out examples.

        Parameters
        ----------
        X, y, grids, rng
            As in `all_predictions`.
        X_valid : ndarray of shape (n_valid, n_attributes)
            Held-out examples.

        Returns
        -------
        on_valid : ndarray of shape (n_candidates, n_valid)
            Predictions for the held-out examples.
        later : callable or None
            Returns the outputs of the candidate with a given index on new examples; None if it
            must be trained once more for them.
        """
        return self.all_predictions(X, y, grids, X_valid, rng), None


@dataclass(frozen=True, eq=False)
class Predictions(Trainer):
    """Trains the candidates of a predictor.

    Attributes
    ----------
    predictor : Predictor
        Trains the candidates and predicts.
    data : TrainingData
        The examples of the cell.
    """

    predictor: Predictor
    data: TrainingData

    def cross_validate(self, fold: IntArray) -> Losses:
        """Return the losses summed over the folds; a single candidate is not trained and has 0."""
        X, y = self.data.train
        losses = np.zeros(len(self.candidates))
        if len(losses) > 1:
            for f in range(int(fold.max()) + 1):
                out = fold == f
                scores = self._scores(X[~out], y[~out], X[out], f"fold {f}")
                losses += summed_loss(self.predictor.task, scores, y[out])
        return Losses(losses, self._fitted)

    def hold_out(self) -> Losses:
        """Return the losses on the held-out examples."""
        data, valid = self.data, self.data.valid
        if valid is None:
            raise ValueError("a hold-out needs held-out examples")
        on_valid, later = self.predictor.held_out_predictions(
            *data.train, self.grids, valid.X, data.rng("all")
        )
        losses = summed_loss(self.predictor.task, on_valid, valid.y)
        if later is None:
            return Losses(losses, self._fitted)
        return Losses(losses, lambda i: Fitted(self.candidates[i], later(i, data.test.X)))

    def path(self) -> Path:
        """Train all candidates once; they predict the training and the test examples."""
        X, y = self.data.train
        scores = self._scores(X, y, np.vstack([X, self.data.test.X]))
        on_train, on_test = np.split(scores, [len(y)], axis=1)
        told = self.predictor.outputs_of(on_test[-1])
        last = self.last() if told is None else Fitted(self.candidates[-1], told)
        return Path(last, lambda: (on_train, on_test))

    def last(self) -> Fitted:
        """Train only the last candidate."""
        return self._fitted(len(self.candidates) - 1)

    def _fitted(self, i: int) -> Fitted:
        candidate = self.candidates[i]
        return Fitted(candidate, self.predictor.outputs(self.data, candidate, self.data.test.X))

    def _scores(
        self, X: FloatArray, y: FloatArray, X_new: FloatArray, name: str = "all"
    ) -> FloatArray:
        return self.predictor.all_predictions(X, y, self.grids, X_new, self.data.rng(name))


def summed_loss(task: Task, scores: FloatArray, y: FloatArray) -> FloatArray:
    """Return the number of errors, or the sum of squared errors, of each row of scores.

    Parameters
    ----------
    task : {"classification", "regression"}
        What the scores predict.
    scores : ndarray of shape (n_candidates, n_examples)
        Predicted numbers, or for classes scores that are above zero for +1.
    y : ndarray of shape (n_examples,)
        Labels -1 or +1, or true numbers.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The losses; infinite for a regression whose predictions overflowed.
    """
    if task == "classification":
        return np.asarray(((scores > 0) != (y > 0)).sum(axis=1), dtype=np.float64)
    errors = scores - y
    losses = np.square(errors, out=errors).sum(axis=1)
    return np.where(np.isnan(losses), np.inf, losses)
