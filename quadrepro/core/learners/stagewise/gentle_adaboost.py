"""Gentle AdaBoost (Friedman, Hastie and Tibshirani 2000, algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from quadrepro.base.plugins import Place
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.stagewise.boosting import ROUNDS, Stage, StageRule, StagewiseBoost
from quadrepro.core.learners.stagewise.weak import Asked


@dataclass(frozen=True)
class GentleStep(StageRule):
    """F <- F + f, f fitted to y by weighted least squares."""

    asks: ClassVar[Asked] = "numbers"

    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return y and w ∝ exp(-y F)."""
        return state.coded[None], state.falling()[None]

    def answers(self, means: FloatArray) -> FloatArray:
        """Return f."""
        return means


@dataclass(frozen=True)
class GentleAdaBoost(StagewiseBoost):
    """Gentle AdaBoost, for two classes."""

    certificate = Place("quadrepro.proof.stagewise:GentleSolution")

    @property
    def rule(self) -> StageRule:
        """The step rule."""
        return GentleStep()


GENTLE_ADABOOST = Entry(
    GentleAdaBoost,
    "Gentle AdaBoost",
    "Friedman, Hastie and Tibshirani 2000, algorithm 4",
    ROUNDS,
    {"predicts": "classification"},
)
