"""AdaBoost.M1 (Freund and Schapire 1996, figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.plugins import Place
from quadrepro.core import elementary
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.stagewise.boosting import ROUNDS, StageRule, StagewiseBoost
from quadrepro.core.learners.stagewise.samme import Voting


@dataclass(frozen=True)
class M1Voting(Voting):
    """Each h has the weight log(1/β), β = ε / (1 - ε); a run ends before an h with ε ≥ 1/2."""

    gives_probabilities: ClassVar[bool] = False

    def alpha(self, missed: float, hit: float, n_classes: int) -> float:
        """Return log((1 - ε) / ε)."""
        return float(elementary.log(np.array(hit / missed)))


@dataclass(frozen=True)
class AdaBoostM1(StagewiseBoost):
    """AdaBoost.M1."""

    many_classes = True
    certificate = Place("quadrepro.proof.stagewise:M1Solution")

    @property
    def rule(self) -> StageRule:
        """The step rule."""
        return M1Voting()


ADABOOST_M1 = Entry(
    AdaBoostM1,
    "AdaBoost.M1",
    "Freund and Schapire 1996, figure 1",
    ROUNDS,
    {"predicts": "classification"},
)
