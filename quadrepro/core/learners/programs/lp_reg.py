"""LP_REG, also RLP-Boost: the largest soft margin of AdaBoost's voters (Rätsch et al. 2001).

Primal, over the weights a of given voters (Rätsch, Onoda and Müller 2001)::

    max  rho - C sum_i n_i xi_i    s.t.  y_i (H a)_i >= rho - xi_i,  sum_t a_t = 1,  a, xi >= 0

Dual, which is the program that the solver holds::

    min  gamma    s.t.  sum_i d_i y_i h_t(x_i) <= gamma,  sum_i d_i = 1,  0 <= d_i <= C n_i

n_i is the number of examples equal to example i, m is the sum of the n_i, and C = 1/(ν m). The dual
has one row per voter, and ν only moves bounds, so the dual simplex method starts from the basis of
the last value of ν. The weights a are the multipliers of the rows of the voters.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.programs.lpboost import LinearSolution, make_solver, run_solver
from quadrepro.core.learners.programs.ordered import ordered_sum
from quadrepro.core.learners.programs.soft_margin import SoftMargin

DUAL_SIMPLEX = 1

# At ν = 1 every example has the weight 1/m, and the voter of least error is the whole vote.
NU = Hyperparameter(
    "nu", "number", "large", "share of examples allowed to miss the margin", smallest=1e-6
)


class MarginLP:
    """LP_REG over given voters.

    Parameters
    ----------
    margins : ndarray of shape (n_examples, n_voters)
        y_i h_t(x_i).
    counts : ndarray of shape (n_examples,)
        How often each example occurs; all positive.
    """

    def __init__(self, margins: FloatArray, counts: FloatArray) -> None:
        self._highs = make_solver(simplex_strategy=DUAL_SIMPLEX)
        self._margins = margins
        self._counts = counts
        m, free = len(counts), highspy.kHighsInf
        # A variable for each example and, last, gamma.
        self._highs.addVars(m + 1, np.append(np.zeros(m), -free), np.append(np.ones(m), free))
        self._highs.changeColsCost(1, np.array([m], dtype=np.int32), np.ones(1))
        columns = np.arange(m + 1, dtype=np.int32)
        for voter in margins.T:
            self._highs.addRow(-free, 0.0, m + 1, columns, np.append(voter, -1.0))
        self._highs.addRow(1.0, 1.0, m, columns, np.ones(m))

    def solve(self, nu: float) -> LinearSolution:
        """Solve for a value of ν."""
        m = len(self._counts)
        caps = self._counts / (nu * self._counts.sum())
        self._highs.changeColsBounds(m, np.arange(m, dtype=np.int32), np.zeros(m), caps)
        solution, word = run_solver(self._highs, f"LP_REG's linear program at nu = {nu:g}")
        # In a minimisation, multipliers of rows that are bounded above are negative.
        weights = np.maximum(0.0, -np.array(solution.row_dual[:-1], dtype=np.float64))
        weights /= ordered_sum(weights)
        rho = solution.row_dual[-1]
        examples = np.array(solution.col_value[:-1], dtype=np.float64)
        return LinearSolution(
            voter_weights=weights,
            primal=float(rho - caps @ np.maximum(0.0, rho - self._margins @ weights)),
            dual=float((examples @ self._margins).max()),
            status=word,
            example_weights=examples,
        )


@dataclass(frozen=True)
class RegularizedLP(SoftMargin):
    """LP_REG: the weights of largest soft margin ρ - C Σξ, with C = 1/(ν m)."""

    hyperparameters = (NU,)
    version = 3
    packages = ("highspy",)

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid or the number of rounds cannot be used."""
        super().check(grid)
        for value in self._values(grid):
            if value > 1:
                raise ValueError(f"nu must be at most 1, not {value:g}: it is a share of examples")

    def _program(self, margins: FloatArray, counts: FloatArray) -> MarginLP:
        return MarginLP(margins, counts)


RLP_BOOST = Entry(
    RegularizedLP,
    "RLP-Boost",
    "Raetsch, Onoda and Mueller 2001, LP_REG",
    {"nu": [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01]},
)
