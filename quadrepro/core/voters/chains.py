"""Voters in chains, with lists of the examples on which each does not have its usual value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import IntArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.coded import CodedVoters, Codes

Places = NDArray[np.uint32]

JOINED = 8
"""Number of voters without a chain that are listed together."""


class Chains(NamedTuple):
    """Voters in chains, and where they do not have their usual values.

    In every chain most examples have the usual code. The others are listed chain by chain, ordered
    by their codes, so that those on which a voter does not have its usual value stand next to each
    other. Voters that are alone in their chains are joined by eight: an example is listed once for
    all of them, in the order of a Gray code, in which few bits change from one code to the next.

    Attributes
    ----------
    codes, first : ndarray
        The voters, see `CodedVoters`.
    usual : ndarray of int, shape (n_voters,)
        Usual value of each voter, -1 or +1.
    listed : ndarray of uint32, shape (n_listed,)
        The examples with another code than the usual one.
    heads : ndarray of int, shape (n_codes + 1,)
        First place in the list of each code that occurs; the last entry is the length of the list.
    stretches : ndarray of uint32, shape (n_stretches, 3)
        The stretches of the list on which a voter does not have its usual value: the voter, the
        first code, and the one after the last.
    """

    codes: Codes
    first: IntArray
    usual: IntArray
    listed: Places
    heads: IntArray
    stretches: Places

    @classmethod
    def of(cls, voters: CodedVoters) -> Chains:
        """List the examples on which voters do not have their usual values."""
        codes, first, chain = voters.codes, voters.first, voters.chain
        most, n_codes = _most(codes), 0
        usual = most[chain] > np.arange(voters.n_voters) - first[chain]
        listed, sizes, stretches = [], [], []
        for group in _groups(np.diff(first)):
            firsts = first[group.start : group.stop + 1]
            examples, numbers, found = _by_code(codes[group], most[group], firsts)
            listed.append(examples)
            sizes.append(numbers)
            stretches.append(found + np.array([0, n_codes, n_codes]))
            n_codes += len(numbers)
        return cls(
            codes,
            first,
            np.where(usual, 1, -1),
            np.concatenate(listed),
            np.append(0, np.concatenate(sizes).cumsum()),
            np.concatenate(stretches, dtype=np.uint32, casting="unsafe"),
        )


def _groups(lengths: IntArray) -> Iterator[slice]:
    """Yield the chains that are listed together: one, or up to eight of a single voter each."""
    start = 0
    while start < len(lengths):
        stop = start + 1
        while stop < min(start + JOINED, len(lengths)) and lengths[start] == lengths[stop] == 1:
            stop += 1
        yield slice(start, stop)
        start = stop


@njit
def _most(codes: Codes) -> IntArray:
    """Return the most frequent code of each chain, the first of several."""
    most = np.empty(len(codes), np.int64)
    for chain in range(len(codes)):
        counts = np.zeros(np.int64(codes[chain].max()) + 1, np.int64)
        for code in codes[chain]:
            counts[code] += 1
        most[chain] = counts.argmax()
    return most


@njit
def _by_code(codes: Codes, most: IntArray, first: IntArray) -> tuple[Places, IntArray, IntArray]:
    """Return the examples of all but the usual codes by code, for the chains of a group.

    The other two are the number of examples of each code that occurs, and the stretches as in
    `Chains.stretches`.
    """
    ranks, usual = codes[0], most[0]
    if len(codes) > 1:
        # The rank of a Gray code; its bits say which voters do not have their usual values.
        ranks, usual = np.zeros_like(ranks), np.int64(0)
        for i in range(len(ranks)):
            bit = False
            for chain in range(len(codes)):
                bit ^= codes[chain, i] != most[chain]
                ranks[i] = 2 * ranks[i] + bit
    counts = np.zeros(np.int64(ranks.max()) + 1, np.int64)
    for rank in ranks:
        counts[rank] += rank != usual
    examples, places = np.empty(counts.sum(), np.uint32), counts.cumsum() - counts
    for i in range(len(ranks)):
        if ranks[i] != usual:
            examples[places[ranks[i]]] = i
            places[ranks[i]] += 1
    sizes = counts[counts > 0]
    heads, n = sizes.cumsum() - sizes, 0
    # A voter of a long chain has one stretch, and a joined one at most every other code.
    most_each = 1 if len(codes) == 1 else len(sizes) // 2 + 1
    stretches = np.empty(((first[-1] - first[0]) * most_each, 3), np.int64)
    for chain in range(len(codes)):
        for voter in range(first[chain], first[chain + 1]):
            below, inside = voter - first[chain], False
            for k in range(len(sizes) + 1):
                code = most[chain] if k == len(sizes) else codes[chain, examples[heads[k]]]
                away = (code > below) != (most[chain] > below)
                if away and not inside:
                    stretches[n, 0], stretches[n, 1] = voter, k
                elif inside and not away:
                    stretches[n, 2] = k
                    n += 1
                inside = away
    return examples, sizes, stretches[:n]
