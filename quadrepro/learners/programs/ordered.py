"""Sums and linear systems in a fixed order, so that every processor gives the same bits.

A BLAS has several versions of every product, chooses one by the processor, and adds in another
order in each. What only leads to a solution may come from it, such as a guess at the active set;
the numbers of the solution must not.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError

from quadrepro._typing import FloatArray
from quadrepro.kernels import compiling


def ordered_sum(x: FloatArray) -> float:
    """Return the sum of the entries of a vector, added one after the other."""
    return float(np.add.accumulate(x)[-1]) if len(x) else 0.0


def weighted_sum(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Return Σ_i w_i row_i, added in the order of the rows.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        w.
    rows : ndarray of shape (n_rows, n_columns)
        Quickest if it is C-contiguous.

    Returns
    -------
    ndarray of shape (n_columns,)
        The same bits on every processor.
    """
    total = np.zeros(rows.shape[1])
    if compiling.enabled():
        from quadrepro.kernels import sums

        sums.add_rows(np.ascontiguousarray(weights), np.ascontiguousarray(rows), total)
        return total
    for weight, row in zip(weights, rows, strict=True):
        total += weight * row
    return total


class Cholesky:
    """Cholesky's factorisation A = U'U of a positive definite matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        A, of which the upper triangle is read. It is not changed.

    Attributes
    ----------
    upper : ndarray of shape (n, n)
        U in the upper triangle; the lower one means nothing.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """

    def __init__(self, matrix: FloatArray) -> None:
        upper = np.array(matrix, dtype=np.float64, order="C")
        if compiling.enabled():
            from quadrepro.kernels import cholesky

            definite = cholesky.factor(upper)
        else:
            definite = _factor(upper)
        if not definite:
            raise LinAlgError("the matrix is not positive definite")
        self.upper = upper
        self._lower = np.ascontiguousarray(upper.T)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return A⁻¹ times a vector of shape (n,) or a matrix of shape (n, k)."""
        X = np.array(right.T, dtype=np.float64, ndmin=2, order="C")
        if compiling.enabled():
            from quadrepro.kernels import cholesky

            cholesky.forward(self.upper, X)
            for x in X:
                cholesky.backward(self._lower, x)
        else:
            forward(self.upper, X)
            for x in X:
                backward(self._lower, x)
        return np.ascontiguousarray(X.T) if right.ndim == 2 else np.asarray(X[0])


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


def _factor(A: FloatArray) -> bool:
    for i in range(len(A)):
        row = A[i, i:]
        if not row[0] > 0.0:
            return False
        row /= np.sqrt(row[0])
        A[i + 1 :, i + 1 :] -= row[1:, None] * row[1:]
    return True
