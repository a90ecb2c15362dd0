"""LP_REG, also RLP-Boost: the largest soft margin of AdaBoost's voters (Rätsch et al. 2001).

Primal, over the weights a of given voters, with margins M_it = y_i h_t(x_i)::

    max  rho - C sum_i n_i xi_i    s.t.  (M a)_i >= rho - xi_i,  sum_t a_t = 1,  a, xi >= 0

The program solved is the dual, over weights d of the examples::

    min  gamma    s.t.  (M'd)_t <= gamma,  sum_i d_i = 1,  0 <= d_i <= C n_i

n_i is the number of examples equal to example i, m is the sum of the n_i, and C = 1/(ν m). The
weights a are the multipliers of the rows of the voters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import highspy
import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.lpboost import LinearProgram
from quadrepro.core.learners.soft_margin import SoftMargin
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import Hyperparameter

# At ν = 1 every example has the weight 1/m, and the voter of least error is the whole vote.
NU = Hyperparameter(
    "nu",
    "number",
    "large",
    "share of examples allowed to miss the margin",
    smallest=1e-6,
    largest=1.0,
)


class MarginLP:
    """LP_REG over given voters.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        M.
    counts : ndarray of shape (n_examples,)
        How often each example occurs; all positive.
    """

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        m, n = margins.shape
        rows = np.block([[margins.T, -np.ones((n, 1))], [np.ones(m), 0.0]])
        low = np.append(np.full(n, -highspy.kHighsInf), 1.0)
        high = np.append(np.zeros(n), 1.0)
        least = np.append(np.zeros(m), -highspy.kHighsInf)
        self._dual = LinearProgram(np.append(np.zeros(m), 1.0), rows, low, high, least)
        self._counts = counts

    def solve(self, nu: float) -> tuple[FloatArray, float]:
        """Return the weights a, shape (n_voters,), which sum to 1, and the soft margin γ for ν."""
        most = self._counts / (nu * self._counts.sum())
        x, multipliers = self._dual.solve(np.append(most, highspy.kHighsInf))
        weights = np.maximum(0.0, -multipliers[:-1])
        return weights / math.fsum(weights), float(x[-1])


@dataclass(frozen=True)
class RegularizedLP(SoftMargin):
    """LP_REG: the weights of largest soft margin ρ - C Σξ, with C = 1/(ν m)."""

    hyperparameters = (NU,)
    packages = ("highspy",)

    def _solver(self, margins: FloatArray, counts: FloatArray) -> Callable[[float], FloatArray]:
        # If voters are equal on these examples, the first gets the weight.
        first = np.sort(np.unique(margins, axis=1, return_index=True)[1])
        program = MarginLP(margins[:, first], counts)

        def solve(nu: float) -> FloatArray:
            weights = np.zeros(margins.shape[1])
            weights[first] = program.solve(nu)[0]
            return weights

        return solve


RLP_BOOST = Registered(
    RegularizedLP,
    "RLP-Boost",
    "Raetsch, Onoda and Mueller 2001, LP_REG",
    {"nu": [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01]},
)
