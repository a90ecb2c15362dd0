from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.lpboost import FEASIBILITY, make_solver, run_solver
from quadrepro.core.learners.programs.program import SolverError


def test_a_solver_is_silent_exact_and_on_one_thread(capfd: pytest.CaptureFixture[str]) -> None:
    solver = make_solver(simplex_strategy=1)
    options = solver.getOptions()
    assert options.threads == 1
    assert options.presolve == "off"
    assert options.primal_feasibility_tolerance == FEASIBILITY
    assert options.dual_feasibility_tolerance == FEASIBILITY
    assert options.simplex_strategy == 1
    solver.addVars(1, np.zeros(1), np.ones(1))
    solver.run()
    assert capfd.readouterr().out == ""


def test_an_optimum_comes_with_the_solvers_word_for_it() -> None:
    solver = make_solver()
    solver.addVars(2, np.array([1.0, -2.0]), np.array([3.0, 5.0]))
    solver.changeColsCost(2, np.arange(2, dtype=np.int32), np.array([1.0, -1.0]))
    solution, word = run_solver(solver, "The program")
    assert solution.col_value == pytest.approx([1.0, 5.0])
    assert word == "Optimal"


def test_a_program_without_optimum_is_an_error_that_names_it() -> None:
    solver = make_solver()
    solver.addVars(1, np.zeros(1), np.full(1, np.inf))
    solver.changeColsCost(1, np.zeros(1, dtype=np.int32), -np.ones(1))
    with pytest.raises(SolverError, match=r"^The program at C = 2 ended as 'Unbounded'$"):
        run_solver(solver, "The program at C = 2")
