"""Sums of example weights over chains of voters, round after round.

A voter has its usual value on most examples. Its sum is the sum for this value, less twice the sum
over the other examples. These are stretches of a list, so that the sums of all voters are
differences of one running sum. Examples whose weights round to 0 are left out of the list. While
the list is long, weights are added up by code instead; sums of whole numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.coded import CodedVoters, Codes, sums_above

Places = NDArray[np.uint32]

JOINED = 8
"""Number of voters without a chain that are listed together."""

CACHED = 2**12
"""Number of examples whose weights fit into the fastest cache, from which the list takes them."""

SCATTERED = 5
"""Cost of an example in a list, relative to an example that is added up by code."""

ASLEEP = 2.0**-16
"""Examples below this weight are left out of a new list, until a weight rounds to 1."""


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
    starts, stops, owners : ndarray of uint32, shape (n_stretches,)
        The stretches of the list on which a voter does not have its usual value: the first code,
        the one after the last, and the voter.
    """

    codes: Codes
    first: IntArray
    usual: IntArray
    listed: Places
    heads: IntArray
    starts: Places
    stops: Places
    owners: Places

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
            stretches.append(found + np.array([[n_codes], [n_codes], [0]]))
            n_codes += len(numbers)
        return cls(
            codes,
            first,
            np.where(usual, 1, -1),
            np.concatenate(listed),
            np.append(0, np.concatenate(sizes).cumsum()),
            *np.concatenate(stretches, axis=1, dtype=np.uint32, casting="unsafe"),
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

    The other two are the number of examples of each code that occurs, and the stretches: their
    first codes, those after their last ones, and their voters, shape (3, n_stretches).
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
    stretches = np.empty((3, (first[-1] - first[0]) * most_each), np.int64)
    for chain in range(len(codes)):
        for voter in range(first[chain], first[chain + 1]):
            below, inside = voter - first[chain], False
            for k in range(len(sizes) + 1):
                code = most[chain] if k == len(sizes) else codes[chain, examples[heads[k]]]
                away = (code > below) != (most[chain] > below)
                if away and not inside:
                    stretches[0, n], stretches[2, n] = k, voter
                elif inside and not away:
                    stretches[1, n] = k
                    n += 1
                inside = away
    return examples, sizes, stretches[:, :n]


class Listing(NamedTuple):
    """The listed examples of chains that have weights, and the running sum over them.

    Attributes
    ----------
    chains : Chains
        The chains.
    examples : ndarray of uint32, shape (n_listed,)
        `Chains.listed` without the examples that are left out, which has fewer entries.
    places : ndarray of int, shape (n_codes + 1,)
        First place in the list of each code, as `Chains.heads`.
    running : ndarray of int, shape (n_listed + 1,)
        Sum of the signed weights before each place.
    left_out : ndarray of bool, shape (n_examples,)
        The examples that are left out.
    """

    chains: Chains
    examples: Places
    places: IntArray
    running: IntArray
    left_out: BoolArray

    @classmethod
    def empty(cls, chains: Chains) -> Listing:
        """Return an empty list, which leaves out all examples."""
        places = np.zeros(len(chains.heads), dtype=np.int64)
        running = np.zeros(len(chains.listed) + 1, dtype=np.int64)
        left_out = np.ones(chains.codes.shape[1], dtype=np.bool_)
        return cls(chains, np.empty_like(chains.listed), places, running, left_out)


@njit
def signed_sums(
    listing: Listing, signed: IntArray, weights: FloatArray, copies: FloatArray
) -> IntArray:
    """Return Σ_i s_i h(x_i) of every voter, shape (n_voters,).

    Parameters
    ----------
    listing : Listing
        The voters. The list is made again if it is stale.
    signed : ndarray of int, shape (n_examples,)
        Weights s of all copies as whole numbers, with the signs of the labels.
    weights : ndarray of shape (n_examples,)
        Weights of one copy before they were rounded. If all copies weigh next to nothing, the
        example may be left out.
    copies : ndarray of shape (n_examples,)
        Number of copies.
    """
    if is_stale(listing, signed, weights, copies):
        list_again(listing, weights, copies)
    chains, examples, places, running, _ = listing
    total = np.int64(0)
    for i in range(len(signed)):
        total += signed[i]
    if len(signed) > CACHED and SCATTERED * places[-1] > chains.codes.size:
        right_less_wrong: IntArray = 2 * sums_above(chains.codes, chains.first, signed) - total
        return right_less_wrong
    so_far = np.int64(0)
    for k in range(places[-1]):
        so_far += signed[examples[k]]
        running[k + 1] = so_far
    sums = np.full(len(chains.usual), total)
    for k in range(len(chains.owners)):
        unusual = running[places[chains.stops[k]]] - running[places[chains.starts[k]]]
        sums[chains.owners[k]] -= 2 * unusual
    for j in range(len(sums)):
        sums[j] *= chains.usual[j]
    return sums


@njit
def is_stale(listing: Listing, signed: IntArray, weights: FloatArray, copies: FloatArray) -> bool:
    """Return whether an example with a weight is left out, or some of the listed have none."""
    n_missing, n_listed, n_asleep = 0, 0, 0
    for i in range(len(signed)):
        # Operators instead of branches make this a loop of vectors.
        out, asleep = listing.left_out[i], weights[i] * copies[i] < ASLEEP
        n_missing += out & (signed[i] != 0)
        n_listed += not out
        n_asleep += asleep & (not out)
    return n_missing > 0 or 16 * n_asleep > n_listed


@njit
def list_again(listing: Listing, weights: FloatArray, copies: FloatArray) -> None:
    """List all examples again except those that are asleep."""
    chains, examples, places, _, left_out = listing
    for i in range(len(weights)):
        left_out[i] = weights[i] * copies[i] < ASLEEP
    n = 0
    for code in range(len(places) - 1):
        places[code] = n
        for i in chains.listed[chains.heads[code] : chains.heads[code + 1]]:
            examples[n] = i
            n += not left_out[i]
    places[-1] = n


@njit
def margins_of(chains: Chains, voter: int, y: IntArray) -> IntArray:
    """Return y h(x) of every example, shape (n_examples,)."""
    chain = np.searchsorted(chains.first, voter, side="right") - 1
    codes, below = chains.codes[chain], voter - chains.first[chain]
    margins = np.empty_like(y)
    for i in range(len(y)):
        margins[i] = y[i] if codes[i] > below else -y[i]
    return margins
