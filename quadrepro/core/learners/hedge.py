"""Boosting by experts: multiplicative weights and an unweighted vote (lecture, section 3).

Every training example is an expert. Its cost is 1 in a round whose voter classifies it correctly,
else 0. The lecture's inequality Σ p ℓ >= 1/2 + γ needs this, although its definition of ℓ exchanges
right and wrong. Multiplicative weights, which the lecture does not define, multiplies the weight
of an expert by (1-η)^cost. For η <= 1/2 the regret is at most η T + ln(m)/η, which is the lecture's
2 sqrt(T ln m) at η = sqrt(ln(m)/T).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from math import sqrt

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.elementary import log
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    NO_EDGE,
    Round,
    Trace,
    WeightBoosting,
    bounded,
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

LARGEST_RATE = 0.5
"""The regret bound holds for rates up to this one."""

ETA = Hyperparameter(
    "eta", "number", "small", "rate η of the example weights", largest=LARGEST_RATE
)


@dataclass(frozen=True)
class HedgeBoost(WeightBoosting):
    """Boosting by experts, with hyper-parameters η and the number of rounds.

    Equal voters may be merged, because the one of lowest index is picked, and so may equal
    examples, because their experts have the same costs and the same weights.
    """

    hyperparameters = (ETA, N_ROUNDS)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield rounds that each give one vote to the voter of least weighted error.

        That of a complement is -1. An edge of at most `NO_EDGE` ends the run without a vote, unless
        the next round has other voters. A voter without error does not end it: the majority vote is
        over all rounds.
        """
        w, units, eta = equal_weights(copies), rounding(copies), values[:, None]
        for t in count(1):
            voters.begin(t)
            picks, edges = strongest(voters, units(w))
            idle = np.abs(edges) <= NO_EDGE
            votes = np.where(idle, 0.0, np.sign(edges))
            yield Round(picks, votes, idle & (not voters.redraws))
            # Divided by the mean of (1-η)^cost: an expected cost is 1 - ε, or 1/2 + |r|/2.
            rate = np.where(idle[:, None], 0.0, eta)
            total = 1.0 - rate * (0.5 + 0.5 * np.abs(edges[:, None]))
            right = voters.signs(picks) == votes[:, None]
            w = bounded(w, w * np.where(right, (1.0 - rate) / total, 1.0 / total))

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        voters, y, copies, whole = start(problem, sample)
        [w] = equal_weights(copies[None])
        return take_rounds(voters, y, copies, whole, w, float(value), n_rounds)


@njit
def take_rounds(
    voters: Listing,
    y: IntArray,
    copies: FloatArray,
    whole: bool,
    w: FloatArray,
    eta: float,
    n_rounds: int,
) -> Trace:
    """Return the picks of a run; `w`, the weights of one copy of each example, change in place."""
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
    for _ in range(n_rounds):
        signed, units = signed_units(w, copies, whole, y)
        pick, edge = strongest_of(signed_sums(voters, signed, w, copies), units, len(y))
        if abs(edge) <= NO_EDGE:
            break
        vote = np.sign(edge)
        picks.append(pick)
        changes.append(vote)
        total = 1.0 - eta * (0.5 + 0.5 * abs(edge))
        right = margins_of(voters.chains, pick, y) == vote
        w[:] = bounded(w, w * np.where(right, (1.0 - eta) / total, 1.0 / total))
    return np.array(picks, np.intp), np.array(changes)


def experts_rate(n_rounds: int, m: float) -> float:
    """Return η = sqrt(ln(m)/T), or 1/2 if that is less: the rate of the lecture's regret bound.

    The bound is 2 sqrt(T ln m); if T < 4 ln m, it holds at any rate.
    """
    return min(LARGEST_RATE, sqrt(log(m) / n_rounds))


HEDGE = Registered(
    HedgeBoost,
    "Experts' vote",
    "lecture, section 3",
    {"eta": [0.01, 0.03, 0.1, 0.3], "n_rounds": [10, 100, 1000]},
)
