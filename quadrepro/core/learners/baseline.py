"""The baseline: predictions that do not depend on the attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.learners.grid import Grid, Hyperparameter, Value
from quadrepro.core.learners.learner import Entry, Outputs, Predictor, TrainingData


@dataclass(frozen=True)
class Baseline(Predictor):
    """Predict the same of every example: the most frequent class, or the mean.

    Class probabilities are the frequencies of the classes in the training part. Of equally
    frequent classes the first one is predicted.
    """

    predicts: Task = "classification"
    many_classes = True
    draws = False

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """There are none."""
        return ()

    @property
    def task(self) -> Task:
        """The task: classes or numbers."""
        return self.predicts

    def for_task(self, task: Task) -> Self:
        """Return the baseline of a task."""
        return replace(self, predicts=task)

    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return the same prediction for all new examples, for each candidate."""
        if self.predicts == "multiclass":
            value = float(np.bincount(y.astype(np.intp)).argmax())
        else:
            # Of labels -1 and +1, the mean is above zero if the second class is more frequent.
            value = math.fsum(y) / len(y)
        return np.full((sum(map(len, grids)), len(X_new)), value)

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Return the prediction, with the frequencies of the classes as probabilities."""
        y, n_new = data.train.y, len(X_new)
        if self.predicts == "regression":
            return Outputs(np.full(n_new, math.fsum(y) / len(y)))
        codes = np.asarray(y > 0 if self.predicts == "classification" else y, dtype=np.intp)
        counts = np.bincount(codes, minlength=data.n_classes)
        probabilities = np.tile(counts / len(y), (n_new, 1))
        return Outputs(np.full(n_new, counts.argmax()), None, probabilities)


BASELINE = Entry(
    Baseline,
    "Baseline",
    "most frequent class, or mean",
    {},
    {"predicts": "classification"},
)
