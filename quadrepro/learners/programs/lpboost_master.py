"""The linear program of LPBoost, kept warm while voters and values of C come.

Primal (soft margin, QuadBoost's comparison)::

    min  sum_j |a_j| + C sum_k n_k xi_k    s.t.  y_k (H a)_k + xi_k >= 1,  xi >= 0

Dual, which is what the solver holds::

    max  sum_k u_k    s.t.  -1 <= sum_k u_k y_k h_j(x_k) <= 1,  0 <= u_k <= C n_k

n_k counts equal examples. A voter is a row, so adding one keeps the basis; C is a bound, so the
next value starts from the last one's basis. The voters' weights are the rows' multipliers.
"""

from __future__ import annotations

import highspy
import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import ProgramSolution, SolverError, highs


class LPBoostMaster:
    """The restricted master problem.

    Parameters
    ----------
    counts : ndarray of shape (n_examples,)
        How often each example occurs; those with 0 take no part.
    """

    def __init__(self, counts: FloatArray) -> None:
        self._counts = counts
        self._C = 0.0
        self._index = np.arange(len(counts), dtype=np.int32)
        self._highs = highs()
        n = len(counts)
        self._highs.addVars(n, np.zeros(n), np.zeros(n))
        self._highs.changeColsCost(n, self._index, np.ones(n))
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def price_slack(self, C: float) -> None:
        """Set the price of a unit of slack."""
        self._C = C
        n = len(self._counts)
        self._highs.changeColsBounds(n, self._index, np.zeros(n), C * self._counts)

    def add_voter(self, signed: FloatArray) -> None:
        """Add a voter.

        Parameters
        ----------
        signed : ndarray of shape (n_examples,)
            y_k h(x_k).
        """
        self._highs.addRow(-1.0, 1.0, len(signed), self._index, signed)

    def solve(self) -> ProgramSolution:
        """Solve for the present C and voters.

        Raises
        ------
        SolverError
            If the solver does not find an optimum.
        """
        self._highs.run()
        status = self._highs.getModelStatus()
        word = self._highs.modelStatusToString(status)
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"LPBoost's linear program at C = {self._C:g} ended as {word!r}")
        solution = self._highs.getSolution()
        weights = np.array(solution.row_dual, dtype=np.float64)
        duals = np.array(solution.col_value, dtype=np.float64)
        # An example's reduced cost is 1 - y (H a), so its positive part is the slack.
        slack = np.maximum(0.0, solution.col_dual)
        primal = float(np.abs(weights).sum() + self._C * self._counts @ slack)
        return ProgramSolution(weights, duals, primal, float(duals.sum()), word)
