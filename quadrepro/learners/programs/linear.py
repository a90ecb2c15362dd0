"""Linear programs on HiGHS: how the solver is set up and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import highspy

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.program import ProgramSolution, SolverError

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
    """Return a silent solver on one thread that keeps its basis between runs.

    Parameters
    ----------
    **options : bool, int, float or str
        Further options of HiGHS.

    Returns
    -------
    highspy.Highs
        A solver with an empty program.
    """
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
    """Run the solver and return its optimal solution.

    Parameters
    ----------
    solver : highspy.Highs
        The solver with its program.
    program : str
        Name of the program in the error message.

    Returns
    -------
    solution : highspy.HighsSolution
        Values and multipliers of columns and rows.
    status : str
        How the solver says it ended.

    Raises
    ------
    SolverError
        If the solver does not find an optimum.
    """
    solver.run()
    status = solver.getModelStatus()
    word = solver.modelStatusToString(status)
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(f"{program} ended as {word!r}")
    return solver.getSolution(), word
