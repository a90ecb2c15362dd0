"""AdaBoost_REG: margins softened by each example's influence (Rätsch, Onoda and Müller 2001).

Let A = Σ α over the rounds so far. The influence μ_i = Σ α_r w_r(i) / A of an example is its mean
weight over these rounds. In each round AdaBoost_REG picks AdaBoost's voter and minimises over α ≥ 0

    Σ_i exp{-A (ρ_i + C μ_i^p)},    ρ_i = y_i F(x_i) / A,

so that an example that is always hard may keep a small margin. The weights w are the terms of the
sum. A step a multiplies the term of example i by exp(-a d_i + c_i φ(a)), where φ(a) = a A / (A + a)
and, with s_i = +1 if the voter classifies the example correctly, else -1,

    p = 1:  d = s + C w,   c = 0;        p = 2:  d = s + C w²,   c = C (w - μ)².
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.elementary import exp, exp_each, log, log1p
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    LARGEST_STEP,
    NO_EDGE,
    UNITS,
    Round,
    Trace,
    WeightBoosting,
    equal_weights,
    rounding,
    signed_units,
    start,
    strongest,
    strongest_of,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.voters.chains import Listing, margins_of, signed_sums
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource

C = Hyperparameter("C", "number", "large", "how much influence softens a margin", zero=True)


@dataclass(frozen=True)
class AdaBoostReg(WeightBoosting):
    """AdaBoost_REG, with hyper-parameters C and the number of rounds; C = 0 is AdaBoost.

    A larger C softens margins more and gives the simpler vote, so it comes first in a grid.
    """

    power: Literal[1, 2] = 2
    """p, the power to which influences are raised."""

    hyperparameters = (C, N_ROUNDS)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield rounds with AdaBoost's voter and the α ≥ 0 of least softened loss.

        A voter without error ends the run, with a weight that outweighs all others. An edge of at
        most `NO_EDGE` adds no weight, and ends the run unless the next round has other voters. An α
        of at most `NO_EDGE` or at least `LARGEST_STEP` for a larger edge ends the run without a
        weight.
        """
        units, sample, soft = rounding(copies), copies > 0, values[:, None]
        weights, A = equal_weights(copies), np.zeros((len(copies), 1))
        # An example that the sample lacks has an infinite margin, so that its weight is always 0.
        margins, influences = np.where(sample, 0.0, np.inf), np.zeros_like(weights)
        logarithms = -margins
        for t in count(1):
            voters.begin(t)
            picks, edges = strongest(voters, units(weights))
            signs = np.sign(edges)[:, None] * voters.signs(picks)
            # A long step may make an example heavy that is too light for whole units, so weights
            # are not rounded here.
            w, means = weights / UNITS, influences / np.where(A > 0, A, 1.0)
            bends = soft * (w - means) ** 2 if self.power == 2 else np.zeros_like(w)
            losses = np.stack([logarithms, copies, signs + soft * w**self.power, bends], axis=1)
            found = [least_loss(*loss) for loss in zip(losses, A[:, 0].tolist(), strict=True)]
            idle, decided = np.abs(edges) <= NO_EDGE, ~((signs <= 0.0) & sample).any(axis=1)
            endless = (np.array(found) <= NO_EDGE) | (np.array(found) >= LARGEST_STEP)
            last = decided | np.where(idle, not voters.redraws, endless)
            steps = np.where(idle | last, 0.0, found)
            alphas = np.where(decided, 1.0 if t == 1 else LARGEST_STEP * t, steps)
            yield Round(picks, np.sign(edges) * alphas, last)
            margins += steps[:, None] * signs
            influences += steps[:, None] * w
            A += steps[:, None]
            means = influences / np.where(A > 0, A, 1.0)
            softened = margins + soft * A * means**self.power
            logarithms = softened.min(axis=1, keepdims=True) - softened
            weights = exp_each(logarithms)
            sums = [exact_sum(*row) for row in zip(weights, copies, strict=True)]
            weights *= UNITS / np.array(sums)[:, None]

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        voters, y, copies, whole = start(problem, sample)
        [weights] = equal_weights(copies[None])
        form = float(value), self.power, n_rounds
        return take_rounds(voters, y, copies, whole, weights, *form)


@njit
def take_rounds(
    voters: Listing,
    y: IntArray,
    copies: FloatArray,
    whole: bool,
    weights: FloatArray,
    C: float,
    power: int,
    n_rounds: int,
) -> Trace:
    """Return the picks of a run; the weights of one copy of each example change in place."""
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
    A, means = 0.0, np.zeros(len(y))
    margins, influences = np.where(copies > 0, 0.0, np.inf), np.zeros(len(y))
    loss = np.zeros((4, len(y)))  # b, n, d and c of `least_loss`
    loss[0], loss[1] = -margins, copies
    for t in range(1, n_rounds + 1):
        signed, total = signed_units(weights, copies, whole, y)
        pick, edge = strongest_of(signed_sums(voters, signed, weights, copies), total, len(y))
        signs = np.sign(edge) * margins_of(voters.chains, pick, y)
        if ((signs > 0.0) | (copies == 0.0)).all():
            picks.append(pick)
            changes.append(np.sign(edge) * (1.0 if t == 1 else LARGEST_STEP * t))
            break
        w = weights / UNITS
        loss[2] = signs + C * (w * w if power == 2 else w)
        if power == 2:
            loss[3] = C * ((w - means) * (w - means))
        step = least_loss(loss, A) if abs(edge) > NO_EDGE else 0.0
        if not NO_EDGE < step < LARGEST_STEP:
            break
        picks.append(pick)
        changes.append(np.sign(edge) * step)
        margins += step * signs
        influences += step * w
        A += step
        means = influences / A
        softened = margins + C * A * (means * means if power == 2 else means)
        loss[0] = softened.min() - softened
        for i in range(len(y)):
            weights[i] = exp(loss[0, i])
        weights *= UNITS / exact_sum(weights, copies)
    return np.array(picks, np.intp), np.array(changes)


SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""Steps at which the line search evaluates the loss first; for p = 2 it may have several minima."""

SLACK = 1e-9
"""Rounding changes the logarithm of a loss, or a bound of it, by less than this share."""

RESOLUTION = 2.0**-32
"""The line search ends after a Newton step of this relative size; the error left is its square."""


@njit
def least_loss(loss: FloatArray, A: float) -> float:
    """Return the step a in [0, `LARGEST_STEP`] of least loss Σ n exp(b - a d + c φ(a)).

    The best step of `SCAN`, the first of several, brackets it. Those of lowest bound are tried
    first, and most are never tried. Within the bracket Newton's method finds where the rising and
    the falling terms of the slope balance: it is applied to the logarithm of their ratio, which is
    linear in a if C = 0. The relative error is 1e-13.

    Parameters
    ----------
    loss : ndarray of shape (4, n_examples)
        b (-inf for a weight of 0), n, d and c.
    A : float
        Σ α so far.
    """
    _, n, d, c = loss
    terms, parts = np.empty(len(n)), np.empty((4, len(n)))
    least, place, end = np.inf, 0, len(SCAN) - 1
    bounds = lower_bounds(loss, A)
    for k in bounds.argsort():
        if bounds[k] - SLACK * (1.0 + abs(bounds[k])) > least:
            break
        top = write_terms(loss, A, SCAN[k], terms)
        found = log(exact_sum(terms, n)) + top
        if found < least or (found == least and k < place):
            least, place = found, k
    a = float(SCAN[place])
    low, high = SCAN[place - 1] if place > 0 else 0.0, SCAN[min(place + 1, end)]
    if place == end:
        low = a
    going = True
    while going:
        write_terms(loss, A, a, terms)
        square = A / (A + a) * (A / (A + a))
        for i in range(len(n)):
            rate = square * c[i] - d[i]
            falls = 1.0 if rate < 0 else 0.0
            parts[0, i] = terms[i] * rate
            parts[1, i] = terms[i] * (rate * rate - 2.0 * square / (A + a) * c[i])
            parts[2, i] = parts[0, i] * falls
            parts[3, i] = parts[1, i] * falls
        slope, curvature = exact_sum(parts[0], n), exact_sum(parts[1], n)
        fall, fall_rate = exact_sum(parts[2], n), exact_sum(parts[3], n)
        if slope > 0:
            high = a
        else:
            low = a
        rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
        moved = a - log1p(slope / -fall) / rate
        inside = low <= moved <= high
        if not inside:
            moved = (low + high) / 2
        small = abs(moved - a) <= RESOLUTION * moved + 2.0**-52
        a = moved
        going = not (small and inside) and high - low > 2.0**-50 * high and high > NO_EDGE
    return a


@njit
def lower_bounds(loss: FloatArray, A: float) -> FloatArray:
    """Return what the logarithm of the loss is at least at each step of `SCAN`.

    exp is convex: terms add up to no less than if each had the mean of their exponents. That is
    used for the examples with d > 0, and for the others.
    """
    b, n, d, c = loss
    weights, falls, rises = np.zeros(2), np.zeros(2), np.zeros(2)
    for i in range(len(b)):
        side, weight = int(d[i] > 0), n[i] * exp(b[i])
        weights[side] += weight
        falls[side] += weight * d[i]
        rises[side] += weight * c[i]
    bounds = np.zeros(len(SCAN))
    for k in range(len(SCAN)):
        share = SCAN[k] * A / (A + SCAN[k])
        for side in range(2):
            if weights[side] > 0:
                mean = (share * rises[side] - SCAN[k] * falls[side]) / weights[side]
                bounds[k] += weights[side] * exp(mean)
        bounds[k] = log(bounds[k])
    return bounds


@njit
def write_terms(loss: FloatArray, A: float, a: float, out: FloatArray) -> float:
    """Write the terms exp(b - a d + c φ(a)), and return the logarithm that they are divided by.

    They are in proportion to the largest one, so that an example counts that is heavy at a even if
    its weight exp(b) is too small for a float.
    """
    b, _, d, c = loss
    share, top = a * A / (A + a), -np.inf
    for i in range(len(out)):
        out[i] = b[i] + (share * c[i] - a * d[i])
        top = max(top, out[i])
    for i in range(len(out)):
        out[i] = exp(out[i] - top)
    return top


@njit
def exact_sum(terms: FloatArray, counts: FloatArray) -> float:
    """Return Σ n t; neither order nor merging of equal terms changes a bit.

    The terms are split into whole multiples of two powers of two, whose sums are exact. For a
    thousand examples, what is left of a term is below 2^-84 of the largest one. For counts that
    are not whole, the sum is exact up to rounding of each n t.
    """
    # Bits of floats without their signs are ordered as the floats are, and compared faster.
    sizes, largest = terms.view(np.int64), 0
    for i in range(len(terms)):
        largest = max(largest, sizes[i] & 0x7FFFFFFFFFFFFFFF)
    bits = 52 - math.frexp(counts.sum())[1]
    exponent = max(int(largest >> 52) - 1022, -900)
    scale, fine = math.ldexp(1.0, bits - exponent), math.ldexp(1.0, bits)
    whole, rest = np.int64(0), np.int64(0)
    for i in range(len(terms)):
        scaled = terms[i] * scale
        rounded = np.rint(scaled)
        whole += np.int64(rounded * counts[i])
        rest += np.int64(np.rint((scaled - rounded) * fine) * counts[i])
    return (whole + rest / fine) / scale


ABR = Registered(
    AdaBoostReg,
    "AdaBoost_REG",
    "Raetsch, Onoda and Mueller 2001",
    {"C": {"from": 1e5, "to": 10, "points": 5}, "n_rounds": [10, 100, 1000]},
)
