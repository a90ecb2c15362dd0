"""Compiled loops of `ordered`: sums and Cholesky factors in a fixed order."""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.compiling import compiled


@compiled("void(float64[::1], float64[:, ::1], float64[::1])")
def add_rows(weights: FloatArray, rows: FloatArray, total: FloatArray) -> None:
    """Add Σ_i w_i row_i to `total`."""
    for i in range(len(weights)):
        weight, row = weights[i], rows[i]
        for j in range(len(total)):
            total[j] += weight * row[j]


PANEL, TILE = 64, 256
"""Rows finished together, and columns of them updated together: these stay in the cache."""


@compiled("void(float64[:, ::1], int64, int64, int64, int64, int64)")
def subtract(A: FloatArray, i: int, first: int, end: int, left: int, right: int) -> None:
    """Subtract Σ_k A_ki A_kj for first <= k < end, in this order, from A_ij, left <= j < right."""
    row = A[i, left:right]
    k = first
    # Eight rows at a time are read for one that is written.
    while k + 8 <= end:
        a, b, c, d = A[k], A[k + 1], A[k + 2], A[k + 3]
        e, f, g, h = A[k + 4], A[k + 5], A[k + 6], A[k + 7]
        p, q, r, s, t, u, v, w = a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]
        a, b, c, d = a[left:right], b[left:right], c[left:right], d[left:right]
        e, f, g, h = e[left:right], f[left:right], g[left:right], h[left:right]
        for j in range(len(row)):
            half = row[j] - p * a[j] - q * b[j] - r * c[j] - s * d[j]
            row[j] = half - t * e[j] - u * f[j] - v * g[j] - w * h[j]
        k += 8
    while k < end:
        a, p = A[k, left:right], A[k, i]
        for j in range(len(row)):
            row[j] -= p * a[j]
        k += 1


@compiled("boolean(float64[:, ::1])")
def factor(A: FloatArray) -> bool:
    """Overwrite the upper triangle of A with U, A = U'U; return whether A is positive definite."""
    n = len(A)
    for top in range(0, n, PANEL):
        bottom = min(top + PANEL, n)
        for left in range(top, n, TILE):
            for i in range(top, bottom):
                subtract(A, i, 0, top, left, min(left + TILE, n))
        for i in range(top, bottom):
            subtract(A, i, top, i, i, n)
            row = A[i]
            if not row[i] > 0.0:
                return False
            root = np.sqrt(row[i])
            for j in range(i, n):
                row[j] /= root
    return True


@compiled("void(float64[:, ::1], float64[:, ::1])")
def forward(R: FloatArray, X: FloatArray) -> None:
    """Overwrite each row b of X with the solution of R'x = b, for R's leading rows and columns."""
    # Unsigned, for numba would check every index that might be negative.
    one, n_rows, n = np.uint64(1), np.uint64(X.shape[0]), np.uint64(X.shape[1])
    for i in range(n):
        for k in range(n_rows):
            known = X[k, i] / R[i, i]
            X[k, i] = known
            for j in range(i + one, n):
                X[k, j] -= known * R[i, j]


@compiled("void(float64[:, ::1], float64[::1])")
def backward(L: FloatArray, x: FloatArray) -> None:
    """Overwrite b with the solution of L'x = b, for L's leading rows and columns."""
    for i in range(len(x) - 1, -1, -1):
        known = x[i] / L[i, i]
        x[i] = known
        row = L[i]
        for j in range(i):
            x[j] -= known * row[j]


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
