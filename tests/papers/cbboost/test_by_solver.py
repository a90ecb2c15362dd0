from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs.cqboost import CqBoost
from quadrepro.core.learners.programs.program import SolverError
from quadrepro.papers.cbboost import by_solver
from quadrepro.papers.cbboost.by_solver import CqBoostBySolver

GRID = Grid.of({"mu": [0.2, 0.1, 0.02], "epsilon": [1e-2, 1e-6], "n_rounds": [2, 6, 100]})


def problem(seed: int, m: int = 60, n: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], m)
    H = np.where(rng.random((m, n)) < 0.5 + 0.15 * y[:, None], 1.0, -1.0)
    return H, y, np.stack([rng.integers(0, 3, m), np.ones(m)])


@pytest.mark.parametrize("seed", range(5))
def test_the_program_of_the_examples_has_the_votes_of_that_of_the_voters(seed: int) -> None:
    H, y, samples = problem(seed)
    expected = CqBoost().path(H, y, GRID, samples)
    found = CqBoostBySolver().path(H, y, GRID, samples)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_a_mean_margin_out_of_reach_has_no_vote() -> None:
    H, y, _ = problem(0)
    grid = Grid.of({"mu": [0.9, 0.1], "epsilon": [1e-6]})
    first, second = CqBoostBySolver().path(H, y, grid)
    assert np.isnan(first).all()
    assert (H @ second * y).mean() == pytest.approx(0.1)


def test_a_program_that_is_not_solved_is_a_failure() -> None:
    # No vote of these two voters has the mean margin.
    with pytest.raises(SolverError, match="CqBoost's program over 2 voters ended as 'Status"):
        by_solver._solve(np.array([[1.0, -1.0], [-1.0, 1.0]]), 0.5)
