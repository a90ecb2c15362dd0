"""The loops of CqBoost's master problem in numpy, and the choice of these or the compiled ones.

Every sum runs in a fixed order, which no BLAS or LAPACK promises, so that all give the same bits.
"""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.kernels import compiling
from quadrepro.learners.programs.ordered import backward, forward

__all__ = ["add_rows", "backward", "dot", "forward", "loops", "remove"]


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


def remove(R: FloatArray, n: int, position: int) -> None:
    """Delete one of R's n columns, and rotate rows so that it is triangular again."""
    R[:n, position : n - 1] = R[:n, position + 1 : n]
    for i in range(position, n - 1):
        upper, lower = R[i, i : n - 1].copy(), R[i + 1, i : n - 1].copy()
        size = np.sqrt(upper[0] * upper[0] + lower[0] * lower[0])
        c, s = upper[0] / size, lower[0] / size
        R[i, i : n - 1] = c * upper + s * lower
        R[i + 1, i : n - 1] = c * lower - s * upper
