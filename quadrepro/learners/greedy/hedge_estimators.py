"""Boosting by experts as a scikit-learn classifier."""

from __future__ import annotations

from quadrepro._typing import FloatArray
from quadrepro.learners.base import GreedyAlgorithm
from quadrepro.learners.estimators import Voters, check_candidate
from quadrepro.learners.greedy.estimators import GreedyClassifier
from quadrepro.learners.greedy.hedge import HedgeBoost, experts_rate


class HedgeBoostClassifier(GreedyClassifier):
    """Boosting by experts: a majority vote by multiplicative weights (lecture, section 3).

    Parameters
    ----------
    eta : float or None, default None
        Rate η of the example weights, at most 1/2; None is the lecture's sqrt(ln(m)/T) for T
        rounds on m training examples, or 1/2 where that is less.
    n_rounds : int, default 1000
        Number of rounds; fewer are run where no voter has an edge.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.

    Attributes
    ----------
    eta_ : float
        The rate used.
    """

    def __init__(
        self, eta: float | None = None, *, n_rounds: int = 1000, voters: Voters = None
    ) -> None:
        self.eta = eta
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        return HedgeBoost(), self.eta_, self.n_rounds

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        check_candidate(HedgeBoost(), n_rounds=self.n_rounds)
        self.eta_ = experts_rate(self.n_rounds, len(y)) if self.eta is None else self.eta
        check_candidate(HedgeBoost(), eta=self.eta_)
        return super()._train(H, y)
