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
from quadrepro.core.voters.chains import Listing, signed_sums
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource


@njit
def take_rounds(
    voters: Listing, y: IntArray, copies: FloatArray, whole: bool, w: FloatArray, n_rounds: int
) -> Trace:
    """Return the picks of a run; `w`, the weights of one copy of each example, change in place."""
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
    for t in range(1, n_rounds + 1):
        signed, total = signed_units(w, copies, whole, y)
        pick, edge = strongest_of(signed_sums(voters, signed, w, copies), total, len(y))
        alpha = step_of(edge, t)
        if alpha != 0.0:
            picks.append(pick)
            changes.append(alpha)
        if alpha == 0.0 or abs(edge) >= 1.0:
            break
        reweight(w, voters.chains, pick, y, 1.0 + edge, 1.0 - edge)
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
        voters, y, copies, whole = start(problem, sample)
        [w] = equal_weights(copies[None])
        return take_rounds(voters, y, copies, whole, w, n_rounds)


ADABOOST = Entry(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
