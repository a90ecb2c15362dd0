"""The losses that gradient boosting minimises, for many trajectories at once."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from quadrepro._typing import FloatArray

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
    def search(self, scores: FloatArray, directions: FloatArray, y: FloatArray) -> FloatArray:
        """Return β = argmin Q(F + β g), shape (n_trajectories,); 0 if g is 0."""


class SquaredLoss(Loss):
    """(y - F)²; y - F, half its negative gradient, serves as the direction of descent."""

    truncates_unit = False

    def mean(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean of the squared residuals."""
        return np.asarray(np.square(y - scores).mean(axis=1))

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the residuals."""
        return np.asarray(y - scores)

    def search(self, scores: FloatArray, directions: FloatArray, y: FloatArray) -> FloatArray:
        """Return <y - F, g> / <g, g>."""
        return ratio(((y - scores) * directions).sum(axis=1), (directions * directions).sum(axis=1))


class LogisticLoss(Loss):
    """log(1 + exp(-y F)), for labels -1 and +1."""

    truncates_unit = True

    def mean(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean of log(1 + exp(-y F))."""
        return np.asarray(np.logaddexp(0.0, -y * scores).mean(axis=1))

    def descent(self, scores: FloatArray, y: FloatArray) -> FloatArray:
        """Return y / (1 + exp(y F))."""
        return np.asarray(y * _falling(y * scores))

    def search(self, scores: FloatArray, directions: FloatArray, y: FloatArray) -> FloatArray:
        """Return β = argmin Q(F + β g), with |β g| at most `LARGEST_CHANGE` at every example.

        The derivative increases with β. Its root is found by Newton steps within a bracket, and by
        bisection if a step would leave the bracket.
        """
        margins, slopes = y * scores, y * directions
        least, most = slopes.min(axis=1), slopes.max(axis=1)
        scales = ratio(np.ones(len(slopes)), np.maximum(-least, most))
        # If g moves all margins the same way, the loss falls without end.
        found = np.where(least >= 0, LARGEST_CHANGE, np.where(most <= 0, -LARGEST_CHANGE, 0.0))
        rows = np.flatnonzero(found == 0)
        margins, slopes = margins[rows], slopes[rows] * scales[rows, None]
        squares = slopes * slopes
        high = np.full(len(rows), LARGEST_CHANGE)
        low = -high
        for _ in range(NEWTON_STEPS):
            if not rows.size:
                break
            here = found[rows]
            falling = _falling(margins + here[:, None] * slopes)
            derivatives = -(slopes * falling).sum(axis=1)
            low = np.where(derivatives < 0, here, low)
            high = np.where(derivatives > 0, here, high)
            falling *= 1.0 - falling
            newton = here - ratio(derivatives, (squares * falling).sum(axis=1))
            inside = (low <= newton) & (newton <= high)
            found[rows] = np.where(inside, newton, (low + high) / 2)
            going = np.abs(found[rows] - here) > CONVERGED
            if not going.all():
                rows, low, high = rows[going], low[going], high[going]
                margins, slopes, squares = margins[going], slopes[going], squares[going]
        return np.asarray(found * scales)


def ratio(numerators: FloatArray, denominators: FloatArray) -> FloatArray:
    """Divide two arrays of one shape; the ratio is 0 if the denominator is at most `NOTHING`."""
    return np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > NOTHING
    )


def _falling(margins: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(z)), with z cut at 700 so that the exponential does not overflow."""
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(margins, 700.0))))
