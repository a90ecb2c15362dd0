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
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.rounds import (
    FLOOR,
    NO_EDGE,
    TIE,
    Round,
    Trace,
    WeightBoosting,
    bounded,
    equal_weights,
    has_whole,
    rounding,
    step_of,
    steps_of,
    strongest,
)
from quadrepro.core.voters.chains import Chains
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource

ASLEEP = 2.0**-16
"""Examples of less weight are left out until they may have grown by the factor 2^14."""


@njit
def take_rounds(chains: Chains, signs: IntArray, weights: FloatArray, n_rounds: int) -> Trace:
    """Return the picks of a run, and the changes of their weights.

    The signed sum of each voter comes from running sums over a list. A voter has its usual value on
    all examples but some, which are stretches of the list (see `Chains`). So its sum is that of its
    usual value, less twice some differences of two running sums. Examples whose weights round to 0
    are left out of the list. It is made again before such a weight can have grown to 1/2: a round
    multiplies it by at most 1 / (1 - |r|).

    `signs` are labels times numbers of copies, `weights` the first weights of one copy, in place.
    """
    codes, first, usual, listed, heads, starts, stops, owners = chains
    n_voters, tie, positive = first[-1], np.int64(max(TIE, len(signs))), signs > 0
    awake, running = np.empty(len(listed), np.uint32), np.zeros(len(listed) + 1, np.int64)
    places, sums = np.empty(len(heads), np.uint32), np.empty(n_voters, np.int64)
    begins, ends = np.empty(len(owners), np.uint32), np.empty(len(owners), np.uint32)
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
    units, shrunk, n_awake = np.empty(len(signs), np.int64), 0.0, 0
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
        if abs(edge) > NO_EDGE:
            picks.append(pick)
            changes.append(step_of(edge, t))
        if not NO_EDGE < abs(edge) < 1.0:
            break
        chain = np.searchsorted(first, pick, side="right") - 1
        own, below = codes[chain], np.uint32(pick - first[chain])
        right, wrong = 1.0 + edge, 1.0 - edge
        for i in range(len(signs)):
            moved = weights[i] / (right if (own[i] > below) == positive[i] else wrong)
            weights[i] = moved if moved >= FLOOR else weights[i]
        shrunk *= 1.0 - abs(edge)
    return np.array(picks, np.intp), np.array(changes)


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
        copies = problem.counts[sample]
        [weights] = equal_weights(copies[None])
        if not has_whole(copies[None])[0]:
            # A fraction of a copy is an example with so much less weight.
            weights, copies = weights * copies, np.sign(copies)
        signs = (copies * problem.y).astype(np.intp)
        return take_rounds(problem.chains, signs, weights, n_rounds)


ADABOOST = Entry(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
