"""The losses that gradient boosting minimises, for many trajectories at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.gradient.trees import LeafArray

GroupArray = NDArray[np.uint32]

NOTHING = 1e-100
"""Lengths up to this one count as 0. The gradients of a loss that has vanished are that small."""

LARGEST_CHANGE = 30.0
"""The logistic line search changes no score by more than this; the loss may have no minimum."""

CONVERGED = 1e-6
"""The logistic line search ends with a step that changes no score by more than this.

With |g| ≤ 1 the third derivative is at most the second, so a Newton step of length h leaves an
error of about h² / 2, beside that of rounding: a slope known to about 1e-16 leaves an error of that
much divided by the second derivative, which is not small where the loss is flat. There all such
weights have the same loss.
"""

NEWTON_STEPS = 100
"""Limit on the steps of a line search; bisection alone converges in fewer."""

LARGEST_MARGIN = 600.0
"""Larger margins count as this one, so that no product of a line search overflows."""

LARGEST_EXPONENT = 300.0
"""Larger exponents of the exponential loss count as this one; sums of its squares are finite."""

LANES = 8
"""Numbers that the sums of a line search add at once, as wide processors do."""


class Loss(ABC):
    """A loss φ(F, y) of scores F, for all trajectories at once.

    Scores have shape (n_trajectories, n_examples), targets and weights of examples shape
    (n_examples,). Without weights each example counts once.
    """

    @abstractmethod
    def mean(
        self, scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return Q(F), the mean loss over the examples, shape (n_trajectories,)."""

    @abstractmethod
    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the negative gradient at each example, shape (n_trajectories, n_examples)."""

    @abstractmethod
    def search(
        self,
        scores: FloatArray,
        answers: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray | None = None,
    ) -> FloatArray:
        """Return β = argmin Q(F + β g), shape (n_trajectories,); 0 if g is 0.

        Parameters
        ----------
        scores, answers : ndarray of shape (n_trajectories, n_examples)
            F and g.
        leaves : ndarray of int, shape (n_trajectories, n_examples)
            Examples with one number have the same g.
        y : ndarray of shape (n_examples,)
            Targets.
        weights : ndarray of shape (n_examples,) or None, default None
            Weights of the examples.
        """

    def probability(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of +1 of which scores minimise the expected loss.

        Parameters
        ----------
        scores : ndarray of shape (n_examples,)
        """
        raise NotImplementedError


class SquaredLoss(Loss):
    """(y - F)²; y - F, half its negative gradient, serves as the direction of descent."""

    def mean(
        self, scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the mean of the squared residuals."""
        return mean_of(np.square(y - scores), weights)

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residuals."""
        return np.asarray(y - scores)

    def search(
        self,
        scores: FloatArray,
        answers: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray | None = None,
    ) -> FloatArray:
        """Return <y - F, g> / <g, g>."""
        weighted = answers if weights is None else weights * answers
        return ratio(((y - scores) * weighted).sum(axis=1), (answers * weighted).sum(axis=1))


class LogisticLoss(Loss):
    """log(1 + exp(-y F)), for labels -1 and +1."""

    def mean(
        self, scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the mean of log(1 + exp(-y F))."""
        margins = y * scores
        # `fmin` because `exp` cannot take NaN.
        rest = elementary.log1p(elementary.exp(np.fmin(-np.abs(margins), 0.0)))
        return mean_of(np.maximum(-margins, 0.0) + rest, weights)

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return y / (1 + exp(y F))."""
        if loops := compiling.beside(__name__):
            found = np.empty(scores.shape)
            loops.descend(np.ascontiguousarray(scores), y, found)
            return found
        return np.asarray(y / (1.0 + _powers(y * scores)))

    def search(
        self,
        scores: FloatArray,
        answers: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray | None = None,
    ) -> FloatArray:
        """Return β = argmin Q(F + β g), with |β g| at most `LARGEST_CHANGE` at every example.

        The derivative increases with β. Its root is found by Newton steps within a bracket, and by
        bisection if a step would leave the bracket.
        """
        if weights is None and (loops := compiling.beside(__name__)):
            found = np.empty(len(scores))
            loops.search(*map(np.ascontiguousarray, (scores, answers, leaves)), y, found)
            return found
        slopes, scales, found = _start(answers, y)
        rest = np.flatnonzero(found == 0)
        powers = _powers((y * scores)[rest])
        found[rest] = _search(powers, slopes[rest], _groups(leaves, y)[rest], weights)
        return np.asarray(found * scales)

    def probability(self, scores: FloatArray) -> FloatArray:
        """Return 1 / (1 + exp(-F))."""
        return np.asarray(1.0 / (1.0 + _powers(-scores)))


class ExponentialLoss(Loss):
    """exp(-y F), AdaBoost's loss, for labels -1 and +1."""

    def mean(
        self, scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the mean of exp(-y F)."""
        return mean_of(elementary.exp(_cut(-y * scores)), weights)

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return y exp(-y F)."""
        return np.asarray(y * elementary.exp(_cut(-y * scores)))

    def search(
        self,
        scores: FloatArray,
        answers: FloatArray,
        leaves: LeafArray,
        y: FloatArray,
        weights: FloatArray | None = None,
    ) -> FloatArray:
        """Return β = argmin Q(F + β g), with |β g| at most `LARGEST_CHANGE` at every example.

        As the logistic search, but exp(-y F) is summed over each group of examples beforehand. With
        two answers ±a it is AdaBoost's weight, ln(right/wrong) / (2a).
        """
        slopes, scales, found = _start(answers, y)
        rows = np.flatnonzero(found == 0)
        margins = _cut(y * scores)
        # The largest weight is 1, so that no sum overflows or vanishes.
        losses = elementary.exp(margins.min(axis=1, keepdims=True) - margins)
        if weights is not None:
            losses *= weights
        groups = _groups(leaves, y)
        found[rows] = _exponential_search(losses[rows], slopes[rows], groups[rows])
        return np.asarray(found * scales)

    def probability(self, scores: FloatArray) -> FloatArray:
        """Return 1 / (1 + exp(-2F))."""
        return np.asarray(1.0 / (1.0 + _powers(-2.0 * scores)))


def mean_of(values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the mean of each row, with weights of the columns if there are any."""
    if weights is None:
        return np.asarray(values.mean(axis=1))
    return np.asarray((values * weights).sum(axis=1) / weights.sum())


def _start(answers: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return y g with a largest size of 1, the factors that make it so, and where β is a bound."""
    slopes = y * answers
    least, most = slopes.min(axis=1), slopes.max(axis=1)
    scales = ratio(np.ones(len(slopes)), np.maximum(-least, most))
    slopes *= scales[:, None]
    # If g moves all margins the same way, the loss falls without end.
    found = np.where(least >= 0, LARGEST_CHANGE, np.where(most <= 0, -LARGEST_CHANGE, 0.0))
    return slopes, scales, found


def _groups(leaves: LeafArray, y: FloatArray) -> GroupArray:
    """Return one number for the examples of one leaf and class, whose margins move together."""
    return (2 * leaves + (y > 0)).astype(np.uint32)


def _cut(exponents: FloatArray) -> FloatArray:
    """Return exponents whose powers have finite squares; the NaN of an overflow is the largest."""
    return np.fmax(np.fmin(exponents, LARGEST_EXPONENT), -LARGEST_EXPONENT)


def _exponential_search(losses: FloatArray, slopes: FloatArray, groups: GroupArray) -> FloatArray:
    """Return the root of the derivative along the slopes of each row."""
    n = len(slopes)
    shape = n, int(groups.max(initial=0)) + 1
    places = (groups + np.arange(n)[:, None] * shape[1]).reshape(-1)
    of_groups = np.zeros(shape)
    of_groups.reshape(-1)[places] = slopes.reshape(-1)
    totals = np.bincount(places, losses.reshape(-1), n * shape[1]).reshape(shape)

    def derivatives(rows: IntArray, here: FloatArray) -> tuple[FloatArray, FloatArray]:
        slopes = of_groups[rows]
        falling = slopes * totals[rows] * elementary.exp(-here[:, None] * slopes)
        slope = np.add.accumulate(falling * slopes, axis=1)[:, -1]
        return -np.add.accumulate(falling, axis=1)[:, -1], slope

    return _roots(n, derivatives)


def _roots(
    n: int, derivatives: Callable[[IntArray, FloatArray], tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """Return the root of each of n derivatives, which increase, by Newton steps within a bracket.

    `derivatives` takes the places of some of them and a number for each of these, and returns them
    and their slopes there.
    """
    rows, found, high = np.arange(n), np.zeros(n), np.full(n, LARGEST_CHANGE)
    low = -high
    for _ in range(NEWTON_STEPS):
        if not rows.size:
            break
        here = found[rows]
        first, second = derivatives(rows, here)
        low = np.where(first < 0, here, low)
        high = np.where(first > 0, here, high)
        newton = here - ratio(first, second)
        inside = (low <= newton) & (newton <= high)
        found[rows] = np.where(inside, newton, (low + high) / 2)
        going = np.abs(found[rows] - here) > CONVERGED
        rows, low, high = rows[going], low[going], high[going]
    return found


def _powers(margins: FloatArray) -> FloatArray:
    """Return exp(z), with z cut at `LARGEST_MARGIN`; so is the NaN of scores that overflowed."""
    return elementary.exp(np.fmin(margins, LARGEST_MARGIN))


def _search(
    powers: FloatArray, slopes: FloatArray, groups: GroupArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return the root of the derivative along the slopes of each row."""
    n = len(slopes)
    of_groups = np.zeros((n, int(groups.max(initial=0)) + 1))
    np.put_along_axis(of_groups, groups, slopes, axis=1)
    weighted = slopes if weights is None else weights * slopes
    powers, weighted, groups = (_filled_up(part) for part in (powers, weighted, groups))
    squares = weighted * _filled_up(slopes)

    def derivatives(rows: IntArray, here: FloatArray) -> tuple[FloatArray, FloatArray]:
        # While all rows are searched, none is copied.
        own = slice(None) if len(rows) == n else rows
        moved = elementary.exp(here[:, None] * of_groups[own])
        falling = 1.0 / (1.0 + powers[own] * np.take_along_axis(moved, groups[own], axis=1))
        return -_sums(weighted[own] * falling), _sums(squares[own] * (falling * (1.0 - falling)))

    return _roots(n, derivatives)


def _filled_up(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows of whole lanes, with zeros behind the numbers."""
    n, m = rows.shape
    filled = np.zeros((n, m + -m % LANES), dtype=rows.dtype)
    filled[:, :m] = rows
    return filled


def _sums(numbers: FloatArray) -> FloatArray:
    """Return the sum of each row: lanes are added one after another, and then their numbers."""
    lanes = numbers.reshape(len(numbers), -1, LANES).sum(axis=1)
    return np.asarray(np.add.accumulate(lanes, axis=1)[:, -1])


def ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Divide two arrays of one shape; the ratio is 0 if the denominator is at most `NOTHING`."""
    return np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > NOTHING
    )
