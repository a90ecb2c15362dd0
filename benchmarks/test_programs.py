"""Linear and quadratic programs, against general solvers that start anew for every value."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.optimize import linprog, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.qp_reg import RegularizedQP

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

    ours = best_of(3, lambda: LPBoost().path(H, y, Grid.of({"C": values})))
    row("LPBoost, ten values of C", ours, {"`scipy.optimize.linprog`": best_of(1, cold)})
    benchmark.pedantic(lambda: LPBoost().path(H, y, Grid.of({"C": values})), rounds=1)


def of_adaboost(H: FloatArray, y: FloatArray) -> FloatArray:
    """Return the margins of the voters that 100 rounds of AdaBoost find."""
    [vote] = AdaBoost().path(H, y, Grid.of({"n_rounds": [100]}))
    return (H * y[:, None] * np.sign(vote))[:, vote != 0]


def test_lp_reg(benchmark: BenchmarkFixture, pima_voters: Problem) -> None:
    values = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    margins = of_adaboost(*pima_voters)
    m, n = margins.shape
    rows = np.hstack([-margins, np.ones((m, 1)), -np.eye(m)])
    total = np.concatenate([np.ones(n), np.zeros(m + 1)])[None, :]
    bounds = [(0, None)] * n + [(None, None)] + [(0, None)] * m

    def cold() -> None:
        for nu in values:
            cost = np.concatenate([np.zeros(n), [-1.0], np.full(m, 1 / (nu * m))])
            linprog(cost, A_ub=rows, b_ub=np.zeros(m), A_eq=total, b_eq=[1.0], bounds=bounds)

    grid = Grid.of({"nu": values})
    ours = best_of(3, lambda: RegularizedLP().path(*pima_voters, grid))
    row(
        f"RLP-Boost with its AdaBoost, ten values of ν, {n} voters",
        ours,
        {"`scipy.optimize.linprog` alone": best_of(1, cold)},
    )
    benchmark.pedantic(lambda: RegularizedLP().path(*pima_voters, grid), rounds=1)


def test_qp_reg(benchmark: BenchmarkFixture, pima_voters: Problem) -> None:
    values, margins = [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0], of_adaboost(*pima_voters)
    m = len(margins)

    def dual(C: float) -> None:
        def loss(u: FloatArray) -> tuple[float, FloatArray]:
            b = np.maximum(0.0, u @ margins) / 2
            return float(b @ b - u.sum()), margins @ b - 1

        minimize(loss, np.full(m, C / 2), jac=True, bounds=[(0, C)] * m, method="L-BFGS-B")

    grid = Grid.of({"C": values})
    ours = best_of(3, lambda: RegularizedQP().path(*pima_voters, grid))
    theirs = best_of(1, lambda: [dual(C) for C in values])
    row("RQP-Boost with its AdaBoost, six values of C", ours, {"scipy's L-BFGS-B": theirs})
    benchmark.pedantic(lambda: RegularizedQP().path(*pima_voters, grid), rounds=1)


@pytest.mark.parametrize("mu", [0.3, 0.03])
def test_c_bound_programs(benchmark: BenchmarkFixture, digits: Problem, mu: float) -> None:
    H, y = digits
    gram, margins = H.T @ H / len(y), y @ H / len(y)
    signs, n = np.sign(margins), len(margins)
    G, bounds = gram * np.outer(signs, signs), [(0, None)] * n
    whole = [
        {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(n)},
        {"type": "ineq", "fun": lambda q: q @ np.abs(margins) - mu, "jac": lambda q: abs(margins)},
    ]

    def theirs() -> None:
        minimize(
            lambda q: (q @ G @ q, 2 * G @ q),
            np.full(n, 1 / n),
            jac=True,
            bounds=bounds,
            constraints=whole,
            method="SLSQP",
            options={"maxiter": 100},
        )

    grid = Grid.of({"mu": [mu], "epsilon": [1e-6]})
    ours = best_of(2, lambda: CqBoost().path(H, y, grid))
    row(f"CqBoost on 500 digits, μ = {mu}", ours, {"scipy's SLSQP": best_of(1, theirs)})
    mincq = best_of(2, lambda: MinCq().path(H, y, Grid.of({"mu": [mu / 10]})))
    row(f"MinCq on 500 digits, μ = {mu / 10:g}", mincq, {})
    benchmark.pedantic(lambda: CqBoost().path(H, y, grid), rounds=1)
