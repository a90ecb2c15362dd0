"""A Cholesky factorisation that gains and loses rows."""

from __future__ import annotations

import math

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.cqboost_loops import loops

ROOM = 64
"""Rows that a new factor has room for."""


class GrowingCholesky:
    """The factor R of a positive definite matrix K = R'R that gains and loses rows and columns.

    R is upper triangular. To add, to remove and to solve take O(n²) operations each, all of them in
    a fixed order.
    """

    def __init__(self) -> None:
        self._n = 0
        # R and R', so that both triangular systems read rows.
        self._upper, self._lower = np.zeros((2, ROOM, ROOM))
        self._loops = loops()

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
        n = self._n
        if n == len(self._upper):
            self._upper, self._lower = (np.pad(R, (0, n)) for R in (self._upper, self._lower))
        row, square = self._lower[n], diagonal
        if n > 0:
            [row[:n]] = self.forward(column[None])
            square -= self._loops.dot(row[:n], row[:n])
        if square < shift:
            # It may be negative by rounding.
            square = max(0.0, square) + shift
        row[n] = math.sqrt(square)
        self._upper[: n + 1, n] = row[: n + 1]
        self._n += 1

    def remove(self, position: int) -> None:
        """Remove the row and the column of K at a position."""
        self._loops.remove(self._upper, self._n, position)
        self._n -= 1
        changed = slice(position, self._n)
        self._lower[changed, : self._n] = self._upper[: self._n, changed].T

    def forward(self, rights: FloatArray) -> FloatArray:
        """Return R'⁻¹b for each row b of an array of shape (n_rights, n)."""
        X = rights.copy()
        self._loops.forward(self._upper, X)
        return X

    def backward(self, right: FloatArray) -> FloatArray:
        """Return R⁻¹b for a vector b of shape (n,)."""
        x = right.copy()
        self._loops.backward(self._lower, x)
        return x
