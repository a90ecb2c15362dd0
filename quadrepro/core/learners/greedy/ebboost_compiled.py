"""The voter of least penalised loss, given sums over weights and over their squares."""

from __future__ import annotations

import math

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.compiling import compiled


@compiled("float64(float64, float64, float64, float64)")
def root(doubled: float, squares: float, scale: float, price: float) -> float:
    """Return 2 sqrt(N) of a set of examples, given 2W and 2Q; see `least_penalised`."""
    square = doubled * doubled
    return math.sqrt(max(squares * scale - square, 0.0) * price + square)


@compiled(
    "void(float64[:,:,::1], float64[:,::1], float64[::1], float64[::1], float64[::1], boolean,"
    " int64[::1], float64[::1])"
)
def least(
    sums: FloatArray,
    totals: FloatArray,
    scales: FloatArray,
    prices: FloatArray,
    ties: FloatArray,
    complements: bool,
    picks: IntArray,
    tanhs: FloatArray,
) -> None:
    """Write of every trajectory the first voter within a tie of the least loss, and tanh α.

    `sums` and `totals` have those of the weights and those of the squares.
    """
    sizes = np.empty(sums.shape[2])
    for r in range(len(picks)):
        weight, squares, scale, price = totals[0, r], totals[1, r], scales[r], prices[r]
        largest = 0.0
        for j in range(len(sizes)):
            right = root(weight + sums[0, r, j], squares + sums[1, r, j], scale, price)
            wrong = root(weight - sums[0, r, j], squares - sums[1, r, j], scale, price)
            sizes[j] = abs(right - wrong) if complements else max(right - wrong, 0.0)
            largest = max(largest, sizes[j])
        pick = 0
        while sizes[pick] < largest - ties[r]:
            pick += 1
        right = root(weight + sums[0, r, pick], squares + sums[1, r, pick], scale, price)
        wrong = root(weight - sums[0, r, pick], squares - sums[1, r, pick], scale, price)
        difference = right - wrong if complements else max(right - wrong, 0.0)
        picks[r], tanhs[r] = pick, difference / (right + wrong)
