"""A Cholesky factor that gains and loses rows.

The plain code is `quadrepro.learners.programs.growing_cholesky`.
"""

from __future__ import annotations

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.kernels.cholesky import forward
from quadrepro.kernels.compiling import compiled

# Inner loops run over slices from 0 on: numba would check every index that might be negative.


@compiled("float64(float64[::1], float64[::1])")
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the sum of the products of the entries of two vectors, of at least one."""
    total: float = a[0] * b[0]
    for i in range(1, len(a)):
        total += a[i] * b[i]
    return total


@compiled("void(float64[:, ::1], float64[:, ::1], intp, float64[::1], float64, float64)")
def append(
    upper: FloatArray, lower: FloatArray, n: int, column: FloatArray, diagonal: float, shift: float
) -> None:
    """Add a row and a column to the matrix of which `upper` is the factor, and `lower` its twin."""
    row, square = lower[n], diagonal
    row[:n] = column
    if n > 0:
        half = row[:n]
        forward(upper, half.reshape((1, n)))
        square -= dot(half, half)
    if square < shift:
        square = max(0.0, square) + shift
    row[n] = np.sqrt(square)
    for i in range(n + 1):
        upper[i, n] = row[i]


@compiled("void(float64[:, ::1], float64[:, ::1], intp, intp)")
def remove(upper: FloatArray, lower: FloatArray, n: int, position: int) -> None:
    """Remove the row and the column at a position of the matrix of n rows."""
    for i in range(n):
        part, after = upper[i, position : n - 1], upper[i, position + 1 : n]
        for j in range(len(part)):
            part[j] = after[j]
    for i in range(position, n - 1):
        above, below = upper[i, i : n - 1], upper[i + 1, i : n - 1]
        size = np.sqrt(above[0] * above[0] + below[0] * below[0])
        c, s = above[0] / size, below[0] / size
        for j in range(len(above)):
            a, b = above[j], below[j]
            above[j] = c * a + s * b
            below[j] = c * b - s * a
    for i in range(position, n - 1):
        for j in range(n - 1):
            lower[i, j] = upper[j, i]
