"""The losses of gradient boosting, for many runs at once (Re-scale boosting, sections II and VI).

A loss is made of the targets y and the weights w of the examples, shape (n_examples,). Scores F
and values g of a tree have shape (n_runs, n_examples). The methods of a loss return

    terms        y - F or exp(y F) at every example, from which the others are computed
    mean         Q(F) = Σ w φ(F, y) / Σ w
    descent      -∂φ/∂F at every example, to which the next tree is fitted
    search       β = argmin Q(F + β g), or 0 if g is 0
    probability  of the label +1, where scores minimise the expected loss; not for numbers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.core.elementary import exp, log1p
from quadrepro.core.jit import njit
from quadrepro.core.learners.cuts import LeafArray

GroupArray = NDArray[np.uint32]
LossName = Literal["l2", "logistic", "exponential"]

NOTHING = 1e-100
"""Largest length that counts as 0, such as the gradient of a loss that has vanished."""

LARGEST_CHANGE = 30.0
"""Largest change of a score by a line search, as the loss may have no minimum."""

CONVERGED = 1e-6
"""Largest change of a score by the last step of a line search.

With |g| ≤ 1 the third derivative is at most the second, so a Newton step of length h leaves an
error of about h² / 2, in addition to the rounding error. The latter is about 1e-16 divided by the
second derivative, which is large where the loss is flat, but there all these weights have the same
loss.
"""

NEWTON_STEPS = 100
"""Largest number of steps of a line search; bisection alone needs fewer."""

LARGEST_MARGIN = 300.0
"""Largest size of a margin; larger ones are clipped, so that products and squares are finite."""

LANES = 8
"""Number of partial sums of a line search, for the vector units of processors."""


@dataclass(frozen=True)
class SquaredLoss:
    """φ(F, y) = (y - F)²; y - F, half its negative gradient, serves as the direction of descent."""

    y: FloatArray
    weights: FloatArray

    def terms(self, scores: FloatArray) -> FloatArray:
        """Return the residuals y - F, shape (n_runs, n_examples)."""
        return np.asarray(self.y - scores)

    def mean(self, residuals: FloatArray, scores: FloatArray) -> FloatArray:
        """Return the mean of the squared residuals, shape (n_runs,)."""
        return weighted_mean(np.square(residuals), self.weights)

    def descent(self, residuals: FloatArray) -> FloatArray:
        """Return the residuals, shape (n_runs, n_examples)."""
        return residuals

    def search(self, residuals: FloatArray, g: FloatArray, leaves: LeafArray) -> FloatArray:
        """Return <y - F, g> / <g, g>, shape (n_runs,)."""
        weighted = self.weights * g
        return ratio((residuals * weighted).sum(axis=1), (g * weighted).sum(axis=1))


@dataclass(frozen=True)
class MarginLoss:
    """A loss φ(z) of the margin z = y F of a label -1 or +1, with φ'(z) = -1 / (c + exp(z))."""

    y: FloatArray
    weights: FloatArray

    c: ClassVar[float]

    def terms(self, scores: FloatArray) -> FloatArray:
        """Return exp(z), shape (n_runs, n_examples)."""
        return powers_of(scores, self.y)

    def mean(self, powers: FloatArray, scores: FloatArray) -> FloatArray:
        """Return the mean of φ(z), shape (n_runs,)."""
        losses = 1.0 / powers
        if self.c > 0.0:
            _log1p_each(losses, self.y * scores)
        return weighted_mean(losses, self.weights)

    def descent(self, powers: FloatArray) -> FloatArray:
        """Return y / (c + exp(z)), shape (n_runs, n_examples)."""
        return np.asarray(self.y / (self.c + powers))

    def search(self, powers: FloatArray, g: FloatArray, leaves: LeafArray) -> FloatArray:
        """Return argmin Q(F + β g) with |β g| at most `LARGEST_CHANGE`, shape (n_runs,).

        Examples of one leaf have the same g.
        """
        slopes = self.y * g
        if self.c == 0.0:
            # A factor of the loss does not change β; here it makes the largest loss 1.
            powers = powers / powers.min(axis=1, keepdims=True)
        least, most = slopes.min(axis=1), slopes.max(axis=1)
        scales = ratio(np.ones(len(slopes)), np.maximum(-least, most))
        slopes *= scales[:, None]
        groups = (2 * leaves + (self.y > 0)).astype(np.uint32)
        # If g moves all margins the same way, the loss falls without end.
        betas = np.where(least >= 0, LARGEST_CHANGE, np.where(most <= 0, -LARGEST_CHANGE, 0.0))
        _search(self.c, powers, slopes, groups, self.weights, betas)
        return np.asarray(betas * scales)

    @classmethod
    def probability(cls, scores: FloatArray) -> FloatArray:
        """Return 1 / (1 + exp(-F)), shape (n_new,); for the exponential loss, with -2F."""
        factors = np.full(len(scores), cls.c - 2.0)
        return np.asarray(1.0 / (1.0 + powers_of(scores[None], factors)[0]))


class LogisticLoss(MarginLoss):
    """φ(z) = ln(1 + exp(-z))."""

    c = 1.0


class ExponentialLoss(MarginLoss):
    """AdaBoost's loss φ(z) = exp(-z)."""

    c = 0.0


Loss = SquaredLoss | MarginLoss

LOSSES: dict[LossName, type[Loss]] = {
    "l2": SquaredLoss,
    "logistic": LogisticLoss,
    "exponential": ExponentialLoss,
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
    """Write the root β of Σ w s φ'(z + β s) into entries of `betas`, (n_runs,), that are 0.

    The sum increases with β, so every Newton step narrows a bracket; bisection replaces a step that
    leaves the bracket. Powers exp(z), slopes s = y g and groups have shape (n_runs, n_examples).
    Slopes are at most 1 in size, and equal within a group.
    """
    m, n_groups = slopes.shape[1], np.int64(groups.max()) + 1
    # Entries after the last example stay 0.
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
    """Return the sum of all numbers, shape (n_rows, LANES), column by column."""
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
    """Replace exp(-z) by log(1 + exp(-z)), shape (n_runs, n_examples)."""
    for run in range(len(margins)):
        for i in range(margins.shape[1]):
            z = margins[run, i]
            inside = abs(z) < LARGEST_MARGIN
            falling[run, i] = log1p(falling[run, i]) if inside else max(-z, 0.0)


@njit
def powers_of(scores: FloatArray, y: FloatArray) -> FloatArray:
    """Return exp(y F), shape (n_runs, n_examples), with clipped margins."""
    powers = np.empty(scores.shape)
    for run in range(len(scores)):
        for i in range(len(y)):
            z = y[i] * scores[run, i]
            z = z if z < LARGEST_MARGIN else LARGEST_MARGIN  # also for NaN, from an overflow
            powers[run, i] = exp(z if z > -LARGEST_MARGIN else -LARGEST_MARGIN)
    return powers


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of each row, shape (n_runs,)."""
    return np.asarray((values * weights).sum(axis=1) / weights.sum())


def ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Return ratios, shape (n_runs,); 0 where the denominator is at most `NOTHING`."""
    return np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > NOTHING
    )
