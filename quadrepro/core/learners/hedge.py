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

from quadrepro.base.types import IntArray
from quadrepro.core.elementary import log
from quadrepro.core.jit import njit
from quadrepro.core.learners.reweighting import (
    NO_EDGE,
    Choice,
    DrawnRun,
    WeightBoosting,
    WeightedExamples,
    empty_trace,
    reweight_examples,
    start,
    strongest,
    write_units,
)
from quadrepro.core.learners.rounds import Trace
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.running_sums import (
    MOST_GROWTH,
    RunningSums,
    list_again,
    write_sums,
)

LARGEST_RATE = 0.5
"""Largest rate for which the regret bound holds."""

ETA = Hyperparameter(
    "eta", "number", "small", "rate η of the example weights", largest=LARGEST_RATE
)


@njit
def take_rounds(
    voters: RunningSums, examples: WeightedExamples, eta: float, n_rounds: int
) -> Trace:
    """Return the picks of a run and their votes, shape (n_rounds_taken,)."""
    weights, signs, whole = examples
    chains, usual, listed, spans, running, state = voters
    codes, first = chains.codes, chains.first
    units, sums = np.empty(len(weights), np.int64), np.empty(len(usual), np.int64)
    picks, votes = empty_trace()
    for _ in range(n_rounds):
        if state[0] > MOST_GROWTH:
            list_again(voters, weights, signs)
        size, total = write_units(weights, signs, whole, units)
        write_sums(units, total, codes, first, usual, listed, spans, running, state, sums)
        pick, edge = strongest(sums, size, len(units))
        if abs(edge) <= NO_EDGE:
            break
        picks.append(pick)
        votes.append(np.sign(edge))
        right, wrong = divisors(edge, eta)
        reweight_examples(weights, signs, codes, first, pick, right, wrong, state)
    return np.array(picks, np.intp), np.array(votes)


@njit
def divisors(edge: float, eta: float) -> tuple[float, float]:
    """Return the divisors of the weights of examples that the voter classifies right, and wrong.

    Examples have cost 1 where the picked voter, or its complement, is right. Weights are multiplied
    by (1-η)^cost and divided by the mean of this factor; the expected cost is 1/2 + |r|/2.
    """
    mean = 1.0 - eta * (0.5 + 0.5 * abs(edge))
    right, wrong = mean / (1.0 - eta), mean
    return (right, wrong) if edge > 0.0 else (wrong, right)


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

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        return take_rounds(*start(problem, sample), float(value), n_rounds)

    def choose(
        self, run: DrawnRun, t: int, sums: IntArray, totals: IntArray, complements: bool
    ) -> Choice:
        """Choose the voter of a round and its vote, see `WeightBoosting.choose`."""
        sums = sums if complements else np.maximum(sums, 0)
        pick, edge = strongest(sums[0], totals[0], len(run.examples.weights))
        vote = 0.0 if abs(edge) <= NO_EDGE else float(np.sign(edge))
        return Choice(pick, vote, *divisors(edge, run.value))


def experts_rate(n_rounds: int, m: float) -> float:
    """Return η = sqrt(ln(m)/T), at most 1/2: the rate of the lecture's regret bound.

    The bound is 2 sqrt(T ln m); if T < 4 ln m, it holds at any rate.
    """
    return min(LARGEST_RATE, sqrt(log(m) / n_rounds))


HEDGE = Registered(
    HedgeBoost,
    "Experts' vote",
    "lecture, section 3",
    {"eta": [0.01, 0.03, 0.1, 0.3], "n_rounds": [10, 100, 1000]},
)
