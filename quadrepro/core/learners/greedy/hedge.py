"""Boosting by experts: multiplicative weights and an unweighted vote (lecture, section 3).

Every training example is an expert. Its cost is 1 in a round whose voter classifies it correctly,
else 0. The lecture's inequality Σ p ℓ >= 1/2 + γ needs this, although its definition of ℓ exchanges
right and wrong. Multiplicative weights, which the lecture does not define, multiplies the weight
of an expert by (1-η)^cost. For η <= 1/2 the regret is at most η T + ln(m)/η, which is the lecture's
2 sqrt(T ln m) at η = sqrt(ln(m)/T).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.greedy.adaboost import NO_EDGE, ExampleWeights, WeightBoosting
from quadrepro.core.learners.greedy.loop import Rule, Step, some
from quadrepro.core.learners.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.source import VoterSource

LARGEST_RATE = 0.5
"""The regret bound holds for rates up to this one."""

ETA = Hyperparameter(
    "eta", "number", "small", "rate η of the example weights", largest=LARGEST_RATE
)


class ExpertWeights(ExampleWeights):
    """Example weights that a correct classification multiplies by 1 - η.

    Parameters
    ----------
    source : VoterSource
        The candidates of each round.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory contains each example.
    """

    def __init__(self, source: VoterSource, copies: FloatArray) -> None:
        super().__init__(source, copies)
        self._rates = np.zeros(len(copies))

    def vote_at(self, rates: FloatArray) -> Step:
        """Return the step that gives the voter of least weighted error one vote.

        That of a complement is -1. An edge of at most `NO_EDGE` ends the run without a vote.

        Parameters
        ----------
        rates : ndarray of shape (n_trajectories,)
            η of the update after this step.
        """
        self._rates = rates
        picks, edges = self.strongest()
        last = np.abs(edges) <= NO_EDGE
        return Step(picks, np.where(last, 0.0, np.sign(edges)), some(last))

    def advance(self, step: Step) -> None:
        """Multiply by (1-η)^cost / (1 - η (1-ε)), where 1 - ε is the expected cost."""
        signs = self._units
        self._source.signs(step.picks, signs)
        left = 1.0 - self._rates
        total = 1.0 - self._rates * (0.5 + 0.5 * np.abs(self._edges))
        right = signs == step.weights[:, None]
        self._lifted *= np.where(right, (left / total)[:, None], (1.0 / total)[:, None])
        self._lift()

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self._rates = self._rates[rows]
        super().keep(rows)


@dataclass(frozen=True)
class HedgeRule(Rule[ExpertWeights]):
    """One vote for the voter of least weighted error.

    A voter without error does not end the run: the majority vote is over all rounds.

    Attributes
    ----------
    value : ndarray of shape (n_trajectories,)
        η.
    """

    value: FloatArray

    def step(self, state: ExpertWeights) -> Step:
        """Pick the voter of least weighted error."""
        return state.vote_at(self.value)


@dataclass(frozen=True)
class HedgeBoost(WeightBoosting[ExpertWeights]):
    """Boosting by experts, with hyper-parameters η and the number of rounds.

    Equal voters may be merged, because the one of lowest index is picked, and so may equal
    examples, because their experts have the same costs and the same weights.
    """

    version = 2
    kernels = ("voters.random_stumps_compiled",)
    hyperparameters = (ETA, N_ROUNDS)

    def weights(self, source: VoterSource, copies: FloatArray) -> ExpertWeights:
        """Return the initial example weights, which are equal."""
        return ExpertWeights(source, copies)

    def rule(self, values: FloatArray) -> HedgeRule:
        """Return the rule for one η per trajectory."""
        return HedgeRule(values)


def experts_rate(n_rounds: int, m: float) -> float:
    """Return η = sqrt(ln(m)/T), or 1/2 if that is less: the rate of the lecture's regret bound.

    The bound is 2 sqrt(T ln m); if T < 4 ln m, it holds at any rate.
    """
    if m < 2:
        raise ValueError(f"the experts need m >= 2 training examples, not {m}")
    if n_rounds < 1:
        raise ValueError(f"the experts need n_rounds >= 1, not {n_rounds}")
    return min(LARGEST_RATE, sqrt(float(elementary.log(np.array(m))) / n_rounds))


HEDGE = Entry(
    HedgeBoost,
    "Experts' vote",
    "lecture, section 3",
    {"eta": [0.01, 0.03, 0.1, 0.3], "n_rounds": [10, 100, 1000]},
)
