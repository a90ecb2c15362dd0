"""EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

Let w be the weights of n examples, e_i = w_i exp(-α y_i h(x_i)) their losses, and I and J the sets
of examples that a voter classifies correctly and wrongly. Algorithm 2 minimises over voters and α

    (Σ e)² + λ Σ_{i>j} (e_i - e_j)² = (1-λ) (Σ e)² + λ n Σ e²
                                    = N_I exp(-2α) + N_J exp(2α) + 2 (1-λ) W_I W_J,

where W = Σ w, Q = Σ w² and N = (1-λ) W² + λ n Q over each set. Hence α = ¼ ln(N_I / N_J). At
α = 0 all voters have the same objective, and the minimum is lower by (√N_I - √N_J)². The voter for
which this decrease is largest is picked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import (
    TIE,
    UNITS,
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
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.voters.chains import Listing, signed_sums
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource

LAM = Hyperparameter("lam", "number", "large", "price λ of the variance", zero=True, largest=1e6)


@dataclass(frozen=True)
class EBBoost(WeightBoosting):
    """EBBoost, with hyper-parameters λ and the number of rounds; λ = 0 is AdaBoost."""

    hyperparameters = (LAM, N_ROUNDS)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield rounds that each pick the voter of least penalised loss (algorithm 2).

        A voter without error ends the run, with a weight that outweighs all others. A tanh α of at
        most `NO_EDGE` adds no weight, and ends the run unless the next round has other voters.
        """
        w, units, n = equal_weights(copies), rounding(copies), copies.sum(axis=1)
        for t in count(1):
            voters.begin(t)
            unit = np.array([unit_of_squares(largest) for largest in w.max(axis=1)])
            both = np.concatenate([units(w), units(w * w / unit[:, None])])
            W, Q = both.sum(axis=1).reshape(2, -1)
            sums, square_sums = voters.sums(both).reshape(2, len(w), -1)
            scale, form = 2.0 * n * unit, (w.shape[1], voters.complements)
            picks, tanhs = np.zeros(len(w), dtype=np.intp), np.zeros(len(w))
            for i in range(len(w)):
                terms = W[i], Q[i], sums[i], square_sums[i], scale[i], values[i]
                picks[i], tanhs[i] = least_loss(*terms, *form)
            alphas, last = steps_of(tanhs, t, voters)
            yield Round(picks, alphas, last)
            edges = sums[np.arange(len(w)), picks] / W
            right, wrong = divisors(tanhs[:, None], edges[:, None])
            w = bounded(w, w / np.where(voters.signs(picks) > 0, right, wrong))

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
    lam: float,
    n_rounds: int,
) -> Trace:
    """Return the picks of a run; `w`, the weights of one copy of each example, change in place."""
    picks, changes = [0 for _ in range(0)], [0.0 for _ in range(0)]
    n = copies.sum()
    for t in range(1, n_rounds + 1):
        unit = unit_of_squares(w.max())
        signed, W = signed_units(w, copies, whole, y)
        signed_squares, Q = signed_units(w * w / unit, copies, whole, y)
        sums = signed_sums(voters, signed, w, copies)
        square_sums = signed_sums(voters, signed_squares, w, copies)
        scale, m = 2.0 * n * unit, len(y)
        pick, tanh = least_loss(W, Q, sums, square_sums, scale, lam, m, True)
        alpha = step_of(tanh, t)
        if alpha != 0.0:
            picks.append(pick)
            changes.append(alpha)
        if alpha == 0.0 or abs(tanh) >= 1.0:
            break
        right, wrong = divisors(tanh, sums[pick] / W)
        reweight(w, voters.chains, pick, y, right, wrong)
    return np.array(picks, np.intp), np.array(changes)


@njit
def unit_of_squares(largest: float) -> float:
    """Return the power of two above the largest weight, the unit of the squares.

    So they add up to no more than the weights do.
    """
    return math.ldexp(1.0, math.frexp(largest)[1])


@njit
def least_loss(
    W: float,
    Q: float,
    sums: NDArray[Any],
    square_sums: NDArray[Any],
    scale: float,
    lam: float,
    n_examples: int,
    complements: bool,
) -> tuple[int, float]:
    """Return the voter of least penalised loss and tanh α, given sums of weights and squares."""
    roots_I = roots(W + sums, Q + square_sums, scale, lam)
    roots_J = roots(W - sums, Q - square_sums, scale, lam)
    differences = roots_I - roots_J
    if not complements:
        differences = np.maximum(differences, 0.0)
    sizes = np.abs(differences)
    # AdaBoost's tolerance, in proportion to the root of the objective at α = 0.
    spread = (scale * Q * (0.5 / UNITS**2) - 1.0) * lam
    tie = 2.0 * max(TIE, n_examples) * np.sqrt(max(spread + 1.0, 1.0))
    pick = int((sizes >= sizes.max() - tie).argmax())
    return pick, differences[pick] / (roots_I[pick] + roots_J[pick])


@njit
def roots(W: NDArray[Any], Q: NDArray[Any], scale: float, lam: float) -> FloatArray:
    """Return 2 sqrt(N) of some sets of examples, given 2W and 2Q of each.

    `scale` is 2n times the unit of Q. n Q is never below W², but rounded squares may be.
    """
    square = 1.0 * W * W
    return np.asarray(np.sqrt(np.maximum(Q * scale - square, 0.0) * lam + square))


@njit
def divisors(tanh: Any, edge: Any) -> tuple[Any, Any]:
    """Return the divisors of the weights of right and wrong examples.

    exp(-α y h) / Z is (1 - τ y h) / (1 - τ r), with τ = tanh α and the edge r. At λ = 0, where
    τ = r, these are AdaBoost's 1 ± r to the last bit.
    """
    right = 1.0 + tanh * ((1.0 - edge) / (1.0 - tanh))
    return right, 1.0 - tanh * ((1.0 + edge) / (1.0 + tanh))


EBBOOST = Registered(
    EBBoost,
    "EBBoost",
    "Shivaswamy and Jebara 2010, algorithm 2",
    {"lam": {"from": 100, "to": 0.01, "points": 5}, "n_rounds": [10, 100, 1000]},
)
