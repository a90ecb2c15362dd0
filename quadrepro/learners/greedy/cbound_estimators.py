"""CB-Boost and GB-CB-Boost as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import GreedyAlgorithm
from quadrepro.learners.estimators import Voters, check_candidate
from quadrepro.learners.greedy.cbboost import CBBoost, GBCBBoost, normalised
from quadrepro.learners.greedy.estimators import GreedyClassifier


class _CBoundClassifier(GreedyClassifier):
    """A vote whose weights add up to 1 in size, after every round."""

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        return normalised(super()._train(H, y))

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # A voter's weight never changes its sign, so the sizes of its steps add up to its own.
        totals = np.cumsum(np.abs(self._steps))
        for votes, total in zip(super()._stages(H), totals, strict=True):
            yield votes / total


class CBBoostClassifier(_CBoundClassifier):
    """CB-Boost: greedy minimisation of the C-bound (Bauvin et al. 2020, Algorithm 1).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds; fewer are run where no voter lowers the C-bound any further.
    allow_repeats : bool, default True
        Whether a voter may be taken again, and its weights add.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    """

    def __init__(
        self, n_rounds: int = 100, *, allow_repeats: bool = True, voters: Voters = None
    ) -> None:
        self.n_rounds = n_rounds
        self.allow_repeats = allow_repeats
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        algorithm = CBBoost(self.allow_repeats)
        check_candidate(algorithm, n_rounds=self.n_rounds)
        return algorithm, np.nan, self.n_rounds


class GBCBBoostClassifier(_CBoundClassifier):
    """GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, Appendix B).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds; fewer are run where no unused voter lowers the C-bound any further.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    """

    def __init__(self, n_rounds: int = 100, *, voters: Voters = None) -> None:
        self.n_rounds = n_rounds
        self.voters = voters

    def _algorithm(self) -> tuple[GreedyAlgorithm, float, int]:
        algorithm = GBCBBoost()
        check_candidate(algorithm, n_rounds=self.n_rounds)
        return algorithm, np.nan, self.n_rounds
