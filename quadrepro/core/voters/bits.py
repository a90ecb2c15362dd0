"""Voters with values -1 and +1 as bits: 1 for +1, 64 examples to a word.

Two voters disagree where the exclusive or of their bits is 1, so that Σ h_j h_k is the number of
examples less twice the number of ones. All of it is counting: no sum is ever rounded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core import compiling

BLOCK = 2**14
"""Examples whose voters are packed and counted at a time: 2 KB per voter, so that they stay in the
cache."""

Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]

WORD = 64
"""Examples in a word."""


def blocks(n_examples: int) -> Iterator[slice]:
    """Yield the examples of one block after the other."""
    for start in range(0, n_examples, BLOCK):
        yield slice(start, start + BLOCK)


def pack(positive: BoolArray) -> Bits:
    """Pack voters, or labels, as bits.

    Parameters
    ----------
    positive : ndarray of bool, shape (n_voters, n_examples)
        Whether each voter is +1.

    Returns
    -------
    ndarray of uint64, shape (n_voters, n_words)
        Bit i of word w is example 64 w + i; bits after the last example are 0.
    """
    n_voters, n_examples = positive.shape
    bytes_ = np.zeros((n_voters, -(-n_examples // WORD) * 8), dtype=np.uint8)
    packed = np.packbits(positive, axis=1, bitorder="little")
    bytes_[:, : packed.shape[1]] = packed
    return bytes_.view("<u8").astype(np.uint64)


def pack_stumps(X: FloatArray, thresholds: FloatArray) -> Bits:
    """Pack the values of stumps on examples, without a matrix of floats.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_attributes)
        Examples.
    thresholds : ndarray of shape (n_attributes, per_attribute)
        Thresholds; a stump is +1 above its own.

    Returns
    -------
    ndarray of uint64, shape (n_attributes * per_attribute, n_words)
        The bits, in the order of the columns of `Stumps.transform`.
    """
    loops = compiling.beside(__name__)
    if loops is None:
        return pack((X.T[:, None, :] > thresholds[:, :, None]).reshape(thresholds.size, len(X)))
    bits = np.empty((thresholds.size, -(-len(X) // WORD)), dtype=np.uint64)
    # Compiled loops take no array that cannot be written to.
    loops.compare(np.require(X, None, ["C", "W"]), np.require(thresholds, None, ["C", "W"]), bits)
    return bits


def add_differences(bits: Bits, counts: Counts) -> None:
    """Add to counts[j, k], j < k, on how many examples voters j and k differ.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n_voters, n_words)
        Packed voters. A few hundred words of each stay in the cache.
    counts : ndarray of int64, shape (n_voters, n_voters)
        What is added to; only the entries above the diagonal change.
    """
    loops = compiling.beside(__name__)
    if loops is None:
        for j in range(len(bits) - 1):
            differ = np.bitwise_count(bits[j] ^ bits[j + 1 :])
            counts[j, j + 1 :] += differ.sum(axis=1, dtype=np.int64)
        return
    loops.add_differences(bits, counts)
