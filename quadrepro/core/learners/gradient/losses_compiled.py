"""The line search of the logistic loss; see `quadrepro.core.learners.gradient.losses`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.compiling import compiled
from quadrepro.core.elementary_compiled import exp
from quadrepro.core.learners.gradient.losses import LANES


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


@compiled(
    "void(float64[:,::1], float64[:,::1], uint32[:,::1], int64[::1], float64, float64, int64,"
    " float64, float64[::1])"
)
def search(
    powers: FloatArray,
    slopes: FloatArray,
    groups: NDArray[np.uint32],
    rows: IntArray,
    largest: float,
    converged: float,
    n_steps: int,
    nothing: float,
    found: FloatArray,
) -> None:
    """Write the root of the derivative along the slopes, for the given rows."""
    m = powers.shape[1]
    n_groups = np.int64(groups.max()) + 1
    # Numbers behind the last example stay 0.
    shape = (m + LANES - 1) // LANES, LANES
    firsts, seconds = np.zeros(shape), np.zeros(shape)
    first, second = firsts.reshape(-1), seconds.reshape(-1)
    slope, moved = np.zeros(n_groups), np.zeros(n_groups)
    for row in rows:
        power, steep, group = powers[row], slopes[row], groups[row]
        for i in range(m):
            slope[group[i]] = steep[i]
        low, high, here = -largest, largest, 0.0
        for _ in range(n_steps):
            for g in range(n_groups):
                moved[g] = exp(here * slope[g])
            for i in range(m):
                falling = 1.0 / (1.0 + power[i] * moved[group[i]])
                first[i] = steep[i] * falling
                second[i] = steep[i] * steep[i] * (falling * (1.0 - falling))
            derivative, curvature = -sum_of_lanes(firsts), sum_of_lanes(seconds)
            low = here if derivative < 0 else low
            high = here if derivative > 0 else high
            newton = here - (derivative / curvature if curvature > nothing else 0.0)
            there = newton if low <= newton <= high else (low + high) / 2
            change, here = abs(there - here), there
            if change <= converged:
                break
        found[row] = here
