"""Sums over examples that are all an algorithm on the Gram matrix needs to know of them.

Unless examples have weights with fractions, the sums are whole numbers, and so those of two parts
of the data add up to those of the whole, to the last digit and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.bits import Counts, add_differences, blocks, pack
from quadrepro.core.voters.reduction import GramProblem, first_of_equal_rows
from quadrepro.core.voters.stumps import Stumps

ROUNDING = 1e-12
"""Share of the total weight by which the sums of equal voters may differ if weights are rounded."""


@dataclass(frozen=True, eq=False)
class VoterMoments:
    """Sums of products of voters and of labels, over examples that are no longer needed.

    Attributes
    ----------
    products : ndarray of shape (n_voters, n_voters)
        HᵀH, the sums of the products of two voters.
    agreements : ndarray of shape (n_voters,)
        Hᵀy, the sums of the products of a voter and the label.
    n_examples : int or float
        Number of examples, or their total weight.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import Stumps
    >>> from quadrepro.core.voters.moments import VoterMoments
    >>> X, y = np.arange(6.0)[:, None], np.array([-1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    >>> stumps = Stumps(per_attribute=2).fit(X)
    >>> whole = VoterMoments.of(X, y, stumps)
    >>> whole.products.tolist(), whole.agreements.tolist()
    ([[6, 2], [2, 6]], [4, 4])

    The sums of two parts add up to those of the whole, and can be taken away again.

    >>> parts = VoterMoments.of(X[4:], y[4:], stumps) + VoterMoments.of(X[:4], y[:4], stumps)
    >>> bool((parts.products == whole.products).all())
    True
    >>> (whole - VoterMoments.of(X[:4], y[:4], stumps)).n_examples
    2
    """

    products: Counts | FloatArray
    agreements: Counts | FloatArray
    n_examples: float

    @classmethod
    def of(
        cls,
        X: FloatArray,
        y: FloatArray,
        stumps: Stumps,
        voters: IntArray | None = None,
        weights: FloatArray | None = None,
    ) -> VoterMoments:
        """Return the moments of stumps on some examples.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Examples.
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        stumps : Stumps
            Fitted stumps.
        voters : ndarray of int or None, default None
            Which stumps; None for all.
        weights : ndarray of shape (n_examples,) or None, default None
            How often each example counts; None for once.
        """
        if weights is not None:
            return cls._of_weighted(X, y, stumps, voters, weights)
        n_voters = stumps.n_voters if voters is None else len(voters)
        sums = np.zeros((n_voters + 1, n_voters + 1), dtype=np.int64)
        for rows in blocks(X.shape[0]):
            bits = stumps.pack(X[rows])
            said = bits if voters is None else bits[voters]
            # The labels are one more row.
            add_differences(np.concatenate([said, pack(y[None, rows] > 0)]), sums)
        sums += sums.T
        sums *= -2
        sums += X.shape[0]
        return cls(sums[:-1, :-1].copy(), sums[:-1, -1].copy(), X.shape[0])

    @classmethod
    def _of_weighted(
        cls,
        X: FloatArray,
        y: FloatArray,
        stumps: Stumps,
        voters: IntArray | None,
        weights: FloatArray,
    ) -> VoterMoments:
        places = np.arange(stumps.n_voters) if voters is None else voters
        sums = np.zeros((len(places) + 1, len(places) + 1))
        for rows in blocks(X.shape[0]):
            said = np.column_stack([stumps.matrix(X[rows])[:, places], y[rows]])
            sums += (said * weights[rows, None]).T @ said
        return cls(sums[:-1, :-1].copy(), sums[:-1, -1].copy(), float(weights.sum()))

    def __add__(self, other: VoterMoments) -> VoterMoments:
        return VoterMoments(
            self.products + other.products,
            self.agreements + other.agreements,
            self.n_examples + other.n_examples,
        )

    def __sub__(self, other: VoterMoments) -> VoterMoments:
        return VoterMoments(
            self.products - other.products,
            self.agreements - other.agreements,
            self.n_examples - other.n_examples,
        )

    def problem(self, *, merge_voters: bool = True) -> MomentProblem:
        """Return the voting problem with these moments."""
        if not self.n_examples:
            raise ValueError("there are no examples")
        n_voters = len(self.agreements)
        if not merge_voters:
            return MomentProblem(self, np.arange(n_voters), n_voters)
        equal = np.abs(self.products) >= self.n_examples * (1.0 - ROUNDING)
        kept = np.flatnonzero(equal.argmax(axis=0) == np.arange(n_voters))
        products = self.products[np.ix_(kept, kept)]
        return MomentProblem(
            VoterMoments(products, self.agreements[kept], self.n_examples), kept, n_voters
        )


@dataclass(frozen=True)
class MomentProblem(GramProblem):
    """A voting problem with one sample, known by its moments alone.

    Attributes
    ----------
    moments : VoterMoments
        Sums over the examples, of the distinct voters.
    representatives : ndarray of shape (n_voters,)
        Index of each distinct voter.
    n_plain_voters : int
        Number of plain voters.
    """

    moments: VoterMoments
    representatives: IntArray
    n_plain_voters: int

    @property
    def n_samples(self) -> int:
        """Number of samples, which is 1."""
        return 1

    def grams(self) -> FloatArray:
        """Return G = HᵀH/m, shape (1, n_voters, n_voters)."""
        return (self.moments.products / float(self.moments.n_examples))[None]

    def correlations(self) -> FloatArray:
        """Return μ = Hᵀy/m, shape (1, n_voters)."""
        return (self.moments.agreements / float(self.moments.n_examples))[None]


def stump_problem(
    X: FloatArray,
    y: FloatArray,
    stumps: Stumps,
    weights: FloatArray | None = None,
    *,
    merge_voters: bool = True,
) -> MomentProblem:
    """Return the voting problem of stumps on examples in memory.

    Equal voters are merged before anything is counted: stumps on attributes with few values may be
    many times as many as the distinct ones.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_attributes)
        Examples.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    stumps : Stumps
        Fitted stumps.
    weights : ndarray of shape (n_examples,) or None, default None
        How often each example counts, positive; None for once.
    merge_voters : bool, default True
        Whether to merge voters that are equal up to sign.
    """
    if not merge_voters:
        return VoterMoments.of(X, y, stumps, weights=weights).problem(merge_voters=False)
    kept = _first_of_equal_stumps(X, stumps)
    return MomentProblem(VoterMoments.of(X, y, stumps, kept, weights), kept, stumps.n_voters)


def _first_of_equal_stumps(X: FloatArray, stumps: Stumps) -> IntArray:
    """Return the first of every class of stumps that are equal up to sign on all examples."""
    n_voters = stumps.n_voters
    class_of, positive = np.zeros(n_voters, dtype=np.intp), None
    for rows in blocks(X.shape[0]):
        bits = stumps.pack(X[rows])
        if positive is None:
            positive = bits[:, :1] & np.uint64(1) == 1
        # A voter that is +1 on the first example is compared by its complement.
        ones = pack(np.ones((1, X[rows].shape[0]), dtype=np.bool_))
        keys = np.column_stack([class_of.astype(np.uint64), np.where(positive, bits ^ ones, bits)])
        first, class_of = first_of_equal_rows(keys.view(np.uint8))
    return first
