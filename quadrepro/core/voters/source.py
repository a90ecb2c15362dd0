"""Where the candidates of a round come from: a fixed matrix, or stumps drawn at random.

A greedy algorithm on example weights asks a source for sums over this round's candidates and for
the signs of its picks. It never sees how the candidates are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.groups import VoterGroups

ZERO_VOTE = 1e-12
"""A vote of at most this share of its total weight counts as zero: it is rounding error."""


class VoterSource(ABC):
    """The candidates of a round, with values -1 and +1 on labelled examples."""

    n_examples: int
    """Number of examples, and of candidates in a round."""
    n_voters: int
    """Number of examples, and of candidates in a round."""
    fixed: bool
    """Whether all rounds have the same candidates, so that their weights add up."""
    complements: bool = True
    """Whether the complement of a candidate is a candidate too."""
    redraws: bool = False
    """Whether the next round has other candidates, so that a round without an edge ends nothing."""

    @abstractmethod
    def begin(self, t: int) -> None:
        """Prepare the candidates of round `t`, counted from 1."""

    @abstractmethod
    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Write Σ_i u_i y_i h(x_i) of every candidate h into `out`.

        Parameters
        ----------
        units : ndarray of shape (n_rows, n_examples)
            Example weights u as whole numbers. Each row adds up to less than 2^52, so that every
            sum is exact.
        out : ndarray of shape (n_rows, n_voters)
            Where the sums are written.
        """

    @property
    def groups(self) -> VoterGroups | None:
        """The candidates in groups, for compiled loops; None if they change with the round."""
        return None

    @abstractmethod
    def signs(self, picks: IntArray, out: FloatArray) -> None:
        """Write y_i h(x_i) of the picked candidates into `out`.

        Parameters
        ----------
        picks : ndarray of int, shape (n_picks,)
            Places of the candidates in this round.
        out : ndarray of shape (n_picks, n_examples)
            Where the signs are written.
        """


class FixedVoters(VoterSource):
    """The voters of a matrix with values -1 and +1, the same in every round."""

    fixed = True

    def __init__(self, H: FloatArray, y: FloatArray) -> None:
        if not (np.abs(H) == 1.0).all():
            raise ValueError("boosting with example weights needs voters with values -1 and +1")
        self.n_examples, self.n_voters = H.shape
        self.matrix, self.y = H, y

    @cached_property
    def _right(self) -> FloatArray:
        """The matrix of y h, which compiled loops do not need."""
        return np.ascontiguousarray(self.matrix * self.y[:, None])

    @cached_property
    def _right_of_voter(self) -> FloatArray:
        return np.ascontiguousarray(self._right.T)

    def begin(self, t: int) -> None:
        """Do nothing: the candidates stay the same."""

    @cached_property
    def groups(self) -> VoterGroups:
        """The voters in groups."""
        return VoterGroups.of(self.matrix, self.y)

    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Multiply by the matrix."""
        np.matmul(units, self._right, out=out)

    def signs(self, picks: IntArray, out: FloatArray) -> None:
        """Take the picked columns."""
        # The default mode, which checks the indices, would make `take` buffer its output.
        self._right_of_voter.take(picks, axis=0, out=out, mode="clip")


class GroupedVoters(FixedVoters):
    """Voters in groups, without their matrix unless loops are not compiled."""

    def __init__(self, groups: VoterGroups) -> None:
        self.n_examples, self.n_voters = len(groups.y), int(groups.voters[-1])
        self.groups, self.y = groups, groups.y

    @property
    def matrix(self) -> FloatArray:  # type: ignore[override]
        """The voter matrix."""
        return self.groups.matrix()
