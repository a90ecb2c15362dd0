"""Additive logistic regression: Real AdaBoost, Gentle AdaBoost and LogitBoost.

Algorithms 2, 4, and 3 and 6 of Friedman, Hastie and Tibshirani 2000.
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
    ROUNDS,
    Stage,
    StageRule,
    StagewiseBoost,
    step_of,
)
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

    rule = HalfLogOdds()


REAL_ADABOOST = Entry(
    RealAdaBoost,
    "Real AdaBoost",
    "Friedman, Hastie and Tibshirani 2000, algorithm 2",
    ROUNDS,
    {"predicts": "classification"},
)


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

    rule = GentleStep()


GENTLE_ADABOOST = Entry(
    GentleAdaBoost,
    "Gentle AdaBoost",
    "Friedman, Hastie and Tibshirani 2000, algorithm 4",
    ROUNDS,
    {"predicts": "classification"},
)


LEAST_WEIGHT = 2.0 * float(np.finfo(np.float64).eps)
"""Weights p (1 - p) are at least twice the machine's precision."""


@dataclass(frozen=True)
class NewtonStep(StageRule):
    """F follows f, fitted to z = (y* - p) / w by least squares with the weights w = p (1 - p).

    y* is 1 for the class and else 0, and p its probability. For two classes F <- F + ½ f; for J
    classes each has an f_j of its own, and F_j <- F_j + (J - 1) / J (f_j - mean of all f).
    """

    asks: ClassVar[Asked] = "numbers"

    z_max: float

    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return z, which is 1/p or -1/(1 - p), clipped, and w."""
        if state.n_classes == 2:
            margins = 2.0 * state.coded * state.scores
            own, rest = (1.0 / (1.0 + elementary.exp(side * margins)) for side in (-1.0, 1.0))
        else:
            e = elementary.exp(state.scores - state.scores.max(axis=0))
            total = e.sum(axis=0)
            # The sum of the others: 1 - p would lose the digits of a small difference.
            others = np.array([np.delete(e, k, axis=0).sum(axis=0) for k in range(len(e))])
            is_class = state.is_class > 0
            own, rest = np.where(is_class, e, others) / total, np.where(is_class, others, e) / total
        signs = np.where(state.coded > 0, 1.0, -1.0)
        # `own` is the probability of what is true: of the class, or of all others.
        z = signs * np.minimum(1.0 / np.maximum(own, LEAST_WEIGHT), self.z_max)
        w = state.counts * np.maximum(own * rest, LEAST_WEIGHT)
        return z[:, None], w / w.mean(axis=1, keepdims=True)

    def answers(self, means: FloatArray) -> FloatArray:
        """Return f, symmetrised for more than two classes."""
        if len(means) == 1:
            return means
        return np.asarray((len(means) - 1) / len(means) * (means - means.mean(axis=0)))

    def step(self, state: Stage) -> Step:
        """Take half of f for two classes, else all of it."""
        return step_of(0.5 if state.n_classes == 2 else 1.0)


@dataclass(frozen=True)
class LogitBoost(StagewiseBoost):
    """LogitBoost, for two or more classes."""

    many_classes = True

    z_max: float = 4.0
    """Largest size of z, from 1 up; the paper recommends 2 to 4."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1.0 <= self.z_max <= 1e6:
            raise ValueError(f"z_max must be between 1 and 1e+06, not {self.z_max}")

    @property
    def rule(self) -> StageRule:
        """The step rule."""
        return NewtonStep(self.z_max)


LOGITBOOST = Entry(
    LogitBoost,
    "LogitBoost",
    "Friedman, Hastie and Tibshirani 2000, algorithms 3 and 6",
    ROUNDS,
    {"predicts": "classification"},
)
