"""A factor that gains and loses rows, and sums over some rows of a matrix.

The twins are in `quadrepro.learners.programs.cqboost_loops`.
"""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.kernels.cholesky import backward, forward
from quadrepro.kernels.compiling import compiled

__all__ = ["add_rows", "backward", "dot", "forward", "remove"]

# Inner loops run over slices from 0 on: numba would check every index that might be negative.


@compiled("float64(float64[::1], float64[::1])")
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the sum of the products of the entries of two vectors, of at least one."""
    total: float = a[0] * b[0]
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


@compiled("void(float64[::1], intp[::1], float64[:, ::1], float64[::1])")
def add_rows(weights: FloatArray, rows: IntArray, matrix: FloatArray, total: FloatArray) -> None:
    """Add the weighted sum of some rows of a matrix to `total`."""
    for i in range(len(rows)):
        weight, row = weights[i], matrix[rows[i]]
        for j in range(len(total)):
            total[j] += weight * row[j]


@compiled("void(float64[:, ::1], intp, intp)")
def remove(R: FloatArray, n: int, position: int) -> None:
    """Delete one of R's n columns, and rotate rows so that it is triangular again."""
    for i in range(n):
        part, after = R[i, position : n - 1], R[i, position + 1 : n]
        for j in range(len(part)):
            part[j] = after[j]
    for i in range(position, n - 1):
        upper, lower = R[i, i : n - 1], R[i + 1, i : n - 1]
        size = np.sqrt(upper[0] * upper[0] + lower[0] * lower[0])
        c, s = upper[0] / size, lower[0] / size
        for j in range(len(upper)):
            a, b = upper[j], lower[j]
            upper[j] = c * a + s * b
            lower[j] = c * b - s * a
