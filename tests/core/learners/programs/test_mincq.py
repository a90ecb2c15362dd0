from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.programs import MinCqClassifier
from quadrepro.core.learners.greedy.cbboost import CBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.mincq import MinCq, MinCqOnCBBoost
from quadrepro.core.voters.reduction import reduce_problem

Problem = tuple[FloatArray, FloatArray]
VALUES = [0.15, 0.1, 0.03, 0.003]
GRID = Grid.of({"mu": VALUES})


def largest_mu(H: FloatArray, y: FloatArray) -> float:
    return float(np.abs(y @ H / len(y)).mean())


@pytest.mark.parametrize("real", [False, True])
def test_every_vote_has_its_mean_margin_within_the_bounds(
    make_problem: Callable[..., Problem], real: bool
) -> None:
    H, y = make_problem(m=80, n=10, real=real)
    values = [share * largest_mu(H, y) for share in (1.0, 0.8, 0.3, 0.01)]
    path = MinCq().path(H, y, Grid.of({"mu": values}))
    assert (path @ (y @ H) / len(y)) == pytest.approx(values, rel=1e-9)
    assert np.abs(path).max() <= 0.1 * (1 + 1e-12)


def test_no_vote_nearby_has_a_smaller_second_moment(problem: Problem) -> None:
    H, y = problem
    n, margins = H.shape[1], y @ H / len(y)
    rng = np.random.default_rng(0)
    for weights in MinCq().path(H, y, GRID):
        least = ((H @ weights) ** 2).mean()
        for size in (1e-3, 1e-1):
            others = weights + size / n * rng.normal(size=(2000, n))
            others -= np.outer((others - weights) @ margins, margins) / (margins @ margins)
            inside = others[(np.abs(others) <= 1 / n).all(axis=1)]
            moments = ((inside @ H.T) ** 2).mean(axis=1)
            assert moments.min(initial=np.inf) >= least * (1 - 1e-12)


def test_a_mean_margin_that_no_vote_has_gives_nan_and_leaves_the_others_alone(
    problem: Problem,
) -> None:
    H, y = problem
    assert VALUES[0] < largest_mu(H, y) < 0.5
    path = MinCq().path(H, y, Grid.of({"mu": [0.9, 0.5, *VALUES]}))
    assert np.isnan(path[:2]).all()
    np.testing.assert_array_equal(path[2:], MinCq().path(H, y, GRID))


def test_the_limit_names_a_mean_margin_that_every_sample_allows(problem: Problem) -> None:
    H, y = problem
    samples = np.stack([np.arange(len(y)) < 30, np.arange(len(y)) >= 30]).astype(float)
    said = MinCq().limit(reduce_problem(H, y, samples, merge_voters=False))
    start, end = "mu can be at most ", " on the smallest of these samples"
    assert said.startswith(start)
    assert said.endswith(end)
    named = float(said.removeprefix(start).removesuffix(end))
    path = MinCq().path(H, y, Grid.of({"mu": [1.02 * named, named]}), samples)
    assert np.isnan(path[:, 0]).any()
    assert not np.isnan(path[:, 1]).any()
    smallest = min(largest_mu(H[s > 0], y[s > 0]) for s in samples)
    assert named == pytest.approx(smallest, rel=0.01)


def test_samples_with_counts_are_repeated_examples(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=60, n=8)
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    sampled = MinCq().path(H, y, GRID, counts[None, :].astype(float))[0]
    assert sampled == pytest.approx(MinCq().path(H[rows], y[rows], GRID), abs=1e-9)


def test_every_equal_voter_has_a_bound_of_its_own(problem: Problem) -> None:
    H, y = problem
    signs = np.array([1.0, -1.0, -1.0])
    many = np.hstack([H, H[:, [0, 0, 1]] * signs])
    path = MinCq().path(many, y, GRID)
    assert path[:, -3:] == pytest.approx(path[:, [0, 0, 1]] * signs, abs=1e-15)
    assert np.abs(path).max() <= 1 / many.shape[1] * (1 + 1e-12)


def test_a_single_voter_has_its_mean_margin_alone() -> None:
    H, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([-1.0, -1.0, 1.0, -1.0])
    path = MinCq().path(H, y, Grid.of({"mu": [0.6, 0.5, 0.1]}))
    assert np.isnan(path[0]).all()
    assert path[1:, 0] == pytest.approx([-1.0, -0.2])


def test_voters_as_often_right_as_wrong_have_no_vote() -> None:
    H, y = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, 1.0])
    assert np.isnan(MinCq().path(H, y, Grid.of({"mu": [1e-9]}))).all()
    assert "no mu above 0 is feasible" in MinCq().limit(reduce_problem(H, y, merge_voters=False))


def test_after_cbboost_it_is_mincq_on_the_voters_chosen_so_far(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=120, n=15)
    rounds = Grid.of({"n_rounds": [1, 3, 6]})
    votes = CBBoost().path(H, y, rounds)
    path = MinCqOnCBBoost(mu=0.1).path(H, y, rounds)
    for weights, vote in zip(path, votes, strict=True):
        chosen = vote != 0
        alone = MinCq().path(H[:, chosen], y, Grid.of({"mu": [0.1]}))[0]
        assert weights[chosen] == pytest.approx(alone, abs=1e-12)
        assert not weights[~chosen].any()


def test_after_cbboost_a_mean_margin_that_its_voters_lack_gives_nan(problem: Problem) -> None:
    H, y = problem
    algorithm = MinCqOnCBBoost(mu=0.9)
    assert np.isnan(algorithm.path(H, y, Grid.of({"n_rounds": [1, 5]}))).all()
    assert "mu = 0.9" in algorithm.limit(reduce_problem(H, y))


def test_after_cbboost_without_a_voter_there_is_no_vote() -> None:
    H, y = np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])
    assert np.isnan(MinCqOnCBBoost().path(H, y, Grid.of({"n_rounds": [2]}))).all()


def test_a_mean_margin_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="mu must be positive and finite, not 0"):
        MinCqOnCBBoost(mu=0.0).check(Grid.of({"n_rounds": [2]}))


def test_a_mean_margin_that_no_vote_has_is_refused_with_the_largest_feasible_one() -> None:
    H = np.array([[1.0, 1.0], [0.5, 1.0], [-0.5, 1.0], [0.0, 0.0]])
    y = np.array([1, 1, 0, 1])
    estimator = MinCqClassifier(0.8, voters="precomputed")
    message = "no vote has a mean margin of mu = 0.8: mu can be at most 0.375"
    with pytest.raises(ValueError, match=message):
        estimator.fit(H, y)
    assert estimator.set_params(mu=0.375).fit(H, y).gap_ < 1e-6
