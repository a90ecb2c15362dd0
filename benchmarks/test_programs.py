"""Linear and quadratic programs, against general solvers that start anew for every value."""

from __future__ import annotations

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.optimize import linprog, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.training.grid import Grid

from .conftest import best_of, row

Problem = tuple[FloatArray, FloatArray]


def test_lpboost(benchmark: BenchmarkFixture, pima_voters: Problem) -> None:
    (H, y), values = pima_voters, np.geomspace(1e-3, 1e3, 10).tolist()
    m, n = H.shape
    constraints = -np.hstack([H * y[:, None], -H * y[:, None], np.eye(m)])

    def cold() -> None:
        for C in values:
            cost = np.concatenate([np.ones(2 * n), np.full(m, C)])
            linprog(cost, A_ub=constraints, b_ub=-np.ones(m), method="highs")

    ours = best_of(3, lambda: LPBoost().path(H, y, Grid.from_values({"C": values})))
    row("LPBoost, ten values of C", ours, {"`scipy.optimize.linprog`": best_of(1, cold)})
    benchmark.pedantic(lambda: LPBoost().path(H, y, Grid.from_values({"C": values})), rounds=1)


def test_cqboost(benchmark: BenchmarkFixture, digits: Problem) -> None:
    (H, y), mu = digits, 0.03
    gram, edges = H.T @ H / len(y), y @ H / len(y)
    signs, n = np.sign(edges), len(edges)
    G = gram * np.outer(signs, signs)
    whole = [
        {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(n)},
        {"type": "ineq", "fun": lambda q: q @ np.abs(edges) - mu, "jac": lambda q: np.abs(edges)},
    ]
    options = {"bounds": [(0, None)] * n, "constraints": whole, "options": {"maxiter": 100}}

    def theirs() -> None:
        objective = lambda q: (q @ G @ q, 2 * G @ q)  # noqa: E731
        minimize(objective, np.full(n, 1 / n), jac=True, method="SLSQP", **options)

    grid = Grid.from_values({"mu": [mu], "epsilon": [1e-6]})
    ours = best_of(2, lambda: CqBoost().path(H, y, grid))
    row(f"CqBoost on 500 digits, μ = {mu}", ours, {"scipy's SLSQP": best_of(1, theirs)})
    benchmark.pedantic(lambda: CqBoost().path(H, y, grid), rounds=1)
