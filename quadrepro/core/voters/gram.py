"""Rows of the Gram matrix G = HᵀH/m, computed on demand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.coded import CodedVoters, Codes


class Gram(NamedTuple):
    """The Gram matrix of voters in chains, with the rows that are computed so far.

    Attributes
    ----------
    rows : ndarray of shape (n_voters, n_voters)
        The rows. Rows of chains that are not ready are unwritten and take no memory.
    ready : ndarray of bool, shape (n_chains,)
        Whether the rows of a chain are written.
    codes, first, chain : ndarray
        The voters, see `CodedVoters`.
    counts : ndarray of shape (n_examples,)
        Number of copies of each example in the sample.
    """

    rows: FloatArray
    ready: BoolArray
    codes: Codes
    first: IntArray
    chain: IntArray
    counts: FloatArray

    @classmethod
    def on_demand(cls, voters: CodedVoters, counts: FloatArray) -> Gram:
        """Return the Gram matrix of a sample, without rows; `counts` has shape (n_examples,)."""
        rows = np.empty((voters.n_voters, voters.n_voters))
        ready = np.zeros(len(voters.codes), dtype=np.bool_)
        copies = np.ascontiguousarray(counts)
        return cls(rows, ready, voters.codes, voters.first, voters.chain, copies)

    @classmethod
    def whole(cls, rows: FloatArray) -> Gram:
        """Return a complete Gram matrix, given its rows, shape (n_voters, n_voters)."""
        n, no_codes = len(rows), np.empty((len(rows), 0), dtype=np.uint8)
        ready, first = np.ones(n, dtype=np.bool_), np.arange(n + 1)
        return cls(rows, ready, no_codes, first, first[:-1], np.empty(0))


@njit
def write_rows(gram: Gram, chain: int) -> None:
    """Write the rows of a chain's voters, and mark them as ready.

    The number of examples on which two voters differ follows from the number of examples with each
    pair of codes, added up from the largest codes to the smallest. Sums of whole numbers are
    exact.
    """
    rows, ready, codes, first, _, counts = gram
    start, own = first[chain], codes[chain]
    n_own = first[chain + 1] - start
    for other in range(len(codes)):
        begin, n_other = first[other], first[other + 1] - first[other]
        if ready[other]:
            for j in range(start, start + n_own):
                for k in range(begin, begin + n_other):
                    rows[j, k] = rows[k, j]
            continue
        pairs, theirs = np.zeros((n_own + 1, n_other + 1)), codes[other]
        for i in range(len(counts)):
            pairs[own[i], theirs[i]] += counts[i]
        for p in range(n_own + 1):
            for q in range(n_other - 1, -1, -1):
                pairs[p, q] += pairs[p, q + 1]
        for p in range(n_own - 1, -1, -1):
            for q in range(n_other + 1):
                pairs[p, q] += pairs[p + 1, q]
        for j in range(1, n_own + 1):
            for k in range(1, n_other + 1):
                differ = (pairs[j, 0] - pairs[j, k]) + (pairs[0, k] - pairs[j, k])
                rows[start + j - 1, begin + k - 1] = (pairs[0, 0] - 2.0 * differ) / pairs[0, 0]
    ready[chain] = True
