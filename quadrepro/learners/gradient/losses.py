"""The losses that gradient boosting minimises, for many trajectories at once."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from quadrepro import elementary
from quadrepro._typing import FloatArray
from quadrepro.kernels import compiling
from quadrepro.learners.gradient.cuts import LeafArray

GroupArray = NDArray[np.uint32]

NOTHING = 1e-100
"""Lengths up to this one count as 0. The gradients of a loss that has vanished are that small."""

LARGEST_CHANGE = 30.0
"""The logistic line search changes no score by more than this; the loss may have no minimum."""

CONVERGED = 1e-6
"""The logistic line search ends with a step that changes no score by more than this.

With |g| ≤ 1 the third derivative is at most the second, so a Newton step of length h leaves an
error of about h² / 2.
"""

NEWTON_STEPS = 100
"""Limit on the steps of a line search; bisection alone converges in fewer."""

LARGEST_MARGIN = 600.0
"""Larger margins count as this one in a line search, so that no product overflows."""

LANES = 8
"""Numbers that the sums of a line search add at once, as wide processors do."""


class Loss(ABC):
    """A loss φ(F, y) of scores F, for all trajectories at once.

    Scores and directions have shape (n_trajectories, n_examples), targets shape (n_examples,).

    Attributes
    ----------
    truncates_unit : bool
        Whether a truncated step is measured along a g with a root mean square of 1.
    """

    truncates_unit: bool

    @abstractmethod
    def mean(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return Q(F), the mean loss over the examples, shape (n_trajectories,)."""

    @abstractmethod
    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the negative gradient at each example, shape (n_trajectories, n_examples)."""

    @abstractmethod
    def search(
        self, scores: FloatArray, answers: FloatArray, leaves: LeafArray, y: FloatArray
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
        """


class SquaredLoss(Loss):
    """(y - F)²; y - F, half its negative gradient, serves as the direction of descent."""

    truncates_unit = False

    def mean(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean of the squared residuals."""
        return np.asarray(np.square(y - scores).mean(axis=1))

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residuals."""
        return np.asarray(y - scores)

    def search(
        self, scores: FloatArray, answers: FloatArray, leaves: LeafArray, y: FloatArray
    ) -> FloatArray:
        """Return <y - F, g> / <g, g>."""
        return ratio(((y - scores) * answers).sum(axis=1), (answers * answers).sum(axis=1))


class LogisticLoss(Loss):
    """log(1 + exp(-y F)), for labels -1 and +1."""

    truncates_unit = True

    def mean(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean of log(1 + exp(-y F))."""
        margins = y * scores
        losses = elementary.log1p(elementary.exp(-np.abs(margins)))
        return np.asarray((np.maximum(-margins, 0.0) + losses).mean(axis=1))

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return y / (1 + exp(y F))."""
        return np.asarray(y / (1.0 + elementary.exp(y * scores)))

    def search(
        self, scores: FloatArray, answers: FloatArray, leaves: LeafArray, y: FloatArray
    ) -> FloatArray:
        """Return β = argmin Q(F + β g), with |β g| at most `LARGEST_CHANGE` at every example.

        The derivative increases with β. Its root is found by Newton steps within a bracket, and by
        bisection if a step would leave the bracket.
        """
        slopes = y * answers
        least, most = slopes.min(axis=1), slopes.max(axis=1)
        scales = ratio(np.ones(len(slopes)), np.maximum(-least, most))
        slopes *= scales[:, None]
        # If g moves all margins the same way, the loss falls without end.
        found = np.where(least >= 0, LARGEST_CHANGE, np.where(most <= 0, -LARGEST_CHANGE, 0.0))
        rows = np.flatnonzero(found == 0)
        powers = elementary.exp(np.minimum(y * scores, LARGEST_MARGIN))
        # The margins of examples of one leaf and one class move together.
        groups = (2 * leaves + (y > 0)).astype(np.uint32)
        if compiling.enabled():
            from quadrepro.kernels import logistic

            limits = LARGEST_CHANGE, CONVERGED, NEWTON_STEPS, NOTHING
            logistic.search(powers, slopes, groups, rows, *limits, found)
        else:
            found[rows] = _search(powers[rows], slopes[rows], groups[rows])
        return np.asarray(found * scales)


def _search(powers: FloatArray, slopes: FloatArray, groups: GroupArray) -> FloatArray:
    """Return the root of the derivative along the slopes, of size at most 1."""
    rows = np.arange(len(powers))
    found = np.zeros(len(powers))
    of_groups = np.zeros((len(groups), int(groups.max(initial=0)) + 1))
    np.put_along_axis(of_groups, groups, slopes, axis=1)
    high = np.full(len(rows), LARGEST_CHANGE)
    low = -high
    for _ in range(NEWTON_STEPS):
        if not rows.size:
            break
        here = found[rows]
        moved = elementary.exp(here[:, None] * of_groups)
        falling = 1.0 / (1.0 + powers * np.take_along_axis(moved, groups, axis=1))
        derivatives = -_sums(slopes * falling)
        low = np.where(derivatives < 0, here, low)
        high = np.where(derivatives > 0, here, high)
        newton = here - ratio(derivatives, _sums(slopes * slopes * (falling * (1.0 - falling))))
        inside = (low <= newton) & (newton <= high)
        found[rows] = np.where(inside, newton, (low + high) / 2)
        going = np.abs(found[rows] - here) > CONVERGED
        if not going.all():
            rows, low, high, of_groups = rows[going], low[going], high[going], of_groups[going]
            powers, slopes, groups = powers[going], slopes[going], groups[going]
    return found


def _sums(numbers: FloatArray) -> FloatArray:
    """Return the sum of each row, in the order that a compiled loop prefers."""
    n, m = numbers.shape
    lanes = np.zeros((n, -(-m // LANES), LANES))
    lanes.reshape(n, -1)[:, :m] = numbers
    return np.asarray(np.add.accumulate(lanes.sum(axis=1), axis=1)[:, -1])


def ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Divide two arrays of one shape; the ratio is 0 if the denominator is at most `NOTHING`."""
    return np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > NOTHING
    )
