"""EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

Let w be the weights of n examples, and e_i = w_i exp(-α y_i h(x_i)) their losses. A voter
classifies the examples of a set I correctly and of a set J wrongly. Algorithm 2 minimises over
voters and α

    (Σ e)² + λ Σ_{i>j} (e_i - e_j)² = (1-λ) (Σ e)² + λ n Σ e²
                                    = N_I exp(-2α) + N_J exp(2α) + 2 (1-λ) W_I W_J,

where W = Σ w, Q = Σ w² and N = (1-λ) W² + λ n Q over each set. Hence α = ¼ ln(N_I / N_J). At
α = 0 all voters have the same objective, and the minimum is lower by (√N_I - √N_J)². The voter for
which this decrease is largest is picked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.reweighting import (
    TIE,
    UNITS,
    Choice,
    DrawnRun,
    WeightBoosting,
    WeightedExamples,
    empty_trace,
    reweight_examples,
    start,
    step_of,
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

LAM = Hyperparameter("lam", "number", "large", "price λ of the variance", zero=True, largest=1e6)


@njit
def take_rounds(
    voters: RunningSums, examples: WeightedExamples, lam: float, n_rounds: int
) -> Trace:
    """Return the picks of a run and the changes of their weights, shape (n_rounds_taken,)."""
    weights, signs, whole = examples
    chains, usual, listed, spans, running, state = voters
    codes, first = chains.codes, chains.first
    units, sums = np.empty((2, len(weights)), np.int64), np.empty((2, len(usual)), np.int64)
    picks, alphas = empty_trace()
    for t in range(1, n_rounds + 1):
        if state[0] > MOST_GROWTH:
            list_again(voters, weights, signs)
        W, total = write_units(weights, signs, whole, units[0])
        Q, square_total = write_units(squared(weights), signs, whole, units[1])
        write_sums(units[0], total, codes, first, usual, listed, spans, running, state, sums[0])
        write_sums(
            units[1], square_total, codes, first, usual, listed, spans, running, state, sums[1]
        )
        pick, tanh = least_loss(W, Q, sums[0], sums[1], examples, lam, True)
        alpha = step_of(tanh, t)
        if alpha != 0.0:
            picks.append(pick)
            alphas.append(alpha)
        if alpha == 0.0 or abs(tanh) >= 1.0:
            break
        right, wrong = divisors(tanh, sums[0, pick] / W)
        reweight_examples(weights, signs, codes, first, pick, right, wrong, state)
    return np.array(picks, np.intp), np.array(alphas)


@njit
def squared(weights: FloatArray) -> FloatArray:
    """Return the squares of weights, in a unit above the largest weight, shape (n_examples,).

    Hence their sum is at most the sum of the weights.
    """
    return weights * weights / unit_of_squares(weights)


@njit
def unit_of_squares(weights: FloatArray) -> float:
    """Return the power of two above the largest weight of (n_examples,)."""
    return math.ldexp(1.0, math.frexp(weights.max())[1])


@njit
def least_loss(
    W: float,
    Q: float,
    sums: NDArray[Any],
    square_sums: NDArray[Any],
    examples: WeightedExamples,
    lam: float,
    complements: bool,
) -> tuple[int, float]:
    """Return the voter of least loss, and tanh α; sums of weights and squares are (n_voters,)."""
    scale = 2.0 * np.abs(examples.signs).sum() * unit_of_squares(examples.weights)
    roots_I = roots(W + sums, Q + square_sums, scale, lam)
    roots_J = roots(W - sums, Q - square_sums, scale, lam)
    differences = roots_I - roots_J
    if not complements:
        differences = np.maximum(differences, 0.0)
    sizes = np.abs(differences)
    # AdaBoost's tolerance, in proportion to the root of the objective at α = 0.
    spread = (scale * Q * (0.5 / UNITS**2) - 1.0) * lam
    tie = 2.0 * max(TIE, len(examples.weights)) * np.sqrt(max(spread + 1.0, 1.0))
    pick = int((sizes >= sizes.max() - tie).argmax())
    return pick, differences[pick] / (roots_I[pick] + roots_J[pick])


@njit
def roots(W: NDArray[Any], Q: NDArray[Any], scale: float, lam: float) -> FloatArray:
    """Return 2 sqrt(N) of one set of examples per voter, given 2W and 2Q, shape (n_voters,).

    `scale` is 2n times the unit of Q. n Q is never below W², but rounded squares may be.
    """
    square = 1.0 * W * W
    return np.asarray(np.sqrt(np.maximum(Q * scale - square, 0.0) * lam + square))


@njit
def divisors(tanh: float, edge: float) -> tuple[float, float]:
    """Return the divisors of the weights of correct and wrong examples.

    exp(-α y h) / Z is (1 - τ y h) / (1 - τ r), with τ = tanh α and the edge r. At λ = 0, where
    τ = r, these are AdaBoost's 1 ± r to the last bit.
    """
    right = 1.0 + tanh * ((1.0 - edge) / (1.0 - tanh))
    return right, 1.0 - tanh * ((1.0 + edge) / (1.0 + tanh))


@dataclass(frozen=True)
class EBBoost(WeightBoosting):
    """EBBoost, with hyper-parameters λ and the number of rounds; λ = 0 is AdaBoost.

    A voter without error ends the run, with a weight that outweighs all others. A tanh α of at most
    `NO_EDGE` adds no weight, and ends the run unless the next round has other voters.
    """

    hyperparameters = (LAM, N_ROUNDS)

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        return take_rounds(*start(problem, sample), float(value), n_rounds)

    def weights_to_sum(self, examples: WeightedExamples) -> list[WeightedExamples]:
        """Return the weights and their squares."""
        return [examples, examples._replace(weights=squared(examples.weights))]

    def choose(
        self, run: DrawnRun, t: int, sums: IntArray, totals: IntArray, complements: bool
    ) -> Choice:
        """Choose the voter of a round and its weight, see `WeightBoosting.choose`."""
        W, Q = totals
        pick, tanh = least_loss(W, Q, sums[0], sums[1], run.examples, run.value, complements)
        if abs(tanh) >= 1.0:
            return Choice(pick, step_of(tanh, t), 0.0, 0.0)
        return Choice(pick, step_of(tanh, t), *divisors(tanh, sums[0, pick] / W))


EBBOOST = Registered(
    EBBoost,
    "EBBoost",
    "Shivaswamy and Jebara 2010, algorithm 2",
    {"lam": {"from": 100, "to": 0.01, "points": 5}, "n_rounds": [10, 100, 1000]},
)
