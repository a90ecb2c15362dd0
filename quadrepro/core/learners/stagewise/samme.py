"""AdaBoost of any number of classes: SAMME, and AdaBoost.M1.

SAMME is algorithm 2 of Zhu, Zou, Rosset and Hastie 2009, AdaBoost.M1 is figure 1 of Freund and
Schapire 1996.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.greedy.loop import Step
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.stagewise.boosting import (
    ROUNDING,
    ROUNDS,
    Stage,
    StageRule,
    StagewiseBoost,
    step_of,
)
from quadrepro.core.learners.stagewise.weak import Asked
from quadrepro.core.learners.trainers import first_of_largest

NO_EDGE = 1e-10
"""A weight α of at most this counts as none."""


@dataclass(frozen=True)
class Voting(StageRule):
    """F_k is the sum of the α of all h with h(x) = k; for two classes half of F_2 - F_1.

    An h without error would have an infinite α. It is given one that lets it decide alone, and ends
    the run.
    """

    asks: ClassVar[Asked] = "classes"

    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return the classes and w ∝ exp(-F_y), by which w grows by exp(α) with each error."""
        return state.coded[None], state.falling()[None]

    def answers(self, means: FloatArray) -> FloatArray:
        """Return 1 for the class of most weight, the first of equal ones; for two classes ±1/2."""
        if len(means) == 1:
            return np.where(means > ROUNDING, 0.5, -0.5)
        largest = first_of_largest(means, ROUNDING)
        return np.asarray(largest == np.arange(len(means))[:, None], dtype=np.float64)

    def step(self, state: Stage) -> Step:
        """Weigh h, or end without it."""
        missed, hit = self._weights(state)
        if not missed:
            return step_of(1.0 + state.total)
        alpha = self.alpha(missed, hit, state.n_classes) if hit else 0.0
        return step_of(alpha) if alpha > NO_EDGE else step_of(0.0, last=True)

    def alpha(self, missed: float, hit: float, n_classes: int) -> float:
        """Return log((1 - err) / err) + log(K - 1), given the weights of both kinds."""
        odds, bonus = elementary.log(np.array([hit / missed, n_classes - 1.0]))
        return float(odds + bonus)

    def ends_with(self, state: Stage) -> bool:
        """Return whether h has no error."""
        return not self._weights(state)[0]

    def _weights(self, state: Stage) -> tuple[float, float]:
        """Return the weight of the examples that h misses, and of those that it hits."""
        right = (state.answers * state.coded).sum(axis=0) > 0
        missed, hit = np.bincount(right, state.example_weights[0], 2)
        return float(missed), float(hit)


@dataclass(frozen=True)
class SAMME(StagewiseBoost):
    """SAMME; for two classes AdaBoost over classifiers fitted to the current weights."""

    many_classes = True
    rule = Voting()


SAMME_ENTRY = Entry(
    SAMME,
    "SAMME",
    "Zhu, Zou, Rosset and Hastie 2009, algorithm 2",
    ROUNDS,
    {"predicts": "classification"},
)


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
    rule = M1Voting()


ADABOOST_M1 = Entry(
    AdaBoostM1,
    "AdaBoost.M1",
    "Freund and Schapire 1996, figure 1",
    ROUNDS,
    {"predicts": "classification"},
)
