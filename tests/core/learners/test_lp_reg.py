from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import MarginLP, RegularizedLP

Problem = tuple[FloatArray, FloatArray]
VALUES = [1.0, 0.8, 0.6, 0.4, 0.25, 0.1, 0.02]


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


@pytest.mark.parametrize("seed", range(8))
def test_weights_and_soft_margin_reach_scipys_optimum(seed: int) -> None:
    margins, counts = draw(seed)
    program = MarginLP(margins, counts)
    for nu in VALUES:
        weights, value = program.solve(nu)
        assert value == pytest.approx(by_scipy(margins, counts, nu), abs=1e-9)
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0)
        z, C = margins @ weights, 1 / (nu * counts.sum())
        soft = max(float(rho - C * counts @ np.maximum(0.0, rho - z)) for rho in z)
        assert soft == pytest.approx(value, abs=1e-8)


def test_at_nu_of_one_the_voter_of_least_error_is_the_vote() -> None:
    margins, counts = draw(1)
    weights, value = MarginLP(margins, counts).solve(1.0)
    assert value == pytest.approx((counts @ margins).max() / counts.sum())
    assert weights[(counts @ margins).argmax()] == pytest.approx(1.0)


def test_a_share_above_one_is_refused_by_name(problem: Problem) -> None:
    with pytest.raises(ValueError, match=r"^nu must be at most 1, not 1\.2"):
        RegularizedLP().path(*problem, Grid.of({"nu": [1.2, 0.5]}))
