"""Predictors: learners that train on attributes and give predictions instead of votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import Learner, Task
from quadrepro.learners.grid import Grid
from quadrepro.learners.training import Fitted, Losses, Path, Trainer, TrainingData, trained_on


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

    def held_out_predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_valid: FloatArray,
        X_test: FloatArray,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, Callable[[int], FloatArray]]:
        """Train every candidate of several grids; few of them have to predict the test examples.

        Parameters
        ----------
        X, y, grids, rng
            As in `all_predictions`.
        X_valid : ndarray of shape (n_valid, n_attributes)
            Held-out examples.
        X_test : ndarray of shape (n_test, n_attributes)
            Test examples.

        Returns
        -------
        on_valid : ndarray of shape (n_candidates, n_valid)
            Predictions for the held-out examples.
        on_test : callable
            Returns those of the candidate with a given index for the test examples.
        """
        scores = self.all_predictions(X, y, grids, np.vstack([X_valid, X_test]), rng)
        on_valid, on_test = np.split(scores, [len(X_valid)], axis=1)
        return on_valid, lambda i: on_test[i]


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
                seen, out = trained_on(fold, f), fold == f
                scores = self._scores(X[seen], y[seen], X[out], f"fold {f}")
                losses += summed_loss(self.predictor.task, scores, y[out])
        return Losses(losses, self._fitted)

    def hold_out(self) -> Losses:
        """Return the losses on the held-out examples."""
        data, valid = self.data, self.data.valid
        if valid is None:
            raise ValueError("a hold-out needs held-out examples")
        on_valid, on_test = self.predictor.held_out_predictions(
            *data.train, self.grids, valid.X, data.test.X, data.rng("all")
        )
        losses = summed_loss(self.predictor.task, on_valid, valid.y)
        return Losses(losses, lambda i: Fitted(self.candidates[i], on_test(i)))

    def path(self) -> Path:
        """Train all candidates once; they predict the training and the test examples."""
        X, y = self.data.train
        scores = self._scores(X, y, np.vstack([X, self.data.test.X]))
        on_train, on_test = np.split(scores, [len(y)], axis=1)
        last = Fitted(self.candidates[-1], on_test[-1])
        return Path(last, lambda: (on_train, on_test))

    def last(self) -> Fitted:
        """Train only the last candidate."""
        return self._fitted(len(self.candidates) - 1)

    def _fitted(self, i: int) -> Fitted:
        candidate = self.candidates[i]
        alone = Grid.of({name: [value] for name, value in candidate.items()})
        rng, (X, y) = self.data.rng("all"), self.data.train
        return Fitted(candidate, self.predictor.predictions(X, y, alone, self.data.test.X, rng)[0])

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
