"""Chains of nested voters: stumps on one attribute, of which each says +1 only where the last does.

An example's code is the number of voters of a chain that say +1. It tells what all of them say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.thresholds import columns_of

Codes = NDArray[np.uint32]


class Chains(NamedTuple):
    """Voters with values -1 and +1 in chains, and where examples leave the usual code of a chain.

    The usual code is the one that most examples have. Where the usual code is +1, an example with
    a lower code leaves it at the first voter for which it is -1. Where the usual code is -1, an
    example with a higher code leaves it at the last voter for which it is +1.

    Attributes
    ----------
    codes : ndarray of uint32, shape (n_chains, n_examples)
        Codes of the examples.
    first : ndarray of int, shape (n_chains + 1,)
        First voter of each chain; the last entry is the number of voters.
    usual : ndarray of int, shape (n_chains,)
        Usual codes.
    leavers : ndarray of uint32, shape (n_leavers,)
        The examples that leave the usual code, ordered by the voters at which they do.
    heads : ndarray of int, shape (n_voters + 1,)
        First of the leavers at each voter; the last entry is their number.
    """

    codes: Codes
    first: IntArray
    usual: IntArray
    leavers: Codes
    heads: IntArray

    @classmethod
    def of(cls, codes: Codes, first: IntArray) -> Chains:
        """Return the chains with given codes and first voters."""
        usual = np.array([np.bincount(code).argmax() for code in codes])
        chains, examples = np.nonzero(codes != usual[:, None])
        left = codes[chains, examples].astype(np.intp)
        voters = first[chains] + left - (left > usual[chains])
        heads = np.append(0, np.bincount(voters, minlength=first[-1]).cumsum())
        leavers = examples[voters.argsort(kind="stable")].astype(np.uint32)
        return cls(codes, first, usual, leavers, heads)


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
