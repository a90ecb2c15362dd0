"""Two exact reductions of a voting problem: equal voters are merged, and so are equal examples.

Voters that agree up to sign on all training examples are interchangeable. The one of lowest index
is kept, which is the one that a greedy algorithm would have picked. Examples with the same row and
label become one example with a count. Nothing else may be decided here: an algorithm must give
exactly the same weights on the reduced problem as on the plain one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.voters.chains import Chains, Codes, codes_of_voters
from quadrepro.core.voters.source import check_signs

LARGEST_EXACT = 2**24
"""Whole numbers, and sums of them, are exact in single precision as long as they are below this."""


@dataclass(frozen=True)
class VotingProblem:
    """A reduced voter matrix with its labels, and one or more samples of the examples.

    Attributes
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Values of the distinct voters on the distinct examples.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    counts : ndarray of shape (n_samples, n_examples)
        How often each sample holds each example. A sample is the training part of a fold, or the
        whole training set.
    representatives : ndarray of shape (n_voters,)
        Column of each distinct voter in the plain voter matrix.
    n_plain_voters : int
        Number of columns of the plain voter matrix.
    codes : tuple of ndarray or None, default None
        Codes and first voters of the chains, where stumps are known by them and H has no columns.
    """

    H: FloatArray
    y: FloatArray
    counts: FloatArray
    representatives: IntArray
    n_plain_voters: int
    codes: tuple[Codes, IntArray] | None = None

    @property
    def n_voters(self) -> int:
        """Number of distinct voters."""
        return len(self.representatives)

    @cached_property
    def grams(self) -> FloatArray:
        """G = HᵀH/m of every sample, shape (n_samples, n_voters, n_voters)."""
        sizes = self.counts.sum(axis=1)
        if self._sums_fit_single_precision():
            sums = self._whole_grams()
        else:
            sums = np.stack([(self.H.T * c) @ self.H for c in self.counts])
        sums /= sizes[:, None, None]
        return sums

    def _sums_fit_single_precision(self) -> bool:
        whole = (self.counts == np.rint(self.counts)).all()
        small = self.counts.max(axis=0).sum() < LARGEST_EXACT
        return bool(whole and small and (np.abs(self.H) == 1.0).all())

    def _whole_grams(self) -> FloatArray:
        """Return HᵀH of every sample, in exact sums of whole numbers.

        A sample that lacks few examples is the union of all samples less those, so that k folds
        take about two products instead of k.
        """
        H = self.H.astype(np.float32)
        union = self.counts.max(axis=0)
        whole = _whole_gram(H, union)
        sums = np.empty((len(self.counts), *whole.shape))
        for gram, counts in zip(sums, self.counts, strict=True):
            lacking = union - counts
            if np.count_nonzero(lacking) < np.count_nonzero(counts):
                np.subtract(whole, _whole_gram(H, lacking), out=gram)
            else:
                gram[:] = _whole_gram(H, counts)
        return sums

    @cached_property
    def correlations(self) -> FloatArray:
        """μ = Hᵀy/m of every sample, shape (n_samples, n_voters) (QuadBoost, eq. 3)."""
        sums = (self.counts * self.y) @ self.H
        return np.asarray(sums / self.counts.sum(axis=1, keepdims=True))

    @cached_property
    def chains(self) -> Chains:
        """The voters as chains, which takes values -1 and +1."""
        check_signs(self.H)
        return Chains.of(*(self.codes or codes_of_voters(self.H)))

    def expand(self, weights: FloatArray) -> FloatArray:
        """Return the weights over the plain voters.

        Parameters
        ----------
        weights : ndarray of shape (..., n_voters)
            Weights of the distinct voters.

        Returns
        -------
        ndarray of shape (..., n_plain_voters)
            The same weights, and 0 for voters that were merged into another.
        """
        plain = np.zeros((*weights.shape[:-1], self.n_plain_voters))
        plain[..., self.representatives] = weights
        return plain


def reduce_problem(
    H: FloatArray,
    y: FloatArray,
    samples: FloatArray | None = None,
    *,
    merge_voters: bool = True,
) -> VotingProblem:
    """Reduce a voter matrix and its labels.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1].
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    samples : ndarray of shape (n_samples, n_examples), optional
        How often each sample holds each example. By default, there is one sample, which holds every
        example once.
    merge_voters : bool, default True
        Whether to merge equal voters. If every voter has a bounded weight of its own, they must
        not be merged.
    """
    H = np.ascontiguousarray(H, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    counts = np.ones((1, len(y))) if samples is None else np.asarray(samples, dtype=np.float64)
    sizes = np.abs(H)
    if not (sizes <= 1.0).all():
        raise ValueError("voters must have values in [-1, 1]")
    # Voters with values -1 and +1 take one bit per value instead of eight bytes to compare.
    values = H > 0 if (sizes == 1.0).all() else H
    representatives = _first_of_equal_voters(values) if merge_voters else np.arange(H.shape[1])
    kept = H[:, representatives]
    labelled = np.concatenate([values[:, representatives], (y > 0)[:, None]], axis=1)
    rows, inverse = first_of_equal_rows(labelled)
    merged = np.zeros((len(rows), len(counts)))
    np.add.at(merged, inverse, counts.T)
    return VotingProblem(
        np.ascontiguousarray(kept[rows]), y[rows], merged.T, representatives, H.shape[1]
    )


def _whole_gram(H: NDArray[np.float32], counts: FloatArray) -> NDArray[np.float32]:
    rows = np.flatnonzero(counts)
    part = H if len(rows) == len(H) else H[rows]
    weights = counts[rows].astype(np.float32)
    # The product of a matrix with itself costs half as much.
    left = part.T if (weights == 1.0).all() else part.T * weights
    return np.asarray(left @ part, dtype=np.float32)


def first_of_equal_rows(A: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, in order, and which of them each row is."""
    keys = A
    if A.dtype == np.bool_:
        keys = np.packbits(A.astype(np.bool_), axis=1)
    elif A.dtype == np.float64:
        keys = A + 0.0  # turns -0.0 into 0.0, which has other bytes
    rows = np.ascontiguousarray(keys).view(f"V{keys.itemsize * keys.shape[1]}").ravel()
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse]


def _first_of_equal_voters(values: FloatArray | BoolArray) -> IntArray:
    if values.dtype == np.bool_:
        return first_of_equal_rows((values == values[0]).T)[0]
    leading = values[(values != 0).argmax(axis=0), np.arange(values.shape[1])]
    return first_of_equal_rows((values * np.where(leading < 0, -1.0, 1.0)).T)[0]
