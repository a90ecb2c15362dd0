"""AdaBoost_REG: margins softened by each example's influence (Raetsch, Onoda and Mueller 2001).

With A = Σ α over the rounds so far, the influence μ_i = Σ α_r w_r(i) / A of an example is the mean
weight with which voters were chosen on it. Each round AdaBoost_REG minimises over its α ≥ 0

    Σ_i exp{-A (ρ_i + C μ_i^p)},    ρ_i = y_i F(x_i) / A,

so that an example which is always hard may keep a small margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS, Hyperparameter
from quadrepro.learners.estimators import Voters
from quadrepro.learners.greedy.estimator import GreedyClassifier
from quadrepro.learners.greedy.example_weights import (
    LARGEST_STEP,
    NO_EDGE,
    UNITS,
    ExampleWeights,
    WeightBoosting,
)
from quadrepro.learners.greedy.loop import Rule, Step, some
from quadrepro.voters.source import VoterSource

C = Hyperparameter("C", "number", "large", "how much influence softens a margin", zero=True)

SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""Steps at which the loss is looked at first: for p = 2 it may have several minima."""

RESOLUTION = 2.0**-32
"""The line search ends with a Newton step this small, relatively: what is left is its square."""


class SoftMargins(ExampleWeights):
    """Example weights computed from margins and influences.

    Parameters
    ----------
    source : VoterSource
        This round's candidates.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory holds each example.

    Attributes
    ----------
    margins : ndarray of shape (n_trajectories, n_examples)
        y F, infinite where the sample lacks the example, which so never has a weight.
    influences : ndarray of shape (n_trajectories, n_examples)
        Σ α w with weights w that sum to 1, so A μ.
    total : ndarray of shape (n_trajectories,)
        A = Σ α.
    """

    def __init__(self, source: VoterSource, copies: FloatArray) -> None:
        super().__init__(source, copies)
        self.margins = np.where(copies > 0, 0.0, np.inf)
        self.influences = np.zeros_like(self.margins)
        self.total = np.zeros(len(copies))
        self._counts = copies
        self._C, self._power = np.zeros(len(copies)), 1

    def search(self, picks: IntArray, C: FloatArray, power: int) -> FloatArray:
        """Return the step α ≥ 0 of least loss towards each pick, or its complement.

        The direction is that of the edges which `strongest` found. Relative to now the exponent of
        example i is -a d_i + c_i φ(a), where φ(a) = a A / (A + a); for p = 1 d = s + C w and c = 0,
        for p = 2 d = s + C w² and c = C (w - μ)², with s = ±1 for right and wrong.

        Parameters
        ----------
        picks : ndarray of shape (n_trajectories,)
            Voters picked.
        C : ndarray of shape (n_trajectories,)
            Price of a margin.
        power : {1, 2}
            p.

        Returns
        -------
        ndarray of shape (n_trajectories,)
            α, `LARGEST_STEP` where the loss falls so far.
        """
        self._C, self._power = C, power
        w = self.example_weights / UNITS
        slopes = np.empty_like(w)
        self._source.signs(picks, slopes)
        slopes *= np.sign(self._edges)[:, None]
        slopes += C[:, None] * w**power
        if power == 1:
            bends = np.zeros_like(w)
        else:
            means = self.influences / np.where(self.total > 0, self.total, 1.0)[:, None]
            bends = C[:, None] * (w - means) ** 2
        units = np.rint(self.example_weights)
        return StepLoss(units, self._counts, slopes, bends, self.total).minimiser()

    def advance(self, step: Step) -> None:
        """Bring margins and influences up to date, and compute the weights from them."""
        signs, sizes = self._units, np.abs(step.weights)[:, None]
        self._source.signs(step.picks, signs)
        self.margins += step.weights[:, None] * signs
        self.influences += sizes * (self.example_weights / UNITS)
        self.total += sizes[:, 0]
        means = self.influences / self.total[:, None]
        soft = self.margins + (self._C * self.total)[:, None] * means**self._power
        weights = np.exp(soft.min(axis=1, keepdims=True) - soft)
        weights *= UNITS / exact_sums(weights, self._counts)[:, None]
        self.example_weights = weights

    def keep(self, rows: BoolArray) -> None:
        """Drop every trajectory but those in `rows`."""
        super().keep(rows)
        self.margins, self.influences = self.margins[rows], self.influences[rows]
        self.total, self._counts, self._C = self.total[rows], self._counts[rows], self._C[rows]


@dataclass(frozen=True)
class StepLoss:
    """Σ_i n_i u_i exp(-a d_i + c_i φ(a)) of each trajectory, where φ(a) = a A / (A + a).

    Attributes
    ----------
    units, counts, slopes, bends : ndarray of shape (n_trajectories, n_examples)
        u, n, d and c.
    total : ndarray of shape (n_trajectories,)
        A.
    """

    units: FloatArray
    counts: FloatArray
    slopes: FloatArray
    bends: FloatArray
    total: FloatArray

    def minimiser(self) -> FloatArray:
        """Return the a in [0, `LARGEST_STEP`] of least loss, to 1e-13.

        The best of `SCAN` brackets it; within the bracket Newton's method on the logarithm of
        rising over falling terms, which is linear in a where C = 0, finds where they balance.
        """
        best = self.logarithms(SCAN).argmin(axis=0)
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
            # A trajectory that has arrived stays, however long others in the batch take.
            a = np.where(going, moved, a)
            going &= ~(small & inside) & (high - low > 2.0**-50 * high) & (high > NO_EDGE)
        return np.asarray(a)

    def logarithms(self, steps: FloatArray) -> FloatArray:
        """Return the logarithm of the loss at positive steps, shape (n_steps, n_trajectories)."""
        a = steps[:, None, None]
        total = self.total[:, None]
        terms = -a * self.slopes
        terms += a * total / (total + a) * self.bends
        top = terms.max(axis=2, keepdims=True, where=self.units > 0, initial=-np.inf)
        terms -= top
        # An example without a weight may lie above the top and must not overflow.
        np.minimum(terms, 0.0, out=terms)
        np.exp(terms, out=terms)
        return np.asarray(np.log((terms * (self.counts * self.units)).sum(axis=2)) + top[:, :, 0])

    def _newton(self, a: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return whether the loss rises at `a`, and Newton's step."""
        a, total = a[:, None], self.total[:, None]
        share: FloatArray = total / (total + a)
        exponents = share * a * self.bends - a * self.slopes
        exponents -= exponents.max(axis=1, keepdims=True, where=self.units > 0, initial=-np.inf)
        terms = self.units * np.exp(np.minimum(exponents, 0.0))
        rates = share**2 * self.bends - self.slopes
        curvatures = rates**2 - 2.0 * share**2 / (total + a) * self.bends
        falling = rates < 0
        stack = np.empty((4, *terms.shape))
        np.multiply(terms, rates, out=stack[0])
        np.multiply(terms, curvatures, out=stack[1])
        np.multiply(stack[:2], falling, out=stack[2:])
        slope, curvature, fall, fall_rate = exact_sums(stack, self.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            balance = np.log1p(slope / -fall)
            rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
            return np.asarray(slope > 0), np.asarray(balance / rate)


def exact_sums(terms: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Σ n t over the last axis, the same whatever the order and however equal terms merge.

    The terms are split into whole multiples of a power of two, whose sum is exact, and a rest that
    is too small for its rounding to matter.

    Parameters
    ----------
    terms : ndarray of shape (..., n_trajectories, n_examples)
        t.
    counts : ndarray of shape (n_trajectories, n_examples)
        Whole numbers n.

    Returns
    -------
    ndarray of shape (..., n_trajectories)
        The sums.
    """
    bits = 52 - np.frexp(counts.sum(axis=-1, keepdims=True))[1]
    exponents = np.frexp(np.abs(terms).max(axis=-1, keepdims=True))[1]
    scale = np.ldexp(1.0, bits - np.maximum(exponents, -900))
    rest = terms * scale
    whole = np.rint(rest)
    rest -= whole
    sums = (whole * counts).sum(axis=-1) + (rest * counts).sum(axis=-1)
    return np.asarray(sums / scale[..., 0])


@dataclass(frozen=True)
class AdaBoostRegRule(Rule[SoftMargins]):
    """AdaBoost's voter with the α ≥ 0 of least softened loss, by line search.

    A voter without error ends the run with a weight that decides alone. An edge or an α of at most
    `NO_EDGE`, or an α as large as `LARGEST_STEP`, ends it without a weight.

    Attributes
    ----------
    value : ndarray of shape (n_trajectories,)
        C.
    power : {1, 2}
        p, to which influences are raised.
    """

    value: FloatArray
    power: int

    def step(self, state: SoftMargins) -> Step:
        """Pick the strongest voter and search along it."""
        picks, edges = state.strongest()
        sizes = np.abs(edges)
        steps = state.search(picks, self.value, self.power)
        decided, none = sizes >= 1.0, sizes <= NO_EDGE
        none |= (steps <= NO_EDGE) | (steps >= LARGEST_STEP)
        steps = np.where(none, 0.0, np.sign(edges) * steps)
        return Step(picks, np.where(decided, state.decisive(edges), steps), some(decided | none))


@dataclass(frozen=True)
class AdaBoostReg(WeightBoosting[SoftMargins]):
    """AdaBoost_REG: C and the number of rounds; C = 0 is AdaBoost.

    A larger C softens more margins and so comes first in a grid, as the simpler vote.

    Attributes
    ----------
    power : {1, 2}, default 2
        p, to which influences are raised.
    """

    power: Literal[1, 2] = 2

    hyperparameters = (C, N_ROUNDS)
    value_name = "C"

    def __post_init__(self) -> None:
        if self.power not in (1, 2):
            raise ValueError(f"power must be 1 or 2, not {self.power!r}")

    def weights(self, source: VoterSource, copies: FloatArray) -> SoftMargins:
        """Return equal weights on the examples of each trajectory's sample."""
        return SoftMargins(source, copies)

    def rule(self, values: FloatArray) -> AdaBoostRegRule:
        """Return the rule for one C a trajectory."""
        return AdaBoostRegRule(values, self.power)


class AdaBoostRegClassifier(GreedyClassifier):
    """AdaBoost_REG: margins softened by influence (Raetsch, Onoda and Mueller 2001).

    Parameters
    ----------
    C : float, default 100.0
        How much influence softens a margin; 0 is AdaBoost.
    power : {1, 2}, default 2
        Power to which influences are raised.
    n_rounds : int, default 100
        Number of rounds; fewer are run where a voter has no error or a step none or no end.
    voters : Stumps, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``.
    """

    learner = AdaBoostReg

    def __init__(
        self,
        C: float = 100.0,
        *,
        power: Literal[1, 2] = 2,
        n_rounds: int = 100,
        voters: Voters = None,
    ) -> None:
        self.C = C
        self.power = power
        self.n_rounds = n_rounds
        self.voters = voters
