"""The outputs of voters on examples: codes of voters with values -1 and +1, or a matrix.

Stumps on one attribute form a chain: each is +1 only where the previous one is. An example's code
is the number of voters of the chain that are +1, a byte that determines all their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit

Codes = NDArray[np.unsignedinteger[Any]]
Words = NDArray[np.uint64]

ZERO_VOTE = 1e-12
"""Largest share of its total weight at which a vote counts as zero, due to rounding."""

ROWS_IN_CACHE = 1024
"""Number of examples that are summed at a time, so that their sums stay in the cache."""


@dataclass(frozen=True, eq=False)
class CodedVoters:
    """Voters with values -1 and +1 in chains, on some examples.

    Attributes
    ----------
    codes : ndarray of unsigned int, shape (n_chains, n_examples)
        Number of voters of each chain that are +1.
    first : ndarray of int, shape (n_chains + 1,)
        First voter of each chain; the last entry is the number of voters.
    """

    codes: Codes
    first: IntArray

    has_signs = True
    """Whether all values are -1 and +1."""

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return int(self.first[-1])

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.codes.shape[1])

    @cached_property
    def chain(self) -> IntArray:
        """Chain of each voter, shape (n_voters,)."""
        return np.repeat(np.arange(len(self.codes)), np.diff(self.first))

    def on(self, rows: NDArray[Any]) -> CodedVoters:
        """Return the same voters on some examples, given by a mask or indices."""
        return CodedVoters(self.codes.take(np.arange(self.n_examples)[rows], axis=1), self.first)

    def keep(self, voters: IntArray) -> CodedVoters:
        """Return some voters, given by increasing indices, on the same examples."""
        kept = np.append(0, np.cumsum(np.isin(np.arange(self.n_voters), voters)))
        sizes = kept[self.first[1:]] - kept[self.first[:-1]]
        chains = np.flatnonzero(sizes)
        codes = np.empty((len(chains), self.n_examples), dtype_of(sizes))
        for row, chain in zip(codes, chains, strict=True):
            start, stop = self.first[chain], self.first[chain + 1]
            # The new code for each old one.
            row[:] = (kept[start : stop + 1] - kept[start]).astype(codes.dtype)[self.codes[chain]]
        return CodedVoters(codes, np.append(0, np.cumsum(sizes[chains])))

    def column(self, voter: int | np.intp) -> FloatArray:
        """Return the values of a voter, shape (n_examples,)."""
        chain = self.chain[voter]
        return np.where(self.codes[chain] > voter - self.first[chain], 1.0, -1.0)

    def matrix(self, voters: IntArray | None = None) -> FloatArray:
        """Return the matrix of all or of some voters, shape (n_examples, n_voters)."""
        columns = np.arange(self.n_voters) if voters is None else voters
        H = np.empty((self.n_examples, len(columns)))
        for place, voter in enumerate(columns):
            H[:, place] = self.column(voter)
        return H

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return Σ_i u_i h(x_i) of every voter, shape (n_runs, n_voters).

        Parameters
        ----------
        weights : ndarray of shape (n_runs, n_examples)
            Numbers u of each run.
        """
        rows = np.ascontiguousarray(weights)
        above = np.array([sums_above(self.codes, self.first, u) for u in rows])
        return np.asarray(2.0 * above - weights.sum(axis=1, keepdims=True))

    def vote(self, weights: FloatArray) -> FloatArray:
        """Return the sums of votes, shape (n_candidates, n_examples), from a table.

        Parameters
        ----------
        weights : ndarray of shape (n_candidates, n_voters)
            One vote per row.
        """
        return add_entries(self.codes, self.first, table_of(self.first, weights)).T

    def distinct_voters(self) -> IntArray:
        """Return the first voter of each group equal up to sign, increasing, (n_distinct,)."""
        words = random_words(self.n_examples)
        positive_sums = sums_above(self.codes, self.first, words)
        positive = self.codes[self.chain, 0] > np.arange(self.n_voters) - self.first[self.chain]
        # The voter or its complement that is positive on the first example.
        return first_of_equal(np.where(positive, positive_sums, words.sum() - positive_sums))[0]

    def distinct_examples(self, y: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the first example of each group of equal examples and labels, and all groups.

        The shapes are (n_distinct,) and (n_examples,).
        """
        words = random_words(self.n_voters + len(self.codes) + 1)
        sums = add_entries(self.codes, self.first, words[:-1, None])[:, 0]
        return first_of_equal(np.where(y > 0, sums + words[-1], sums))


@dataclass(frozen=True, eq=False)
class VoterMatrix:
    """Voters with values in [-1, 1] on some examples, as a matrix; see `CodedVoters`.

    Attributes
    ----------
    H : ndarray of shape (n_examples, n_voters)
        The values.
    """

    H: FloatArray

    @property
    def n_voters(self) -> int:
        """Number of voters."""
        return int(self.H.shape[1])

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return len(self.H)

    def on(self, rows: NDArray[Any]) -> VoterMatrix:
        """Return the same voters on some examples, given by a mask or indices."""
        return VoterMatrix(self.H[rows])

    def keep(self, voters: IntArray) -> VoterMatrix:
        """Return some voters, given by indices, on the same examples."""
        return VoterMatrix(self.H[:, voters])

    def column(self, voter: int | np.intp) -> FloatArray:
        """Return the values of a voter, shape (n_examples,)."""
        return self.H[:, voter]

    def matrix(self, voters: IntArray | None = None) -> FloatArray:
        """Return the matrix of all or of some voters, shape (n_examples, n_voters)."""
        return self.H if voters is None else self.H[:, voters]

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return Σ_i u_i h(x_i) of every voter, shape (n_runs, n_voters)."""
        return np.asarray(weights @ self.H)

    def vote(self, weights: FloatArray) -> FloatArray:
        """Return the sums of votes, shape (n_candidates, n_examples)."""
        return np.asarray((self.H @ weights.T).T)

    def distinct_voters(self) -> IntArray:
        """Return the first voter of each group equal up to sign, increasing, (n_distinct,)."""
        if self.has_signs:
            positive = self.H > 0
            return first_of_equal_rows((positive == positive[0]).T)[0]
        return first_of_equal_rows((self.H * leading_signs(self.H)).T)[0]

    def distinct_examples(self, y: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the first example of each group of equal examples and labels, and all groups.

        The shapes are (n_distinct,) and (n_examples,).
        """
        values = self.H > 0 if self.has_signs else self.H
        return first_of_equal_rows(np.concatenate([values, (y > 0)[:, None]], axis=1))

    @cached_property
    def has_signs(self) -> bool:
        """Whether all values are -1 and +1, which can be compared as bits."""
        return bool((np.abs(self.H) == 1.0).all())


VoterOutputs = CodedVoters | VoterMatrix


def codes_of_matrix(H: FloatArray) -> CodedVoters:
    """Return the chains of a matrix with values -1 and +1.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix. Adjacent columns are in a chain while they are nested.
    """
    positive = H > 0
    breaks = (positive[:, 1:] & ~positive[:, :-1]).any(axis=0)
    first = np.append(0, np.flatnonzero(breaks) + 1)
    stops = np.append(first, H.shape[1])
    codes = np.add.reduceat(positive, first, axis=1, dtype=dtype_of(np.diff(stops))).T
    return CodedVoters(np.ascontiguousarray(codes), stops)


def dtype_of(sizes: IntArray) -> np.dtype[Any]:
    """Return the type of codes for chains of these sizes: one byte for at most 255 voters."""
    return np.min_scalar_type(sizes.max(initial=1))


def leading_signs(H: FloatArray) -> FloatArray:
    """Return -1 for voters whose first value other than 0 is negative, else 1, (n_voters,).

    Voters that are equal up to sign are equal once they are multiplied by it.
    """
    leading = H[(H != 0).argmax(axis=0), np.arange(H.shape[1])]
    return np.where(leading < 0, -1.0, 1.0)


def random_words(n: int) -> Words:
    """Return `n` random words, the same in every call.

    Equal sets have equal sums of their elements' words. Two different sets have equal sums with
    probability 2^-64.
    """
    return np.random.default_rng(0).integers(0, 2**64, n, dtype=np.uint64)


def first_of_equal(keys: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct key, (n_distinct,), and groups of keys, (n_keys,)."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], order.argsort()[inverse]


def first_of_equal_rows(A: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, (n_distinct,), and groups of rows, (n_rows,)."""
    # Adding 0.0 turns -0.0, which has other bytes, into 0.0.
    keys = np.packbits(A, axis=1) if A.dtype == np.bool_ else A + 0.0
    rows = np.ascontiguousarray(keys).view(f"V{keys.itemsize * keys.shape[1]}").ravel()
    return first_of_equal(rows)


@njit
def sums_above(codes: Codes, first: IntArray, weights: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of the weights of the examples for which each voter is +1.

    `weights` has shape (n_examples,) and any type; the sums have shape (n_voters,).
    """
    sums = np.zeros(first[-1], weights.dtype)
    for chain in range(len(codes)):
        code_sums = np.zeros(first[chain + 1] - first[chain] + 1, weights.dtype)
        for i in range(len(weights)):
            code_sums[codes[chain, i]] += weights[i]
        for k in range(len(code_sums) - 1, 0, -1):
            sums[first[chain] + k - 1] = code_sums[k]
            code_sums[k - 1] += code_sums[k]
    return sums


@njit
def table_of(first: IntArray, weights: FloatArray) -> FloatArray:
    """Return the share of each code in the sums of votes, (n_voters + n_chains, n_candidates)."""
    n_candidates, n_voters = weights.shape
    table, place = np.zeros((n_voters + len(first) - 1, n_candidates)), 0
    for chain in range(len(first) - 1):
        for j in range(first[chain], first[chain + 1]):
            for candidate in range(n_candidates):
                table[place, candidate] -= weights[candidate, j]
        for j in range(first[chain], first[chain + 1]):
            for candidate in range(n_candidates):
                added = 2.0 * weights[candidate, j]
                table[place + 1, candidate] = table[place, candidate] + added
            place += 1
        place += 1
    return table


@njit
def add_entries(codes: Codes, first: IntArray, table: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of table entries over the codes of examples, (n_examples, n_columns).

    `table` has shape (n_voters + n_chains, n_columns). The rows for the codes of a chain are
    adjacent, in the order of the chains.
    """
    n_examples, n_columns = codes.shape[1], table.shape[1]
    sums = np.zeros((n_examples, n_columns), table.dtype)
    for start in range(0, n_examples, ROWS_IN_CACHE):
        stop = min(start + ROWS_IN_CACHE, n_examples)
        for chain in range(len(codes)):
            entries = table[first[chain] + chain : first[chain + 1] + chain + 1]
            if n_columns == 1:
                for i in range(start, stop):
                    sums[i, 0] += entries[codes[chain, i], 0]
                continue
            for i in range(start, stop):
                for column in range(n_columns):
                    sums[i, column] += entries[codes[chain, i], column]
    return sums
