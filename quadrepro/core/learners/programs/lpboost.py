"""LPBoost by column generation (Demiriz, Bennett and Shawe-Taylor 2002).

Primal, over signed weights a of the voters (soft margin, as in the comparison of QuadBoost)::

    min  sum_j |a_j| + C sum_k n_k xi_k    s.t.  y_k (H a)_k + xi_k >= 1,  xi >= 0

Dual, which is the program that the solver holds::

    max  sum_k u_k    s.t.  -1 <= sum_k u_k y_k h_j(x_k) <= 1,  0 <= u_k <= C n_k

n_k is the number of examples equal to example k. A voter is a row, so adding one keeps the basis; C
is a bound, so the next value of C starts from the basis of the last. The weights of the voters are
the multipliers of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import highspy
import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Algorithm, Entry
from quadrepro.core.learners.programs.ordered import weighted_sum
from quadrepro.core.learners.programs.program import ProgramSolution, SolverError
from quadrepro.core.voters.reduction import VotingProblem

FEASIBILITY = 1e-9
"""HiGHS's own tolerance on primal and dual feasibility."""


Option = bool | int | float | str


# HiGHS ships types, but its constructor has none.
_new_solver: Callable[[], highspy.Highs] = highspy.Highs


@dataclass(frozen=True)
class LinearSolution(ProgramSolution):
    """An optimal solution of a linear program.

    Attributes
    ----------
    example_weights : ndarray of shape (n_examples,)
        Dual weight of each distinct example, that of all its copies together.
    """

    example_weights: FloatArray


def make_solver(**options: Option) -> highspy.Highs:
    """Return a silent solver on one thread that keeps its basis between runs."""
    solver = _new_solver()
    settings: dict[str, Option] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "primal_feasibility_tolerance": FEASIBILITY,
        "dual_feasibility_tolerance": FEASIBILITY,
    }
    for name, value in (settings | options).items():
        solver.setOptionValue(name, value)
    return solver


def run_solver(solver: highspy.Highs, program: str) -> tuple[highspy.HighsSolution, str]:
    """Run the solver and return its optimal solution."""
    solver.run()
    status = solver.getModelStatus()
    word = solver.modelStatusToString(status)
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"{program} ended as {word!r}")
    return solver.getSolution(), word


VIOLATION = 1e-6
"""A voter is added only if its dual constraint is violated by more than this."""

TIE = 1e-9
"""Violations that differ by less than this are equal, as HiGHS's duals are no more exact."""

C = Hyperparameter("C", "number", "small", "price of a unit of slack", largest=1e5)


class LPBoostMaster:
    """The restricted master problem, over the voters added so far."""

    def __init__(self, counts: FloatArray) -> None:
        self._counts = counts
        self._C = 0.0
        self._index = np.arange(len(counts), dtype=np.int32)
        self._highs = make_solver()
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

    def solve(self) -> LinearSolution:
        """Solve for the present C and voters; the weights of the solution are signed."""
        name = f"LPBoost's linear program at C = {self._C:g}"
        solution, word = run_solver(self._highs, name)
        weights = np.array(solution.row_dual, dtype=np.float64)
        duals = np.array(solution.col_value, dtype=np.float64)
        # The reduced cost of an example is 1 - y (H a); its positive part is the slack.
        slack = np.maximum(0.0, solution.col_dual)
        primal = float(np.abs(weights).sum() + self._C * self._counts @ slack)
        return LinearSolution(
            voter_weights=weights,
            primal=primal,
            dual=float(duals.sum()),
            status=word,
            example_weights=duals,
        )


@dataclass(frozen=True)
class LPBoost(Algorithm):
    """LPBoost with a soft margin; the hyper-parameter is the price C of slack.

    Each round adds the voter whose dual constraint is violated most, the first of several, and
    solves the program again over all voters added so far. The values of C are solved in turn, each
    starting from the voters and the basis of the one before, or without any if that was not solved.
    At least one voter is added, so that the run has seen the best voter even if C m max|μ| <= 1,
    where the empty vote is optimal.

    A linear program may have several optima. The vote is the vertex at which the simplex method of
    HiGHS ends. HiGHS has no code of its own for any processor, and what it is given has the same
    bits on all of them: the violations are summed in a fixed order.
    """

    hyperparameters = (C,)
    version = 2
    kernels: ClassVar[tuple[str, ...]] = ("learners.programs.ordered_compiled",)
    packages: ClassVar[tuple[str, ...]] = ("highspy",)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = [float(v) for v in grid.axis("C") or ()]
        paths = np.full((problem.n_samples, len(values), problem.n_voters), np.nan)
        for path, counts in zip(paths, problem.counts, strict=True):
            i = 0
            while i < len(values):
                with suppress(SolverError):
                    for added, solution in generate_columns(problem, counts, values[i:]):
                        path[i] = 0.0
                        path[i, added] = solution.voter_weights
                        i += 1
                i += 1
        return paths


def generate_columns(
    problem: VotingProblem,
    counts: FloatArray,
    values: list[float],
    watch: Callable[[list[int], LinearSolution], None] | None = None,
) -> Iterator[tuple[list[int], LinearSolution]]:
    """Yield the voters added and the optimum for each value of C in turn.

    Parameters
    ----------
    problem : VotingProblem
        Voters and labels.
    counts : ndarray of shape (n_examples,)
        How often the sample holds each example.
    values : list of float
        Values of C.
    watch : callable, optional
        Called with the voters added so far and the solution after every round.
    """
    held = counts > 0
    signed = np.ascontiguousarray((problem.H * problem.y[:, None])[held])
    master = LPBoostMaster(counts[held])
    added: list[int] = []
    for value in values:
        master.price_slack(value)
        if not added:
            _add(master, added, signed, _first_largest(_edges(counts[held], signed)))
        while True:
            solution = master.solve()
            if watch is not None:
                watch(added, solution)
            violation = _edges(solution.example_weights, signed) - 1.0
            violation[added] = -1.0
            worst = _first_largest(violation)
            if violation[worst] <= VIOLATION:
                break
            _add(master, added, signed, worst)
        yield added, solution


def _edges(weights: FloatArray, signed: FloatArray) -> FloatArray:
    """Return the size of each voter's edge under example weights, in a fixed order."""
    return np.abs(weighted_sum(weights, signed))


def _first_largest(x: FloatArray) -> int:
    return int((x > x.max() - TIE).argmax())


def _add(master: LPBoostMaster, added: list[int], signed: FloatArray, voter: int) -> None:
    added.append(voter)
    master.add_voter(np.ascontiguousarray(signed[:, voter]))


LPBOOST = Entry(
    LPBoost,
    "LPBoost",
    "Demiriz et al. 2002",
    {"C": {"from": 1e-3, "to": 1000, "points": 10}},
)
