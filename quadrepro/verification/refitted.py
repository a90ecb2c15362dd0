"""scikit-learn's estimators: there is no formula to check, but fitting again must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.sklearn_predictor import SklearnPredictor
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.solution import Cell, Solution, solve


@dataclass(frozen=True, eq=False)
class RefittedSolution(Solution):
    """An estimator that is fitted again for every set of examples to predict.

    Attributes
    ----------
    learner : SklearnPredictor
        The estimator.
    cell : Cell
        The examples.
    """

    learner: SklearnPredictor
    cell: Cell

    def scores(self, X: FloatArray) -> tuple[LongArray, float]:
        """Fit the estimator and return its predictions."""
        data = self.cell.data
        found = self.learner.predictions(*data.train, self.cell.alone, X, data.rng("all"))
        return found[0].astype(np.longdouble), 0.0

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return None: predictions are no scores."""
        return None

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


@solve.register
def _(learner: SklearnPredictor, cell: Cell) -> Solution:
    return RefittedSolution(cell.chosen, learner, cell)
