"""AdaBoost (Freund and Schapire 1997; lecture, section 4).

A round picks the voter h, or its complement, of least weighted error ε under the example weights w.
Its edge is r = Σ w y h / Σ w = 1 - 2ε, and its weight is

    α = ½ ln((1-ε)/ε) = artanh r.

Each example weight is multiplied by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + r y h). A
voter without error ends the run, with a weight that outweighs all others. An edge of at most
`NO_EDGE` adds no weight, and ends the run unless the next round has other voters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.reweighting import (
    Choice,
    DrawnRun,
    WeightBoosting,
    WeightedExamples,
    empty_trace,
    reweight_examples,
    start,
    step_of,
    strongest,
    write_units,
)
from quadrepro.core.learners.rounds import Trace
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.running_sums import (
    MOST_GROWTH,
    RunningSums,
    list_again,
    write_sums,
)


@njit
def take_rounds(voters: RunningSums, examples: WeightedExamples, n_rounds: int) -> Trace:
    """Return the picks of a run and the changes of their weights, shape (n_rounds_taken,)."""
    weights, signs, whole = examples
    chains, usual, listed, spans, running, state = voters
    codes, first = chains.codes, chains.first
    units, sums = np.empty(len(weights), np.int64), np.empty(len(usual), np.int64)
    picks, alphas = empty_trace()
    for t in range(1, n_rounds + 1):
        if state[0] > MOST_GROWTH:
            list_again(voters, weights, signs)
        size, total = write_units(weights, signs, whole, units)
        write_sums(units, total, codes, first, usual, listed, spans, running, state, sums)
        pick, edge = strongest(sums, size, len(units))
        alpha = step_of(edge, t)
        if alpha != 0.0:
            picks.append(pick)
            alphas.append(alpha)
        if alpha == 0.0 or abs(edge) >= 1.0:
            break
        reweight_examples(weights, signs, codes, first, pick, 1.0 + edge, 1.0 - edge, state)
    return np.array(picks, np.intp), np.array(alphas)


@dataclass(frozen=True)
class AdaBoost(WeightBoosting):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    hyperparameters = (N_ROUNDS,)

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        return take_rounds(*start(problem, sample), n_rounds)

    def choose(
        self, run: DrawnRun, t: int, sums: IntArray, totals: IntArray, complements: bool
    ) -> Choice:
        """Choose the voter of a round and its weight, see `WeightBoosting.choose`."""
        sums = sums if complements else np.maximum(sums, 0)
        pick, edge = strongest(sums[0], totals[0], len(run.examples.weights))
        return Choice(pick, step_of(edge, t), 1.0 + edge, 1.0 - edge)


ADABOOST = Registered(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
