"""Attributes of examples, some columns at a time, whether they are a dense or a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quadrepro._typing import BoolArray, FloatArray

CELLS = 2**22
"""Numbers of a sparse matrix that are dense at a time: 32 MB."""


def column_blocks(X: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the columns of a matrix as dense arrays, and where they stand.

    A dense matrix is one block. Of a sparse one, each block has at most `CELLS` numbers, or one
    column.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_examples, n_attributes)
        Attributes.
    """
    n_examples, n_attributes = X.shape
    if isinstance(X, np.ndarray):
        yield slice(0, n_attributes), X
        return
    columns, width = X.tocsc(), max(1, CELLS // max(1, n_examples))
    for start in range(0, n_attributes, width):
        block = slice(start, min(start + width, n_attributes))
        yield block, columns[:, block].toarray(order="C")


def columns_of(X: FloatArray) -> Iterator[FloatArray]:
    """Yield each column of a matrix as a dense array."""
    for _, block in column_blocks(X):
        yield from block.T


def ranges_of(X: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the smallest and the largest value of each attribute, and whether it has gaps.

    Missing values are left out; an attribute that is always missing has the range from 0 to 0.
    """
    low, high = np.zeros((2, X.shape[1]))
    gaps = np.zeros(X.shape[1], dtype=np.bool_)
    for columns, block in column_blocks(X):
        low[columns], high[columns] = np.fmin.reduce(block), np.fmax.reduce(block)
        gaps[columns] = np.isnan(block).any(axis=0)
    return np.nan_to_num(low), np.nan_to_num(high), gaps
