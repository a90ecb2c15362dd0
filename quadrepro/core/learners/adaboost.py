"""AdaBoost (Freund and Schapire 1997; lecture, section 4).

A round picks the voter h, or its complement, of least weighted error ε under the example weights w.
Its edge is r = Σ w y h / Σ w = 1 - 2ε, and its weight is

    α = ½ ln((1-ε)/ε) = artanh r.

Each weight is multiplied by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + r y h). A voter
without error ends the run, with a weight that outweighs all others. An edge of at most `NO_EDGE`
adds no weight, and ends the run unless the next round has other voters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    FLOOR,
    NO_EDGE,
    TIE,
    Round,
    Trace,
    WeightBoosting,
    bounded,
    equal_weights,
    reweight,
    rounding,
    signed_units,
    start,
    step_of,
    steps_of,
    strongest,
    strongest_of,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS
from quadrepro.core.voters.chains import ASLEEP, CACHED, Chains, Listing, signed_sums
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource


@njit
def take_rounds(
    voters: Listing, y: IntArray, copies: FloatArray, whole: bool, w: FloatArray, n_rounds: int
) -> Trace:
    """Return the picks of a run; `w`, the weights of one copy of each example, change in place."""
    picks, changes, n = np.empty(64, np.intp), np.empty(64), 0
    for t in range(1, n_rounds + 1):
        signed, total = signed_units(w, copies, whole, y)
        pick, edge = strongest_of(signed_sums(voters, signed, w, copies), total, len(y))
        alpha = step_of(edge, t)
        if n == len(picks):
            picks, changes = np.append(picks, picks), np.append(changes, changes)
        picks[n], changes[n] = pick, alpha
        n += alpha != 0.0
        if alpha == 0.0 or abs(edge) >= 1.0:
            break
        reweight(w, voters.chains, pick, y, 1.0 + edge, 1.0 - edge)
    return picks[:n], changes[:n]


@njit
def take_rounds_of_few(
    chains: Chains, signs: IntArray, weights: FloatArray, n_rounds: int
) -> Trace:
    """Take the rounds of `take_rounds` in one loop without calls, faster for few examples.

    `signs` are labels times numbers of copies, `weights` the first weights of one copy, in place.
    """
    codes, first, usual, listed, heads, starts, stops, owners = chains
    n_voters, tie, positive = first[-1], np.int64(max(TIE, len(signs))), signs > 0
    awake, running = np.empty(len(listed), np.uint32), np.zeros(len(listed) + 1, np.int64)
    places, sums = np.empty(len(heads), np.uint32), np.empty(n_voters, np.int64)
    begins, ends = np.empty(len(owners), np.uint32), np.empty(len(owners), np.uint32)
    picks, changes = np.empty(64, np.intp), np.empty(64)
    units, shrunk, n_awake, n_taken = np.empty(len(signs), np.int64), 0.0, 0, 0
    for t in range(1, n_rounds + 1):
        if shrunk < 4.0 * ASLEEP:
            shrunk, n_awake = 1.0, 0
            for code in range(len(heads) - 1):
                places[code] = n_awake
                for i in listed[heads[code] : heads[code + 1]]:
                    awake[n_awake] = i
                    n_awake += weights[i] >= ASLEEP
            places[-1] = n_awake
            for k in range(len(owners)):
                begins[k], ends[k] = places[starts[k]], places[stops[k]]
        for i in range(len(signs)):
            units[i] = np.int64(np.rint(weights[i])) * signs[i]
        total, size = 0, 0
        for i in range(len(signs)):
            total += units[i]
            size += abs(units[i])
        so_far = 0
        for k in range(n_awake):
            so_far += units[awake[k]]
            running[k + 1] = so_far
        sums[:] = total
        for k in range(len(owners)):
            sums[owners[k]] -= 2 * (running[ends[k]] - running[begins[k]])
        largest = 0
        for j in range(n_voters):
            largest = max(largest, abs(sums[j]))
        pick = 0
        while abs(sums[pick]) < largest - tie:
            pick += 1
        edge = usual[pick] * sums[pick] / size
        if t > len(picks):
            picks, changes = np.append(picks, picks), np.append(changes, changes)
        picks[t - 1], changes[t - 1] = pick, step_of(edge, t)
        n_taken += abs(edge) > NO_EDGE
        if not NO_EDGE < abs(edge) < 1.0:
            break
        chain = np.searchsorted(first, pick, side="right") - 1
        own, below = codes[chain], np.uint32(pick - first[chain])
        right, wrong = 1.0 + edge, 1.0 - edge
        for i in range(len(signs)):
            moved = weights[i] / (right if (own[i] > below) == positive[i] else wrong)
            weights[i] = moved if moved >= FLOOR else weights[i]
        shrunk *= 1.0 - abs(edge)
    return picks[:n_taken], changes[:n_taken]


@dataclass(frozen=True)
class AdaBoost(WeightBoosting):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    hyperparameters = (N_ROUNDS,)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield the rounds, see `WeightBoosting.boost`."""
        w, units = equal_weights(copies), rounding(copies)
        for t in count(1):
            voters.begin(t)
            picks, edges = strongest(voters, units(w))
            alphas, last = steps_of(edges, t, voters)
            yield Round(picks, alphas, last)
            w = bounded(w, w / (1.0 + edges[:, None] * voters.signs(picks)))

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        voters, y, copies, whole = start(problem, sample)
        [w] = equal_weights(copies[None])
        if len(y) <= CACHED:
            # A fraction of a copy is an example with so much less weight.
            w, copies = (w, copies) if whole else (w * copies, np.sign(copies))
            # Comparing numbers of 32 bits is faster here.
            chains = problem.chains._replace(codes=problem.chains.codes.astype(np.uint32))
            return take_rounds_of_few(chains, (copies * y).astype(np.int64), w, n_rounds)
        return take_rounds(voters, y, copies, whole, w, n_rounds)


ADABOOST = Registered(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
