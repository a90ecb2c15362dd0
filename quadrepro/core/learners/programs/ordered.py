"""Linear algebra in a fixed order, which gives the same bits on every processor."""

from __future__ import annotations

import math

import numpy as np
from numpy.linalg import LinAlgError

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling


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
    if loops := compiling.beside(__name__):
        loops.add_rows(np.ascontiguousarray(weights), np.ascontiguousarray(rows), total)
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
        loops = compiling.beside(__name__)
        definite = loops.factor(upper) if loops else _factor(upper)
        if not definite:
            raise LinAlgError("the matrix is not positive definite")
        self.upper = upper
        self._lower = np.ascontiguousarray(upper.T)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return A⁻¹ times a vector of shape (n,) or a matrix of shape (n, k)."""
        X = np.array(right.T, dtype=np.float64, ndmin=2, order="C")
        if loops := compiling.beside(__name__):
            loops.forward(self.upper, X)
            for x in X:
                loops.backward(self._lower, x)
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


ROOM = 64
"""Rows that a new factor has room for."""


class GrowingCholesky:
    """The factor R of a positive definite matrix K = R'R that gains and loses rows and columns.

    R is upper triangular. To add, to remove and to solve take O(n²) operations each, all of them in
    a fixed order. `quadrepro.core.learners.programs.cqboost_compiled` has the same loops.

    Attributes
    ----------
    n : int
        Number of rows of K.
    upper, lower : ndarray of shape (n_rows, n_rows)
        R and R' in the leading rows and columns, so that both triangular systems read rows. What is
        on the other side of the diagonal means nothing.
    """

    def __init__(self) -> None:
        self.n = 0
        self.upper, self.lower = np.zeros((2, ROOM, ROOM))

    def reserve(self, n_rows: int) -> None:
        """Make room for a number of rows."""
        room = len(self.upper)
        if n_rows > room:
            more = max(room, n_rows - room)
            self.upper, self.lower = (np.pad(R, (0, more)) for R in (self.upper, self.lower))

    def append(self, column: FloatArray, diagonal: float, shift: float) -> None:
        """Add a row and a column to K.

        Parameters
        ----------
        column : ndarray of shape (n,)
            The new column of K above the diagonal.
        diagonal : float
            The new diagonal entry.
        shift : float
            Added to the diagonal entry if the square of R's would be below it: if the new column
            depends on the others, or nearly so.
        """
        n = self.n
        self.reserve(n + 1)
        row = self.lower[n]
        [row[:n]] = self.forward(column[None])
        square = diagonal - ordered_sum(row[:n] * row[:n])
        if square < shift:
            # It may be negative by rounding.
            square = max(0.0, square) + shift
        row[n] = math.sqrt(square)
        self.upper[: n + 1, n] = row[: n + 1]
        self.n += 1

    def remove(self, position: int) -> None:
        """Remove the row and the column of K at a position."""
        n, R = self.n, self.upper
        R[:n, position : n - 1] = R[:n, position + 1 : n]
        # Rotate rows so that R is triangular again.
        for i in range(position, n - 1):
            upper, lower = R[i, i : n - 1].copy(), R[i + 1, i : n - 1].copy()
            size = np.sqrt(upper[0] * upper[0] + lower[0] * lower[0])
            c, s = upper[0] / size, lower[0] / size
            R[i, i : n - 1] = c * upper + s * lower
            R[i + 1, i : n - 1] = c * lower - s * upper
        self.n -= 1
        changed = slice(position, self.n)
        self.lower[changed, : self.n] = R[: self.n, changed].T

    def forward(self, rights: FloatArray) -> FloatArray:
        """Return R'⁻¹b for each row b of an array of shape (n_rights, n)."""
        X = rights.copy()
        forward(self.upper, X)
        return X

    def backward(self, right: FloatArray) -> FloatArray:
        """Return R⁻¹b for a vector b of shape (n,)."""
        x = right.copy()
        backward(self.lower, x)
        return x
