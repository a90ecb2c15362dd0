from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.programs.program import (
    RESIDUAL,
    ProgramSolution,
    SolverError,
    require_optimal,
)


@pytest.mark.parametrize(
    ("primal", "dual", "gap"), [(3.0, 2.0, 0.5), (0.3, 0.2, 0.1), (-3.0, -4.0, 0.25)]
)
def test_the_gap_is_relative_to_the_dual_objective_but_never_magnified(
    primal: float, dual: float, gap: float
) -> None:
    assert ProgramSolution(np.ones(1), primal, dual, "Optimal").gap == pytest.approx(gap)


@pytest.mark.parametrize("residual", [2 * RESIDUAL, float("inf"), float("nan")])
def test_a_large_residual_or_none_is_an_error_that_names_the_program(residual: float) -> None:
    with pytest.raises(
        SolverError, match=r"^The program ended with a KKT residual of .*, above 1e-08$"
    ):
        require_optimal(residual, "The program ended")


@pytest.mark.parametrize("residual", [0.0, RESIDUAL])
def test_a_small_residual_is_no_error(residual: float) -> None:
    require_optimal(residual, "The program ended")
