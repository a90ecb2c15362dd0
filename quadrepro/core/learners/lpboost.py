"""LPBoost: the vote of least L1 norm with a soft margin (Demiriz, Bennett and Shawe-Taylor 2002).

Primal, over signed weights a of the voters (as in the comparison of QuadBoost)::

    min  sum_j |a_j| + C sum_i n_i xi_i    s.t.  y_i (H a)_i + xi_i >= 1,  xi >= 0

The program solved is the dual, over weights u of the examples::

    max  sum_i u_i    s.t.  -1 <= sum_i u_i y_i h_j(x_i) <= 1,  0 <= u_i <= C n_i

n_i is the number of examples equal to example i. The weights of the voters are the multipliers of
the rows. C is in the bounds alone: the optimum for one value is a dual feasible basis for the next,
and the dual simplex method starts from there.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import highspy
import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.solvers import SolverError
from quadrepro.core.training.contract import Algorithm, Registered
from quadrepro.core.training.grid import Grid, Hyperparameter
from quadrepro.core.voters.reduction import VotingProblem

OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "simplex_strategy": 1,  # dual
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}


class _Solver(highspy.Highs):
    """HiGHS without output: from 1.16 on, its constructor prints its name with callbacks."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


class LinearProgram:
    """min c'x subject to l <= A x <= u, for several upper bounds on x.

    HiGHS keeps its basis from one solution to the next. It does not depend on the processor: from
    the same bits it ends at the same vertex everywhere.

    Parameters
    ----------
    cost : ndarray of shape (n_variables,)
        c.
    A : ndarray of shape (n_rows, n_variables)
        A.
    low, high : ndarray of shape (n_rows,)
        l and u.
    least : ndarray of shape (n_variables,)
        Lower bounds on x.
    """

    def __init__(
        self, cost: FloatArray, A: FloatArray, low: FloatArray, high: FloatArray, least: FloatArray
    ) -> None:
        (n_rows, n), self._least = A.shape, least
        columns = np.arange(n, dtype=np.int32)
        self._solver = _Solver()  # type: ignore[no-untyped-call]
        for name, value in OPTIONS.items():
            self._solver.setOptionValue(name, value)
        self._solver.passModel(
            *(n, n_rows, A.size, int(highspy.MatrixFormat.kRowwise)),
            *(int(highspy.ObjSense.kMinimize), 0.0),
            *(cost, least, np.full(n, highspy.kHighsInf), low, high),
            *(np.arange(0, A.size, n, dtype=np.int32), np.tile(columns, n_rows)),
            *(np.ascontiguousarray(A).ravel(), np.zeros(n, dtype=np.int32)),
        )

    def solve(self, most: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an optimal x, (n_variables,), and multipliers, (n_rows,), for upper bounds."""
        n = len(most)
        self._solver.changeColsBounds(n, np.arange(n, dtype=np.int32), self._least, most)
        self._solver.run()
        status = self._solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(f"HiGHS ended with {self._solver.modelStatusToString(status)!r}")
        solution = self._solver.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)


C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e5)


@dataclass(frozen=True)
class LPBoost(Algorithm):
    """LPBoost with a soft margin; the hyper-parameter is the price C of slack.

    A linear program may have several optima. The vote is the vertex at which HiGHS ends when it
    solves for the values of C in turn.
    """

    hyperparameters = (C,)
    packages: ClassVar[tuple[str, ...]] = ("highspy",)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = grid.axis("C") or ()
        paths = np.full((len(problem.counts), len(values), problem.n_voters), np.nan)
        for path, counts in zip(paths, problem.counts, strict=True):
            held = counts > 0
            margins = (problem.H * problem.y[:, None])[held]
            m, n = margins.shape
            dual = LinearProgram(-np.ones(m), margins.T, -np.ones(n), np.ones(n), np.zeros(m))
            for weights, price in zip(path, values, strict=True):
                with suppress(SolverError):
                    _, multipliers = dual.solve(price * counts[held])
                    weights[:] = -multipliers
        return paths


GRID = {"C": {"from": 1e-3, "to": 1000, "points": 10}}
LPBOOST = Registered(LPBoost, "LPBoost", "Demiriz et al. 2002", GRID)
