"""Chains of nested voters: stumps on one attribute, of which each says +1 only where the last does.

An example's code is the number of voters of a chain that say +1. It tells what all of them say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.thresholds import columns_of

Codes = NDArray[np.uint32]

JOINED = 8
"""Number of voters without a chain that are listed together."""


class Chains(NamedTuple):
    """Voters with values -1 and +1 in chains, and where they do not have their usual values.

    In every chain most examples have the usual code. The others are listed chain by chain, ordered
    by their codes, so that those on which a voter does not have its usual value stand next to each
    other. Voters that are alone in their chains are joined by eight: an example is listed once for
    all of them, in the order of a Gray code, in which few bits change from one code to the next.

    Attributes
    ----------
    codes : ndarray of uint32, shape (n_chains, n_examples)
        Codes of the examples.
    first : ndarray of int, shape (n_chains + 1,)
        First voter of each chain; the last entry is the number of voters.
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
    listed: Codes
    heads: IntArray
    starts: Codes
    stops: Codes
    owners: Codes

    @classmethod
    def of(cls, codes: Codes, first: IntArray) -> Chains:
        """Return the chains with given codes and first voters."""
        most = np.array([np.bincount(code).argmax() for code in codes], dtype=np.uint32)
        chain = np.repeat(np.arange(len(codes)), np.diff(first))
        below = np.arange(first[-1]) - first[chain]
        usual, n_codes = most[chain] > below, 0
        listed, sizes, stretches = [], [], []
        for group in _groups(np.diff(first)):
            order, heads = _by_code(codes[group], most[group])
            voters = np.arange(first[group.start], first[group.stop])[:, None]
            away = (codes[chain[voters], order[heads]] > below[voters]) != usual[voters]
            steps = np.diff(np.pad(away, ((0, 0), (1, 1))).astype(np.int8))
            (owners, starts), (_, stops) = (np.nonzero(steps == step) for step in (1, -1))
            stretches.append((n_codes + starts, n_codes + stops, first[group.start] + owners))
            sizes.append(np.diff(heads, append=len(order)))
            listed.append(order.astype(np.uint32))
            n_codes += len(heads)
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


def _by_code(codes: Codes, most: Codes) -> tuple[IntArray, IntArray]:
    """Return the examples of all but the usual codes by code, and the first place of each code."""
    away = codes != most[:, None]
    examples = np.flatnonzero(away.any(axis=0))
    ranks: NDArray[Any] = codes[0, examples]
    if len(codes) > 1:
        # The rank of a Gray code; its bits say which voters do not have their usual values.
        bits = np.logical_xor.accumulate(away[:, examples])
        [ranks] = np.packbits(bits, axis=0)
    order = ranks.argsort(kind="stable")
    return examples[order], np.unique(ranks[order], return_index=True)[1]


def codes_of_voters(H: FloatArray) -> tuple[Codes, IntArray]:
    """Return the codes and the first voters of the chains of a matrix with values -1 and +1.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix. Adjacent columns are in a chain as long as they are nested.
    """
    positive = H > 0
    breaks = (positive[:, 1:] & ~positive[:, :-1]).any(axis=0)
    first = np.append(0, np.flatnonzero(breaks) + 1)
    codes = np.add.reduceat(positive, first, axis=1, dtype=np.uint32).T
    return np.ascontiguousarray(codes), np.append(first, H.shape[1])


def codes_of_stumps(X: FloatArray, thresholds: FloatArray) -> tuple[Codes, IntArray]:
    """Return the codes and the first voters of stumps, one chain per attribute.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_examples, n_attributes)
        Examples.
    thresholds : ndarray of shape (n_attributes, per_attribute)
        Thresholds, increasing along each row.
    """
    codes = np.empty((len(thresholds), X.shape[0]), dtype=np.uint32)
    for code, row, column in zip(codes, thresholds, columns_of(X), strict=True):
        code[:] = np.searchsorted(row, column)
    return codes, np.arange(len(thresholds) + 1) * thresholds.shape[1]
