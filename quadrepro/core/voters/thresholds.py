"""Thresholds on attributes, evenly spaced or at quantiles, without importing scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.coded import CodedVoters, Codes, dtype_of

CELLS = 2**22
"""Size of a dense block of a sparse matrix, 32 MB."""

ROWS_AT_ONCE = 256
"""Number of examples that are coded at a time, so that they stay in the processor's cache."""


def column_blocks(X: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield dense blocks of columns, shape (n_examples, n_block), each with its place.

    A dense matrix is one block. A block of a sparse matrix has at most `CELLS` numbers, or one
    column.
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
    """Yield each column of a matrix as a dense array, shape (n_examples,)."""
    for _, block in column_blocks(X):
        yield from block.T


def ranges_of(X: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the smallest and largest value of attributes, and a mask of missing values.

    All have shape (n_attributes,); the mask marks attributes with missing values. An attribute
    without values has the range from 0 to 0.
    """
    low, high = np.zeros((2, X.shape[1]))
    gaps = np.zeros(X.shape[1], dtype=np.bool_)
    for columns, block in column_blocks(X):
        low[columns], high[columns] = np.fmin.reduce(block), np.fmax.reduce(block)
        gaps[columns] = np.isnan(block).any(axis=0)
    return np.nan_to_num(low), np.nan_to_num(high), gaps


def even_thresholds(low: FloatArray, high: FloatArray, per_attribute: int) -> FloatArray:
    """Return evenly spaced thresholds, (n_attributes, per_attribute), between low and high."""
    steps = np.arange(1, per_attribute + 1) / (per_attribute + 1)
    return np.asarray(low[:, None] + (high - low)[:, None] * steps)


def quantile_thresholds(
    X: FloatArray, per_attribute: int, weights: FloatArray | None
) -> FloatArray:
    """Return thresholds, (n_attributes, per_attribute), at quantiles of weights; see `Stumps`."""
    thresholds = np.zeros((X.shape[1], per_attribute))
    weights = np.ones(X.shape[0]) if weights is None else weights / weights.max()
    for row, column in zip(thresholds, columns_of(X), strict=True):
        present = ~np.isnan(column)
        values, places = np.unique(column[present], return_inverse=True)
        if len(values) <= 1:
            row[:] = values if len(values) else 0.0
            continue
        masses = _capped(np.bincount(places, weights[present]), per_attribute + 1)
        targets = masses.sum() * np.arange(1, per_attribute + 1) / (per_attribute + 1)
        # The slack allows for rounding of the sums.
        last = np.searchsorted(masses.cumsum(), targets * (1.0 - 1e-9)).clip(max=len(values) - 2)
        below, above = values[last], values[last + 1]
        middle = below / 2 + above / 2
        row[:] = np.where(middle < above, middle, below)
    return thresholds


def _capped(masses: NDArray[Any], n_intervals: int) -> FloatArray:
    """Cap masses, shape (n_values,), at an equal share of their new sum."""
    if len(masses) <= n_intervals:
        return np.ones(len(masses))
    heavy = np.zeros(len(masses), dtype=np.bool_)
    while True:
        cap = masses[~heavy].sum() / (n_intervals - heavy.sum())
        if (heavy == (masses > cap)).all():
            return np.asarray(np.minimum(masses, cap))
        heavy = masses > cap


def stumps_on(X: FloatArray, thresholds: FloatArray) -> CodedVoters:
    """Return the stumps with given thresholds, one chain per attribute.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_examples, n_attributes)
        Examples. A missing value is not above any threshold.
    thresholds : ndarray of shape (n_attributes, per_attribute)
        Thresholds, increasing along each row.
    """
    n_attributes, per_attribute = thresholds.shape
    first = np.arange(n_attributes + 1) * per_attribute
    codes = np.zeros((n_attributes, X.shape[0]), dtype_of(np.diff(first)))
    for columns, block in column_blocks(X):
        count_below(block, thresholds[columns], codes[columns])
    return CodedVoters(codes, first)


@njit
def count_below(X: FloatArray, thresholds: FloatArray, codes: Codes) -> None:
    """Add the number of thresholds below each value, shape (n_attributes, n_examples)."""
    for start in range(0, len(X), ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, len(X))
        for attribute in range(len(thresholds)):
            values, own = X[start:stop, attribute].copy(), codes[attribute, start:stop]
            for threshold in thresholds[attribute]:
                for i in range(len(values)):
                    own[i] += values[i] > threshold
