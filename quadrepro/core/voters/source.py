"""Sources of voters, for rounds that have voters of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod

from quadrepro.base.types import FloatArray, IntArray

ZERO_VOTE = 1e-12
"""A vote of at most this share of its total weight counts as zero: it is rounding error."""


class VoterSource(ABC):
    """The voters of a round, with values -1 and +1 on labelled examples."""

    complements: bool = True
    """Whether the complement of a voter may be picked too."""
    redraws: bool = False
    """Whether the next round has other voters, so that a round without an edge ends nothing."""

    @abstractmethod
    def begin(self, t: int) -> None:
        """Prepare the voters of round `t`, counted from 1."""

    @abstractmethod
    def sums(self, units: FloatArray) -> FloatArray:
        """Return Σ_i u_i y_i h(x_i) of every voter h, shape (n_rows, n_voters).

        Parameters
        ----------
        units : ndarray of shape (n_rows, n_examples)
            Example weights u as whole numbers. Each row adds up to less than 2^52, so that every
            sum is exact in any order.
        """

    @abstractmethod
    def signs(self, picks: IntArray) -> FloatArray:
        """Return y_i h(x_i) of the picked voters, shape (n_picks, n_examples)."""
