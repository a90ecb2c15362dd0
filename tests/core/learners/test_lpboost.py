from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lpboost import LinearProgram, LPBoost
from quadrepro.core.learners.programs import SolverError

Problem = tuple[FloatArray, FloatArray]
VALUES = np.geomspace(1e-3, 1e3, 10).tolist()


def objective(H: FloatArray, y: FloatArray, weights: FloatArray, C: float) -> float:
    return float(np.abs(weights).sum() + C * np.maximum(0, 1 - y * (H @ weights)).sum())


def primal_by_scipy(H: FloatArray, y: FloatArray, C: float) -> float:
    """Return the least objective over weights a = p - q with slack, by scipy's linprog."""
    m, n = H.shape
    cost = np.concatenate([np.ones(2 * n), np.full(m, C)])
    signed = H * y[:, None]
    constraints = -np.hstack([signed, -signed, np.eye(m)])
    result = linprog(cost, A_ub=constraints, b_ub=-np.ones(m), method="highs")
    assert result.status == 0
    return float(result.fun)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("n", [14, 90])
def test_every_candidate_reaches_the_optimum_of_scipys_linprog(
    make_problem: Callable[..., Problem], real: bool, n: int
) -> None:
    H, y = make_problem(m=50, n=n, real=real)
    path = LPBoost().path(H, y, Grid.of({"C": VALUES}))
    for weights, C in zip(path, VALUES, strict=True):
        assert objective(H, y, weights, C) == pytest.approx(primal_by_scipy(H, y, C), rel=1e-8)


@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_where_no_voter_pays_for_itself_the_vote_is_empty(C: float) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0, -1.0])
    # C m max|mu| = C: up to 1 nothing is gained by the voter, and at 1 only just nothing.
    weights = LPBoost().path(H, y, Grid.of({"C": [C]}))
    assert weights == pytest.approx(0.0, abs=1e-9)


def test_a_sample_is_the_problem_of_its_examples_each_as_often_as_it_is_held(
    problem: Problem,
) -> None:
    H, y = problem
    counts = np.arange(len(y)) % 4
    rows = np.repeat(np.arange(len(y)), counts)
    grid = Grid.of({"C": [0.1, 1.0]})
    sampled = LPBoost().path(H, y, grid, counts[None, :].astype(float))[0]
    for C, weights in zip([0.1, 1.0], sampled, strict=True):
        found = objective(H[rows], y[rows], weights, C)
        assert found == pytest.approx(primal_by_scipy(H[rows], y[rows], C), rel=1e-8)


def test_a_solver_is_silent_and_an_unbounded_program_is_an_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ones = np.ones(1)
    program = LinearProgram(-ones, ones[None], -np.inf * ones, np.inf * ones, 0 * ones)
    assert program.solve(3 * ones)[0] == pytest.approx(3.0)
    with pytest.raises(SolverError, match="HiGHS ended with 'Unbounded'"):
        program.solve(np.inf * ones)
    assert capfd.readouterr().out == ""
