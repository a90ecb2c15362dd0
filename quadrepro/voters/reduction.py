"""Two exact reductions of a voting problem: equal voters are one voter, equal examples are one.

Voters that agree up to sign on all training examples are interchangeable; the one of lowest index
stays, which is the one a greedy pick would have taken. Examples with the
same row and label are one example with a count. Nothing else may be decided in this module: an
algorithm run on the reduced problem must give exactly the weights it gives on the plain one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class VotingProblem:
    """A voter matrix with its labels, reduced, for one or more samples of the examples.

    Attributes
    ----------
    H : ndarray of shape (n_examples, n_voters)
        The distinct voters on the distinct examples.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    counts : ndarray of shape (n_samples, n_examples)
        How often each sample (a fold's training part, the whole training set) holds each example.
    representatives : ndarray of shape (n_voters,)
        Column of each kept voter in the plain voter matrix.
    n_plain_voters : int
        Number of columns of the plain voter matrix.
    """

    H: FloatArray
    y: FloatArray
    counts: FloatArray
    representatives: IntArray
    n_plain_voters: int

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.counts)

    def grams(self) -> FloatArray:
        """Return G = HᵀH/m of every sample, shape (n_samples, n_voters, n_voters)."""
        sizes = self.counts.sum(axis=1)
        return np.stack(
            [(self.H.T * c) @ self.H / m for c, m in zip(self.counts, sizes, strict=True)]
        )

    def correlations(self) -> FloatArray:
        """Return μ = Hᵀy/m of every sample, shape (n_samples, n_voters) (QuadBoost, eq. 3)."""
        sums = (self.counts * self.y) @ self.H
        return np.asarray(sums / self.counts.sum(axis=1, keepdims=True))

    def expand(self, weights: FloatArray) -> FloatArray:
        """Return `weights`, whose last axis is the kept voters, over the plain voters."""
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
        How often each sample holds each example; by default one sample with every example once.
    merge_voters : bool, default True
        Whether equal voters are one; where each has a share of its own they must not be.

    Returns
    -------
    VotingProblem
        The reduced problem.

    Raises
    ------
    ValueError
        If a label is not -1 or +1, a voter leaves [-1, 1] or a sample is empty.
    """
    H = np.ascontiguousarray(H, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    counts = np.ones((1, len(y))) if samples is None else np.asarray(samples, dtype=np.float64)
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError("labels must be -1 or +1")
    if H.shape[1] == 0:
        raise ValueError("the voter matrix has no voter")
    if not (np.abs(H) <= 1.0).all():
        raise ValueError("voters must have values in [-1, 1]")
    if not (counts.sum(axis=1) > 0).all():
        raise ValueError("a sample holds no example")
    representatives = _first_of_equal_voters(H) if merge_voters else np.arange(H.shape[1])
    kept = H[:, representatives]
    rows, inverse = _first_of_equal_rows(np.column_stack([kept, y]))
    merged = np.zeros((len(rows), len(counts)))
    np.add.at(merged, inverse, counts.T)
    return VotingProblem(
        np.ascontiguousarray(kept[rows]), y[rows], merged.T, representatives, H.shape[1]
    )


def _first_of_equal_rows(A: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, in order, and where each row went."""
    _, first, inverse = np.unique(A, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def _first_of_equal_voters(H: FloatArray) -> IntArray:
    leading = H[(H != 0).argmax(axis=0), np.arange(H.shape[1])]
    # Adding zero turns -0.0 into 0.0, which `unique` would otherwise tell apart.
    signed = H * np.where(leading < 0, -1.0, 1.0) + 0.0
    return _first_of_equal_rows(signed.T)[0]
