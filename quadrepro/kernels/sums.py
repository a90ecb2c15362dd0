"""Weighted sums of rows, added up in the order of the rows."""

from __future__ import annotations

from quadrepro._typing import FloatArray
from quadrepro.kernels.compiling import compiled


@compiled("void(float64[::1], float64[:, ::1], float64[::1])")
def add_rows(weights: FloatArray, rows: FloatArray, total: FloatArray) -> None:
    """Add Σ_i w_i row_i to `total`."""
    for i in range(len(weights)):
        weight, row = weights[i], rows[i]
        for j in range(len(total)):
            total[j] += weight * row[j]
