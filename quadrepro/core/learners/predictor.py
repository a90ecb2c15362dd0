"""Predictors: learners that train on attributes and give predictions instead of votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.learners.grid import Grid, Value
from quadrepro.core.learners.learner import (
    Fitted,
    Learner,
    Outputs,
    Path,
    Scored,
    Trainer,
    TrainingData,
    Validation,
    trained_on,
)


@dataclass(frozen=True)
class Predictor(Learner):
    """A learner that trains on attributes; its candidates are known by their predictions."""

    gives_votes = False
    draws = True

    def trainer(self, data: TrainingData, grids: Sequence[Grid]) -> Predictions:
        """Return the trainer on the attributes."""
        return Predictions(grids, self.for_columns(data), data)

    def for_columns(self, data: TrainingData) -> Self:
        """Return this predictor with what it has to know of the columns of a cell."""
        return self

    @abstractmethod
    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Train every candidate of some grids and return its predictions, one after the other.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Training examples.
        y : ndarray of shape (n_examples,)
            Labels -1 or +1, class codes where the predictor takes them, or the numbers to predict.
        grids : sequence of Grid
            Values of the hyper-parameters.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.
        rng : numpy.random.Generator
            Generator of all random draws.

        Returns
        -------
        ndarray of shape (n_candidates, n_new)
            Predicted numbers or class codes, or for two classes scores that are above zero for +1.
        """

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
        [found] = self.predictions(*data.train, [alone], X_new, data.rng("all"))
        told = self.outputs_of(found)
        assert told is not None
        return told

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return the outputs that a candidate's `predictions` tell.

        Parameters
        ----------
        predictions : ndarray of shape (n_new,)
            Those of one candidate.
        """
        if self.task == "regression":
            return Outputs(predictions)
        return Outputs.by_score(predictions)


@dataclass(frozen=True, eq=False)
class Predictions(Trainer):
    """Trains the candidates of a predictor."""

    predictor: Predictor
    data: TrainingData

    @property
    def task(self) -> Task:
        """The task: classes or numbers."""
        return self.data.task

    def validate(self, fold: IntArray | None) -> Validation:
        """Score held-out examples; a single candidate is not trained for folds and has loss 0."""
        n_candidates = len(self.candidates)
        solved = np.ones(n_candidates, dtype=np.bool_)
        if fold is not None:
            return Validation(self._folds(fold) if n_candidates > 1 else (), solved, self._fitted)
        data, valid = self.data, self.data.valid
        if valid is None:
            raise ValueError("a hold-out needs held-out examples")
        # Test examples are predicted too, so that the chosen candidate need not be trained again.
        scores = self._scores(*data.train, np.vstack([valid.X, data.test.X]))
        on_valid, on_test = np.split(scores, [len(valid.y)], axis=1)
        part = Scored(valid.y, on_valid)
        return Validation([part], solved, lambda i: self._fitted(i, on_test[i]))

    def _folds(self, fold: IntArray) -> Iterator[Scored]:
        X, y = self.data.train
        for f in range(int(fold.max()) + 1):
            seen, out = trained_on(fold, f), fold == f
            yield Scored(y[out], self._scores(X[seen], y[seen], X[out], f"fold {f}"))

    def path(self) -> Path:
        """Train all candidates once; they predict the training and the test examples."""
        X, y = self.data.train
        scores = self._scores(X, y, np.vstack([X, self.data.test.X]))
        on_train, on_test = np.split(scores, [len(y)], axis=1)
        last = self._fitted(len(scores) - 1, on_test[-1])
        return Path(last, lambda: (on_train, on_test))

    def last(self) -> Fitted:
        """Train only the last candidate."""
        return self._fitted(len(self.candidates) - 1)

    def for_labels(self, data: TrainingData) -> Trainer:
        """Return the trainer on the same attributes for other labels."""
        return replace(self, data=data)

    def _fitted(self, i: int, predictions: FloatArray | None = None) -> Fitted:
        """Return a candidate with its outputs, by its predictions if these tell them."""
        candidate, told = self.candidates[i], None
        if predictions is not None:
            told = self.predictor.outputs_of(predictions)
        if told is None:
            told = self.predictor.outputs(self.data, candidate, self.data.test.X)
        return Fitted(candidate, told)

    def _scores(
        self, X: FloatArray, y: FloatArray, X_new: FloatArray, name: str = "all"
    ) -> FloatArray:
        return self.predictor.predictions(X, y, self.grids, X_new, self.data.rng(name))
