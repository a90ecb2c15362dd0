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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import N_ROUNDS, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.rounds import (
    TIE,
    UNITS,
    Round,
    WeightBoosting,
    bounded,
    equal_weights,
    rounding,
    steps_of,
)
from quadrepro.core.voters.source import VoterSource

LAM = Hyperparameter("lam", "number", "large", "price λ of the variance", zero=True, largest=1e6)


@dataclass(frozen=True)
class EBBoost(WeightBoosting):
    """EBBoost, with hyper-parameters λ and the number of rounds; λ = 0 is AdaBoost."""

    version = 5
    hyperparameters = (LAM, N_ROUNDS)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield rounds that each pick the voter of least penalised loss (algorithm 2).

        A voter without error ends the run, with a weight that outweighs all others. A tanh α of at
        most `NO_EDGE` adds no weight, and ends the run unless the next round has other voters.
        """
        w, units, lam = equal_weights(copies), rounding(copies), values[:, None]
        n = copies.sum(axis=1, keepdims=True)
        for t in count(1):
            voters.begin(t)
            # The unit of the squares is the power of two above the largest weight, so that they
            # add up to no more than the weights do.
            unit = np.ldexp(1.0, np.frexp(w.max(axis=1, keepdims=True))[1])
            both = np.concatenate([units(w), units(w * w / unit)])
            totals, sums = both.sum(axis=1).reshape(2, -1, 1), voters.sums(both)
            scale, sums = 2.0 * n * unit, sums.reshape(2, len(w), -1)
            roots_I = roots(totals + sums, scale, lam)
            roots_J = roots(totals - sums, scale, lam)
            # AdaBoost's tolerance, in proportion to the root of the objective at α = 0.
            spread = (scale * totals[1] * (0.5 / UNITS**2) - 1.0) * lam
            tie = 2.0 * max(TIE, w.shape[1]) * np.sqrt(np.maximum(spread + 1.0, 1.0))
            differences = roots_I - roots_J
            if not voters.complements:
                differences = np.maximum(differences, 0.0)
            sizes = np.abs(differences)
            picks = (sizes >= sizes.max(axis=1, keepdims=True) - tie).argmax(axis=1)
            at = np.arange(len(w)), picks
            tanhs = differences[at] / (roots_I[at] + roots_J[at])
            alphas, last = steps_of(tanhs, t, voters)
            yield Round(picks, alphas, last)
            # exp(-α y h) / Z is (1 - τ y h) / (1 - τ r) with τ = tanh α and the edge r. At λ = 0,
            # where τ = r, these divisors are AdaBoost's 1 ± r to the last bit.
            edge, tanh = (sums[0][at] / totals[0, :, 0])[:, None], tanhs[:, None]
            right = 1.0 + tanh * ((1.0 - edge) / (1.0 - tanh))
            wrong = 1.0 - tanh * ((1.0 + edge) / (1.0 + tanh))
            w = bounded(w, w / np.where(voters.signs(picks) > 0, right, wrong))


def roots(doubled: FloatArray, scale: FloatArray, lam: FloatArray) -> FloatArray:
    """Return 2 sqrt(N) of some sets of examples, given 2W and 2Q of each.

    `scale` is 2n times the unit of Q. n Q is never below W², but rounded squares may be.
    """
    W, Q = doubled
    square = W * W
    return np.asarray(np.sqrt(np.maximum(Q * scale - square, 0.0) * lam + square))


EBBOOST = Entry(
    EBBoost,
    "EBBoost",
    "Shivaswamy and Jebara 2010, algorithm 2",
    {"lam": {"from": 100, "to": 0.01, "points": 5}, "n_rounds": [10, 100, 1000]},
)
