"""AdaBoost_ϱ: AdaBoost that aims at a margin ϱ (Rätsch and Warmuth 2005).

A vote has margin ϱ on the training examples if each of them has y Σ α h >= ϱ Σ |α|. AdaBoost_ϱ
adds the voter of largest edge r with weight α = artanh r - artanh ϱ; AdaBoost is ϱ = 0. It ends
when no voter has an edge above ϱ: then no vote has a margin above it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost import ExampleWeights, WeightBoosting
from quadrepro.core.learners.greedy.loop import Rule, Step
from quadrepro.core.learners.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.source import VoterSource

RHO = Hyperparameter("rho", "number", "large", "margin ϱ to aim at", zero=True, largest=0.99)


class MarginWeights(ExampleWeights):
    """Example weights whose update takes the margin off the edge."""

    def towards(self, margins: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the voter of largest edge, and tanh α = (r - ϱ) / (1 - r ϱ) with its sign."""
        picks, edges = self.strongest()
        sizes = np.abs(edges)
        tanhs = np.maximum((sizes - margins) / (1.0 - sizes * margins), 0.0)
        # The update multiplies by exp(-α y h), which is 1 / (1 + tanh α y h) times a constant.
        self._edges = np.sign(edges) * tanhs
        return picks, self._edges


@dataclass(frozen=True)
class MarginRule(Rule[MarginWeights]):
    """α = artanh r - artanh ϱ for the voter of largest edge r.

    Attributes
    ----------
    margins : ndarray of shape (n_trajectories,)
        ϱ.
    """

    margins: FloatArray

    def step(self, state: MarginWeights) -> Step:
        """Pick the voter of largest edge."""
        return state.step_to(*state.towards(self.margins))


@dataclass(frozen=True)
class AdaBoostRho(WeightBoosting[MarginWeights]):
    """AdaBoost_ϱ, with hyper-parameters ϱ and the number of rounds."""

    hyperparameters = (RHO, N_ROUNDS)

    def weights(self, source: VoterSource, copies: FloatArray) -> MarginWeights:
        """Return the initial example weights, which are equal."""
        return MarginWeights(source, copies)

    def rule(self, values: FloatArray) -> MarginRule:
        """Return the rule for one ϱ per trajectory."""
        return MarginRule(values)


ADABOOST_RHO = Entry(
    AdaBoostRho,
    "AdaBoost_ϱ",
    "Rätsch and Warmuth 2005",
    grid={"rho": [0.3, 0.1, 0.03, 0.01], "n_rounds": [10, 100, 1000]},
)
