"""The loops of CqBoost's master problem in numpy, and the choice of these or the compiled ones.

Every sum runs in a fixed order, which no BLAS or LAPACK promises, so that all give the same bits.
"""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.kernels import compiling


def loops() -> ModuleType:
    """Return the module with the compiled loops, or this one if nothing is compiled."""
    if compiling.enabled():
        from quadrepro.kernels import cqboost

        return cqboost
    return sys.modules[__name__]


def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the sum of the products of the entries of two vectors, of at least one."""
    return float(np.add.accumulate(a * b)[-1])


def add_rows(weights: FloatArray, rows: IntArray, matrix: FloatArray, total: FloatArray) -> None:
    """Add the weighted sum of some rows of a matrix to `total`."""
    for weight, row in zip(weights, rows, strict=True):
        total += weight * matrix[row]


def forward(R: FloatArray, X: FloatArray) -> None:
    """Overwrite each row b of X with the solution of R'x = b, for R's leading rows and columns."""
    n = X.shape[1]
    for i in range(n):
        X[:, i] /= R[i, i]
        X[:, i + 1 :] -= X[:, i, None] * R[i, i + 1 : n]


def backward(L: FloatArray, x: FloatArray) -> None:
    """Overwrite b with the solution of L'x = b, for L's leading rows and columns."""
    for i in reversed(range(len(x))):
        x[i] /= L[i, i]
        x[:i] -= x[i] * L[i, :i]


def remove(R: FloatArray, n: int, position: int) -> None:
    """Delete one of R's n columns, and rotate rows so that it is triangular again."""
    R[:n, position : n - 1] = R[:n, position + 1 : n]
    for i in range(position, n - 1):
        upper, lower = R[i, i : n - 1].copy(), R[i + 1, i : n - 1].copy()
        size = np.sqrt(upper[0] * upper[0] + lower[0] * lower[0])
        c, s = upper[0] / size, lower[0] / size
        R[i, i : n - 1] = c * upper + s * lower
        R[i + 1, i : n - 1] = c * lower - s * upper
