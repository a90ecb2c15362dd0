"""LP_REG and QP_REG as scikit-learn classifiers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.estimators import VoteClassifier, Voters, check_candidate
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.soft_margin import RegularizedLP, RegularizedQP, Reweighting


class _ReweightedClassifier(VoteClassifier):
    """AdaBoost's voters with weights from one program."""

    @abstractmethod
    def _algorithm(self) -> tuple[Reweighting, float]:
        """Return the algorithm and the value of its hyper-parameter."""

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm, value = self._algorithm()
        check_candidate(algorithm, **{algorithm.value_name: value})
        path = algorithm.path(H, y, Grid.of({algorithm.value_name: [value]}))
        return np.asarray(path[0])

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # All weights come at once.
        yield H @ self.voter_weights_


class RegularizedLPBoostClassifier(_ReweightedClassifier):
    """LP_REG: AdaBoost's voters, weighted for the largest soft margin (Raetsch et al. 2001).

    Parameters
    ----------
    nu : float, default 0.1
        ν in (0, 1]: at most this share of the examples misses the margin.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    def __init__(self, nu: float = 0.1, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.nu = nu
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[Reweighting, float]:
        return RegularizedLP(self.n_rounds), self.nu


class RegularizedQPBoostClassifier(_ReweightedClassifier):
    """QP_REG: AdaBoost's voters, weighted for the least norm (Raetsch et al. 2001).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    def __init__(self, C: float = 1.0, *, n_rounds: int = 100, voters: Voters = None) -> None:
        self.C = C
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[Reweighting, float]:
        return RegularizedQP(self.n_rounds), self.C
