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
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.elementary import exp, log, log1p
from quadrepro.core.jit import njit
from quadrepro.core.learners.reweighting import (
    LARGEST_STEP,
    NO_EDGE,
    UNITS,
    DrawnRun,
    VoterSums,
    WeightBoosting,
    WeightedExamples,
    margins_of,
    start,
    step_of,
    strongest,
    write_units,
)
from quadrepro.core.learners.rounds import Trace, empty_trace
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.voters.drawn import RandomStumps
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.running_sums import (
    MOST_GROWTH,
    RunningSums,
    chain_of,
    is_long,
    list_again,
    write_sums,
    write_sums_by_code,
)

C = Hyperparameter("C", "number", "large", "how much influence softens a margin", zero=True)


class Softening(NamedTuple):
    """Terms of the loss of a round; all arrays change in place.

    Attributes
    ----------
    C, power : float and int
        C and p.
    total : ndarray of shape (1,)
        A.
    margins : ndarray of shape (n_examples,)
        y F; infinite for an example that the sample lacks, whose weight is always 0.
    influences, means : ndarray of shape (n_examples,)
        A μ and μ.
    loss : ndarray of shape (4, n_examples)
        b, n, d and c of `least_softened_loss`.
    """

    C: float
    power: int
    total: FloatArray
    margins: FloatArray
    influences: FloatArray
    means: FloatArray
    loss: FloatArray

    @classmethod
    def start(cls, C: float, power: int, signs: FloatArray) -> Softening:
        """Return the terms before the first round, given `Examples.signs`, shape (n_examples,)."""
        loss, influences, means = np.zeros((4, len(signs))), *np.zeros((2, len(signs)))
        margins = np.where(signs != 0, 0.0, np.inf)
        loss[0], loss[1] = -margins, np.abs(signs)
        return cls(C, power, np.zeros(1), margins, influences, means, loss)


@njit
def take_rounds(
    voters: RunningSums, examples: WeightedExamples, terms: Softening, n_rounds: int
) -> Trace:
    """Return the picks of a run and the changes of their weights, shape (n_rounds_taken,)."""
    weights, signs, whole = examples
    chains, usual, listed, spans, running, _, state = voters
    codes, first = chains.codes, chains.first
    units, by_voter = np.empty(len(weights), np.int64), np.empty((1, first[-1]), np.int64)
    sums = VoterSums(by_voter, np.empty(1, np.int64), examples, True)
    picks, alphas = empty_trace()
    for t in range(1, n_rounds + 1):
        if state[0] > MOST_GROWTH:
            list_again(voters, weights, signs)
        sums.totals[0], signed = write_units(weights, signs, whole, units)
        n_listed = int(state[1])
        if is_long(n_listed, codes):
            write_sums_by_code(units, signed, codes, first, by_voter[0])
        else:
            write_sums(units, signed, usual, listed, n_listed, spans, running, by_voter[0])
        pick, edge = strongest(sums)
        margins = np.sign(edge) * margins_of(*chain_of(codes, first, pick), signs)
        change, is_last, growth = take_step(edge, t, margins, examples, terms)
        if change != 0.0:
            picks.append(pick)
            alphas.append(change)
        if is_last:
            break
        state[0] *= growth
    return np.array(picks, np.intp), np.array(alphas)


@njit
def take_step(
    edge: float, t: int, margins: FloatArray, examples: WeightedExamples, terms: Softening
) -> tuple[float, bool, float]:
    """Reweight the examples by the best step of a picked voter with margins s, (n_examples,).

    Returns the change of the voter's weight, whether the run ends, and the largest growth of an
    example weight.
    """
    if ((margins > 0.0) | (examples.signs == 0.0)).all():
        return step_of(np.sign(edge), t), True, 1.0
    if abs(edge) <= NO_EDGE:
        return 0.0, True, 1.0
    # Weights are not rounded here: a long step may raise the weight of an example that is below one
    # unit.
    w = examples.weights / UNITS
    terms.loss[2] = margins + terms.C * (w * w if terms.power == 2 else w)
    if terms.power == 2:
        terms.loss[3] = terms.C * ((w - terms.means) * (w - terms.means))
    step = least_softened_loss(terms.loss, terms.total[0])
    if not NO_EDGE < step < LARGEST_STEP:
        return 0.0, True, 1.0
    return np.sign(edge) * step, False, soften(examples, terms, margins, step)


@njit
def soften(examples: WeightedExamples, terms: Softening, margins: FloatArray, step: float) -> float:
    """Reweight examples by a step and margins s, (n_examples,); return the largest growth."""
    weights, (C, power, total, all_margins, influences, means, loss) = examples.weights, terms
    all_margins += step * margins
    influences += step * (weights / UNITS)
    total += step
    means[:] = influences / total
    softened = all_margins + C * total * (means * means if power == 2 else means)
    loss[0] = softened.min() - softened
    terms_of_loss = np.empty_like(weights)
    for i in range(len(weights)):
        terms_of_loss[i] = exp(loss[0, i])
    scale, growth = UNITS / exact_sum(terms_of_loss, loss[1]), 0.0
    for i in range(len(weights)):
        moved = terms_of_loss[i] * scale
        growth = max(growth, moved / weights[i])
        weights[i] = moved
    return growth


SCAN = np.append(NO_EDGE, LARGEST_STEP * 2.0 ** np.arange(-20.0, 1.0))
"""First steps of the line search, as the loss may have several minima for p = 2."""

SLACK = 1e-9
"""Largest relative rounding error of the logarithm of a loss, or of a bound on it."""

RESOLUTION = 2.0**-32
"""Relative size of the Newton step that ends the line search; the error left is its square."""


@njit
def least_softened_loss(loss: FloatArray, A: float) -> float:
    """Return the step a in [0, `LARGEST_STEP`] of least loss Σ n exp(b - a d + c φ(a)).

    The first best step of `SCAN` brackets it. Steps are tried in the order of their lower bounds,
    and most are never tried. Within the bracket, Newton's method finds where the rising and the
    falling terms of the slope balance. It is applied to the logarithm of their ratio, which is
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
        log_loss = log(exact_sum(terms, n)) + top
        if log_loss < least or (log_loss == least and k < place):
            least, place = log_loss, k
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
    """Return a lower bound on the logarithm of the loss at each step of `SCAN`, (n_steps,).

    As exp is convex, a sum of terms is at least as large as with the mean exponent in each term.
    This is used twice: for the examples with d > 0, and for the others.
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
    """Write the terms exp(b - a d + c φ(a)), (n_examples,), divided by the largest; return its log.

    Hence an example that is heavy at a counts even if its weight exp(b) is too small for a float.
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
    """Return Σ n t over (n_examples,); neither order nor merging of equal terms changes a bit.

    Each term is split into whole multiples of two powers of two, whose sums are exact. For a
    thousand examples, the remainder of a term is below 2^-84 of the largest term. For counts that
    are not whole, the sum is exact up to the rounding of each n t.
    """
    # Without the sign, the bits of floats have the order of the floats, and compare faster.
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


@dataclass(frozen=True)
class AdaBoostReg(WeightBoosting):
    """AdaBoost_REG, with hyper-parameters C and the number of rounds; C = 0 is AdaBoost.

    A larger C softens margins more and gives the simpler vote, so a grid starts with it.

    A voter without error ends the run, with a weight that outweighs all others. An edge of at most
    `NO_EDGE` adds no weight, and ends the run unless the next round has other voters. An α of at
    most `NO_EDGE` or at least `LARGEST_STEP` for a larger edge ends the run without a weight.
    """

    power: Literal[1, 2] = 2
    """p, the power to which influences are raised."""

    hyperparameters = (C, N_ROUNDS)

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        voters, examples = start(problem, sample)
        terms = Softening.start(float(value), self.power, examples.signs)
        return take_rounds(voters, examples, terms, n_rounds)

    def begin(self, examples: WeightedExamples, value: float) -> DrawnRun:
        """Return a run with the terms of its loss."""
        return DrawnRun(examples, value, Softening.start(float(value), self.power, examples.signs))

    def take_round(
        self, run: DrawnRun, t: int, sums: VoterSums, stumps: RandomStumps
    ) -> tuple[int, float, bool]:
        """Take a round over drawn stumps, see `WeightBoosting.take_round`."""
        examples, _, terms = run
        pick, edge = strongest(sums)
        codes, cut = stumps.codes[stumps.attributes[pick]], stumps.cuts[pick]
        margins = np.sign(edge) * stumps.turns[pick] * margins_of(codes, cut, examples.signs)
        change, is_last, _ = take_step(edge, t, margins, examples, terms)
        if change == 0.0 and abs(edge) <= NO_EDGE:
            is_last = not stumps.redraws
        return pick, change, is_last


GRID = {"C": {"from": 1e5, "to": 10, "points": 5}, "n_rounds": [10, 100, 1000]}
ABR = Registered(AdaBoostReg, "AdaBoost_REG", "Raetsch, Onoda and Mueller 2001", GRID)
