"""Gradient and line search of the logistic loss; see `quadrepro.core.learners.gradient.losses`."""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.compiling import compiled
from quadrepro.core.elementary_old_compiled import exp
from quadrepro.core.learners.gradient.losses import (
    CONVERGED,
    LANES,
    LARGEST_CHANGE,
    LARGEST_MARGIN,
    NEWTON_STEPS,
    NOTHING,
)
from quadrepro.core.learners.gradient.trees_compiled import NUMBERS, Leaves


@compiled("float64(float64[:,::1])")
def sum_of_lanes(numbers: FloatArray) -> float:
    """Return the sum of all numbers, added row by row first."""
    sums = np.zeros(LANES)
    for row in range(len(numbers)):
        for lane in range(LANES):
            sums[lane] += numbers[row, lane]
    total = 0.0
    for lane in range(LANES):
        total += sums[lane]
    return total


@compiled("float64(float64)")
def power_of(margin: float) -> float:
    """Return e^margin, cut at the largest margin."""
    return float(exp(margin if margin < LARGEST_MARGIN else LARGEST_MARGIN))


@compiled(f"void({NUMBERS}, float64[::1], float64[:,::1])")
def descend(scores: FloatArray, y: FloatArray, found: FloatArray) -> None:
    """Write the negative gradient."""
    for row in range(len(scores)):
        for i in range(len(y)):
            found[row, i] = y[i] / (1.0 + power_of(y[i] * scores[row, i]))


@compiled(
    f"void({NUMBERS}, {NUMBERS}, Array(int32, 2, 'C', readonly=True), float64[::1], float64[::1])"
)
def search(
    scores: FloatArray, answers: FloatArray, leaves: Leaves, y: FloatArray, found: FloatArray
) -> None:
    """Write the root of the derivative along the answers."""
    m = len(y)
    n_leaves = np.int64(leaves.max()) + 1
    # Numbers behind the last example stay 0.
    shape = (m + LANES - 1) // LANES, LANES
    firsts, seconds = np.zeros(shape), np.zeros(shape)
    first, second = firsts.reshape(-1), seconds.reshape(-1)
    power, steep, group = np.empty(m), np.empty(m), np.empty(m, np.uint32)
    slope, moved = np.zeros((2, 2 * n_leaves))
    for row in range(len(scores)):
        least, most = np.inf, -np.inf
        for i in range(m):
            steep[i] = y[i] * answers[row, i]
            least = steep[i] if steep[i] < least else least
            most = steep[i] if steep[i] > most else most
        largest_slope = max(-least, most)
        scale = 1.0 / largest_slope if largest_slope > NOTHING else 0.0
        # If the answers move all margins the same way, the loss falls without end.
        if least >= 0 or most <= 0:
            found[row] = (LARGEST_CHANGE if least >= 0 else -LARGEST_CHANGE) * scale
            continue
        for i in range(m):
            power[i] = power_of(y[i] * scores[row, i])
            steep[i] *= scale
            group[i] = 2 * leaves[row, i] + (y[i] > 0)
            slope[group[i]] = steep[i]
        low, high, here = -LARGEST_CHANGE, LARGEST_CHANGE, 0.0
        for _ in range(NEWTON_STEPS):
            for g in range(len(slope)):
                moved[g] = exp(here * slope[g])
            for i in range(m):
                falling = 1.0 / (1.0 + power[i] * moved[group[i]])
                first[i] = steep[i] * falling
                second[i] = steep[i] * steep[i] * (falling * (1.0 - falling))
            derivative, curvature = -sum_of_lanes(firsts), sum_of_lanes(seconds)
            low = here if derivative < 0 else low
            high = here if derivative > 0 else high
            newton = here - (derivative / curvature if curvature > NOTHING else 0.0)
            there = newton if low <= newton <= high else (low + high) / 2
            change, here = abs(there - here), there
            if change <= CONVERGED:
                break
        found[row] = here * scale
