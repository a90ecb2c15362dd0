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

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.greedy.adaboost import (
    LARGEST_STEP,
    NO_EDGE,
    UNITS,
    ExampleWeights,
    WeightBoosting,
)
from quadrepro.core.learners.greedy.loop import Rule, Step, some
from quadrepro.core.learners.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.voters.source import VoterSource

SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""Steps at which the line search evaluates the loss first; for p = 2 it may have several minima."""

SLACK = 1e-6
"""Relative error that the bound of a logarithm may have; it is larger than any by rounding."""

RESOLUTION = 2.0**-32
"""The line search ends after a Newton step of this relative size; the error left is its square."""


@dataclass(frozen=True)
class StepLoss:
    """The loss Σ_i n_i exp(b_i - a d_i + c_i φ(a)) of a step a, where φ(a) = a A / (A + a).

    The terms are computed in proportion to the largest one, so that an example counts that is heavy
    at a even if its weight exp(b) is too small for a float.

    Attributes
    ----------
    starts, counts, slopes, bends : ndarray of shape (n_trajectories, n_examples)
        b (-inf for a weight of zero), n, d and c.
    total : ndarray of shape (n_trajectories,)
        A.
    """

    starts: FloatArray
    counts: FloatArray
    slopes: FloatArray
    bends: FloatArray
    total: FloatArray

    def minimiser(self) -> FloatArray:
        """Return the a in [0, `LARGEST_STEP`] of least loss, with a relative error of 1e-13.

        The best step of `SCAN` brackets it. Within the bracket Newton's method finds where the
        rising and the falling terms of the slope balance: it is applied to the logarithm of their
        ratio, which is linear in a if C = 0.
        """
        if loops := compiling.beside(__name__):
            found = np.empty(len(self.total))
            terms = self.starts, self.counts, self.slopes, self.bends
            loops.minimisers(*terms, self.total, SCAN, SLACK, RESOLUTION, found)
            return found
        best = self.first()
        low, high = np.append(0.0, SCAN)[best], np.append(SCAN, LARGEST_STEP)[best + 1]
        a = SCAN[best]
        low = np.where(a < LARGEST_STEP, low, a)
        going = np.ones(len(a), dtype=bool)
        while going.any():
            rising, step = self._newton(a)
            low, high = np.where(rising, low, a), np.where(rising, a, high)
            moved = a - step
            inside = (low <= moved) & (moved <= high)
            moved = np.where(inside, moved, (low + high) / 2)
            small = np.abs(moved - a) <= RESOLUTION * moved + 2.0**-52
            # A trajectory that has converged stays, however long the others in the batch take.
            a = np.where(going, moved, a)
            going &= ~(small & inside) & (high - low > 2.0**-50 * high) & (high > NO_EDGE)
        return np.asarray(a)

    def logarithms(self, a: FloatArray) -> FloatArray:
        """Return the logarithm of the loss at one positive step for each trajectory."""
        terms, top = self._terms(a)
        return elementary.log(exact_sums(terms, self.counts)) + top

    def first(self) -> IntArray:
        """Return the place in `SCAN` of the first step with the least loss."""
        losses = [self.logarithms(np.full(len(self.total), a)) for a in SCAN]
        return np.asarray(np.argmin(losses, axis=0))

    def _terms(self, a: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the terms divided by one exponential, and the logarithm of that."""
        share = a * self.total / (self.total + a)
        exponents = self.starts + (share[:, None] * self.bends - a[:, None] * self.slopes)
        top = exponents.max(axis=1)
        return elementary.exp(exponents - top[:, None]), top

    def _newton(self, a: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return whether the loss rises at `a`, and Newton's step."""
        terms, _ = self._terms(a)
        share: FloatArray = (self.total / (self.total + a))[:, None]
        square = share * share
        pull = 2.0 * square / (self.total + a)[:, None]
        rates = square * self.bends - self.slopes
        parts = np.stack([terms * rates, terms * (rates * rates - pull * self.bends)])
        parts = np.concatenate([parts, parts * (rates < 0)])
        slope, curvature, fall, fall_rate = exact_sums(parts, self.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            balance = elementary.log1p(slope / -fall)
            rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
            return np.asarray(slope > 0), np.asarray(balance / rate)


def exact_sums(terms: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Σ n t over the last axis; neither order nor merging of equal terms changes a bit.

    The terms are split into whole multiples of two powers of two, whose sums are exact. For a
    thousand examples, what is left of a term is below 2^-84 of the largest one.

    Parameters
    ----------
    terms : ndarray of shape (..., n_trajectories, n_examples)
        t.
    counts : ndarray of shape (n_trajectories, n_examples)
        Numbers n; sums are exact up to rounding of each n t if they are not whole.

    Returns
    -------
    ndarray of shape (..., n_trajectories)
        The sums.
    """
    bits = 52 - np.frexp(counts.sum(axis=-1, keepdims=True))[1]
    exponents = np.frexp(np.abs(terms).max(axis=-1, keepdims=True))[1]
    scale = np.ldexp(1.0, bits - np.maximum(exponents, -900))
    fine = np.ldexp(1.0, bits)
    rest = terms * scale
    whole = np.rint(rest)
    rest = np.rint((rest - whole) * fine)
    # Sums stay whole even if counts are not.
    sums = np.trunc(whole * counts).sum(axis=-1)
    sums += np.trunc(rest * counts).sum(axis=-1) / fine[..., 0]
    return np.asarray(sums / scale[..., 0])


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
        means = self.influences / np.where(self.total > 0, self.total, 1.0)[:, None]
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

    A voter without error ends the run, with a weight that outweighs all others. An edge of at most
    `NO_EDGE` adds no weight, and ends the run unless the next round has other voters. An α of at
    most `NO_EDGE` or at least `LARGEST_STEP` for a larger edge ends the run without a weight.

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
        idle, decided = sizes <= NO_EDGE, np.isinf(steps)
        none = (steps <= NO_EDGE) | (steps >= LARGEST_STEP)
        steps = np.where(idle | none, 0.0, np.sign(edges) * steps)
        last = decided | np.where(idle, state.without_prospect(idle), none)
        return Step(picks, np.where(decided, state.decisive(edges), steps), some(last))


@dataclass(frozen=True)
class AdaBoostReg(WeightBoosting[SoftMargins]):
    """AdaBoost_REG, with hyper-parameters C and the number of rounds; C = 0 is AdaBoost.

    A larger C softens margins more and gives the simpler vote, so it comes first in a grid.
    """

    version: ClassVar[int] = 5
    kernels: ClassVar[tuple[str, ...]] = (
        "voters.random_stumps_compiled",
        "elementary_old_compiled",
        "learners.greedy.adaboost_reg_compiled",
    )

    power: Literal[1, 2] = 2
    """p, the power to which influences are raised."""

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


ABR = Entry(
    AdaBoostReg,
    "AdaBoost_REG",
    "Raetsch, Onoda and Mueller 2001",
    {"C": {"from": 1e5, "to": 10, "points": 5}, "n_rounds": [10, 100, 1000]},
)
