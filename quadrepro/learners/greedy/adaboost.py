"""AdaBoost (Freund and Schapire 1997; lecture, section 4)."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import FloatArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.greedy.example_weights import ExampleWeights, WeightBoosting
from quadrepro.learners.greedy.loop import Leap, Rule, Step
from quadrepro.voters.source import VoterSource


@dataclass(frozen=True)
class AdaBoostRule(Rule[ExampleWeights]):
    """α = ½ ln((1-ε)/ε) for the voter of least weighted error ε (lecture, section 4).

    This is artanh r for the edge r = 1 - 2ε. A voter without error ends the run, with a weight that
    outweighs all others. An edge of at most `NO_EDGE` ends the run without a weight.
    """

    def step(self, state: ExampleWeights) -> Step:
        """Pick the voter of least weighted error."""
        return state.step_to(*state.strongest())

    def leap(self, state: ExampleWeights, t: int, n_rounds: int) -> Leap | None:
        """Take the rounds in a compiled loop."""
        return state.boost_rounds(t, n_rounds)


@dataclass(frozen=True)
class AdaBoost(WeightBoosting[ExampleWeights]):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    version = 2
    hyperparameters = (N_ROUNDS,)
    kernels = ("adaboost", "drawn_stumps")

    def weights(self, source: VoterSource, copies: FloatArray) -> ExampleWeights:
        """Return the initial example weights, which are equal."""
        return ExampleWeights(source, copies)

    def rule(self, values: FloatArray) -> AdaBoostRule:
        """Return the rule, which has no hyper-parameter."""
        return AdaBoostRule()
