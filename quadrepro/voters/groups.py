"""Voters in groups, so that one code per example says what all voters of a group say.

Stumps on one attribute are nested: wherever a stump says +1, so do those with lower thresholds.
With d stumps an example thus has one of d + 1 codes, and sums of example weights over the codes
give the sums of all d stumps. Voters of any other kind are taken eight at a time, one bit for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.voters.reduction import first_of_equal_rows

Codes = NDArray[np.uint8]

LONGEST_CHAIN = 255
"""Largest number of nested voters with a code of one byte."""

BLOCK = 2**14
"""Examples that are coded at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class VoterGroups:
    """Consecutive voters with values -1 and +1 in groups.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_examples, n_groups)
        What the voters of each group say.
    starts : ndarray of int, shape (n_groups + 1,)
        First voter of each group; the last entry is the number of voters.
    nested : bool
        Whether the voters of a group are nested, so that the first ones say +1 and the code is
        their number; otherwise bit k of the code is 1 if voter k of the group says +1.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    """

    codes: Codes
    starts: IntArray
    nested: bool
    y: FloatArray

    @classmethod
    def of(cls, H: FloatArray, y: FloatArray) -> VoterGroups:
        """Group the voters of a matrix, in the way that gives fewer groups.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Values -1 and +1.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        """
        positive = H > 0
        n_voters = H.shape[1]
        starts = _chains(positive)
        if len(starts) <= -(-n_voters // 8):
            codes = np.add.reduceat(positive, starts, axis=1, dtype=np.uint8)
            return cls(np.ascontiguousarray(codes), np.append(starts, n_voters), True, y)
        codes = np.packbits(positive, axis=1, bitorder="little")
        return cls(codes, np.append(np.arange(0, n_voters, 8), n_voters), False, y)

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
        first = np.arange(0, per_attribute, LONGEST_CHAIN)
        starts = (np.arange(n_attributes)[:, None] * per_attribute + first).ravel()
        codes = np.empty((len(X), len(starts)), dtype=np.uint8)
        for rows in (slice(i, i + BLOCK) for i in range(0, len(X), BLOCK)):
            for a, column in enumerate(X[rows].T):
                below = np.searchsorted(thresholds[a], column)[:, None] - first
                codes[rows, a * len(first) : (a + 1) * len(first)] = below.clip(0, LONGEST_CHAIN)
        return cls(codes, np.append(starts, thresholds.size), True, y)

    def matrix(self) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        H = np.empty((len(self.codes), self.starts[-1]))
        for codes, first, last in zip(self.codes.T, self.starts, self.starts[1:], strict=False):
            places = np.arange(last - first)
            says = codes[:, None] > places if self.nested else codes[:, None] >> places & 1
            H[:, first:last] = np.where(says, 1.0, -1.0)
        return H

    def distinct(self) -> tuple[VoterGroups, FloatArray]:
        """Return the distinct examples in the order in which they come, and how often each does."""
        rows, inverse = first_of_equal_rows(
            np.concatenate([self.codes, (self.y > 0)[:, None].view(np.uint8)], axis=1)
        )
        counts = np.bincount(inverse).astype(np.float64)
        return VoterGroups(self.codes[rows], self.starts, self.nested, self.y[rows]), counts


def _chains(positive: BoolArray) -> IntArray:
    """Return the first voter of each run of nested voters."""
    breaks = (positive[:, 1:] & ~positive[:, :-1]).any(axis=0)
    starts = np.append(0, np.flatnonzero(breaks) + 1)
    ends = np.append(starts[1:], positive.shape[1])
    parts = [np.arange(a, b, LONGEST_CHAIN) for a, b in zip(starts, ends, strict=True)]
    return np.concatenate(parts)
