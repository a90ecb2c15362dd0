"""Sums of example weights over all voters, round after round.

A voter has its usual value on most examples. Its sum is the sum for this value, less twice the sum
over the other examples. These examples are stretches of a list (see `Chains`), so that the sums of
all voters are differences of one running sum. Examples whose weights round to 0 are left out of the
list. While the list is long, weights are added up by code instead, with the same sums, since whole
numbers add up exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.voters.chains import Chains, Places
from quadrepro.core.voters.coded import Codes, sums_above

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
    state : ndarray of shape (2,)
        Largest factor by which a weight may have grown since the list was made, infinite at first,
        and the length of the list.
    """

    chains: Chains
    usual: IntArray
    listed: Places
    spans: Places
    running: IntArray
    state: FloatArray

    @classmethod
    def over(cls, chains: Chains) -> RunningSums:
        """Return the sums over chains, without a list."""
        listed, spans = np.empty_like(chains.listed), np.empty_like(chains.stretches)
        running, state = np.zeros(len(listed) + 1, np.int64), np.array([np.inf, 0.0])
        return cls(chains, chains.usual, listed, spans, running, state)


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
    chains, usual, listed, spans, _, state = voters
    examples, heads, stretches = chains.listed, chains.heads, chains.stretches
    awake, places = np.abs(weights * signs) >= ASLEEP, np.zeros(len(heads), np.uint32)
    n = np.uint64(0)  # needs no check for negative indices
    for code in range(len(heads) - 1):
        places[code] = n
        for k in range(heads[code], heads[code + 1]):
            i = examples[k]
            listed[n] = i
            n += np.uint64(awake[i])
    places[-1] = n
    for k in range(len(spans)):
        voter, start, stop = stretches[k, 0], stretches[k, 1], stretches[k, 2]
        first, last = (start, stop) if usual[voter] > 0 else (stop, start)
        spans[k, 0], spans[k, 1], spans[k, 2] = voter, places[first], places[last]
    state[0], state[1] = 1.0, n


@njit
def write_sums(
    units: IntArray,
    total: int,
    codes: Codes,
    first: IntArray,
    usual: IntArray,
    listed: Places,
    spans: Places,
    running: IntArray,
    state: FloatArray,
    sums: IntArray,
) -> None:
    """Write Σ_i u_i h(x_i) of every voter h, shape (n_voters,).

    Parameters
    ----------
    units : ndarray of int, shape (n_examples,)
        Example weights u as whole numbers, times labels.
    total : int
        Their sum.
    codes, first, usual, listed, spans, running, state
        The voters, see `Chains` and `RunningSums`.
    sums : ndarray of int, shape (n_voters,)
        The sums.
    """
    n_listed = int(state[1])
    if len(units) > CACHED and SCATTERED * n_listed > codes.size:
        sums[:] = 2 * sums_above(codes, first, units) - total
        return
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
