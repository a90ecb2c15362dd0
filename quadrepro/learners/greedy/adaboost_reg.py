"""AdaBoost_REG: margins softened by each example's influence (Raetsch, Onoda and Mueller 2001).

Let A = Σ α over the rounds so far. The influence μ_i = Σ α_r w_r(i) / A of an example is its mean
weight over these rounds. In each round AdaBoost_REG picks AdaBoost's voter and minimises over α ≥ 0

    Σ_i exp{-A (ρ_i + C μ_i^p)},    ρ_i = y_i F(x_i) / A,

so that an example that is always hard may keep a small margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from quadrepro import elementary
from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS, Hyperparameter
from quadrepro.learners.greedy.example_weights import (
    LARGEST_STEP,
    NO_EDGE,
    UNITS,
    ExampleWeights,
    WeightBoosting,
)
from quadrepro.learners.greedy.loop import Rule, Step, some
from quadrepro.learners.greedy.step_loss import StepLoss, exact_sums
from quadrepro.voters.source import VoterSource

C = Hyperparameter("C", "number", "large", "how much influence softens a margin", zero=True)


class SoftMargins(ExampleWeights):
    """Example weights that are computed from margins and influences.

    Parameters
    ----------
    source : VoterSource
        The candidates of each round.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory contains each example.

    Attributes
    ----------
    margins : ndarray of shape (n_trajectories, n_examples)
        y F; infinite if the sample lacks the example, so that its weight is always 0.
    influences : ndarray of shape (n_trajectories, n_examples)
        A μ, which is Σ α w for weights w that sum to 1.
    total : ndarray of shape (n_trajectories,)
        A = Σ α.
    """

    absorbs = False

    def __init__(self, source: VoterSource, copies: FloatArray) -> None:
        super().__init__(source, copies)
        self.margins = np.where(copies > 0, 0.0, np.inf)
        # Logarithms of the weights in proportion to the largest one, however small these are.
        self._logarithms = -self.margins
        self.influences = np.zeros_like(self.margins)
        self.total = np.zeros(len(copies))
        self._C, self._power = np.zeros(len(copies)), 1

    def search(self, picks: IntArray, C: FloatArray, power: int) -> FloatArray:
        """Return the step α ≥ 0 of least loss towards each pick or its complement.

        The direction is the sign of the edge that `strongest` found. A step a changes the exponent
        of example i by -a d_i + c_i φ(a), where φ(a) = a A / (A + a). For p = 1, d = s + C w and
        c = 0; for p = 2, d = s + C w² and c = C (w - μ)²; s is +1 if the pick classifies the
        example correctly, else -1. A long step may make an example heavy that is too light for
        whole units, so weights are not rounded here.

        Parameters
        ----------
        picks : ndarray of int, shape (n_trajectories,)
            The picked voters.
        C : ndarray of shape (n_trajectories,)
            How much influence softens a margin.
        power : {1, 2}
            p.

        Returns
        -------
        ndarray of shape (n_trajectories,)
            α; `LARGEST_STEP` if the loss still falls there, infinite if the voter has no error.
        """
        self._C, self._power = C, power
        w = self.example_weights / UNITS
        slopes = np.empty_like(w)
        self._source.signs(picks, slopes)
        slopes *= np.sign(self._edges)[:, None]
        wrong = ((slopes <= 0.0) & (self._sample > 0)).any(axis=1)
        slopes += C[:, None] * w**power
        if power == 1:
            bends = np.zeros_like(w)
        else:
            means = self.influences / np.where(self.total > 0, self.total, 1.0)[:, None]
            bends = C[:, None] * (w - means) ** 2
        loss = StepLoss(self._logarithms, self._sample, slopes, bends, self.total)
        return np.where(wrong, loss.minimiser(), np.inf)

    def advance(self, step: Step) -> None:
        """Update margins and influences, and compute the weights from them."""
        signs, sizes = self._units, np.abs(step.weights)[:, None]
        self._source.signs(step.picks, signs)
        self.margins += step.weights[:, None] * signs
        self.influences += sizes * (self.example_weights / UNITS)
        self.total += sizes[:, 0]
        means = self.influences / self.total[:, None]
        soft = self.margins + (self._C * self.total)[:, None] * means**self._power
        self._logarithms = soft.min(axis=1, keepdims=True) - soft
        weights = elementary.exp(self._logarithms)
        weights *= UNITS / exact_sums(weights, self._sample)[:, None]
        self.example_weights = weights

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        super().keep(rows)
        self.margins, self.influences = self.margins[rows], self.influences[rows]
        self._logarithms = self._logarithms[rows]
        self.total, self._C = self.total[rows], self._C[rows]


@dataclass(frozen=True)
class AdaBoostRegRule(Rule[SoftMargins]):
    """AdaBoost's voter with the α ≥ 0 of least softened loss, by line search.

    A voter without error ends the run, with a weight that outweighs all others. An edge or an α of
    at most `NO_EDGE`, or an α of at least `LARGEST_STEP`, ends the run without a weight.

    Attributes
    ----------
    value : ndarray of shape (n_trajectories,)
        C.
    power : {1, 2}
        p, the power to which influences are raised.
    """

    value: FloatArray
    power: int

    def step(self, state: SoftMargins) -> Step:
        """Pick the voter of least weighted error and search for its weight."""
        picks, edges = state.strongest()
        sizes = np.abs(edges)
        steps = state.search(picks, self.value, self.power)
        decided = np.isinf(steps)
        none = (sizes <= NO_EDGE) | (steps <= NO_EDGE) | (steps >= LARGEST_STEP)
        steps = np.where(none, 0.0, np.sign(edges) * steps)
        return Step(picks, np.where(decided, state.decisive(edges), steps), some(decided | none))


@dataclass(frozen=True)
class AdaBoostReg(WeightBoosting[SoftMargins]):
    """AdaBoost_REG, with hyper-parameters C and the number of rounds; C = 0 is AdaBoost.

    A larger C softens margins more and gives the simpler vote, so it comes first in a grid.

    Attributes
    ----------
    power : {1, 2}, default 2
        p, the power to which influences are raised.
    """

    version: ClassVar[int] = 4
    kernels: ClassVar[tuple[str, ...]] = ("drawn_stumps", "elementary", "step_loss")

    power: Literal[1, 2] = 2

    hyperparameters = (C, N_ROUNDS)

    def __post_init__(self) -> None:
        if self.power not in (1, 2):
            raise ValueError(f"power must be 1 or 2, not {self.power!r}")

    def weights(self, source: VoterSource, copies: FloatArray) -> SoftMargins:
        """Return the initial example weights, which are equal."""
        return SoftMargins(source, copies)

    def rule(self, values: FloatArray) -> AdaBoostRegRule:
        """Return the rule for one C per trajectory."""
        return AdaBoostRegRule(values, self.power)
