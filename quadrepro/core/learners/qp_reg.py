"""QP_REG, also RQP-Boost: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001).

Over the weights b of given voters, with margins M_it = y_i h_t(x_i)::

    min  |b|^2 + C sum_i n_i xi_i    s.t.  (M b)_i >= 1 - xi_i,  b, xi >= 0

n_i is the number of examples equal to example i. The weights b are unique.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.programs import solve_sparse_program
from quadrepro.core.learners.soft_margin import SoftMargin
from quadrepro.core.training.contract import Registered
from quadrepro.core.training.grid import Hyperparameter

NO_SLACK = 1e-9
"""Largest slack that counts as zero."""

C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e6)


class MarginQP:
    """QP_REG over given voters.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        M.
    counts : ndarray of shape (n_examples,)
        How often each example occurs; all positive.
    """

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        m, n = margins.shape
        self._margins, self._counts = margins, counts
        self._squares = sparse.csc_matrix(sparse.diags(np.repeat([2.0, 0.0], [n, m])))
        self._with_slack = sparse.csc_matrix(sparse.hstack([margins, sparse.identity(m)]))
        self._last = np.zeros(n)

    def solve(self, C: float) -> FloatArray:
        """Return the weights b, shape (n_voters,), for a price C; rising prices are the fastest."""
        # Where no example has slack, a higher price changes nothing.
        if (self._margins @ self._last).min() >= 1 - NO_SLACK:
            return self._last
        # Where every example has slack, b minimises |b|^2 - C sum_i n_i (M b)_i.
        b = np.maximum(0.0, C * self._counts @ self._margins / 2)
        if (self._margins @ b).max() > 1:
            m, n = self._margins.shape
            c = np.append(np.zeros(n), C * self._counts)
            b = solve_sparse_program(self._squares, c, self._with_slack, np.ones(m))[:n]
        self._last = b
        return b


@dataclass(frozen=True)
class RegularizedQP(SoftMargin):
    """QP_REG: the weights of least ‖b‖² + C Σξ whose margins are at least 1 - ξ."""

    hyperparameters = (C,)
    packages = ("piqp",)

    def _solver(self, margins: FloatArray, counts: FloatArray) -> Callable[[float], FloatArray]:
        return MarginQP(margins, counts).solve


RQP_BOOST = Registered(
    RegularizedQP,
    "RQP-Boost",
    "Raetsch, Onoda and Mueller 2001, QP_REG",
    {"C": {"from": 1e-3, "to": 100, "points": 11}},
)
