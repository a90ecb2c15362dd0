"""The losses of gradient boosting, for many runs at once (Re-scale boosting, sections II and VI).

Scores F and the values g of a tree have shape (n_runs, n_examples); targets y and weights w of the
examples have shape (n_examples,). A loss gives

    terms        y - F or exp(y F) at every example, which all others are made of
    mean         Q(F) = Σ w φ(F, y) / Σ w
    descent      -∂φ/∂F at every example, to which the next tree is fitted
    search       β = argmin Q(F + β g), or 0 if g is 0
    probability  of the label +1, where scores minimise the expected loss; not for numbers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.core.elementary import exp, log1p
from quadrepro.core.jit import njit
from quadrepro.core.learners.trees import LeafArray

GroupArray = NDArray[np.uint32]
LossName = Literal["l2", "logistic", "exponential"]

NOTHING = 1e-100
"""Lengths up to this one count as 0. The gradients of a loss that has vanished are that small."""

LARGEST_CHANGE = 30.0
"""A line search changes no score by more than this; the loss may have no minimum."""

CONVERGED = 1e-6
"""A line search ends with a step that changes no score by more than this.

With |g| ≤ 1 the third derivative is at most the second, so a Newton step of length h leaves an
error of about h² / 2, beside that of rounding: a slope known to about 1e-16 leaves an error of that
much divided by the second derivative, which is not small where the loss is flat. There all such
weights have the same loss.
"""

NEWTON_STEPS = 100
"""Limit on the steps of a line search; bisection alone converges in fewer."""

LARGEST_MARGIN = 300.0
"""Margins of larger size count as this: products of a line search and squares of gradients are
finite."""

LANES = 8
"""Numbers that the sums of a line search add at once, as wide processors do."""


@dataclass(frozen=True)
class SquaredLoss:
    """φ(F, y) = (y - F)²; y - F, half its negative gradient, serves as the direction of descent."""

    def terms(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residuals."""
        return np.asarray(y - scores)

    def mean(
        self, residuals: FloatArray, scores: FloatArray, y: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return the mean of the squared residuals."""
        return mean_of(np.square(residuals), weights)

    def descent(self, residuals: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residuals."""
        return residuals

    def search(
        self,
        residuals: FloatArray,
        g: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray,
    ) -> FloatArray:
        """Return <y - F, g> / <g, g>."""
        weighted = weights * g
        return ratio((residuals * weighted).sum(axis=1), (g * weighted).sum(axis=1))


@dataclass(frozen=True)
class MarginLoss:
    """A loss φ(z) of the margin z = y F of a label y of -1 or +1, with φ'(z) = -1 / (c + exp(z)).

    c = 1 is the logistic loss ln(1 + exp(-z)), and c = 0 AdaBoost's exponential loss exp(-z).
    """

    c: float

    def terms(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return exp(z)."""
        return powers_of(scores, y)

    def mean(
        self, powers: FloatArray, scores: FloatArray, y: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return the mean of φ(z)."""
        losses = 1.0 / powers
        if self.c > 0.0:
            _log1p_each(losses, y * scores)
        return mean_of(losses, weights)

    def descent(self, powers: FloatArray, y: FloatArray) -> FloatArray:
        """Return y / (c + exp(z))."""
        return np.asarray(y / (self.c + powers))

    def search(
        self,
        powers: FloatArray,
        g: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray,
    ) -> FloatArray:
        """Return argmin Q(F + β g) with |β g| at most `LARGEST_CHANGE` at every example.

        Examples of one leaf have the same g.
        """
        slopes = y * g
        if self.c == 0.0:
            # β is the same for a multiple of the loss; the largest is made 1.
            powers = powers / powers.min(axis=1, keepdims=True)
        least, most = slopes.min(axis=1), slopes.max(axis=1)
        scales = ratio(np.ones(len(slopes)), np.maximum(-least, most))
        slopes *= scales[:, None]
        groups = (2 * leaves + (y > 0)).astype(np.uint32)
        # If g moves all margins the same way, the loss falls without end.
        betas = np.where(least >= 0, LARGEST_CHANGE, np.where(most <= 0, -LARGEST_CHANGE, 0.0))
        _search(self.c, powers, slopes, groups, weights, betas)
        return np.asarray(betas * scales)

    def probability(self, scores: FloatArray) -> FloatArray:
        """Return 1 / (1 + exp(-F)) or, for the exponential loss, 1 / (1 + exp(-2F))."""
        factors = np.full(len(scores), self.c - 2.0)
        return np.asarray(1.0 / (1.0 + powers_of(scores[None], factors)[0]))


Loss = SquaredLoss | MarginLoss

LOSSES: dict[LossName, Loss] = {
    "l2": SquaredLoss(),
    "logistic": MarginLoss(1.0),
    "exponential": MarginLoss(0.0),
}


@njit
def _search(
    c: float,
    powers: FloatArray,
    slopes: FloatArray,
    groups: GroupArray,
    weights: FloatArray,
    betas: FloatArray,
) -> None:
    """Write the root β of Σ w s φ'(z + β s), where it is 0 before, by Newton's method.

    The sum increases with β, so every step narrows a bracket; a step that would leave it is a
    bisection. ``powers`` are exp(z), slopes s = y g are at most 1 in size, and equal in a group.
    """
    m, n_groups = slopes.shape[1], np.int64(groups.max()) + 1
    # Numbers behind the last example stay 0.
    shape = (m + LANES - 1) // LANES, LANES
    firsts, seconds = np.zeros(shape), np.zeros(shape)
    first, second = firsts.reshape(-1), seconds.reshape(-1)
    slope, moved = np.zeros(n_groups), np.empty(n_groups)
    for run in range(len(slopes)):
        if betas[run] != 0.0:
            continue
        power, steep, group = powers[run], slopes[run], groups[run]
        for i in range(m):
            slope[group[i]] = steep[i]
        low, high, beta = -LARGEST_CHANGE, LARGEST_CHANGE, 0.0
        for _ in range(NEWTON_STEPS):
            for k in range(n_groups):
                moved[k] = exp(beta * slope[k])
            for i in range(m):
                falling = 1.0 / (c + power[i] * moved[group[i]])
                pull = weights[i] * steep[i]
                first[i] = pull * falling
                second[i] = pull * steep[i] * (falling * (1.0 - c * falling))
            derivative, curvature = -_sum(firsts), _sum(seconds)
            low = beta if derivative < 0 else low
            high = beta if derivative > 0 else high
            newton = beta - (derivative / curvature if curvature > NOTHING else 0.0)
            next_beta = newton if low <= newton <= high else (low + high) / 2
            change, beta = abs(next_beta - beta), next_beta
            if change <= CONVERGED:
                break
        betas[run] = beta


@njit
def _sum(numbers: FloatArray) -> float:
    """Return the sum of all numbers, added row by row first."""
    sums = np.zeros(LANES)
    for row in range(len(numbers)):
        for lane in range(LANES):
            sums[lane] += numbers[row, lane]
    total = 0.0
    for lane in range(LANES):
        total += sums[lane]
    return total


@njit
def _log1p_each(falling: FloatArray, margins: FloatArray) -> None:
    """Replace exp(-z) by log(1 + exp(-z))."""
    for run in range(len(margins)):
        for i in range(margins.shape[1]):
            z = margins[run, i]
            inside = abs(z) < LARGEST_MARGIN
            falling[run, i] = log1p(falling[run, i]) if inside else max(-z, 0.0)


@njit
def _power(margin: float) -> float:
    """Return exp(z) of a margin within the limits; the NaN of an overflow is the largest."""
    margin = margin if margin < LARGEST_MARGIN else LARGEST_MARGIN
    return exp(margin if margin > -LARGEST_MARGIN else -LARGEST_MARGIN)


@njit
def _powers(scores: FloatArray, y: FloatArray, powers: FloatArray) -> None:
    for run in range(len(scores)):
        for i in range(len(y)):
            powers[run, i] = _power(y[i] * scores[run, i])


def powers_of(scores: FloatArray, y: FloatArray) -> FloatArray:
    """Return exp(z) at every example."""
    powers = np.empty(scores.shape)
    _powers(scores, y, powers)
    return powers


def mean_of(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of each row."""
    return np.asarray((values * weights).sum(axis=1) / weights.sum())


def ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Divide two arrays of one shape; the ratio is 0 if the denominator is at most `NOTHING`."""
    return np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > NOTHING
    )
