from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import MarginLP, RegularizedLP
from quadrepro.core.learners.programs.program import SolverError

Problem = tuple[FloatArray, FloatArray]
VALUES = [1.0, 0.8, 0.6, 0.4, 0.25, 0.1, 0.02]
SEEDS = range(8)


def draw(seed: int, m: int = 40, n: int = 12) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    margins = np.where(rng.random((m, n)) < 0.62, 1.0, -1.0)
    return margins, rng.integers(1, 4, m).astype(float)


def by_scipy(margins: FloatArray, counts: FloatArray, nu: float) -> float:
    """Return the optimum over (a, rho, xi) by scipy's linprog."""
    m, n = margins.shape
    cost = np.concatenate([np.zeros(n), [-1.0], counts / (nu * counts.sum())])
    rows = np.hstack([-margins, np.ones((m, 1)), -np.eye(m)])
    total = np.concatenate([np.ones(n), np.zeros(m + 1)])[None, :]
    bounds = [(0, None)] * n + [(None, None)] + [(0, None)] * m
    result = linprog(cost, A_ub=rows, b_ub=np.zeros(m), A_eq=total, b_eq=[1.0], bounds=bounds)
    assert result.status == 0
    return float(-result.fun)


@pytest.mark.parametrize("seed", SEEDS)
def test_warm_solutions_reach_scipys_optimum_with_weights_that_certify_it(seed: int) -> None:
    margins, counts = draw(seed)
    program = MarginLP(margins, counts)
    for nu in VALUES:
        solution = program.solve(nu)
        a, d = solution.voter_weights, solution.example_weights
        assert solution.status == "Optimal"
        assert solution.gap < 1e-9
        assert solution.primal == pytest.approx(by_scipy(margins, counts, nu), abs=1e-9)
        assert (a >= 0).all()
        assert a.sum() == pytest.approx(1.0)
        assert d.sum() == pytest.approx(1.0)
        assert (d >= -1e-9).all()
        assert (d <= counts / (nu * counts.sum()) + 1e-9).all()
        edges = d @ margins
        assert edges[a > 1e-9] == pytest.approx(edges.max(), abs=1e-8)


def test_at_nu_of_one_the_voter_of_least_error_is_the_vote() -> None:
    margins, counts = draw(1)
    solution = MarginLP(margins, counts).solve(1.0)
    assert solution.primal == pytest.approx((counts @ margins).max() / counts.sum())
    assert solution.voter_weights[(counts @ margins).argmax()] == pytest.approx(1.0)


def test_counts_stand_for_repeated_examples() -> None:
    margins, counts = draw(2)
    merged = MarginLP(margins, counts)
    repeated = np.repeat(margins, counts.astype(int), axis=0)
    plain = MarginLP(repeated, np.ones(len(repeated)))
    for nu in VALUES:
        assert merged.solve(nu).dual == pytest.approx(plain.solve(nu).dual, abs=1e-9)


def test_a_share_above_one_is_an_error_that_names_it() -> None:
    with pytest.raises(SolverError, match=r"at nu = 1\.5 ended as 'Infeasible'"):
        MarginLP(*draw(0)).solve(1.5)


def test_lp_weights_sum_to_one_and_start_from_the_voter_of_least_error(problem: Problem) -> None:
    H, y = problem
    path = RegularizedLP().path(H, y, Grid.of({"nu": [1.0, 0.5, 0.05]}))
    assert np.abs(path).sum(axis=1) == pytest.approx(1.0)
    best = np.abs(H.T @ y)
    assert best[path[0] != 0] == pytest.approx(best.max())


def test_a_share_above_one_is_refused_by_name(problem: Problem) -> None:
    with pytest.raises(ValueError, match=r"^nu must be at most 1, not 1\.2: it is a share"):
        RegularizedLP().path(*problem, Grid.of({"nu": [1.2, 0.5]}))


def test_the_values_of_nu_run_from_simple_to_complex(problem: Problem) -> None:
    with pytest.raises(ValueError, match="the values of nu must decrease"):
        RegularizedLP().path(*problem, Grid.of({"nu": [0.1, 0.5]}))
