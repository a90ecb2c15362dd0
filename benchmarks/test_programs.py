"""Milliseconds per value of LP_REG and QP_REG; LP_REG also against scipy's `linprog`."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.optimize import linprog

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.lp_reg import MarginLP
from quadrepro.learners.programs.qp_reg_program import MarginQP

from .conftest import best_of, compare


@pytest.fixture(params=[50, 200, 400], ids="{} rounds".format)
def margins(request: pytest.FixtureRequest) -> FloatArray:
    """Return the margins of AdaBoost's distinct voters, with 500 new stumps per round."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(500) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(500, 20)) + y[:, None] * 2 / np.sqrt(20)
    weights, found = np.full(500, 1 / 500), []
    for _ in range(request.param):
        attributes = rng.integers(0, 20, 500)
        thresholds = rng.uniform(X.min(axis=0)[attributes], X.max(axis=0)[attributes])
        right = np.where(X[:, attributes] > thresholds, 1.0, -1.0) * y[:, None]
        edges = weights @ right
        pick = int(np.abs(edges).argmax())
        found.append(right[:, pick] * np.sign(edges[pick]))
        weights /= 1 + abs(edges[pick]) * found[-1]
    return np.unique(np.array(found), axis=0).T


def test_lp_reg(benchmark: BenchmarkFixture, margins: FloatArray) -> None:
    values = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    m, n = margins.shape
    rows = np.hstack([-margins, np.ones((m, 1)), -np.eye(m)])
    total = np.concatenate([np.ones(n), np.zeros(m + 1)])[None, :]
    bounds = [(0, None)] * n + [(None, None)] + [(0, None)] * m

    def ours() -> None:
        program = MarginLP(margins, np.ones(m))
        for nu in values:
            program.solve(nu)

    def theirs() -> None:
        for nu in values:
            cost = np.concatenate([np.zeros(n), [-1.0], np.full(m, 1 / (nu * m))])
            linprog(cost, A_ub=rows, b_ub=np.zeros(m), A_eq=total, b_eq=[1.0], bounds=bounds)

    benchmark.pedantic(ours, rounds=3)
    ours_ms = best_of(3, ours) / len(values) * 1e3
    theirs_ms = best_of(1, theirs) / len(values) * 1e3
    compare(
        benchmark,
        **{
            "voters": n,
            "ms per value": ours_ms,
            "linprog": theirs_ms,
            "ratio": theirs_ms / ours_ms,
        },
    )


def test_qp_reg(benchmark: BenchmarkFixture, margins: FloatArray) -> None:
    values = np.geomspace(1e-3, 1e2, 11).tolist()
    m, n = margins.shape
    program = MarginQP(margins, np.ones(m))

    def ours() -> None:
        for C in values:
            program.solve(C)

    benchmark.pedantic(ours, rounds=3)
    compare(benchmark, **{"voters": n, "ms per value": best_of(2, ours) / len(values) * 1e3})
