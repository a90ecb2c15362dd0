"""Choosing a candidate of a learner that gives predictions: by folds, or on held-out examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import Task
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.predictor import Predictor


@dataclass(frozen=True, eq=False)
class PredictorChoice:
    """The chosen candidate.

    Attributes
    ----------
    candidate : dict
        Value of each hyper-parameter.
    loss : float
        What it was chosen by: errors, or the sum of squared errors of a regression; 0 where
        nothing was chosen.
    scores : ndarray of shape (n_new,)
        Its scores on the examples to predict.
    """

    candidate: dict[str, Value]
    loss: float
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class PredictorSearch:
    """A search over the candidates of a `Predictor`; ties go to the first.

    Attributes
    ----------
    predictor : Predictor
        Trains and predicts.
    grids : sequence of Grid
        The candidates, from simple to complex.
    rng : callable
        Returns the generator of the training with a given name.
    """

    predictor: Predictor
    grids: Sequence[Grid]
    rng: Callable[[str], np.random.Generator]

    def by_folds(
        self, X: FloatArray, y: FloatArray, fold: IntArray, X_new: FloatArray
    ) -> PredictorChoice:
        """Choose by k-fold cross-validation, and train the choice on all examples.

        Parameters
        ----------
        X, y : ndarray of shape (n_examples, n_attributes) and (n_examples,)
            Training examples.
        fold : ndarray of shape (n_examples,)
            Fold of each example, 0 to k - 1; empty to choose nothing and take the last candidate.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.

        Returns
        -------
        PredictorChoice
            The candidate of least loss.
        """
        candidates = [(grid, i) for grid in self.grids for i in range(len(grid.candidates))]
        best, loss = len(candidates) - 1, 0.0
        if len(fold) and len(candidates) > 1:
            losses = np.zeros(len(candidates))
            for f in range(int(fold.max()) + 1):
                out = fold == f
                scores = self.all_scores(X[~out], y[~out], X[out], f"fold {f}")
                losses += summed_loss(self.predictor.task, scores, y[out])
            best = int(losses.argmin())
            loss = float(losses[best])
        grid, i = candidates[best]
        candidate = grid.candidates[i]
        alone = Grid.of({name: [value] for name, value in candidate.items()})
        scores = self.predictor.predictions(X, y, alone, X_new, self.rng("all"))
        return PredictorChoice(candidate, loss, scores[0])

    def by_holdout(
        self,
        X: FloatArray,
        y: FloatArray,
        X_valid: FloatArray,
        y_valid: FloatArray,
        X_new: FloatArray,
    ) -> PredictorChoice:
        """Choose on held-out examples.

        Parameters
        ----------
        X, y : ndarray of shape (n_examples, n_attributes) and (n_examples,)
            Training examples.
        X_valid, y_valid : ndarray of shape (n_valid, n_attributes) and (n_valid,)
            Examples to choose by.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.

        Returns
        -------
        PredictorChoice
            The candidate of least loss.
        """
        scores = self.all_scores(X, y, np.vstack([X_valid, X_new]))
        losses = summed_loss(self.predictor.task, scores[:, : len(y_valid)], y_valid)
        best = int(losses.argmin())
        candidates = [candidate for grid in self.grids for candidate in grid.candidates]
        return PredictorChoice(candidates[best], float(losses[best]), scores[best, len(y_valid) :])

    def all_scores(
        self, X: FloatArray, y: FloatArray, X_new: FloatArray, name: str = "all"
    ) -> FloatArray:
        """Train every candidate and let it predict.

        Parameters
        ----------
        X, y : ndarray of shape (n_examples, n_attributes) and (n_examples,)
            Training examples.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.
        name : str, default "all"
            Name of the training's draws.

        Returns
        -------
        ndarray of shape (n_candidates, n_new)
            The scores.
        """
        rng = self.rng(name)
        return np.concatenate(
            [self.predictor.predictions(X, y, grid, X_new, rng) for grid in self.grids]
        )


def summed_loss(task: Task, scores: FloatArray, y: FloatArray) -> FloatArray:
    """Return the errors, or the sum of squared errors, of each row of scores.

    Parameters
    ----------
    task : {"classification", "regression"}
        Which of the two.
    scores : ndarray of shape (n_candidates, n_examples)
        Predicted numbers; for classes above zero for +1.
    y : ndarray of shape (n_examples,)
        What is right.

    Returns
    -------
    ndarray of shape (n_candidates,)
    """
    if task == "classification":
        return np.asarray(((scores > 0) != (y > 0)).sum(axis=1), dtype=np.float64)
    losses = ((scores - y) ** 2).sum(axis=1)
    # A regression that has overflowed is no candidate.
    return np.where(np.isnan(losses), np.inf, losses)
