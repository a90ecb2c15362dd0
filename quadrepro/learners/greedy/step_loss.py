"""The loss along a step of AdaBoost_REG, and its minimiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.learners.greedy.example_weights import LARGEST_STEP, NO_EDGE

SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""Steps at which the line search evaluates the loss first; for p = 2 it may have several minima."""

RESOLUTION = 2.0**-32
"""The line search ends after a Newton step of this relative size; the error left is its square."""


@dataclass(frozen=True)
class StepLoss:
    """The loss Σ_i n_i u_i exp(-a d_i + c_i φ(a)) of a step a, where φ(a) = a A / (A + a).

    Attributes
    ----------
    units, counts, slopes, bends : ndarray of shape (n_trajectories, n_examples)
        u (whole numbers), n, d and c.
    total : ndarray of shape (n_trajectories,)
        A.
    """

    units: FloatArray
    counts: FloatArray
    slopes: FloatArray
    bends: FloatArray
    total: FloatArray

    def minimiser(self) -> FloatArray:
        """Return the a in [0, `LARGEST_STEP`] of least loss, with a relative error of 1e-13.

        The best step of `SCAN` brackets it. Within the bracket Newton's method finds where the
        rising and the falling terms of the slope balance: it is applied to the logarithm of their
        ratio, which is linear in a if C = 0.
        """
        best = self.logarithms(SCAN).argmin(axis=0)
        low, high = np.append(0.0, SCAN)[best], np.append(SCAN, LARGEST_STEP)[best + 1]
        a = SCAN[best]
        low = np.where(a < LARGEST_STEP, low, a)
        going = np.ones(len(a), dtype=bool)
        while going.any():
            rising, step = self._newton(a)
            low, high = np.where(rising, low, a), np.where(rising, a, high)
            moved = a - step
            inside = (low <= moved) & (moved <= high)
            moved = np.where(inside, moved, (low + high) / 2)
            small = np.abs(moved - a) <= RESOLUTION * moved + 2.0**-52
            # A trajectory that has converged stays, however long the others in the batch take.
            a = np.where(going, moved, a)
            going &= ~(small & inside) & (high - low > 2.0**-50 * high) & (high > NO_EDGE)
        return np.asarray(a)

    def logarithms(self, steps: FloatArray) -> FloatArray:
        """Return the logarithm of the loss at positive steps, shape (n_steps, n_trajectories)."""
        a = steps[:, None, None]
        total = self.total[:, None]
        terms = -a * self.slopes
        terms += a * total / (total + a) * self.bends
        top = terms.max(axis=2, keepdims=True, where=self.units > 0, initial=-np.inf)
        terms -= top
        # An example without a weight may lie above the top; it must not overflow.
        np.minimum(terms, 0.0, out=terms)
        np.exp(terms, out=terms)
        return np.asarray(np.log((terms * (self.counts * self.units)).sum(axis=2)) + top[:, :, 0])

    def _newton(self, a: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return whether the loss rises at `a`, and Newton's step."""
        a, total = a[:, None], self.total[:, None]
        share: FloatArray = total / (total + a)
        exponents = share * a * self.bends - a * self.slopes
        exponents -= exponents.max(axis=1, keepdims=True, where=self.units > 0, initial=-np.inf)
        terms = self.units * np.exp(np.minimum(exponents, 0.0))
        rates = share**2 * self.bends - self.slopes
        curvatures = rates**2 - 2.0 * share**2 / (total + a) * self.bends
        falling = rates < 0
        stack = np.empty((4, *terms.shape))
        np.multiply(terms, rates, out=stack[0])
        np.multiply(terms, curvatures, out=stack[1])
        np.multiply(stack[:2], falling, out=stack[2:])
        slope, curvature, fall, fall_rate = exact_sums(stack, self.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            balance = np.log1p(slope / -fall)
            rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
            return np.asarray(slope > 0), np.asarray(balance / rate)


def exact_sums(terms: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Σ n t over the last axis; neither order nor merging of equal terms changes a bit.

    The terms are split into whole multiples of a power of two, whose sum is exact, and a rest that
    is too small for its rounding error to matter.

    Parameters
    ----------
    terms : ndarray of shape (..., n_trajectories, n_examples)
        t.
    counts : ndarray of shape (n_trajectories, n_examples)
        Whole numbers n.

    Returns
    -------
    ndarray of shape (..., n_trajectories)
        The sums.
    """
    bits = 52 - np.frexp(counts.sum(axis=-1, keepdims=True))[1]
    exponents = np.frexp(np.abs(terms).max(axis=-1, keepdims=True))[1]
    scale = np.ldexp(1.0, bits - np.maximum(exponents, -900))
    rest = terms * scale
    whole = np.rint(rest)
    rest -= whole
    sums = (whole * counts).sum(axis=-1) + (rest * counts).sum(axis=-1)
    return np.asarray(sums / scale[..., 0])
