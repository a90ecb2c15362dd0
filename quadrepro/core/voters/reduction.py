"""Two exact reductions of a voting problem: merging equal voters and merging equal examples.

Voters that agree up to sign on all training examples are interchangeable. The voter of lowest index
is kept, as a greedy algorithm would pick it. Examples with the same values and label become one
example with a count. An algorithm must give exactly the same weights on the reduced problem as on
the plain one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.coded import CodedVoters, VoterMatrix, VoterOutputs, codes_of_matrix
from quadrepro.core.voters.gram import Gram
from quadrepro.core.voters.running_sums import Chains

AnyVoters = VoterOutputs | FloatArray
"""The outputs of voters on examples, or their matrix."""

LONG_CHAIN = 5
"""Least mean length of chains for which all rows of G on demand take less time than a product."""

MOST_MULTIPLIED = 2**25
"""Largest size of a voter matrix or of all Gram matrices for a matrix product, 256 MB."""

LARGEST_EXACT = 2**24
"""Limit below which whole numbers and their sums are exact in single precision."""


@dataclass(frozen=True)
class VotingProblem:
    """Voters on examples with labels, and one or more samples of the examples.

    Attributes
    ----------
    voters : VoterOutputs
        The distinct voters on the distinct examples.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    counts : ndarray of shape (n_samples, n_examples)
        Number of copies of each example in each sample. A sample is the training part of a fold,
        or the whole training set.
    representatives : ndarray of shape (n_voters,)
        Index of each distinct voter among the plain voters.
    n_plain_voters : int
        Number of plain voters.
    """

    voters: VoterOutputs
    y: FloatArray
    counts: FloatArray
    representatives: IntArray
    n_plain_voters: int

    @property
    def n_voters(self) -> int:
        """Number of distinct voters."""
        return len(self.representatives)

    @cached_property
    def H(self) -> FloatArray:  # noqa: N802
        """The voter matrix, shape (n_examples, n_voters)."""
        return self.voters.matrix()

    @cached_property
    def chains(self) -> Chains:
        """The voters as chains; ValueError unless their values are -1 and +1."""
        voters = self.voters
        if isinstance(voters, VoterMatrix):
            if not voters.has_signs:
                raise ValueError("boosting with example weights needs voters with values -1 and +1")
            voters = codes_of_matrix(voters.H)
        return Chains.from_voters(voters)

    @cached_property
    def correlations(self) -> FloatArray:
        """μ = Hᵀy/m of every sample, shape (n_samples, n_voters) (QuadBoost, eq. 3)."""
        sums = self.voters.sums(self.counts * self.y)
        return np.asarray(sums / self.counts.sum(axis=1, keepdims=True))

    def quadratic(self, sample: int) -> tuple[Gram, FloatArray, FloatArray]:
        """Return the terms of the quadratic risk of a sample: G, μ and the diagonal η of G.

        μ and η have shape (n_voters,). Rows of G for stumps are computed on demand, and kept for
        the next call.
        """
        gram = self._row_wise[sample]
        eta = np.ones(self.n_voters) if self.voters.has_signs else np.diag(gram.rows).copy()
        return gram, self.correlations[sample], eta

    @cached_property
    def _row_wise(self) -> list[Gram]:
        n_samples, n_examples = self.counts.shape
        is_large = self.n_voters * max(n_examples, self.n_voters * n_samples) > MOST_MULTIPLIED
        if isinstance(self.voters, CodedVoters) and (
            is_large or self.n_voters >= LONG_CHAIN * len(self.voters.codes)
        ):
            return [Gram.on_demand(self.voters, counts) for counts in self.counts]
        return [Gram.whole(gram) for gram in self.grams]

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
        return bool(whole and small and self.voters.has_signs)

    def _whole_grams(self) -> FloatArray:
        """Return HᵀH of every sample, in exact sums, shape (n_samples, n_voters, n_voters).

        If a sample lacks few examples, their product is subtracted from the product of the union of
        all samples, so that k folds cost about two products instead of k.
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
    voters: AnyVoters, y: FloatArray, samples: FloatArray | None = None, merge_voters: bool = True
) -> VotingProblem:
    """Merge equal voters and equal examples.

    Parameters
    ----------
    voters : VoterOutputs, or ndarray of shape (n_examples, n_voters)
        Voters on the examples, or their matrix, with values in [-1, 1].
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    samples : ndarray of shape (n_samples, n_examples), optional
        Number of copies of each example in each sample. By default, one sample holds every example
        once.
    merge_voters : bool, default True
        Whether to merge equal voters. They must not be merged if every weight is bounded by itself.
    """
    if isinstance(voters, np.ndarray):
        voters = VoterMatrix(np.ascontiguousarray(voters, dtype=np.float64))
    if isinstance(voters, VoterMatrix) and not (np.abs(voters.H) <= 1.0).all():
        raise ValueError("voters must have values in [-1, 1]")
    y = np.asarray(y, dtype=np.float64)
    counts = np.ones((1, len(y))) if samples is None else np.asarray(samples, dtype=np.float64)
    representatives, kept = np.arange(voters.n_voters), voters
    if merge_voters:
        representatives = voters.distinct_voters()
        kept = voters.keep(representatives)
    rows, groups = kept.distinct_examples(y)
    merged = np.zeros((len(rows), len(counts)))
    np.add.at(merged, groups, counts.T)
    return VotingProblem(kept.on(rows), y[rows], merged.T, representatives, voters.n_voters)


def _whole_gram(H: NDArray[np.float32], counts: FloatArray) -> NDArray[np.float32]:
    """Return HᵀH, shape (n_voters, n_voters), over examples with whole counts, (n_examples,)."""
    rows = np.flatnonzero(counts)
    part = H if len(rows) == len(H) else H[rows]
    weights = counts[rows].astype(np.float32)
    # The product of a matrix with itself costs half as much.
    left = part.T if (weights == 1.0).all() else part.T * weights
    return np.asarray(left @ part, dtype=np.float32)
