"""The linear program of LP_REG (RLP-Boost), kept warm while values of ν come.

Primal, over the weights a of given voters (Rätsch, Onoda and Müller 2001)::

    max  rho - C sum_i n_i xi_i    s.t.  y_i (H a)_i >= rho - xi_i,  sum_t a_t = 1,  a, xi >= 0

Dual, which is what the solver holds::

    min  gamma    s.t.  sum_i d_i y_i h_t(x_i) <= gamma,  sum_i d_i = 1,  0 <= d_i <= C n_i

n_i counts equal examples, m is their sum and C = 1/(ν m). The dual has a row a voter, and ν only
moves bounds, so the dual simplex starts from the last value's basis. The weights a are the
multipliers of the voters' rows.
"""

from __future__ import annotations

import highspy
import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import ProgramSolution, SolverError, highs

DUAL_SIMPLEX = 1


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
        self._margins = margins
        self._counts = counts
        self._highs = highs(simplex_strategy=DUAL_SIMPLEX)
        m = len(counts)
        free = highspy.kHighsInf
        self._highs.addVars(m + 1, np.append(np.zeros(m), -free), np.append(np.ones(m), free))
        self._highs.changeColsCost(1, np.array([m], dtype=np.int32), np.ones(1))
        columns = np.arange(m + 1, dtype=np.int32)
        for voter in margins.T:
            self._highs.addRow(-free, 0.0, m + 1, columns, np.append(voter, -1.0))
        self._highs.addRow(1.0, 1.0, m, columns, np.ones(m))

    def solve(self, nu: float) -> ProgramSolution:
        """Solve for a value of ν in (0, 1].

        Raises
        ------
        SolverError
            If the solver does not find an optimum: for ν > 1 there is none.
        """
        m = len(self._counts)
        caps = self._counts / (nu * self._counts.sum())
        self._highs.changeColsBounds(m, np.arange(m, dtype=np.int32), np.zeros(m), caps)
        self._highs.run()
        status = self._highs.getModelStatus()
        word = self._highs.modelStatusToString(status)
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"LP_REG's linear program at nu = {nu:g} ended as {word!r}")
        solution = self._highs.getSolution()
        # Multipliers of rows that are bounded above are negative in a minimisation.
        weights = np.maximum(0.0, -np.array(solution.row_dual[:-1], dtype=np.float64))
        weights /= weights.sum()
        rho = solution.row_dual[-1]
        examples = np.array(solution.col_value[:-1], dtype=np.float64)
        primal = float(rho - caps @ np.maximum(0.0, rho - self._margins @ weights))
        dual = float((examples @ self._margins).max())
        return ProgramSolution(weights, examples, primal, dual, word)
