"""Solutions of programs are optimal by the program alone, and what has no solution is NaN."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import highspy
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.holdout import HoldoutStumps
from quadrepro.core.learners import cqboost, lpboost, solvers
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.cqboost import CqBoost, rounds
from quadrepro.core.learners.lpboost import LinearProgram, LPBoost
from quadrepro.core.learners.mincq import MinCq, MinCqOnCBBoost, quasi_uniform
from quadrepro.core.learners.soft_margin import (
    MarginLP,
    MarginQP,
    RegularizedLP,
    RegularizedQP,
    SoftMargin,
)
from quadrepro.core.learners.solvers import SolverError
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.drawn import RandomStumps
from quadrepro.core.voters.reduction import reduce_problem
from tests import oracles
from tests.core.learners.given import Problem, drawn_problem, make_problem

PRICES = np.geomspace(1e-3, 1e3, 7).tolist()
SHARES = [1.0, 0.8, 0.6, 0.4, 0.25, 0.1, 0.02]
MEANS = [0.15, 0.1, 0.03, 0.003]
seeds, few = st.integers(0, 10**6), st.integers(1, 30)


def margins_of(
    seed: int, m: int = 40, n: int = 12, right: float = 0.62, *, real: bool = False
) -> FloatArray:
    """Return y h of random voters that are right so often."""
    rng = np.random.default_rng(seed)
    margins = np.where(rng.random((m, n)) < right, 1.0, -1.0)
    return margins * rng.random((m, n)) if real else margins


def counts_of(seed: int, m: int = 40) -> FloatArray:
    return np.random.default_rng(seed).integers(1, 4, m).astype(float)


def repeated(margins: FloatArray, counts: FloatArray) -> Problem:
    """Return the problem in which every example stands as often as it counts."""
    rows = margins.repeat(counts.astype(int), axis=0)
    return rows, np.ones(len(rows))


# LPBoost


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("n", [14, 90])
def test_every_candidate_of_lpboost_is_optimal(real: bool, n: int) -> None:
    H, y = make_problem(m=50, n=n, real=real)
    for weights, C in zip(
        LPBoost().path(H, y, Grid.from_values({"C": PRICES})), PRICES, strict=True
    ):
        objective, gap, _ = oracles.lpboost(H, y, C, weights)
        assert abs(gap) <= 1e-8 * objective


def test_a_solver_is_silent_and_an_unbounded_program_is_an_error(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    enable: Callable[[highspy.Highs], None] = highspy.Highs.enableCallbacks

    def enable_as_later_versions(solver: highspy.Highs) -> None:
        if solver.getOptionValue("output_flag")[1]:
            os.write(1, b"Running HiGHS")
        enable(solver)

    monkeypatch.setattr(highspy.Highs, "enableCallbacks", enable_as_later_versions)
    ones = np.ones(1)
    program = LinearProgram(-ones, ones[None], -np.inf * ones, np.inf * ones, 0 * ones)
    assert program.solve(3 * ones)[0] == pytest.approx(3.0)
    with pytest.raises(SolverError, match="HiGHS ended with 'Unbounded'"):
        program.solve(np.inf * ones)
    assert capfd.readouterr().out == ""


# LP_REG and QP_REG


def test_weights_of_lp_reg_are_optimal_and_have_the_soft_margin() -> None:
    for seed in range(5):
        margins, counts = margins_of(seed), counts_of(seed)
        program = MarginLP(margins, counts)
        for nu in SHARES:
            weights, value = program.solve(nu)
            found = oracles.lp_reg(*repeated(margins, counts), nu, weights)
            assert value == pytest.approx(-found.objective, abs=1e-9)
            assert found.gap < 1e-8
            assert found.violation < 1e-9


@given(seeds, st.integers(1, 60), few, st.floats(0.1, 0.95), st.booleans(), st.sampled_from(PRICES))
# Programs whose optimum is degenerate.
@example(204469, 26, 11, 0.74, False, 10.0)
@example(520364, 6, 19, 0.94, False, 0.1)
@example(793437, 49, 24, 0.93, True, 0.1)
@example(962121, 25, 9, 0.83, True, 100.0)
@example(853635, 54, 8, 0.87, False, 1000.0)
def test_weights_of_qp_reg_are_optimal(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = margins_of(seed, m, n, right, real=real), counts_of(seed, m)
    weights = MarginQP(margins, counts).solve(C)
    found = oracles.qp_reg(*repeated(margins, counts), C, weights)
    assert found.gap <= 1e-6 * found.objective
    assert found.violation < 1e-12


@pytest.mark.parametrize("C", [1e3, 1e6])
def test_twin_voters_and_high_prices_have_a_solution(C: float) -> None:
    for seed in range(5):
        margins, counts = margins_of(seed, 30, 10), counts_of(seed, 30)
        twins = margins.copy()
        twins[np.random.default_rng(seed).integers(0, 30, 10), np.arange(10)] *= -1
        margins = np.hstack([margins, twins])
        weights = MarginQP(margins, counts).solve(C)
        found = oracles.qp_reg(*repeated(margins, counts), C, weights)
        assert found.gap <= 1e-7 * found.objective


def test_a_price_does_not_depend_on_those_before_it() -> None:
    for seed, right in ((6, 0.62), (1, 0.8)):
        problem = margins_of(seed, 30, 40, right), counts_of(seed, 30)
        program = MarginQP(*problem)
        for C in PRICES:
            assert program.solve(C) == pytest.approx(MarginQP(*problem).solve(C), abs=1e-7)


GRIDS: dict[SoftMargin, Grid] = {
    RegularizedLP(n_rounds=40): Grid.from_values({"nu": [1.0, 0.7, 0.5, 0.3, 0.1]}),
    RegularizedQP(n_rounds=40): Grid.from_values({"C": [0.001, 0.01, 0.1, 1.0, 100.0]}),
}
both = pytest.mark.parametrize(("algorithm", "grid"), GRIDS.items(), ids=["LP", "QP"])


@both
def test_only_adaboosts_voters_have_weight_and_in_its_direction(
    algorithm: SoftMargin, grid: Grid
) -> None:
    H, y = make_problem(m=80, n=30)
    vote = AdaBoost().path(H, y, Grid.from_values({"n_rounds": [40]}))[0]
    path = algorithm.path(H, y, grid)
    assert {*np.sign(vote)} == {-1, 0, 1}
    assert (path * np.sign(vote) >= 0).all()
    assert not path[:, vote == 0].any()
    assert path.any(axis=1).all()


@both
def test_over_drawn_stumps_the_program_is_over_those_of_adaboost_each_once(
    algorithm: SoftMargin, grid: Grid
) -> None:
    problem = drawn_problem(9, 5, per_round=4)
    found, held = (
        AdaBoost().hold_out(problem, Grid.from_values({})),
        algorithm.hold_out(problem, grid),
    )
    vote = found.vote(0)
    picks = np.stack([vote.attributes, vote.cuts, np.sign(vote.weights)])
    first = np.sort(np.unique(picks, axis=1, return_index=True)[1])
    signs = np.sign(vote.weights)[first]
    margins = vote.outputs(problem.train)[:, first] * signs * problem.y_train[:, None]
    later = np.delete(np.arange(len(vote.weights)), first)
    for i, weights in enumerate(algorithm.solve(margins, np.ones(60), grid)):
        assert held.candidates[i] == grid.candidates[i] | found.candidates[0]
        np.testing.assert_array_equal(held.vote(i).weights[first], weights * signs)
        assert not held.vote(i).weights[later].any()
        wrong = (held.vote(i).sums(problem.valid) > 1e-12) != (problem.y_valid > 0)
        assert held.errors[i] == wrong.sum()


def test_of_equal_voters_the_first_has_lp_regs_weight_and_all_share_qp_regs() -> None:
    H, y = make_problem()
    margins, ones = np.hstack([H, H[:, ::-1]]) * y[:, None], np.ones(len(y))
    [[lp, nu], [qp, C]] = GRIDS.items()
    weights = lp.solve(margins, ones, nu)
    assert not weights[:, 12:].any()
    np.testing.assert_array_equal(weights[:, :12], lp.solve(margins[:, :12], ones, nu))
    weights = qp.solve(margins, ones, C)
    assert weights[:, 12:] == pytest.approx(weights[:, 11::-1], abs=1e-6)


@both
def test_where_adaboost_finds_no_voter_the_vote_is_empty(algorithm: SoftMargin, grid: Grid) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    assert not algorithm.path(H, y, grid).any()
    problem = drawn_problem(9, 5, per_round=4)
    flat, y = np.zeros_like(problem.train), np.tile(y, 15)
    constant = replace(
        problem,
        source=lambda: RandomStumps(flat, np.random.default_rng(1), HoldoutStumps(per_round=5)),
        train=flat,
        y_train=y,
    )
    assert not algorithm.hold_out(constant, grid).vote(0).weights.any()


@both
def test_a_program_is_over_the_examples_of_the_sample_and_adaboosts_voters_on_it(
    algorithm: SoftMargin, grid: Grid, monkeypatch: pytest.MonkeyPatch
) -> None:
    (H, y), given = make_problem(), []

    def solver(self: SoftMargin, margins: FloatArray, counts: FloatArray) -> Any:
        given.append((margins, counts))
        return lambda value: np.zeros(margins.shape[1])

    monkeypatch.setattr(type(algorithm), "_solver", solver)
    samples = np.vstack([np.arange(60) % 3, np.ones(60)])
    algorithm.path(H, y, grid, samples)
    votes = AdaBoost().path(H, y, Grid.from_values({"n_rounds": [40]}), samples)[:, 0]
    for (margins, counts), vote, sample in zip(given, votes, samples, strict=True):
        signed = (H * y[:, None] * np.sign(vote))[:, vote != 0][sample > 0]
        distinct, place = np.unique(signed, axis=0, return_inverse=True)
        np.testing.assert_array_equal(margins, distinct)
        np.testing.assert_array_equal(counts, np.bincount(place, sample[sample > 0]))


# MinCq


@given(seeds, st.integers(1, 40), few, st.booleans(), st.sampled_from([0.01, 0.3, 0.6, 0.9, 1.0]))
def test_votes_of_mincq_are_optimal(seed: int, m: int, n: int, real: bool, share: float) -> None:
    H, y = margins_of(seed, m, n, real=real), np.ones(m)
    mu = share * float(np.abs(y @ H / m).mean())
    if mu < 1e-3:
        return
    [weights] = MinCq().path(H, y, Grid.from_values({"mu": [mu]}))
    found = oracles.mincq(H, y, mu, weights)
    assert found.violation <= 1e-8
    # A ridge of 1e-7 moves the slope, and no other vote is further away than both bounds.
    assert found.gap <= 1e-6 * found.objective + 4e-7 * np.abs(weights).sum() / n


def test_equal_voters_and_complements_have_equal_weights_within_a_bound_each() -> None:
    plain, copies = margins_of(1, 60, 6, real=True), np.array([0, 0, 1, 2, 2, 2, 3, 4, 5])
    signs = np.array([1, -1, 1, 1, 1, -1, -1, 1, 1])
    H, y = plain[:, copies] * signs, np.ones(60)
    mu = 0.7 * float(np.abs(y @ H / 60).mean())
    [weights] = MinCq().path(H, y, Grid.from_values({"mu": [mu]}))
    for voter in range(6):
        assert np.ptp((weights * signs)[copies == voter]) == 0.0
    found = oracles.mincq(H, y, mu, weights)
    assert found.gap <= 1e-6 * found.objective


def test_weights_on_a_bound_are_exactly_there_and_cancel() -> None:
    right = margins_of(2, 60, 9, real=True)
    gram, margins = right.T @ right / 60, right.mean(axis=0)
    largest = float(np.abs(margins).mean())
    most, fewer = quasi_uniform(gram, margins, [largest, 0.95 * largest])
    np.testing.assert_array_equal(most, np.sign(margins) / 9)
    assert 3 < (np.abs(fewer) == 1 / 9).sum() < 9


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_of_several_optima_the_one_of_least_norm_is_found(share: float) -> None:
    for seed in range(6):
        right = margins_of(seed, 7, 20, 0.6)
        gram, margins = right.T @ right / 7, right.mean(axis=0)
        [w] = quasi_uniform(gram, margins, [share * float(np.abs(margins).mean())])
        if np.abs(w).max() < 0.99 / 20:
            # No bound is in the way: w has no part along which no vote changes.
            assert right.T @ np.linalg.lstsq(right.T, w)[0] == pytest.approx(w, abs=1e-5)


def test_a_mean_margin_that_no_vote_has_gives_nan_and_the_limit_names_the_largest() -> None:
    H, y = make_problem()
    assert MEANS[0] < np.abs(y @ H / len(y)).mean() < 0.5
    path = MinCq().path(H, y, Grid.from_values({"mu": [0.9, 0.5, *MEANS]}))
    assert np.isnan(path).all(axis=1).tolist() == [True, True] + [False] * 4
    samples = np.stack([np.arange(len(y)) < 30, np.arange(len(y)) >= 30]).astype(float)
    message = MinCq().limit(reduce_problem(H, y, samples, merge_voters=False))
    [limit] = re.findall("mu can be at most (.*) on the smallest of these samples", message)
    path = MinCq().path(
        H, y, Grid.from_values({"mu": [1.02 * float(limit), float(limit)]}), samples
    )
    assert np.isnan(path).any(axis=(0, 2)).tolist() == [True, False]


def test_after_cbboost_it_is_mincq_on_the_voters_chosen_so_far() -> None:
    H, y = make_problem(m=120, n=15)
    rounds = Grid.from_values({"n_rounds": [1, 3, 6]})
    votes = CBBoost().path(H, y, rounds)
    path = MinCqOnCBBoost(mu=0.1).path(H, y, rounds)
    for weights, vote in zip(path, votes, strict=True):
        chosen = vote != 0
        alone = MinCq().path(H[:, chosen], y, Grid.from_values({"mu": [0.1]}))[0]
        assert weights[chosen] == pytest.approx(alone, abs=1e-9)
        assert not weights[~chosen].any()
    # These voters lack such a mean margin.
    algorithm = MinCqOnCBBoost(mu=0.9)
    assert np.isnan(algorithm.path(H, y, rounds)).all()
    assert "mu = 0.9" in algorithm.limit(reduce_problem(H, y))
    none = np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])
    assert np.isnan(MinCqOnCBBoost().path(*none, rounds)).all()


def test_quadratic_programs_are_solved_by_the_same_code_on_any_processor() -> None:
    assert solvers.DenseSolver.__module__ == "piqp.piqp_python"


# Without a solution


def test_a_residual_above_the_bound_is_an_error_and_leaves_candidates_without_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solvers, "RESIDUAL", 0.0)
    monkeypatch.setattr(cqboost, "RESIDUAL", -1.0)
    monkeypatch.setitem(lpboost.OPTIONS, "simplex_iteration_limit", 0)
    with pytest.raises(SolverError, match=r"PIQP ended as Status.PIQP_SOLVED with a residual of"):
        MarginQP(margins_of(0), counts_of(0)).solve(2.0)
    with pytest.raises(SolverError, match=r"CqBoost's program at mu = 0.1 has a residual of"):
        next(cqboost_rounds(random_margins(0), 0.1))
    assert np.isnan(MinCq().path(*make_problem(), Grid.from_values({"mu": MEANS}))).all()
    grid = Grid.from_values({"mu": [0.1], "epsilon": [0.1]})
    assert np.isnan(CqBoost().path(*make_problem(), grid)).all()
    for algorithm, grid in GRIDS.items():
        assert np.isnan(algorithm.path(*make_problem(), grid)).any(axis=1)[-1]
        held = algorithm.hold_out(drawn_problem(9, 5, per_round=4), grid)
        assert np.isnan(held.errors[-1])


# CqBoost


VALUES = [0.4, 0.2, 0.05]
EPSILONS = [1.0, 0.1, 1e-2, 1e-4, 1e-8, 1e-14]


def random_margins(seed: int, m: int = 50, n: int = 7, *, real: bool = False) -> FloatArray:
    """Return y h of random voters, half of them better than chance."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    right[:, ::2] = np.where(rng.random(right[:, ::2].shape) < 0.4, 1.0, right[:, ::2])
    return right


def cqboost_rounds(right: FloatArray, mu: float) -> Iterator[tuple[FloatArray, float]]:
    return rounds(right.T @ right / len(right), right.mean(axis=0), mu)


def second_moments(H: FloatArray, path: FloatArray) -> FloatArray:
    return np.asarray(((path @ H.T) ** 2).mean(axis=-1))


def by_scipy(columns: FloatArray, mu: float) -> FloatArray:
    """Return the weights q >= 0 of columns y h that sum to 1 and minimise the second moment."""
    m, n = columns.shape
    gram, margins = columns.T @ columns / m, columns.mean(axis=0)
    result = minimize(
        lambda q: q @ gram @ q / mu**2,
        np.eye(n)[margins.argmax()],
        jac=lambda q: 2 * gram @ q / mu**2,
        method="SLSQP",
        bounds=[(0.0, None)] * n,
        constraints=[LinearConstraint(margins, mu, np.inf), LinearConstraint(np.ones(n), 1.0, 1.0)],
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert result.status in (0, 8)  # 8: no step lowers it any more
    return np.asarray(result.x)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_every_round_adds_the_largest_edge_and_solves_the_program_of_the_voters_so_far(
    share: float,
) -> None:
    for seed in range(3):
        right = random_margins(seed, real=True)
        both = np.hstack([right, -right])
        mu = share * float(both.mean(axis=0).max())
        added = [int(both.mean(axis=0).argmax())]
        for vote, excess in cqboost_rounds(right, mu):
            q = by_scipy(both[:, added], mu)
            assert right @ vote == pytest.approx(both[:, added] @ q, abs=1e-5)
            # Where q is positive, the edge β m_j - 2 (Gq)_j is ν.
            slopes, used = 2 * both.T @ (right @ vote) / len(right), q > 1e-4
            rows = np.column_stack([both.mean(axis=0), -np.ones(both.shape[1])])
            beta, nu = np.linalg.lstsq(rows[added][used], slopes[added][used])[0]
            if len(added) == 1:
                beta, nu = 0.0, -slopes[added[0]]
            edges = beta * both.mean(axis=0) - slopes
            outside = np.delete(np.arange(len(edges)), added)
            assert excess == pytest.approx(max(0.0, edges[outside].max() - nu), abs=1e-7)
            added.append(int(outside[edges[outside].argmax()]))
        assert excess == 0.0


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 40),
    n=st.integers(1, 20),
    real=st.booleans(),
    share=st.sampled_from([0.01, 0.3, 0.7, 0.99, 1 - 1e-12, 1.0, 1 + 9e-13]),
    twins=st.sampled_from([None, 1e-3, 1e-6, 1e-9]),
)
def test_every_run_ends_at_an_optimum_and_never_rises(
    seed: int, m: int, n: int, real: bool, share: float, twins: float | None
) -> None:
    right = random_margins(seed, m, n, real=real)
    if twins is not None:
        noise = twins * np.random.default_rng(seed).uniform(-1, 1, right.shape)
        right = np.hstack([right, np.clip(right + noise, -1, 1)])
    mu = share * float(np.abs(right.mean(axis=0)).max())
    if mu < 1e-3:
        return
    votes, excesses = zip(*cqboost_rounds(right, mu), strict=True)
    path = np.array(votes)
    assert len(votes) <= 2 * right.shape[1]
    assert (np.count_nonzero(path, axis=1) <= np.arange(1, len(path) + 1)).all()
    assert (np.diff(second_moments(right, path)) <= 1e-10).all()
    assert np.abs(path).sum(axis=1).max() <= 1 + 1e-8
    assert (right @ path.T).mean(axis=0).min() >= mu - 1e-8
    assert excesses[-1] == 0.0
    if share < 0.999:  # linprog is not exact enough at the very end
        found = oracles.cqboost(right, np.ones(m), mu, path[-1])
        assert found.gap <= 1e-6 * found.objective


def test_by_default_a_run_has_all_its_rounds() -> None:
    H, y = make_problem(m=100, n=14)
    axes = {"mu": VALUES, "epsilon": EPSILONS}
    path = CqBoost().path(H, y, Grid.from_values(axes))
    np.testing.assert_array_equal(
        path, CqBoost().path(H, y, Grid.from_values({**axes, "n_rounds": [99]}))
    )
    assert len(np.unique(path, axis=0)) > 3 * len(VALUES)


def test_a_mean_margin_that_no_voter_has_gives_nan_and_the_limit_names_the_largest() -> None:
    H, y = make_problem()
    named = float(CqBoost().limit(reduce_problem(H, y)).removeprefix("mu can be at most "))
    axes = {"mu": [0.99, 1.02 * named, named, *VALUES], "epsilon": [1e-6]}
    path = CqBoost().path(H, y, Grid.from_values(axes))
    assert np.isnan(path).any(axis=1).tolist() == [True, True] + [False] * 4


def test_after_hundreds_of_voters_that_come_and_go_the_weights_have_twelve_digits() -> None:
    right, mu = random_margins(5, 100, 90), 0.2
    votes = np.array([vote for vote, _ in cqboost_rounds(right, mu)])
    assert ((votes[:-1] != 0) & (votes[1:] == 0)).sum() > 10
    used = np.flatnonzero(votes[-1])
    columns = right[:, used] * np.sign(votes[-1][used])
    rows = np.stack([np.ones(len(used)), columns.mean(axis=0)])
    system = np.block([[columns.T @ columns / 100 + 1.0, rows.T], [rows, np.zeros((2, 2))]])
    target = np.concatenate([np.zeros(len(used)), [1.0, mu]])
    exact = np.linalg.solve(system, target)
    exact += np.linalg.solve(system, target - system @ exact)
    assert np.abs(votes[-1][used]) == pytest.approx(exact[:-2], abs=1e-12)
