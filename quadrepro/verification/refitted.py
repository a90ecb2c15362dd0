"""Learners without a formula to check, such as scikit-learn's: training again must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.errors import ConfigError
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.base import Learner
from quadrepro.learners.baseline import Baseline
from quadrepro.learners.contestants.predictor import EstimatorPredictor
from quadrepro.learners.predictor import Predictor
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.solution import Cell, Solution, solve
from quadrepro.verification.voters import MatrixVote


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


@dataclass(frozen=True, eq=False)
class RefittedVote(Solution):
    """A vote that an algorithm of another package finds once more.

    Attributes
    ----------
    found : MatrixVote
        The vote.
    """

    found: MatrixVote

    @property
    def vote(self) -> MatrixVote:
        """The vote."""
        return self.found

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Do nothing: the outcomes alone are compared."""


def solution_of(learner: Learner, cell: Cell) -> Solution:
    """Train the chosen candidate once more; see `solve`.

    Nothing is known of the algorithms of other packages but that they must find the same again.

    Raises
    ------
    ConfigError
        If such an algorithm votes over drawn stumps, which are not kept.
    """
    if type(learner).__module__.partition(".")[0] == __name__.partition(".")[0]:
        return solve(learner, cell)
    if isinstance(learner, Predictor):
        return RefittedSolution(cell.chosen, learner, cell)
    assert isinstance(learner, Algorithm)
    if cell.drawn is not None:
        raise ConfigError(
            f"{type(learner).__name__} is of another package: its votes over drawn stumps cannot "
            "be verified"
        )
    voters, H = cell.matrix()
    [weights] = learner.path(H, cell.data.train.y, cell.alone)
    return RefittedVote(cell.chosen, MatrixVote(voters, weights.astype(np.longdouble)))


@solve.register(EstimatorPredictor)
@solve.register(Baseline)
def _(learner: Predictor, cell: Cell) -> Solution:
    return RefittedSolution(cell.chosen, learner, cell)
