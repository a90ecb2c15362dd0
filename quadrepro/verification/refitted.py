"""Predictors without a formula to check, such as scikit-learn's: fitting again must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.baseline import Baseline
from quadrepro.learners.contestants.predictor import EstimatorPredictor
from quadrepro.learners.predictor import Predictor
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.solution import Cell, Solution, solve


@dataclass(frozen=True, eq=False)
class RefittedSolution(Solution):
    """A predictor that is fitted again for every set of examples to predict.

    Attributes
    ----------
    learner : Predictor
        The predictor.
    cell : Cell
        The examples.
    """

    learner: Predictor
    cell: Cell

    def scores(self, X: FloatArray) -> tuple[LongArray, float]:
        """Fit the predictor and return its predictions."""
        data = self.cell.data
        learner = self.learner.for_columns(data)
        found = learner.predictions(*data.train, self.cell.alone, X, data.rng("all"))
        return found[0].astype(np.longdouble), 0.0

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return None: predictions are no scores."""
        return None

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


@solve.register(EstimatorPredictor)
@solve.register(Baseline)
def _(learner: Predictor, cell: Cell) -> Solution:
    return RefittedSolution(cell.chosen, learner, cell)
