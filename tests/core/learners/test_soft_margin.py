from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners import lpboost, programs
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.learners.soft_margin import SoftMargin
from quadrepro.core.voters.drawn import RandomStumps
from tests.core.learners.given import drawn_problem

Problem = tuple[FloatArray, FloatArray]
GRIDS: dict[SoftMargin, Grid] = {
    RegularizedLP(n_rounds=40): Grid.of({"nu": [1.0, 0.7, 0.5, 0.3, 0.1]}),
    RegularizedQP(n_rounds=40): Grid.of({"C": [0.001, 0.01, 0.1, 1.0, 100.0]}),
}
both = pytest.mark.parametrize(("algorithm", "grid"), GRIDS.items(), ids=["LP", "QP"])


@both
def test_only_adaboosts_voters_have_weight_and_in_its_direction(
    make_problem: Callable[..., Problem], algorithm: SoftMargin, grid: Grid
) -> None:
    H, y = make_problem(m=80, n=30)
    vote = AdaBoost().path(H, y, Grid.of({"n_rounds": [40]}))[0]
    path = algorithm.path(H, y, grid)
    assert (vote < 0).any()
    assert (vote == 0).any()
    assert (path * np.sign(vote) >= 0).all()
    assert not path[:, vote == 0].any()
    assert path.any(axis=1).all()


@both
def test_over_drawn_stumps_the_program_is_over_those_of_adaboost_each_once(
    algorithm: SoftMargin, grid: Grid
) -> None:
    problem = drawn_problem(9, 5, per_round=4)
    found, held = AdaBoost().hold_out(problem, Grid.of({})), algorithm.hold_out(problem, grid)
    vote = found.vote(0)
    picks = np.stack([vote.attributes, vote.cuts, np.sign(vote.weights)])
    first = np.sort(np.unique(picks, axis=1, return_index=True)[1])
    signs = np.sign(vote.weights)[first]
    margins = vote.outputs(problem.train)[:, first] * signs * problem.y_train[:, None]
    expected = algorithm.solve(margins, np.ones(60), grid)
    later = np.delete(np.arange(len(vote.weights)), first)
    for i, weights in enumerate(expected):
        assert held.candidates[i] == grid.candidates[i] | found.candidates[0]
        np.testing.assert_array_equal(held.vote(i).weights[first], weights * signs)
        assert not held.vote(i).weights[later].any()
        wrong = (held.vote(i).sums(problem.valid) > 1e-12) != (problem.y_valid > 0)
        assert held.errors[i] == wrong.sum()


def test_of_equal_voters_the_first_has_lp_regs_weight_and_all_share_qp_regs(
    problem: Problem,
) -> None:
    H, y = problem
    margins, ones = np.hstack([H, H[:, ::-1]]) * y[:, None], np.ones(len(y))
    [[lp, nu], [qp, C]] = GRIDS.items()
    weights = lp.solve(margins, ones, nu)
    assert not weights[:, 12:].any()
    np.testing.assert_array_equal(weights[:, :12], lp.solve(margins[:, :12], ones, nu))
    weights = qp.solve(margins, ones, C)
    assert weights[:, 12:] == pytest.approx(weights[:, 11::-1], abs=1e-6)


@both
def test_unsolved_candidates_have_no_errors_and_no_weights(
    algorithm: SoftMargin, grid: Grid, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "RESIDUAL", 0.0)
    monkeypatch.setitem(lpboost.OPTIONS, "simplex_iteration_limit", 0)
    assert np.isnan(algorithm.path(*problem, grid)).any(axis=1)[-1]
    assert np.isnan(algorithm.hold_out(drawn_problem(9, 5, per_round=4), grid).errors[-1])


@both
def test_where_adaboost_finds_no_voter_the_vote_is_empty(algorithm: SoftMargin, grid: Grid) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    assert not algorithm.path(H, y, grid).any()
    problem = drawn_problem(9, 5, per_round=4)
    flat = np.zeros_like(problem.train)
    y = np.tile([1.0, -1.0], 30)
    constant = replace(
        problem,
        source=lambda: RandomStumps(flat, y, np.random.default_rng(1), per_round=5),
        train=flat,
        y_train=y,
    )
    assert not algorithm.hold_out(constant, grid).vote(0).weights.any()


@both
def test_the_number_of_rounds_must_be_positive(
    problem: Problem, algorithm: SoftMargin, grid: Grid
) -> None:
    with pytest.raises(ValueError, match="n_rounds must be positive"):
        type(algorithm)(n_rounds=0).path(*problem, grid)
