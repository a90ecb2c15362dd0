"""The loss along a step of AdaBoost_REG, and its minimiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro import elementary
from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.kernels import compiling
from quadrepro.learners.greedy.example_weights import LARGEST_STEP, NO_EDGE

SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""Steps at which the line search evaluates the loss first; for p = 2 it may have several minima."""

SLACK = 1e-6
"""Relative error that the bound of a logarithm may have; it is larger than any by rounding."""

RESOLUTION = 2.0**-32
"""The line search ends after a Newton step of this relative size; the error left is its square."""


@dataclass(frozen=True)
class StepLoss:
    """The loss Σ_i n_i exp(b_i - a d_i + c_i φ(a)) of a step a, where φ(a) = a A / (A + a).

    The terms are computed in proportion to the largest one, so that an example counts that is heavy
    at a even if its weight exp(b) is too small for a float.

    Attributes
    ----------
    starts, counts, slopes, bends : ndarray of shape (n_trajectories, n_examples)
        b (-inf for a weight of zero), n, d and c.
    total : ndarray of shape (n_trajectories,)
        A.
    """

    starts: FloatArray
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
        if compiling.enabled():
            from quadrepro.kernels import step_loss

            found = np.empty(len(self.total))
            terms = self.starts, self.counts, self.slopes, self.bends
            step_loss.minimisers(*terms, self.total, SCAN, SLACK, RESOLUTION, found)
            return found
        best = self.first()
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

    def logarithms(self, a: FloatArray) -> FloatArray:
        """Return the logarithm of the loss at one positive step for each trajectory."""
        terms, top = self._terms(a)
        return elementary.log(exact_sums(terms, self.counts)) + top

    def bounds(self) -> FloatArray:
        """Return what the logarithm is at least at each of `SCAN`, one row per step.

        exp is convex: the sum over examples with d > 0 is at least what it would be if they all had
        their mean exponent, and so is the sum over the others.
        """
        a = SCAN[:, None]
        share = a * self.total / (self.total + a)
        weights = self.counts * elementary.exp(self.starts)
        sides = np.full((2, len(SCAN), len(self.total)), -np.inf)
        for side, rows in zip(sides, (self.slopes > 0, self.slopes <= 0), strict=True):
            size = (weights * rows).sum(axis=1)
            slope = (weights * rows * self.slopes).sum(axis=1)
            bend = (weights * rows * self.bends).sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                rise = (share * bend - a * slope) / size
            side[:, size > 0] = (elementary.log(size) + rise)[:, size > 0]
        top = sides.max(axis=0)
        return np.asarray(top + elementary.log(elementary.exp(sides - top).sum(axis=0)))

    def first(self) -> IntArray:
        """Return the place in `SCAN` of the first step with the least loss."""
        bounds, rows = self.bounds(), np.arange(len(self.total))
        least, place = np.full(len(rows), np.inf), np.full(len(rows), len(SCAN))
        for _ in SCAN:
            k = bounds.argmin(axis=0)
            bound = bounds[k, rows]
            # The slack is for the rounding of a bound.
            if (bound - SLACK * (1.0 + np.abs(bound)) > least).all():
                break
            bounds[k, rows] = np.inf
            losses = self.logarithms(SCAN[k])
            better = (losses < least) | ((losses == least) & (k < place))
            least, place = np.where(better, losses, least), np.where(better, k, place)
        return place

    def _terms(self, a: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the terms divided by one exponential, and the logarithm of that."""
        share = a * self.total / (self.total + a)
        exponents = self.starts + (share[:, None] * self.bends - a[:, None] * self.slopes)
        top = exponents.max(axis=1)
        return elementary.exp(exponents - top[:, None]), top

    def _newton(self, a: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return whether the loss rises at `a`, and Newton's step."""
        terms, _ = self._terms(a)
        share: FloatArray = (self.total / (self.total + a))[:, None]
        square = share * share
        pull = 2.0 * square / (self.total + a)[:, None]
        rates = square * self.bends - self.slopes
        parts = np.stack([terms * rates, terms * (rates * rates - pull * self.bends)])
        parts = np.concatenate([parts, parts * (rates < 0)])
        slope, curvature, fall, fall_rate = exact_sums(parts, self.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            balance = elementary.log1p(slope / -fall)
            rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
            return np.asarray(slope > 0), np.asarray(balance / rate)


def exact_sums(terms: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Σ n t over the last axis; neither order nor merging of equal terms changes a bit.

    The terms are split into whole multiples of two powers of two, whose sums are exact. For a
    thousand examples, what is left of a term is below 2^-84 of the largest one.

    Parameters
    ----------
    terms : ndarray of shape (..., n_trajectories, n_examples)
        t.
    counts : ndarray of shape (n_trajectories, n_examples)
        Numbers n; sums are exact up to rounding of each n t if they are not whole.

    Returns
    -------
    ndarray of shape (..., n_trajectories)
        The sums.
    """
    bits = 52 - np.frexp(counts.sum(axis=-1, keepdims=True))[1]
    exponents = np.frexp(np.abs(terms).max(axis=-1, keepdims=True))[1]
    scale = np.ldexp(1.0, bits - np.maximum(exponents, -900))
    fine = np.ldexp(1.0, bits)
    rest = terms * scale
    whole = np.rint(rest)
    rest = np.rint((rest - whole) * fine)
    # Sums stay whole even if counts are not.
    sums = np.trunc(whole * counts).sum(axis=-1)
    sums += np.trunc(rest * counts).sum(axis=-1) / fine[..., 0]
    return np.asarray(sums / scale[..., 0])
