"""Random stumps: an attribute and a threshold drawn at random, in each round or once.

Attributes are coded on a grid of `STEPS` + 1 values between their training minimum and maximum, and
thresholds are drawn on the same grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.holdout import HoldoutStumps
from quadrepro.core.jit import njit
from quadrepro.core.voters.thresholds import ROWS_AT_ONCE

StumpCodes = NDArray[np.uint16]

STEPS = 65535
"""Number of steps from an attribute's minimum to its maximum; threshold k is after k steps."""

ROUNDS_AT_ONCE = 64
"""Number of rounds for which stumps are drawn at a time."""


def coded(X: FloatArray, train: FloatArray) -> StumpCodes:
    """Return the codes of examples; a value exceeds threshold k if and only if its code does.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_attributes)
        Examples. Values outside the training range are coded as its ends.
    train : ndarray of shape (n_train, n_attributes)
        Training examples.

    Returns
    -------
    ndarray of uint16, shape (n_attributes, n_examples)
        The codes.
    """
    low, high = train.min(axis=0), train.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    codes = np.empty(X.shape[::-1], dtype=np.uint16)
    for start in range(0, len(X), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        steps = X[rows] - low
        steps /= span
        steps *= STEPS
        np.ceil(steps, out=steps)
        codes[:, rows] = np.clip(steps, 0, STEPS, out=steps).T
    return codes


@dataclass(frozen=True, eq=False)
class StumpVote:
    """A weighted vote of stumps.

    Attributes
    ----------
    attributes : ndarray of int, shape (n_stumps,)
        Attribute of each stump.
    cuts : ndarray of uint16, shape (n_stumps,)
        Threshold of each stump, which is +1 if the code of its attribute is above, else -1.
    weights : ndarray of shape (n_stumps,)
        Signed weights; a negative one is the weight of the complement.
    """

    attributes: IntArray
    cuts: StumpCodes
    weights: FloatArray

    def outputs(self, codes: StumpCodes) -> FloatArray:
        """Return the stumps' values on coded examples, -1 or +1, shape (n_examples, n_stumps)."""
        above = codes[self.attributes] > self.cuts[:, None]
        return np.where(above.T, 1.0, -1.0)

    def sums(self, codes: StumpCodes) -> FloatArray:
        """Return the sum of the vote for each coded example, shape (n_examples,)."""
        total = np.zeros(codes.shape[1])
        for attribute, cut, weight in zip(self.attributes, self.cuts, self.weights, strict=True):
            total += np.where(codes[attribute] > cut, weight, -weight)
        return total


class RandomStumps:
    """Stumps on a random attribute with a random threshold, and their complements.

    Parameters
    ----------
    codes : ndarray of uint16, shape (n_attributes, n_examples)
        Training examples, see `coded`.
    rng : numpy.random.Generator
        Generator of all draws; with equal generators, stumps are equal in every round.
    rule : HoldoutStumps
        Number of stumps, and how to draw them.

    Attributes
    ----------
    complements : bool
        Whether the complement of a stump may be picked too.
    redraws : bool
        Whether the next round has other stumps, so that a run continues without an edge.
    attributes, cuts : ndarray of shape (n_voters,)
        Stumps of the round, as in `StumpVote`.
    turns : ndarray of int, shape (n_voters,)
        -1 if the complement of a stump is the voter, else +1.
    """

    def __init__(self, codes: StumpCodes, rng: np.random.Generator, rule: HoldoutStumps) -> None:
        self.complements = rule.polarity == "both"
        self.redraws = rule.redraw
        self.codes, self._rng, self._rule = codes, rng, rule
        self._falling = np.argsort(~codes, axis=1, kind="stable")

    def begin(self, t: int) -> None:
        """Draw the stumps of round `t`; rounds must begin in order, from 1."""
        if t > 1 and not self.redraws:
            return
        place = (t - 1) % ROUNDS_AT_ONCE
        if place == 0:
            self._draw()
        self.attributes, self.cuts = self._attributes[place], self._cuts[place]
        self.turns = self._turns[place]

    def sums(self, units: IntArray) -> IntArray:
        """Return Σ_i u_i h(x_i) of every stump h of the round, shape (n_rows, n_voters).

        Parameters
        ----------
        units : ndarray of int, shape (n_rows, n_examples)
            Example weights u as whole numbers, times labels.
        """
        order = np.lexsort((~self.cuts, self.attributes))
        stumps = order, self.attributes, self.cuts
        above = sums_above_cuts(self.codes, self._falling, *stumps, np.ascontiguousarray(units.T))
        return np.asarray((2 * above - units.sum(axis=1, keepdims=True)) * self.turns)

    def _draw(self) -> None:
        n_attributes, n_examples = self.codes.shape
        shape = (ROUNDS_AT_ONCE, self._rule.per_round)
        self._attributes = self._rng.integers(0, n_attributes, shape)
        if self._rule.thresholds == "uniform":
            self._cuts = self._rng.integers(0, STEPS, shape, dtype=np.uint16)
        elif self._rule.thresholds == "data":
            rows = self._rng.integers(0, n_examples, shape)
            self._cuts = self.codes[self._attributes, rows]
        else:
            middle, spread = self.codes.mean(axis=1), self.codes.std(axis=1)
            away = self._rule.deviations * self._rng.uniform(-1, 1, shape)
            cuts = middle[self._attributes] + away * spread[self._attributes]
            self._cuts = np.clip(np.rint(cuts), 0, STEPS).astype(np.uint16)
        self._turns = np.ones(shape, dtype=np.int64)
        if not self.complements:
            self._turns -= 2 * self._rng.integers(0, 2, shape)


@njit
def sums_above_cuts(
    codes: StumpCodes,
    falling: IntArray,
    order: IntArray,
    attributes: IntArray,
    cuts: StumpCodes,
    weights: IntArray,
) -> IntArray:
    """Return the sums of each row of weights over the examples above each threshold.

    The stumps of an attribute are visited from the highest threshold to the lowest, so that each
    continues the sums of the previous one.

    Parameters
    ----------
    codes : ndarray of uint16, shape (n_attributes, n_examples)
        The examples.
    falling : ndarray of int, shape (n_attributes, n_examples)
        The examples in the order of their codes, the largest first.
    order : ndarray of int, shape (n_stumps,)
        The stumps, ordered by attribute, and then from the highest threshold to the lowest.
    attributes, cuts : ndarray of shape (n_stumps,)
        The stumps.
    weights : ndarray of int, shape (n_examples, n_rows)
        Rows of example weights, as whole numbers.

    Returns
    -------
    ndarray of int, shape (n_rows, n_stumps)
        The sums.
    """
    n_examples, n_rows = weights.shape
    sums, total = np.empty((n_rows, len(cuts)), np.int64), np.empty(n_rows, np.int64)
    attribute, n_above = -1, 0
    for j in order:
        if attributes[j] != attribute:
            attribute, n_above = attributes[j], 0
            total[:] = 0
        own, examples = codes[attribute], falling[attribute]
        while n_above < n_examples and own[examples[n_above]] > cuts[j]:
            added = weights[examples[n_above]]  # outside the loop, so that it is vectorised
            for row in range(n_rows):
                total[row] += added[row]
            n_above += 1
        sums[:, j] = total
    return sums
