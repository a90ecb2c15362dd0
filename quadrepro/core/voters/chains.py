"""Voters in chains, with lists of the examples on which a voter differs from its usual value."""

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
"""Largest number of single-voter chains that are listed together."""


class Chains(NamedTuple):
    """Voters in chains, with the examples on which they differ from their usual values.

    The usual code of a chain is its most frequent one. Other examples are listed chain by chain, in
    the order of their codes, so that the examples on which a voter differs from its usual value
    are adjacent. Up to eight voters that are alone in their chains are joined: an example is listed
    once for all of them, in the order of a Gray code, in which neighbouring codes differ in few
    bits.

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
        The stretches of the list on which a voter differs from its usual value: the voter, the
        first code, and the code after the last one.
    """

    codes: Codes
    first: IntArray
    usual: IntArray
    listed: Places
    heads: IntArray
    stretches: Places

    @classmethod
    def from_voters(cls, voters: CodedVoters) -> Chains:
        """List the examples on which voters differ from their usual values."""
        codes, first, chain = voters.codes, voters.first, voters.chain
        most, n_codes = _most(codes), 0
        usual = most[chain] > np.arange(voters.n_voters) - first[chain]
        listed, sizes, stretches = [], [], []
        for group in _groups(np.diff(first)):
            firsts = first[group.start : group.stop + 1]
            examples, numbers, group_stretches = _by_code(codes[group], most[group], firsts)
            listed.append(examples)
            sizes.append(numbers)
            stretches.append(group_stretches + np.array([0, n_codes, n_codes]))
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
    """Return the first most frequent code of each chain, shape (n_chains,)."""
    most = np.empty(len(codes), np.int64)
    for chain in range(len(codes)):
        counts = np.zeros(np.int64(codes[chain].max()) + 1, np.int64)
        for code in codes[chain]:
            counts[code] += 1
        most[chain] = counts.argmax()
    return most


@njit
def _by_code(codes: Codes, most: IntArray, first: IntArray) -> tuple[Places, IntArray, IntArray]:
    """Return the examples without the usual code, in the order of codes, for a group of chains.

    Further results are the number of examples of each listed code, shape (n_listed_codes,), and the
    stretches as in `Chains.stretches`. `codes` has shape (n_chains, n_examples).
    """
    ranks, usual = codes[0], most[0]
    if len(codes) > 1:
        # Bits of the Gray code mark voters that differ from their usual values; the rank orders it.
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
