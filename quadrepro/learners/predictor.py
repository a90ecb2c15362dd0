"""Learners that see attributes instead of a voter matrix, and answer with predictions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Learner, Task
from quadrepro.learners.grid import Grid


@dataclass(frozen=True)
class Predictor(Learner):
    """A learner that makes its own base learners, and so gives predictions instead of weights."""

    @property
    @abstractmethod
    def task(self) -> Task:
        """What it predicts: a class, as the sign of a score, or a number."""

    def for_task(self, task: Task) -> Self | None:
        """Return what does a task, or None if it cannot."""
        return self if task == self.task else None

    @abstractmethod
    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train every candidate of a grid and let it predict.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Training examples.
        y : ndarray of shape (n_examples,)
            Labels -1 or +1, or the numbers to be predicted.
        grid : Grid
            Values of the hyper-parameters.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.
        rng : numpy.random.Generator
            Where draws come from.

        Returns
        -------
        ndarray of shape (n_candidates, n_new)
            Numbers; for classes real scores, above zero for +1.
        """

    @abstractmethod
    def seconds(self, n_examples: int, n_attributes: int, n_fits: int, grid: Grid) -> float:
        """Return a rough estimate of the time that `n_fits` calls take on one core."""
