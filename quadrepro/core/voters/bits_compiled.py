"""Compiled loops over bits: comparing numbers with thresholds, and counting where rows differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from quadrepro.base.types import FloatArray
from quadrepro.core.compiling import compiled
from quadrepro.core.voters.bits import Bits, Counts

TILE = 32
"""Rows of bits that are compared with one row after another while they are in the cache."""


def _count_ones(context: Any, word: Any) -> Any:
    """Return the type of the number of ones in a word, and how it is found: one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


count_ones: Any = intrinsic(_count_ones)
"""Returns how many bits of a word are 1."""


@compiled("void(float64[:, ::1], float64[:, ::1], uint64[:, ::1])")
def compare(X: FloatArray, thresholds: FloatArray, bits: Bits) -> None:
    """Write into bit i of row (a, k) whether X[i, a] > thresholds[a, k].

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_attributes)
        Numbers.
    thresholds : ndarray of shape (n_attributes, n_thresholds)
        Thresholds of each attribute.
    bits : ndarray of uint64, shape (n_attributes * n_thresholds, n_words)
        Where the bits are written; those after the last example are 0.
    """
    n_examples, n_attributes = X.shape
    column = np.empty(64)
    for w in range(bits.shape[1]):
        start = 64 * w
        size = min(64, n_examples - start)
        for a in range(n_attributes):
            for i in range(size):
                column[i] = X[start + i, a]
            for k in range(thresholds.shape[1]):
                threshold = thresholds[a, k]
                word = np.uint64(0)
                for i in range(size):
                    word |= np.uint64(column[i] > threshold) << np.uint64(i)
                bits[a * thresholds.shape[1] + k, w] = word


@compiled("void(uint64[:, ::1], int64[:, ::1])")
def add_differences(bits: Bits, counts: Counts) -> None:
    """Add to counts[j, k], j < k, in how many bits rows j and k differ.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n_rows, n_words)
        Rows of bits.
    counts : ndarray of int64, shape (n_rows, n_rows)
        What is added to.
    """
    n_rows, n_words = bits.shape
    for first in range(0, n_rows, TILE):
        end = min(first + TILE, n_rows)
        for j in range(end):
            for k in range(max(first, j + 1), end):
                total = np.uint64(0)
                for w in range(n_words):
                    total += count_ones(bits[j, w] ^ bits[k, w])
                counts[j, k] += np.int64(total)
