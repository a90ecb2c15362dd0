from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lpboost import (
    VIOLATION,
    LPBoost,
    LPBoostMaster,
    _edges,
    _first_largest,
    generate_columns,
)
from quadrepro.core.learners.programs.program import SolverError
from quadrepro.core.voters.reduction import reduce_problem

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
def test_every_candidate_reaches_the_optimum_of_scipys_linprog(
    make_problem: Callable[..., Problem], real: bool
) -> None:
    H, y = make_problem(m=50, n=14, real=real)
    path = LPBoost().path(H, y, Grid.of({"C": VALUES}))
    for weights, C in zip(path, VALUES, strict=True):
        assert objective(H, y, weights, C) == pytest.approx(primal_by_scipy(H, y, C), rel=1e-6)


def test_dual_weights_satisfy_every_voters_constraint_and_their_box(problem: Problem) -> None:
    reduced = reduce_problem(*problem)
    counts = reduced.counts[0]
    signed = reduced.H * reduced.y[:, None]
    for C, (added, solution) in zip(VALUES, generate_columns(reduced, counts, VALUES), strict=True):
        u = solution.example_weights
        assert np.abs(u @ signed).max() <= 1 + VIOLATION
        assert (u >= -1e-9).all()
        assert (u <= C * counts * (1 + 1e-9)).all()
        assert solution.gap < 1e-7
        weights = np.zeros(signed.shape[1])
        weights[added] = solution.voter_weights
        slack = np.maximum(0, 1 - signed @ weights)
        assert solution.primal == pytest.approx(np.abs(weights).sum() + C * counts @ slack)
        assert len(set(added)) == len(added)


@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_where_no_voter_pays_for_itself_the_vote_is_empty(C: float) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0, -1.0])
    # C m max|mu| = C: up to 1 nothing is gained by the voter, and at 1 only just nothing.
    weights = LPBoost().path(H, y, Grid.of({"C": [C]}))
    assert weights == pytest.approx(0.0, abs=1e-9)


def test_even_in_the_degenerate_zone_the_best_voter_is_seen(problem: Problem) -> None:
    H, y = problem
    [(added, solution)] = generate_columns(reduce_problem(H, y), np.ones(len(y)), [1e-3])
    assert added == [int(np.abs(H.T @ y).argmax())]
    assert not solution.voter_weights.any()


def test_examples_a_sample_lacks_take_no_part(problem: Problem) -> None:
    H, y = problem
    keep = np.arange(len(y)) % 4 != 0
    grid = Grid.of({"C": [0.1, 1.0]})
    sampled = LPBoost().path(H, y, grid, keep[None, :].astype(float))[0]
    alone = LPBoost().path(H[keep], y[keep], grid)
    for C, a, b in zip([0.1, 1.0], sampled, alone, strict=True):
        assert objective(H[keep], y[keep], a, C) == pytest.approx(
            objective(H[keep], y[keep], b, C), rel=1e-7
        )


def test_a_program_without_optimum_is_an_error_that_names_the_price() -> None:
    master = LPBoostMaster(np.ones(3))
    master.price_slack(float("inf"))
    master.add_voter(np.array([1.0, -1.0, 0.0]))
    with pytest.raises(SolverError, match="at C = inf ended as"):
        master.solve()


def test_of_violations_that_differ_by_rounding_the_first_is_the_largest() -> None:
    assert _first_largest(np.array([0.5, 1.0, 1.0 + 5e-10, 0.9])) == 1
    assert _first_largest(np.array([0.5, 1.0, 1.0 + 5e-9, 0.9])) == 2
    assert _first_largest(np.array([-1.0])) == 0


def test_the_first_of_the_most_violated_voters_is_added(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=24, n=40)
    seen: list[tuple[int, FloatArray]] = []
    reduced = reduce_problem(H, y)
    path = generate_columns(
        reduced,
        reduced.counts[0],
        [0.3],
        lambda added, solution: seen.append((len(added), solution.example_weights)),
    )
    [(added, _)] = path
    ties = 0
    for taken, u in seen[:-1]:
        violation = np.abs(u @ (reduced.H * reduced.y[:, None]))
        violation[added[:taken]] = 0.0
        worst = np.flatnonzero(violation > violation.max() - 1e-9)
        assert added[taken] == worst[0]
        ties += len(worst) > 1
    assert ties > 0
    assert len(seen) > 5


def test_edges_are_summed_in_the_order_of_the_examples() -> None:
    weights = np.append(1e16, np.ones(1000))
    signed = np.where(np.arange(2) == 0, 1.0, -np.ones((1001, 2)))
    assert _edges(weights, signed).tolist() == [1e16, 1e16]
    assert _edges(weights[::-1], signed).tolist() == [1e16 + 1000] * 2
