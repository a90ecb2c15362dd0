from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.programs import CqBoostClassifier
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.cqboost import CqBoost, CqBoostSolution, generate_columns
from quadrepro.core.voters.reduction import reduce_problem

Problem = tuple[FloatArray, FloatArray]
VALUES = [0.4, 0.2, 0.05]
EPSILONS = [1.0, 0.1, 1e-2, 1e-4, 1e-8, 1e-14]
ROUNDS = [1, 2, 3, 5, 8, 100]


def second_moments(H: FloatArray, path: FloatArray) -> FloatArray:
    return np.asarray(((path @ H.T) ** 2).mean(axis=-1))


def least_by_scipy(H: FloatArray, y: FloatArray, mu: float) -> float:
    """Return the optimum of the program over all voters and complements, by SLSQP."""
    margins = (H * y[:, None]).mean(axis=0)
    gram, n = H.T @ H / len(y), H.shape[1]
    sides = np.hstack([np.eye(n), -np.eye(n)])
    products = sides.T @ gram @ sides / mu**2
    result = minimize(
        lambda q: q @ products @ q,
        np.eye(2 * n)[(margins @ sides).argmax()],
        jac=lambda q: 2 * products @ q,
        method="SLSQP",
        bounds=[(0.0, None)] * (2 * n),
        constraints=[
            LinearConstraint(margins @ sides, mu, np.inf),
            LinearConstraint(np.ones(2 * n), 1.0, 1.0),
        ],
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert result.status in (0, 8)  # 8: no step lowers it any more
    return float(result.fun) * mu**2


@pytest.mark.parametrize("real", [False, True])
def test_a_run_to_the_end_reaches_the_optimum_over_all_voters_and_complements(
    make_problem: Callable[..., Problem], real: bool
) -> None:
    H, y = make_problem(n=9, real=real)
    largest = np.abs(y @ H / len(y)).max()
    values = [share * float(largest) for share in (0.95, 0.5, 0.1)]
    path = CqBoost().path(H, y, Grid.of({"mu": values, "epsilon": [1e-14]}))
    for mu, moment in zip(values, second_moments(H, path), strict=True):
        assert moment == pytest.approx(least_by_scipy(H, y, mu), rel=1e-6)
    assert (path @ (y @ H) / len(y)) == pytest.approx(values, rel=1e-9)
    assert np.abs(path).sum(axis=1).max() <= 1 + 1e-9


def test_one_run_gives_what_a_run_for_each_epsilon_and_number_of_voters_gives(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=100, n=14)
    grid = Grid.of({"n_rounds": ROUNDS, "mu": VALUES, "epsilon": EPSILONS})
    path = CqBoost().path(H, y, grid)
    for candidate, weights in zip(grid.candidates, path, strict=True):
        alone = CqBoost().path(H, y, Grid.of({k: [v] for k, v in candidate.items()}))[0]
        np.testing.assert_array_equal(weights, alone)
    distinct = np.unique(path, axis=0)
    assert len(distinct) > 3 * len(VALUES)


def test_a_number_of_voters_that_is_never_reached_is_none(problem: Problem) -> None:
    H, y = problem
    axes = {"mu": VALUES, "epsilon": EPSILONS}
    np.testing.assert_array_equal(
        CqBoost().path(H, y, Grid.of(axes)),
        CqBoost().path(H, y, Grid.of({**axes, "n_rounds": [1000]})),
    )


def test_a_vote_after_t_rounds_has_at_most_t_voters_and_never_rises(problem: Problem) -> None:
    H, y = problem
    grid = Grid.of({"mu": [0.05], "epsilon": [1e-14], "n_rounds": list(range(1, 20))})
    path = CqBoost().path(H, y, grid)
    assert (np.count_nonzero(path, axis=1) <= np.arange(1, 20)).all()
    assert (np.diff(second_moments(H, path)) <= 1e-12).all()


def test_a_run_begins_with_the_voter_of_largest_margin_and_never_adds_one_twice(
    problem: Problem,
) -> None:
    reduced = reduce_problem(*problem)
    [gram], [margins] = reduced.grams(), reduced.correlations()
    steps = [solution for _, solution in generate_columns(gram, margins, 0.05)]
    first = int(np.abs(margins).argmax())
    added = [(first, float(np.sign(margins[first]))), *(step.best for step in steps[:-1])]
    assert len(set(added)) == len(added)
    assert steps[-1].excess == 0.0
    for step in steps[:-1]:
        voter, sign = step.best
        assert sign * step.edges[voter] - step.nu == pytest.approx(step.excess)
        assert step.excess == pytest.approx(np.abs(step.edges).max() - step.nu)


def test_a_mean_margin_that_no_voter_has_gives_nan_and_leaves_the_others_alone(
    problem: Problem,
) -> None:
    H, y = problem
    path = CqBoost().path(H, y, Grid.of({"mu": [0.99, *VALUES], "epsilon": [1e-6]}))
    assert np.isnan(path[0]).all()
    np.testing.assert_array_equal(
        path[1:], CqBoost().path(H, y, Grid.of({"mu": VALUES, "epsilon": [1e-6]}))
    )


def test_the_limit_names_a_mean_margin_that_a_voter_has(problem: Problem) -> None:
    H, y = problem
    said = CqBoost().limit(reduce_problem(H, y))
    named = float(said.removeprefix("mu can be at most "))
    largest = np.abs(y @ H / len(y)).max()
    assert named == pytest.approx(largest, rel=0.01)
    path = CqBoost().path(H, y, Grid.of({"mu": [1.02 * named, named], "epsilon": [1e-6]}))
    assert np.isnan(path[0]).all()
    assert not np.isnan(path[1]).any()


def test_at_the_largest_mean_margin_the_best_voter_is_the_vote(problem: Problem) -> None:
    H, y = problem
    margins = y @ H / len(y)
    best = int(np.abs(margins).argmax())
    mu = float(np.abs(margins).max())
    [weights] = CqBoost().path(H, y, Grid.of({"mu": [mu], "epsilon": [1e-6]}))
    assert (np.abs(margins) == mu).sum() == 1
    assert weights == pytest.approx(np.sign(margins[best]) * np.eye(H.shape[1])[best], abs=1e-9)


def test_equal_voters_and_complements_change_nothing(problem: Problem) -> None:
    H, y = problem
    grid = Grid.of({"mu": VALUES, "epsilon": EPSILONS})
    path = CqBoost().path(np.hstack([H, H[:, ::2], -H[:, ::3]]), y, grid)
    assert path[:, : H.shape[1]] == pytest.approx(CqBoost().path(H, y, grid), abs=1e-9)
    assert not path[:, H.shape[1] :].any()


def test_voters_that_are_equal_on_a_sample_alone_do_no_harm(problem: Problem) -> None:
    H, y = problem
    rows = np.arange(len(y)) < 40
    H[rows, 1] = H[rows, 0]
    H[rows, 3] = -H[rows, 2]
    grid = Grid.of({"mu": VALUES, "epsilon": [1e-14]})
    sampled = CqBoost().path(H, y, grid, rows[None, :].astype(float))[0]
    alone = CqBoost().path(H[rows], y[rows], grid)
    assert second_moments(H[rows], sampled) == pytest.approx(second_moments(H[rows], alone))


def test_a_single_voter_is_shrunk_by_its_complement() -> None:
    H, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([-1.0, -1.0, 1.0, -1.0])
    grid = Grid.of({"mu": [0.6, 0.5, 0.1], "epsilon": [1e-6], "n_rounds": [1, 2]})
    path = CqBoost().path(H, y, grid)[:, 0]
    assert np.isnan(path[:2]).all()
    assert path[2:] == pytest.approx([-1.0, -1.0, -1.0, -0.2])


def test_voters_as_often_right_as_wrong_have_no_vote() -> None:
    H, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, 1.0])
    path = CqBoost().path(H, y, Grid.of({"mu": [1e-9], "epsilon": [0.1]}))
    assert np.isnan(path).any(axis=1).all()
    assert "no mu above 0 is feasible" in CqBoost().limit(reduce_problem(H, y))


@pytest.mark.parametrize("seed", [7, 11])
def test_a_run_over_more_voters_than_examples_ends_at_an_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    H, y = rng.integers(-2, 3, (60, 120)) / 2.0, rng.choice([-1.0, 1.0], 60)
    gram, margins = H.T @ H / len(y), y @ H / len(y)
    *_, (_, last) = generate_columns(gram, margins, 0.02 * float(np.abs(margins).max()))
    assert last.excess == 0.0
    assert last.gap < 1e-9


def test_stages_of_cqboost_are_shorter_runs(problem: Problem) -> None:
    H, y = problem
    run = CqBoostClassifier(0.1, voters="precomputed").fit(H, y)
    stages = list(run.staged_decision_function(H))
    assert len(stages) > 6
    for t in (1, 2, 6):
        alone = CqBoostClassifier(0.1, n_rounds=t, voters="precomputed").fit(H, y)
        np.testing.assert_allclose(stages[t - 1], alone.decision_function(H), atol=1e-12)
    np.testing.assert_allclose(stages[-1], run.decision_function(H), atol=1e-12)


def test_a_mean_margin_that_no_vote_has_is_refused_with_the_largest_feasible_one() -> None:
    H = np.array([[1.0, 1.0], [0.5, 1.0], [-0.5, 1.0], [0.0, 0.0]])
    y = np.array([1, 1, 0, 1])
    estimator = CqBoostClassifier(0.8, voters="precomputed")
    message = "no vote has a mean margin of mu = 0.8: mu can be at most 0.5"
    with pytest.raises(ValueError, match=message):
        estimator.fit(H, y)
    assert estimator.set_params(mu=0.5).fit(H, y).gap_ < 1e-6


@pytest.mark.parametrize(("dual", "gap"), [(0.01, 0.0), (0.02, 1.0), (0.0, 1.0)])
def test_the_gap_is_relative_to_the_primal_objective(dual: float, gap: float) -> None:
    solution = CqBoostSolution(
        voter_weights=np.ones(1),
        primal=0.01,
        dual=dual,
        status="optimal",
        residual=0.0,
        edges=np.zeros(1),
        beta=0.0,
        nu=0.0,
        best=(0, -1.0),
        excess=0.0,
    )
    assert solution.gap == pytest.approx(gap)
