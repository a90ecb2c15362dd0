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

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.reweighting import (
    TIE,
    UNITS,
    VoterSums,
    WeightBoosting,
    boosting_loop,
    step_of,
    unit_of_squares,
)
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import N_ROUNDS, Hyperparameter

LAM = Hyperparameter("lam", "number", "large", "price λ of the variance", zero=True, largest=1e6)


@njit
def choose(sums: VoterSums, lam: float, t: int) -> tuple[int, float, float, float]:
    """Return the voter of least loss, α, and the divisors of weights, see `Choose`."""
    W, Q, weights = sums.totals[0], sums.totals[1], sums.examples.weights
    scale = 2.0 * np.abs(sums.examples.signs).sum() * unit_of_squares(weights)
    roots_I = roots(W + sums.by_voter[0], Q + sums.by_voter[1], scale, lam)
    roots_J = roots(W - sums.by_voter[0], Q - sums.by_voter[1], scale, lam)
    differences = roots_I - roots_J
    if not sums.complements:
        differences = np.maximum(differences, 0.0)
    sizes = np.abs(differences)
    # AdaBoost's tolerance, in proportion to the root of the objective at α = 0.
    spread = (scale * Q * (0.5 / UNITS**2) - 1.0) * lam
    tie = 2.0 * max(TIE, len(weights)) * np.sqrt(max(spread + 1.0, 1.0))
    pick = int((sizes >= sizes.max() - tie).argmax())
    tanh = differences[pick] / (roots_I[pick] + roots_J[pick])
    if abs(tanh) >= 1.0:
        return pick, step_of(tanh, t), 0.0, 0.0
    right, wrong = divisors(tanh, sums.by_voter[0, pick] / W)
    return pick, step_of(tanh, t), right, wrong


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
    n_powers = 2
    choose, take_rounds = staticmethod(choose), staticmethod(boosting_loop(choose, n_powers))


GRID = {"lam": {"from": 100, "to": 0.01, "points": 5}, "n_rounds": [10, 100, 1000]}
EBBOOST = Registered(EBBoost, "EBBoost", "Shivaswamy and Jebara 2010, algorithm 2", GRID)
