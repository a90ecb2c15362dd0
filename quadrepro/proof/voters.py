"""Stumps, evaluated from their definitions, and the voters of other sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.learner import TrainingData
from quadrepro.core.learners.voter_sets import NamedVoters
from quadrepro.core.learners.voting import FixedStumps
from quadrepro.proof.certificate import LongArray

STEPS = 65535
"""Number of steps of the grid on which the thresholds of drawn stumps lie."""

ZERO = 1e-12
"""A vote of at most this share of the sum of the weights is zero, and calls the example -1."""


class Vote(ABC):
    """A weighted vote."""

    @property
    @abstractmethod
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""

    @abstractmethod
    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example, given its attributes."""


@dataclass(frozen=True, eq=False)
class StumpMatrix:
    """Evenly spaced stumps."""

    thresholds: FloatArray
    """A stump says +1 above its threshold, else -1, shape (n_attributes, per_attribute)."""
    chosen: IntArray | None
    """The stumps that are voters, in order; None if all are."""

    @classmethod
    def of(cls, data: TrainingData, voters: FixedStumps) -> Self:
        """Return the stumps that the training part of a cell gives."""
        low, high = data.train.X.min(axis=0), data.train.X.max(axis=0)
        shares = np.arange(1, voters.per_attribute + 1) / (voters.per_attribute + 1)
        thresholds = low[:, None] + (high - low)[:, None] * shares
        everything = cls(thresholds, None)
        if voters.n_voters is None:
            return everything
        H = everything.outputs(data.train.X)
        varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
        drawn = data.rng("voters").permutation(varying)[: voters.n_voters]
        return cls(thresholds, np.sort(drawn))

    def outputs(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        H = np.empty((len(X), self.thresholds.size))
        width = self.thresholds.shape[1]
        for j, thresholds in enumerate(self.thresholds):
            above = X[:, j, None] > thresholds
            H[:, j * width : (j + 1) * width] = np.where(above, 1.0, -1.0)
        return H if self.chosen is None else H[:, self.chosen]


@dataclass(frozen=True, eq=False)
class VoterSetMatrix:
    """The voters of a voter set, which are fitted again and taken as they are."""

    voters: NamedVoters
    data: TrainingData

    def outputs(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix, shape (n_examples, n_voters)."""
        return self.voters.matrices(self.data.train, X, self.data.rng)[1]


Matrix = StumpMatrix | VoterSetMatrix
"""Voters that are the same in every round."""


@dataclass(frozen=True, eq=False)
class MatrixVote(Vote):
    """A vote over voters that are the same in every round."""

    stumps: Matrix
    weights: LongArray
    """Their signed weights, shape (n_voters,)."""

    @property
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""
        return np.longdouble(np.abs(self.weights).sum())

    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example."""
        used = np.flatnonzero(self.weights)
        return np.asarray(self.stumps.outputs(X)[:, used] @ self.weights[used])


@dataclass(frozen=True, eq=False)
class Grid16:
    """The grid on which thresholds of drawn stumps lie."""

    low: FloatArray
    """The ends of the attributes' ranges on the training examples, shape (n_attributes,)."""
    high: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Self:
        """Return the grid that training examples give."""
        return cls(X.min(axis=0), X.max(axis=0))

    def codes(self, X: FloatArray) -> IntArray:
        """Return the least threshold that is not below each value, shape (n_attributes, n)."""
        span = self.high - self.low
        span[span <= 0] = 1.0
        above = np.ceil((X - self.low) / span * STEPS)
        return np.asarray(np.clip(above, 0, STEPS).T, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class DrawnVote(Vote):
    """A vote over stumps that were drawn in every round."""

    grid: Grid16
    """Where thresholds lie."""
    attributes: IntArray
    """Attribute of each stump, and its threshold on the grid, shape (n_stumps,)."""
    cuts: IntArray
    weights: FloatArray
    """Signed weights, shape (n_stumps,)."""

    @property
    def total(self) -> np.longdouble:
        """The sum of the sizes of the weights."""
        return np.longdouble(np.abs(self.weights.astype(np.longdouble)).sum())

    def sums(self, X: FloatArray) -> LongArray:
        """Return the sum of the vote for each example."""
        total, codes = np.zeros(len(X), dtype=np.longdouble), self.grid.codes(X)
        for attribute, cut, weight in zip(self.attributes, self.cuts, self.weights, strict=True):
            total += np.where(codes[attribute] > cut, weight, -weight)
        return total
