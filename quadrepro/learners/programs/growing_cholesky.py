"""A Cholesky factorisation that gains and loses rows."""

from __future__ import annotations

import math

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.ordered import backward, forward, ordered_sum

ROOM = 64
"""Rows that a new factor has room for."""


class GrowingCholesky:
    """The factor R of a positive definite matrix K = R'R that gains and loses rows and columns.

    R is upper triangular. To add, to remove and to solve take O(n²) operations each, all of them in
    a fixed order. `quadrepro.kernels.cqboost` has the same loops.

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
