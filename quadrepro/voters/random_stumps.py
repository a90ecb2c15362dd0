"""Random stumps: an attribute and a threshold drawn at random, in each round or once.

Attributes are coded on a grid of `STEPS` + 1 values between their training minimum and maximum, and
thresholds are drawn on the same grid. A round compares hundreds of stumps with all examples, which
is cheap because a code has two bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.voters.source import ZERO_VOTE, VoterSource

Codes = NDArray[np.uint16]

STEPS = 65535
"""Threshold k lies at k / STEPS of the way from an attribute's minimum to its maximum."""

ROUNDS_AT_ONCE = 64
"""Number of rounds for which stumps are drawn at a time."""


@dataclass(frozen=True, eq=False)
class Coding:
    """Minimum and maximum of each attribute on the training examples.

    Attributes
    ----------
    low, high : ndarray of shape (n_attributes,)
        The ends of the attributes' ranges.
    """

    low: FloatArray
    high: FloatArray

    @classmethod
    def fit(cls, X: FloatArray) -> Self:
        """Return the ranges on training examples, shape (n_examples, n_attributes)."""
        return cls(X.min(axis=0), X.max(axis=0))

    def transform(self, X: FloatArray) -> Codes:
        """Return the codes of examples: a value exceeds threshold k exactly if its code does.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_attributes)
            Examples. Values outside the training range are coded as its ends.

        Returns
        -------
        ndarray of uint16, shape (n_attributes, n_examples)
            The codes.
        """
        span = np.where(self.high > self.low, self.high - self.low, 1.0)
        steps = np.ceil((X - self.low) / span * STEPS)
        return np.ascontiguousarray(np.clip(steps, 0, STEPS).astype(np.uint16).T)


@dataclass(frozen=True, eq=False)
class StumpVote:
    """A weighted vote of stumps.

    Attributes
    ----------
    attributes : ndarray of int, shape (n_stumps,)
        Attribute of each stump.
    cuts : ndarray of uint16, shape (n_stumps,)
        Threshold of each stump: it says +1 if the code of its attribute is above, else -1.
    weights : ndarray of shape (n_stumps,)
        Signed weights; a negative one is the weight of the complement.
    """

    attributes: IntArray
    cuts: Codes
    weights: FloatArray

    def outputs(self, codes: Codes) -> FloatArray:
        """Return what the stumps say on coded examples, -1 or +1, shape (n_examples, n_stumps)."""
        above = codes[self.attributes] > self.cuts[:, None]
        return np.where(above.T, 1.0, -1.0)

    def sums(self, codes: Codes) -> FloatArray:
        """Return the sum of the vote for each coded example, shape (n_examples,)."""
        total = np.zeros(codes.shape[1])
        for attribute, cut, weight in zip(self.attributes, self.cuts, self.weights, strict=True):
            total += np.where(codes[attribute] > cut, weight, -weight)
        return total

    def positive(self, codes: Codes) -> BoolArray:
        """Return which coded examples are classified as positive; a sum of zero is negative."""
        zero = ZERO_VOTE * float(np.abs(self.weights).sum())
        return np.asarray(self.sums(codes) > zero)


class RandomStumps(VoterSource):
    """Stumps on a random attribute with a random threshold, and their complements.

    Parameters
    ----------
    codes : ndarray of uint16, shape (n_attributes, n_examples)
        Training examples, coded by `Coding`.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    rng : numpy.random.Generator
        Generator of all draws: sources with equal generators have equal stumps in every round.
    per_round : int, default 500
        Number of candidates in a round.
    redraw : bool, default True
        Whether every round draws new stumps; if not, those of the first round stay.
    thresholds : {"uniform", "data", "deviation"}, default "uniform"
        How thresholds are drawn: uniformly between the attribute's minimum and maximum, as the
        value of a random training example, or uniformly within some standard deviations of the
        attribute's mean.
    deviations : float, default 1.0
        Number of standard deviations for ``thresholds="deviation"``.
    polarity : {"both", "random"}, default "both"
        Whether a stump and its complement are both candidates, or one of the two is drawn.

    Attributes
    ----------
    attributes, cuts : ndarray of shape (per_round,)
        This round's stumps, as in `StumpVote`.
    turns : ndarray of shape (per_round,)
        -1 if a candidate is the complement of its stump, else +1.
    """

    fixed = False

    def __init__(
        self,
        codes: Codes,
        y: FloatArray,
        rng: np.random.Generator,
        *,
        per_round: int = 500,
        redraw: bool = True,
        thresholds: Literal["uniform", "data", "deviation"] = "uniform",
        deviations: float = 1.0,
        polarity: Literal["both", "random"] = "both",
    ) -> None:
        self.n_examples, self.n_voters = codes.shape[1], per_round
        self.complements = polarity == "both"
        self._codes, self._rng, self._redraw = codes, rng, redraw
        self._thresholds, self._deviations = thresholds, deviations
        self._positive = y > 0
        self._gathered = np.empty((per_round, self.n_examples), dtype=np.uint16)
        self._above = np.empty((per_round, self.n_examples), dtype=bool)
        self._right = np.empty((per_round, self.n_examples))

    def begin(self, t: int) -> None:
        """Draw the stumps of round `t`; rounds must begin in order, from 1."""
        if t > 1 and not self._redraw:
            return
        place = (t - 1) % ROUNDS_AT_ONCE
        if place == 0:
            self._draw()
        self.attributes, self.cuts = self._attributes[place], self._cuts[place]
        self.turns = self._turns[place]
        self._codes.take(self.attributes, axis=0, out=self._gathered, mode="clip")
        np.greater(self._gathered, self.cuts[:, None], out=self._above)
        np.equal(self._above, self._positive, out=self._above)
        if not self.complements:
            self._above ^= (self.turns < 0)[:, None]
        np.copyto(self._right, self._above)

    def sums(self, units: FloatArray, out: FloatArray) -> None:
        """Take twice the sum over the examples that are right, less the sum over all."""
        np.matmul(units, self._right.T, out=out)
        out *= 2.0
        out -= units.sum(axis=1, keepdims=True)

    def signs(self, picks: IntArray, out: FloatArray) -> None:
        """Take the picked rows."""
        self._right.take(picks, axis=0, out=out, mode="clip")
        out *= 2.0
        out -= 1.0

    def _draw(self) -> None:
        n_attributes, n_examples = self._codes.shape
        shape = (ROUNDS_AT_ONCE, self.n_voters)
        self._attributes = self._rng.integers(0, n_attributes, shape)
        if self._thresholds == "uniform":
            self._cuts = self._rng.integers(0, STEPS, shape, dtype=np.uint16)
        elif self._thresholds == "data":
            rows = self._rng.integers(0, n_examples, shape)
            self._cuts = self._codes[self._attributes, rows]
        else:
            middle, spread = self._codes.mean(axis=1), self._codes.std(axis=1)
            away = self._deviations * self._rng.uniform(-1, 1, shape)
            cuts = middle[self._attributes] + away * spread[self._attributes]
            self._cuts = np.clip(np.rint(cuts), 0, STEPS).astype(np.uint16)
        self._turns = np.ones(shape)
        if not self.complements:
            self._turns -= 2.0 * self._rng.integers(0, 2, shape)
