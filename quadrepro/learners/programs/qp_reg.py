"""QP_REG, also RQP-Boost: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001)."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Hyperparameter
from quadrepro.learners.estimators import Voters
from quadrepro.learners.programs.qp_reg_program import MarginQP
from quadrepro.learners.programs.soft_margin import SoftMargin, SoftMarginClassifier

C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e6)


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    version = 2
    kernels = (*SoftMargin.kernels, "cholesky", "sums")

    def _program(self, margins: FloatArray, counts: FloatArray) -> MarginQP:
        return MarginQP(margins, counts)


class RegularizedQPBoostClassifier(SoftMarginClassifier):
    """QP_REG: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1. None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` means that X is the voter matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import RegularizedQPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = RegularizedQPBoostClassifier(C=1.0).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = RegularizedQP

    def __init__(self, C: float = 1.0, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.C = C
        self.n_rounds = n_rounds
        self.voters = voters
