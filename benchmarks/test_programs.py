"""Milliseconds per value of LP_REG and QP_REG, against scipy's `linprog` and PIQP on the primal."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.lp_reg import MarginLP
from quadrepro.core.learners.qp_reg import MarginQP

from .conftest import best_of, row


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
    ours_s, theirs_s = best_of(3, ours) / len(values), best_of(1, theirs) / len(values)
    row(f"LP_REG, a value of ν, {n} voters", ours_s, {"`scipy.optimize.linprog`": theirs_s})


def by_primal(margins: FloatArray, C: float) -> FloatArray:
    """Return QP_REG's weights from PIQP's sparse solver, over the voters and the slack."""
    import piqp
    from scipy import sparse

    m, n = margins.shape
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-11
    solver.setup(
        sparse.csc_matrix(sparse.diags(np.append(np.full(n, 2.0), np.zeros(m)))),
        np.append(np.zeros(n), np.full(m, C)),
        None,
        None,
        sparse.csc_matrix(np.hstack([margins, np.eye(m)])),
        np.ones(m),
        np.full(m, np.inf),
        np.zeros(n + m),
        np.full(n + m, np.inf),
    )
    solver.solve()
    return np.asarray(solver.result.x[:n])


def test_qp_reg(benchmark: BenchmarkFixture, margins: FloatArray) -> None:
    values = [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0]
    m, n = margins.shape

    def ours() -> list[FloatArray]:
        program = MarginQP(margins, np.ones(m))
        return [program.solve(C) for C in values]

    def theirs() -> list[FloatArray]:
        return [by_primal(margins, C) for C in values]

    for b, other in zip(ours(), theirs(), strict=True):
        assert b == pytest.approx(other, abs=1e-4 * b.max())
    benchmark.pedantic(ours, rounds=3)
    ours_s, theirs_s = best_of(3, ours) / len(values), best_of(1, theirs) / len(values)
    row(f"QP_REG, a value of C, {n} voters", ours_s, {"PIQP, primal": theirs_s})
