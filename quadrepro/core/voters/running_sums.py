"""Sums of example weights over all voters, round after round.

A voter has its usual value on most examples. Its sum is the sum for this value, less twice the sum
over the other examples. These examples are stretches of a list, in which voters form chains (see
`Chains`), so that the sums of all voters are differences of one running sum. Examples whose weights
round to 0 are left out of the list. While the list is long, weights are added up by code instead,
with the same sums, since whole numbers add up exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.coded import CodedVoters, Codes, sums_above

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
        heads = np.append(0, np.concatenate(sizes).cumsum())
        spans = np.concatenate(stretches, dtype=np.uint32, casting="unsafe")
        return cls(codes, first, np.where(usual, 1, -1), np.concatenate(listed), heads, spans)


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


CACHED = 2**12
"""Number of examples whose weights fit into the fastest cache."""

SCATTERED = 5
"""Cost of an example in a list, relative to the cost of an example that is added up by code."""

ASLEEP = 2.0**-32
"""Least weight of the examples in a new list."""

MOST_GROWTH = 2.0**30
"""Largest growth of weights for which a list is used; weights outside the list are at most 1/4."""


class RunningSums(NamedTuple):
    """Voters, and the running sum over the listed examples that have weights.

    Loops unpack the arrays once: numba counts references at each access, which costs as much as the
    sums of a hundred examples.

    Attributes
    ----------
    chains : Chains
        The voters.
    usual : ndarray of int, shape (n_voters,)
        `Chains.usual`.
    listed : ndarray of uint32, shape (n_listed,)
        `Chains.listed` without the examples that are left out, followed by unused entries.
    spans : ndarray of uint32, shape (n_stretches, 3)
        The voter of each stretch, its first place in the list, and the one after its last; these
        two change places if the voter's usual value is -1.
    running : ndarray of int, shape (n_listed + 1,)
        Sum of the signed weights before each place.
    awake : ndarray of uint32, shape (n_examples,)
        The examples that are not left out, followed by unused entries.
    state : ndarray of shape (3,)
        Largest factor by which a weight may have grown since the list was made, infinite at first,
        the length of the list, and the number of examples that are not left out.
    """

    chains: Chains
    usual: IntArray
    listed: Places
    spans: Places
    running: IntArray
    awake: Places
    state: FloatArray

    @classmethod
    def over(cls, chains: Chains) -> RunningSums:
        """Return the sums over chains, without a list."""
        listed, spans = np.empty_like(chains.listed), np.empty_like(chains.stretches)
        running, state = np.zeros(len(listed) + 1, np.int64), np.array([np.inf, 0.0, 0.0])
        awake = np.empty(chains.codes.shape[1], np.uint32)
        return cls(chains, chains.usual, listed, spans, running, awake, state)


@njit
def list_again(voters: RunningSums, weights: FloatArray, signs: FloatArray) -> None:
    """List all examples with a weight of at least `ASLEEP`.

    Parameters
    ----------
    voters : RunningSums
        The voters.
    weights : ndarray of shape (n_examples,)
        Weights of one copy of each example.
    signs : ndarray of shape (n_examples,)
        Labels times numbers of copies.
    """
    chains, usual, listed, spans, _, awake, state = voters
    examples, heads, stretches = chains.listed, chains.heads, chains.stretches
    is_awake, places = np.abs(weights * signs) >= ASLEEP, np.zeros(len(heads), np.uint32)
    n = np.uint64(0)  # needs no check for negative indices
    for code in range(len(heads) - 1):
        places[code] = n
        for k in range(heads[code], heads[code + 1]):
            i = examples[k]
            listed[n] = i
            n += np.uint64(is_awake[i])
    places[-1] = n
    for k in range(len(spans)):
        voter, start, stop = stretches[k, 0], stretches[k, 1], stretches[k, 2]
        first, last = (start, stop) if usual[voter] > 0 else (stop, start)
        spans[k, 0], spans[k, 1], spans[k, 2] = voter, places[first], places[last]
    n_awake = is_awake.sum()
    awake[:n_awake] = np.flatnonzero(is_awake)
    state[0], state[1], state[2] = 1.0, n, n_awake


@njit
def is_long(n_listed: int, codes: Codes) -> bool:
    """Return whether a list is so long that weights are added up faster by code.

    Loops branch by it themselves. A function of both ways would not be inlined, and a call of it
    takes longer than its sums.
    """
    return codes.shape[1] > CACHED and SCATTERED * n_listed > codes.size


@njit
def write_sums_by_code(
    units: IntArray, total: int, codes: Codes, first: IntArray, sums: IntArray
) -> None:
    """Do the same as `write_sums`, without the list."""
    sums[:] = 2 * sums_above(codes, first, units) - total


@njit
def write_sums(
    units: IntArray,
    total: int,
    usual: IntArray,
    listed: Places,
    n_listed: int,
    spans: Places,
    running: IntArray,
    sums: IntArray,
) -> None:
    """Write Σ_i u_i h(x_i) of every voter h, by the list.

    Parameters
    ----------
    units : ndarray of int, shape (n_examples,)
        Example weights u as whole numbers, times labels.
    total : int
        Their sum.
    usual, listed, spans, running
        The voters and the list, see `RunningSums`.
    n_listed : int
        Length of the list.
    sums : ndarray of int, shape (n_voters,)
        The sums.
    """
    so_far = np.int64(0)
    for k in range(n_listed):
        so_far += units[listed[k]]
        running[k + 1] = so_far
    for j in range(len(sums)):
        sums[j] = total if usual[j] > 0 else -total
    for k in range(len(spans)):
        sums[spans[k, 0]] -= 2 * (running[spans[k, 2]] - running[spans[k, 1]])


@njit
def chain_of(codes: Codes, first: IntArray, voter: int) -> tuple[Codes, int]:
    """Return the codes of a voter's chain, (n_examples,), and the largest one where it is -1."""
    chain = np.searchsorted(first, voter, side="right") - 1
    return codes[chain], voter - first[chain]
