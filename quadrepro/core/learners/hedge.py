"""Boosting by experts: multiplicative weights and an unweighted vote (lecture, section 3).

Every training example is an expert. Its cost is 1 in a round whose voter classifies it correctly,
else 0. The lecture's inequality Σ p ℓ >= 1/2 + γ needs this, although its definition of ℓ exchanges
right and wrong. The lecture does not define the algorithm of multiplicative weights, which
multiplies the weight of an expert by (1-η)^cost. For η <= 1/2 the regret is at most
η T + ln(m)/η, which is the lecture's 2 sqrt(T ln m) at η = sqrt(ln(m)/T).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from quadrepro.core.elementary import log
from quadrepro.core.jit import inlined
from quadrepro.core.learners.reweighting import (
    NO_EDGE,
    VoterSums,
    WeightBoosting,
    boosting_loop,
    strongest,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter

LARGEST_RATE = 0.5
"""Largest rate for which the regret bound holds."""

ETA = Hyperparameter(
    "eta", "number", "small", "rate η of the example weights", largest=LARGEST_RATE
)


@inlined
def choose(sums: VoterSums, eta: float, t: int) -> tuple[int, float, float, float]:
    """Return the voter of least error, its vote of ±1, and the divisors of weights, see `Choose`.

    Examples have cost 1 where the picked voter, or its complement, is right. Weights are multiplied
    by (1-η)^cost and divided by the mean of this factor; the expected cost is 1/2 + |r|/2.
    """
    pick, edge = strongest(sums)
    mean = 1.0 - eta * (0.5 + 0.5 * abs(edge))
    vote = np.sign(edge) if abs(edge) > NO_EDGE else 0.0
    if edge > 0.0:
        return pick, vote, mean / (1.0 - eta), mean
    return pick, vote, mean, mean / (1.0 - eta)


@dataclass(frozen=True)
class HedgeBoost(WeightBoosting):
    """Boosting by experts, with hyper-parameters η and the number of rounds.

    Every round gives one vote to the voter of least weighted error; a complement's vote is -1. An
    edge of at most `NO_EDGE` ends the run without a vote, unless the next round has other voters. A
    voter without error does not end it: the majority vote is over all rounds.

    Equal voters may be merged, because the voter of lowest index is picked. Equal examples may be
    merged, because their experts have the same costs and weights.
    """

    hyperparameters = (ETA, N_ROUNDS)
    choose, take_rounds = staticmethod(choose), staticmethod(boosting_loop(choose))


def experts_rate(n_rounds: int, m: float) -> float:
    """Return η = sqrt(ln(m)/T), at most 1/2: the rate of the lecture's regret bound.

    The bound is 2 sqrt(T ln m); if T < 4 ln m, it holds at any rate.
    """
    return min(LARGEST_RATE, sqrt(log(m) / n_rounds))


GRID = {"eta": [0.01, 0.03, 0.1, 0.3], "n_rounds": [10, 100, 1000]}
HEDGE = Registered(HedgeBoost, "Experts' vote", "lecture, section 3", GRID)
