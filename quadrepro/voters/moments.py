"""Sums over examples that are all an algorithm on the Gram matrix needs to know of them.

The sums are whole numbers, and so those of two parts of the data add up to those of the whole, to
the last digit and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.voters.bits import Bits, Counts, add_differences, pack, pack_stumps
from quadrepro.voters.reduction import GramProblem
from quadrepro.voters.stumps import Stumps

BLOCK = 2**14
"""Examples whose voters are packed and counted at a time: 2 KB per voter, so that they stay in the
cache."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of products of voters and of labels, over examples that are no longer needed.

    Attributes
    ----------
    products : ndarray of int64, shape (n_voters, n_voters)
        HᵀH, the sums of the products of two voters.
    agreements : ndarray of int64, shape (n_voters,)
        Hᵀy, the sums of the products of a voter and the label.
    n_examples : int
        Number of examples.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import Stumps
    >>> from quadrepro.voters.moments import Moments
    >>> X, y = np.arange(6.0)[:, None], np.array([-1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    >>> stumps = Stumps(per_attribute=2).fit(X)
    >>> whole = Moments.of(X, y, stumps)
    >>> whole.products.tolist(), whole.agreements.tolist()
    ([[6, 2], [2, 6]], [4, 4])

    The sums of two parts add up to those of the whole, and can be taken away again.

    >>> parts = Moments.of(X[4:], y[4:], stumps) + Moments.of(X[:4], y[:4], stumps)
    >>> bool((parts.products == whole.products).all())
    True
    >>> (whole - Moments.of(X[:4], y[:4], stumps)).n_examples
    2
    """

    products: Counts
    agreements: Counts
    n_examples: int

    @classmethod
    def of(cls, X: FloatArray, y: FloatArray, stumps: Stumps) -> Moments:
        """Return the moments of stumps on some examples.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Examples.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        stumps : Stumps
            Fitted stumps.
        """
        n_voters = stumps.thresholds_.size
        differences = np.zeros((n_voters + 1, n_voters + 1), dtype=np.int64)
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            add_differences(_labelled(X[rows], y[rows], stumps), differences)
        differences += differences.T
        sums = len(X) - 2 * differences
        return cls(sums[:-1, :-1].copy(), sums[:-1, -1].copy(), len(X))

    @classmethod
    def none(cls, n_voters: int) -> Moments:
        """Return the moments of no example, to which others can be added.

        Parameters
        ----------
        n_voters : int
            Number of voters.
        """
        return cls(np.zeros((n_voters, n_voters), np.int64), np.zeros(n_voters, np.int64), 0)

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.products + other.products,
            self.agreements + other.agreements,
            self.n_examples + other.n_examples,
        )

    def __sub__(self, other: Moments) -> Moments:
        return Moments(
            self.products - other.products,
            self.agreements - other.agreements,
            self.n_examples - other.n_examples,
        )

    def problem(self, *, merge_voters: bool = True) -> MomentProblem:
        """Return the voting problem with these moments.

        Parameters
        ----------
        merge_voters : bool, default True
            Whether to merge voters that are equal up to sign.

        Raises
        ------
        ValueError
            If there is no example.
        """
        if self.n_examples < 1:
            raise ValueError("there is no example")
        n_voters = len(self.agreements)
        kept = self._first_of_equal_voters() if merge_voters else np.arange(n_voters)
        return MomentProblem(self, kept, n_voters)

    def _first_of_equal_voters(self) -> IntArray:
        equal = np.abs(self.products) == self.n_examples
        return np.flatnonzero(equal.argmax(axis=0) == np.arange(len(equal)))


@dataclass(frozen=True)
class MomentProblem(GramProblem):
    """A voting problem with one sample, known by its moments alone.

    Attributes
    ----------
    moments : Moments
        Sums over the examples, of all plain voters.
    representatives : ndarray of shape (n_voters,)
        Index of each distinct voter.
    n_plain_voters : int
        Number of plain voters.
    """

    moments: Moments
    representatives: IntArray
    n_plain_voters: int

    @property
    def n_samples(self) -> int:
        """Number of samples, which is 1."""
        return 1

    def grams(self) -> FloatArray:
        """Return G = HᵀH/m, shape (1, n_voters, n_voters)."""
        kept = self.representatives
        products = self.moments.products
        if self.n_voters < self.n_plain_voters:
            products = products[np.ix_(kept, kept)]
        return (products / float(self.moments.n_examples))[None]

    def correlations(self) -> FloatArray:
        """Return μ = Hᵀy/m, shape (1, n_voters)."""
        agreements = self.moments.agreements[self.representatives]
        return (agreements / float(self.moments.n_examples))[None]


def _labelled(X: FloatArray, y: FloatArray, stumps: Stumps) -> Bits:
    """Return the bits of the stumps, and below them those of the labels."""
    return np.concatenate([pack_stumps(X, stumps.thresholds_), pack(y[None] > 0)])
