"""Greedy descent on a quadratic risk, trajectories in turn.

The voter's weight that minimises η a² - 2 c a + 2 τ|a| + ρ a² over |a| <= bound is
clip(soft(c, τ) / (η + ρ), ±bound): all four variants of QuadBoost are special cases.
"""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.compiling import compiled
from quadrepro.core.learners.greedy.loop import TIE

MAGNITUDE = np.int64(0x7FFF_FFFF_FFFF_FFFF)
"""The bits of |x|, read as a whole number, are in the order of |x|."""

TOGETHER = 4
"""Trajectories that take rounds in turn, so that a processor works on several at a time."""


@compiled("float64(float64, float64, float64, float64, float64)")
def minimiser(c: float, eta: float, threshold: float, ridge: float, bound: float) -> float:
    """Return the weight of least risk."""
    soft = c - min(max(c, -threshold), threshold)
    return min(max(soft / (eta + ridge), -bound), bound)


@compiled(
    "void(float64[:,:,::1], int64[::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1], float64, int64[:,::1], float64[:,::1], int64[::1], boolean[::1])"
)
def add_steps(
    grams: FloatArray,
    sample_of: IntArray,
    c: FloatArray,
    votes: FloatArray,
    eta: FloatArray,
    limits: FloatArray,
    tol: float,
    picks: IntArray,
    weights: FloatArray,
    taken: IntArray,
    ended: BoolArray,
) -> None:
    """Take rounds of the additive form that pick the voter of largest |c|.

    Parameters
    ----------
    grams : ndarray of shape (n_samples, n_voters, n_voters)
        Gram matrices.
    sample_of : ndarray of shape (n_trajectories,)
        The sample of each trajectory.
    c, votes : ndarray of shape (n_trajectories, n_voters)
        Residual correlations and the vote so far; changed in place.
    eta : ndarray of shape (n_trajectories, n_voters)
        Second moments η of the voters.
    limits : ndarray of shape (n_trajectories, 3)
        τ, ρ and the bound.
    tol : float
        A change of at most this much ends the trajectory.
    picks, weights, taken, ended : ndarray
        The fields of a `Leap`, to be filled in.
    """
    n = c.shape[1]
    bits = c.view(np.int64)
    # One number, read as whole or as real.
    least = np.empty(1, np.int64)
    enough = least.view(np.float64)
    # The bits of each trajectory's largest |c|, found while c is updated.
    largest = np.empty(TOGETHER, np.int64)
    for some in range(0, len(c), TOGETHER):
        n_live, end = 1, min(some + TOGETHER, len(c))
        for r in range(some, end):
            most = np.int64(0)
            for j in range(n):
                most = max(most, bits[r, j] & MAGNITUDE)
            largest[r - some] = most
        for t in range(picks.shape[1]):
            if n_live == 0:
                break
            n_live = 0
            for r in range(some, end):  # without slices, whose references are counted
                if ended[r]:
                    continue
                least[0] = largest[r - some]
                enough[0] *= 1.0 - TIE
                wanted, pick = least[0], n
                # Without a branch, the loop runs over several numbers at a time.
                for j in range(n):
                    pick = min(pick, j if bits[r, j] & MAGNITUDE >= wanted else n)
                e = eta[r, pick] if eta[r, pick] > 0 else 1.0
                step = minimiser(c[r, pick], e, limits[r, 0], limits[r, 1], limits[r, 2])
                votes[r, pick] += step
                picks[r, t] = pick
                weights[r, t] = step
                taken[r] += step != 0.0
                if abs(step) <= tol:
                    ended[r] = True
                    continue
                n_live += 1
                sample, most = sample_of[r], np.int64(0)
                for j in range(n):
                    c[r, j] -= grams[sample, pick, j] * step
                    most = max(most, bits[r, j] & MAGNITUDE)
                largest[r - some] = most


@compiled(
    "void(float64[:,:,::1], int64[::1], float64[:,::1], float64[:,::1], float64[:,::1],"
    " float64[:,::1], float64, boolean, int64[:,::1], float64[:,::1], int64[::1], boolean[::1])"
)
def take_best_steps(
    grams: FloatArray,
    sample_of: IntArray,
    c: FloatArray,
    votes: FloatArray,
    eta: FloatArray,
    limits: FloatArray,
    tol: float,
    replace: bool,
    picks: IntArray,
    weights: FloatArray,
    taken: IntArray,
    ended: BoolArray,
) -> None:
    """Take rounds of the step that lowers the regularised risk most."""
    n = c.shape[1]
    decreases, changes = np.empty(n), np.empty(n)
    for r in range(len(c)):
        gram = grams[sample_of[r]]
        threshold, ridge, bound = limits[r]
        for t in range(picks.shape[1]):
            for j in range(n):
                e = eta[r, j]
                old = votes[r, j] if replace else 0.0
                here = c[r, j] + old * e
                new = minimiser(here, e if e > 0 else 1.0, threshold, ridge, bound)
                penalty_old = 2 * threshold * abs(old) + ridge * (old * old)
                penalty_new = 2 * threshold * abs(new) + ridge * (new * new)
                decreases[j] = (
                    e * (old * old - new * new) - 2 * here * (old - new) + penalty_old
                ) - penalty_new
                changes[j] = new - old
            largest = decreases[0]
            for j in range(1, n):
                largest = max(largest, decreases[j])
            # Rounding may leave no decrease above zero.
            largest = min(largest, largest * (1.0 - TIE))
            best = 0
            while decreases[best] < largest:
                best += 1
            step = changes[best]
            votes[r, best] += step
            picks[r, t] = best
            weights[r, t] = step
            taken[r] += step != 0.0
            if abs(step) <= tol:
                ended[r] = True
                break
            row = gram[best]
            for j in range(n):
                c[r, j] -= row[j] * step
