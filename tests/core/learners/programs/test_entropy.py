from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import rel_entr

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs.entropy import (
    EntropyBoost,
    EntropyProgram,
    EntropyRound,
    EntropyRun,
)
from quadrepro.core.learners.programs.erlpboost import ERLPBoost
from quadrepro.core.learners.programs.program import SolverError
from quadrepro.core.learners.programs.softboost import SoftBoost
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem

Problem = tuple[FloatArray, FloatArray]
BOTH = [SoftBoost(), ERLPBoost()]
each = pytest.mark.parametrize("learner", BOTH, ids=repr)


def distinct(m: int, n: int, seed: int) -> tuple[VotingProblem, FloatArray]:
    """Return a problem whose examples all differ, and y h."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(m) < 0.5, 1.0, -1.0)
    H = np.where(rng.random((m, n)) < 0.65, y[:, None], -y[:, None]) * rng.random((m, n))
    problem = reduce_problem(H, y)
    assert problem.H.shape == (m, n)
    return problem, problem.H * problem.y[:, None]


def by_scipy(signed: FloatArray, nu: float, level: float | None, eta: float) -> FloatArray:
    """Return the weights of the examples that solve a round's program, in its primal form.

    With a level, the relative entropy is minimised, else the largest edge γ plus entropy / η.
    """
    m, t = signed.shape
    free = 0.0 if level is not None else 1.0  # whether γ is a variable

    def objective(x: FloatArray) -> float:
        return float(free * x[m] + (x[:m] * np.log(m * x[:m])).sum() / eta)

    def gradient(x: FloatArray) -> FloatArray:
        return np.append((np.log(m * x[:m]) + 1) / eta, free)

    top = level if level is not None else 1.0
    constraints = [
        {"type": "eq", "fun": lambda x: x[:m].sum() - 1, "jac": lambda x: np.r_[np.ones(m), 0]},
        {
            "type": "ineq",
            "fun": lambda x: x[m] - x[:m] @ signed,
            "jac": lambda x: np.column_stack([-signed.T, np.ones(t)]),
        },
    ]
    found = minimize(
        objective,
        np.append(np.full(m, 1 / m), top),
        jac=gradient,
        method="SLSQP",
        bounds=[(1e-14, 1 / (nu * m))] * m + [(None if level is None else level, top)],
        constraints=constraints,
        options={"ftol": 1e-16, "maxiter": 1000},
    )
    return np.asarray(found.x[:m])


def rounds_of(
    learner: EntropyBoost, problem: VotingProblem, nu: float, delta: float
) -> list[EntropyRound]:
    return list(learner.rounds(EntropyRun(problem, problem.counts[0], nu), nu, delta))


@pytest.mark.parametrize("nu", [0.5, 0.2, 0.05])
@each
def test_every_round_is_that_of_a_plain_transcription(learner: EntropyBoost, nu: float) -> None:
    problem, signed = distinct(12, 8, 1)
    delta, eta = 0.1, 20 * np.log(1 / nu)
    d, picked, bound, least, lower = np.full(12, 1 / 12), [], np.inf, np.inf, -np.inf
    rounds = rounds_of(learner, problem, nu, delta)
    for seen in rounds:
        edges = d @ signed
        best = int(np.abs(edges).argmax())
        assert (seen.voter, seen.sign) == (best, np.sign(edges[best]))
        bound = min(bound, abs(edges[best]))
        picked.append(seen.sign * signed[:, best])
        if seen.after is None:
            break
        level = bound - delta if isinstance(learner, SoftBoost) else None
        H = np.stack(picked, axis=1)
        theirs = by_scipy(H, nu, level, 1.0 if level is not None else eta)
        d = seen.after.examples
        # SLSQP ends where rounding hides what is left: objectives 1e-13 apart, and as a relative
        # entropy is strongly convex, that leaves weights sqrt(2 eta 1e-13) or 3e-6 apart.
        np.testing.assert_allclose(d, theirs, atol=3e-6)
        entropy, its_entropy = (float(rel_entr(e, 1 / 12).sum()) for e in (d, theirs))
        assert seen.after.entropy == pytest.approx(entropy, abs=1e-12)
        if level is None:
            lower = (d @ H).max() + entropy / eta
            assert lower <= (theirs @ H).max() + its_entropy / eta + 1e-11
            least = min(least, np.abs(d @ signed).max() + entropy / eta)
            # The run ends as soon as the paper's gap is closed, and not before.
            assert (least - lower <= delta / 2) == (seen is rounds[-1])
    assert len(rounds) > 2


def largest_soft_margin(H: FloatArray, y: FloatArray, nu: float) -> float:
    """Return the least largest edge of any voter or complement, by scipy's linprog."""
    m, n = H.shape
    signed = np.hstack([H, -H]) * y[:, None]
    result = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack([signed.T, -np.ones(2 * n)]),
        b_ub=np.zeros(2 * n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
        bounds=[(0, 1 / (nu * m))] * m + [(None, None)],
    )
    assert result.status == 0
    return float(result.fun)


def soft_margin(votes: FloatArray, y: FloatArray, nu: float) -> float:
    """Return max ρ - Σ (ρ - y F)₊ / (ν m); the best ρ is a margin."""
    margins = y * votes
    shortfalls = np.maximum(0.0, margins[:, None] - margins).sum(axis=1)
    return float((margins - shortfalls / (nu * len(y))).max())


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("nu", [1.0, 0.7, 0.3, 0.1])
@each
def test_the_soft_margin_is_at_most_delta_below_the_optimum_of_scipys_linprog(
    make_problem: Callable[..., Problem], learner: EntropyBoost, nu: float, real: bool
) -> None:
    H, y = make_problem(m=50, n=14, real=real)
    optimum = largest_soft_margin(H, y, nu)
    for delta in (0.1, 0.01):
        *_, last = rounds_of(learner, reduce_problem(H, y), nu, delta)
        [weights] = learner.path(H, y, Grid.of({"nu": [nu], "delta": [delta]}))
        found = soft_margin(H @ weights, y, nu)
        assert optimum - last.gap - 1e-9 <= found <= optimum + 1e-9
        assert last.gap <= delta + 1e-9
        assert np.abs(weights).sum() <= 1 + 1e-12


@each
def test_at_nu_1_the_best_voter_is_the_whole_vote(problem: Problem, learner: EntropyBoost) -> None:
    H, y = problem
    [weights] = learner.path(H, y, Grid.of({"nu": [1.0], "delta": [0.01]}))
    best = int(np.abs(H.T @ y).argmax())
    assert weights[best] == np.sign(H.T @ y)[best]
    assert np.count_nonzero(weights) == 1


def test_where_no_vote_has_a_positive_soft_margin_softboosts_is_empty() -> None:
    # Each example is repeated with the other label: all edges are 0 by uniform weights.
    H = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])
    y = np.array([1.0, -1.0, -1.0, 1.0])
    [*_, last] = rounds_of(SoftBoost(), reduce_problem(H, y), 0.5, 0.01)
    assert soft_margin(H @ last.vote, y, 0.5) == pytest.approx(0.0, abs=1e-12)
    assert last.gap <= 0.01


@each
def test_equal_examples_share_the_weight_of_their_copies(learner: EntropyBoost) -> None:
    problem, _ = distinct(12, 8, 3)
    counts = np.array([[3.0, 1, 1, 2, 1, 1, 1, 4, 1, 1, 1, 2]])
    merged = replace(problem, counts=counts)
    times = counts[0].astype(int)
    plain = replace(
        problem,
        H=np.repeat(problem.H, times, axis=0),
        y=np.repeat(problem.y, times),
        counts=np.ones((1, times.sum())),
    )
    a, b = (rounds_of(learner, of, 0.3, 0.05) for of in (merged, plain))
    assert len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        np.testing.assert_allclose(one.vote, other.vote, atol=1e-9)


@each
def test_rounds_are_nested_and_a_limit_ends_a_run(
    make_problem: Callable[..., Problem], learner: EntropyBoost
) -> None:
    H, y = make_problem(m=50, n=14)
    limits = [1, 3, 1000]
    grid = Grid.of({"n_rounds": limits, "delta": [0.1, 0.02], "nu": [0.5, 0.3]})
    path = learner.path(H, y, grid)
    for weights, candidate in zip(path, grid.candidates, strict=True):
        [alone] = learner.path(H, y, Grid.of({name: [v] for name, v in candidate.items()}))
        np.testing.assert_array_equal(weights, alone)
    [endless] = learner.path(H, y, Grid.of({"nu": [0.3], "delta": [0.02]}))
    np.testing.assert_array_equal(path[-1], endless)
    assert np.count_nonzero(path[0]) == 1
    assert (np.count_nonzero(path[4:8], axis=1) <= 3).all()


def least_level(signed: FloatArray, nu: float) -> float:
    """Return the least largest edge of voters alone, without their complements."""
    m, n = signed.shape
    result = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack([signed.T, -np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
        bounds=[(0, 1 / (nu * m))] * m + [(None, None)],
    )
    return float(result.fun)


def program_over(signed: FloatArray, nu: float) -> EntropyProgram:
    program = EntropyProgram(np.ones(len(signed)), nu)
    for voter in signed.T:
        program.add_voter(voter)
    return program


@pytest.mark.parametrize("slack", [0.05, 0.005])
def test_weights_satisfy_the_optimality_conditions_of_the_projection(slack: float) -> None:
    _, signed = distinct(80, 30, 0)
    signed, nu = signed * np.sign(signed.sum(axis=0)), 0.4
    level = least_level(signed, nu) + slack
    point = program_over(signed, nu).solve(level)
    v, d, edges = point.multipliers, point.examples, point.examples @ signed
    assert d.sum() == pytest.approx(1.0, abs=1e-12)
    assert (d > 0).all()
    assert d.max() <= 1 / (nu * 80) * (1 + 1e-12)
    assert edges.max() <= level + 1e-10
    np.testing.assert_allclose(edges[v > 0], level, atol=1e-10)
    assert 0 < np.count_nonzero(v) < 30
    # Below its cap, an example's weight falls with its vote; at its cap it would be larger.
    free = d < (1 - 1e-9) / (nu * 80)
    constants = np.log(80 * d) + signed @ v
    np.testing.assert_allclose(constants[free], constants[free][0], atol=1e-9)
    assert (constants[~free] <= constants[free][0] + 1e-9).all()
    assert 0 < free.sum() < 80
    assert point.entropy == pytest.approx((d * np.log(80 * d)).sum(), abs=1e-12)


@pytest.mark.parametrize("counts", [np.ones(30), np.arange(1.0, 31.0), np.linspace(0.1, 2.7, 30)])
@pytest.mark.parametrize("nu", [1.0, 0.61, 0.5, 0.1, 1e-3])
def test_the_soft_margin_is_the_least_mean_margin_by_capped_weights(
    nu: float, counts: FloatArray
) -> None:
    rng = np.random.default_rng(2)
    signed, weights = rng.uniform(-1, 1, size=(30, 4)), np.array([0.4, 0.3, 0.2, 0.1])
    program = EntropyProgram(counts, nu)
    for voter in signed.T:
        program.add_voter(voter)
    least = linprog(
        signed @ weights,
        A_eq=np.ones((1, 30)),
        b_eq=[1.0],
        bounds=[(0, c / (nu * counts.sum())) for c in counts],
    )
    assert program.soft_margin(weights) == pytest.approx(least.fun, abs=1e-12)


def test_multipliers_that_grow_large_are_found_exactly() -> None:
    _, signed = distinct(40, 6, 5)
    least, program = least_level(signed, 1e-3), program_over(signed, 1e-3)
    for slack in (1e-2, 1e-4, 1e-6):
        point = program.solve(least + slack)
        assert (point.examples @ signed).max() == pytest.approx(least + slack, abs=1e-8)
        assert (point.examples >= 0).all()
    assert point.multipliers.sum() > 500


def test_a_level_below_the_least_largest_edge_is_an_error_that_names_nu() -> None:
    _, signed = distinct(40, 6, 5)
    with pytest.raises(SolverError, match=r"the entropy program at nu = 0\.3 ended with a KKT res"):
        program_over(signed, 0.3).solve(least_level(signed, 0.3) - 1e-3)


def test_edges_that_differ_by_rounding_are_equal_and_the_first_is_picked() -> None:
    H = np.array([[1.0, -1.0, 0.9], [1.0, 1.0, -0.8], [-1.0, 1.0, 0.3], [1.0, 1.0, 1.0]])
    problem = replace(reduce_problem(H, np.ones(4)), H=H, counts=np.ones((1, 4)), y=np.ones(4))
    run = EntropyRun(problem, np.ones(4), 0.5)
    assert run.best(np.array([0.25 - 1e-10, 0.25, 0.25 + 1e-10, 0.25]))[:2] == (0, 1.0)
    assert run.best(np.array([0.25 - 1e-8, 0.25, 0.25 + 1e-8, 0.25]))[:2] == (1, 1.0)
    assert run.best(np.array([0.0, 0.0, 1.0, 0.0]))[:2] == (0, -1.0)
    assert run.add(1, -1.0) is not None
    assert run.add(1, -1.0) is None
    assert run.vote(np.ones(1)).tolist() == [0.0, -1.0, 0.0]


def test_weights_that_cancel_leave_nothing() -> None:
    problem, _ = distinct(12, 8, 1)
    run = EntropyRun(problem, np.ones(12), 0.5)
    for sign in (1.0, -1.0):
        run.add(2, sign)
    assert not run.vote(np.array([0.5, 0.5 - 1e-16])).any()
