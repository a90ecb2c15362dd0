"""Where the candidates of a round come from: a matrix that stays, or stumps drawn anew.

A greedy algorithm on example weights asks a source for sums over this round's candidates and for
the signs of those it picked; it never sees how they are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from quadrepro._typing import FloatArray, IntArray

ZERO_VOTE = 1e-12
"""A vote of at most this much of its voters' total weight counts as zero: it is rounding."""


class VoterSource(ABC):
    """The candidates of a round, with values -1 and +1 on labelled examples.

    Attributes
    ----------
    n_examples, n_voters : int
        Examples, and candidates of a round.
    fixed : bool
        Whether the candidates are the same in every round, so that weights on them add up.
    complements : bool
        Whether the complement of a candidate is a candidate as well.
    """

    n_examples: int
    n_voters: int
    fixed: bool
    complements: bool = True

    @abstractmethod
    def begin(self, t: int) -> None:
        """Make ready the candidates of round `t`, counted from 1."""

    @abstractmethod
    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Put Σ_i u_i y_i h(x_i) of every candidate h into `out`.

        Parameters
        ----------
        units : ndarray of shape (n_rows, n_examples)
            Whole numbers whose sum stays below 2^52, so that every sum is exact.
        out : ndarray of shape (n_rows, n_voters)
        """

    @abstractmethod
    def signs(self, picks: IntArray, out: FloatArray) -> None:
        """Put y_i h(x_i) of the picked candidates into `out`, shape (n_picks, n_examples)."""


class FixedVoters(VoterSource):
    """The voters of a matrix, the same in every round.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Values -1 and +1.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.

    Raises
    ------
    ValueError
        If a voter has other values.
    """

    fixed = True

    def __init__(self, H: FloatArray, y: FloatArray) -> None:
        if not (np.abs(H) == 1.0).all():
            raise ValueError("AdaBoost needs voters with values -1 and +1")
        self.n_examples, self.n_voters = H.shape
        self._right = np.ascontiguousarray(H * y[:, None])
        self._right_of_voter = np.ascontiguousarray(self._right.T)

    def begin(self, t: int) -> None:
        """Do nothing: the candidates stay."""

    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Multiply by the matrix."""
        np.matmul(units, self._right, out=out)

    def signs(self, picks: IntArray, out: FloatArray) -> None:
        """Take the picked columns."""
        # Checking the indices would make `take` buffer its output.
        self._right_of_voter.take(picks, axis=0, out=out, mode="clip")
