"""Voters in groups, so that one code per example says what all voters of a group say.

Stumps on one attribute are nested: wherever a stump says +1, so do those with lower thresholds.
With d stumps an example thus has one of d + 1 codes. Several such chains share a code, as digits
share a number. Sums of example weights over the codes give the sums of all voters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.voters.reduction import first_of_equal_rows

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


def even_thresholds(low: FloatArray, high: FloatArray, per_attribute: int) -> FloatArray:
    """Return evenly spaced thresholds between the smallest and the largest value of attributes."""
    steps = np.arange(1, per_attribute + 1) / (per_attribute + 1)
    with np.errstate(over="ignore"):
        ranges = high - low
    # A range beyond 1.8e308 is divided in half; powers of two change no digit.
    unit = np.where(np.isinf(ranges), 0.5, 1.0)
    low, high = low * unit, high * unit
    thresholds: FloatArray = (low[:, None] + (high - low)[:, None] * steps) / unit[:, None]
    return thresholds


def above_thresholds(X: FloatArray, thresholds: FloatArray) -> BoolArray:
    """Return whether each attribute is above each of its thresholds, in adjacent columns."""
    above = np.empty((X.shape[0], *thresholds.shape), dtype=np.bool_)
    for columns, block in column_blocks(X):
        np.greater(block[:, :, None], thresholds[columns], out=above[:, columns])
    return above.reshape(X.shape[0], -1)


Digits = NDArray[np.uint8]
Words = NDArray[np.uint64]

N_DIGITS = 256
"""Largest number of digits of a chain, which is that of a byte."""

MOST_CODES = 1024
"""Largest number of codes of a group of several chains, whose bins stay in the nearest cache."""

FEW_CODES, PER_CODE = 16, 3
"""Chains share a code of up to `FEW_CODES` values, or of one for every `PER_CODE` examples.

It takes longer to tell the chains of many codes apart than to add few examples more often.
"""

BLOCK = 4
"""Groups whose bins share a word."""


@dataclass(frozen=True, eq=False)
class VoterGroups:
    """Voters with values -1 and +1 on labelled examples, as chains in groups.

    A chain is a run of voters in which each one says +1 only where the one before does. Its digit
    is the number of voters that say +1.

    Attributes
    ----------
    digits : ndarray of uint8, shape (n_chains, n_examples)
        What the voters of each chain say.
    words : ndarray of uint64, shape (n_blocks, n_examples)
        The bins of each example in a block of `BLOCK` groups, 16 bits each, the first one in the
        lowest bits. The first bin of a group is behind the last one of the group before. The bin
        within the group is the code: the digits of its chains, that of the last chain in the last
        place.
    voters : ndarray of int, shape (n_chains + 1,)
        First voter of each chain; the last entry is the number of voters.
    chains : ndarray of int, shape (BLOCK * n_blocks + 1,)
        First chain of each group; the last entry is the number of chains. The last groups may have
        none.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    """

    digits: Digits
    words: Words
    voters: IntArray
    chains: IntArray
    y: FloatArray

    @classmethod
    def of(cls, H: FloatArray, y: FloatArray) -> VoterGroups:
        """Group the voters of a matrix.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Values -1 and +1.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        """
        positive = H > 0
        voters = _first_voters(positive)
        digits = np.add.reduceat(positive, voters, axis=1, dtype=np.uint8).T
        return cls._of_digits(np.ascontiguousarray(digits), np.append(voters, H.shape[1]), y)

    @classmethod
    def of_stumps(cls, X: FloatArray, y: FloatArray, thresholds: FloatArray) -> VoterGroups:
        """Group stumps by their attributes, without their matrix.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Examples.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        thresholds : ndarray of shape (n_attributes, per_attribute)
            Thresholds, increasing along each row.
        """
        n_attributes, per_attribute = thresholds.shape
        first = np.arange(0, per_attribute, N_DIGITS - 1)
        voters = (np.arange(n_attributes)[:, None] * per_attribute + first).ravel()
        digits = np.empty((len(voters), len(y)), dtype=np.uint8)
        for a, column in enumerate(columns_of(X)):
            below = np.searchsorted(thresholds[a], column) - first[:, None]
            digits[a * len(first) : (a + 1) * len(first)] = below.clip(0, N_DIGITS - 1)
        return cls._of_digits(digits, np.append(voters, thresholds.size), y)

    @classmethod
    def _of_digits(cls, digits: Digits, voters: IntArray, y: FloatArray) -> VoterGroups:
        sizes = np.diff(voters) + 1
        chains = _first_chains(sizes, min(MOST_CODES, max(FEW_CODES, len(y) // PER_CODE)))
        n_codes = np.array([sizes[a:b].prod() for a, b in pairwise(chains)]).reshape(-1, BLOCK)
        starts = (n_codes.cumsum(axis=1) - n_codes).ravel()
        words = np.zeros((len(n_codes), len(y)), dtype=np.uint64)
        for group, (first, last) in enumerate(pairwise(chains)):
            code = np.zeros(len(y), dtype=np.uint64)
            for chain in range(first, last):
                code *= np.uint64(sizes[chain])
                code += digits[chain]
            block, place = divmod(group, BLOCK)
            words[block] |= (code + np.uint64(starts[group])) << np.uint64(16 * place)
        return cls(digits, words, voters, chains, y)

    def matrix(self) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        sizes = np.diff(self.voters)
        says = [d > k for d, size in zip(self.digits, sizes, strict=True) for k in range(size)]
        return np.where(says, 1.0, -1.0).T

    def distinct(self, weights: FloatArray | None = None) -> tuple[VoterGroups, FloatArray]:
        """Return the distinct examples in the order in which they come, and how often each does.

        Parameters
        ----------
        weights : ndarray of shape (n_examples,) or None, default None
            How often each example counts; None for once.
        """
        labels = (self.y > 0)[:, None].view(np.uint8)
        rows, inverse = first_of_equal_rows(np.concatenate([self.digits.T, labels], axis=1))
        digits = np.ascontiguousarray(self.digits[:, rows])
        counts = np.bincount(inverse, weights).astype(np.float64)
        return VoterGroups._of_digits(digits, self.voters, self.y[rows]), counts


def _first_voters(positive: BoolArray) -> IntArray:
    """Return the first voter of each chain."""
    breaks = (positive[:, 1:] & ~positive[:, :-1]).any(axis=0)
    starts = np.append(0, np.flatnonzero(breaks) + 1)
    ends = np.append(starts[1:], positive.shape[1])
    parts = [np.arange(a, b, N_DIGITS - 1) for a, b in zip(starts, ends, strict=True)]
    return np.concatenate(parts)


def _first_chains(sizes: IntArray, most: int) -> IntArray:
    """Return the first chain of each group, of at most `most` codes if it has several."""
    starts, n_codes = [0], 1
    for chain, size in enumerate(sizes.tolist()):
        n_codes *= size
        if n_codes > most and chain > starts[-1]:
            starts.append(chain)
            n_codes = size
    n_groups = -(-len(starts) // BLOCK) * BLOCK
    return np.append(starts, [len(sizes)] * (n_groups + 1 - len(starts))).astype(np.intp)
