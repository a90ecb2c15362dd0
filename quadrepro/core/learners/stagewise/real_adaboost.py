"""Real AdaBoost (Friedman, Hastie and Tibshirani 2000, algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.plugins import Place
from quadrepro.base.types import FloatArray
from quadrepro.core import elementary
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.stagewise.boosting import ROUNDS, Stage, StageRule, StagewiseBoost
from quadrepro.core.learners.stagewise.weak import Asked

SMALLEST_SHARE = float(np.finfo(np.float64).eps)
"""A class has at least this probability, so that its logarithm is finite."""


@dataclass(frozen=True)
class HalfLogOdds(StageRule):
    """F <- F + ½ log(p / (1 - p)), p the probability of the second class by the weights."""

    asks: ClassVar[Asked] = "probabilities"

    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return both classes and w ∝ exp(-y F)."""
        return state.is_class[None], state.falling()[None]

    def answers(self, means: FloatArray) -> FloatArray:
        """Return half the log-odds."""
        first, second = elementary.log(np.maximum(means, SMALLEST_SHARE))
        return np.asarray(0.5 * (second - first)[None])


@dataclass(frozen=True)
class RealAdaBoost(StagewiseBoost):
    """Real AdaBoost, for two classes."""

    certificate = Place("quadrepro.proof.stagewise:RealSolution")

    @property
    def rule(self) -> StageRule:
        """The step rule."""
        return HalfLogOdds()


REAL_ADABOOST = Entry(
    RealAdaBoost,
    "Real AdaBoost",
    "Friedman, Hastie and Tibshirani 2000, algorithm 2",
    ROUNDS,
    {"predicts": "classification"},
)
