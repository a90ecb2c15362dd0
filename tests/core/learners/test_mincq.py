from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners import programs
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.mincq import MinCq, MinCqOnCBBoost, quasi_uniform
from quadrepro.core.voters.reduction import reduce_problem

Problem = tuple[FloatArray, FloatArray]
VALUES = [0.15, 0.1, 0.03, 0.003]
GRID = Grid.of({"mu": VALUES})
SHARES = [0.01, 0.3, 0.6, 0.9, 0.999, 1.0]


def draw(seed: int, m: int = 60, n: int = 8, *, real: bool = True) -> Problem:
    """Return the Gram matrix and the margins of random voters, half of them better than chance."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    right[:, ::2] = np.where(rng.random(right[:, ::2].shape) < 0.4, 1.0, right[:, ::2])
    return right.T @ right / m, right.mean(axis=0)


def by_scipy(
    gram: FloatArray, margins: FloatArray, mu: float, bounds: FloatArray | None = None
) -> FloatArray:
    """Return the optimal w by SLSQP, with n w as its variables."""
    n = len(margins)
    most = np.ones(n) if bounds is None else n * bounds
    found = minimize(
        lambda v: v @ gram @ v / n,
        most * np.sign(margins) * mu / np.abs(margins).mean(),
        jac=lambda v: 2 * gram @ v / n,
        method="SLSQP",
        bounds=list(zip(-most, most, strict=True)),
        constraints=LinearConstraint(margins, n * mu, n * mu),
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return np.asarray(found.x / n)


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 40),
    n=st.integers(1, 30),
    real=st.booleans(),
    share=st.sampled_from(SHARES),
)
def test_every_solution_satisfies_the_kkt_conditions(
    seed: int, m: int, n: int, real: bool, share: float
) -> None:
    gram, margins = draw(seed, m, n, real=real)
    mu = share * float(np.abs(margins).mean())
    if mu < 1e-3:
        return
    [w] = quasi_uniform(gram, margins, [mu])
    assert np.abs(w).max() <= 1 / n * (1 + 1e-12)
    assert margins @ w == pytest.approx(mu, abs=1e-8)
    inside = np.abs(w) < (1 - 1e-6) / n
    slope = 2 * gram @ w / mu
    if np.abs(margins[inside]).max(initial=0.0) > 1e-2:
        # Stationarity inside the bounds gives eta; at a bound the slope pushes against it.
        known = np.flatnonzero(inside)[np.abs(margins[inside]).argmax()]
        eta = slope[known] / margins[known]
        push = eta * margins - slope
        assert push[inside] == pytest.approx(0.0, abs=1e-5 * eta)
        assert (push * np.sign(w))[~inside].min(initial=0.0) > -1e-5 * eta


def test_equal_voters_and_complements_have_equal_weights_within_a_bound_each() -> None:
    gram, margins = draw(1, n=6)
    copies, signs = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5]), np.array([1, -1, 1, 1, 1, -1, -1, 1, 1])
    many = gram[np.ix_(copies, copies)] * np.outer(signs, signs)
    mu = 0.7 * float(np.abs(margins[copies]).mean())
    weights = quasi_uniform(many, margins[copies] * signs, [mu])[0] * signs
    for voter in range(6):
        assert np.ptp(weights[copies == voter]) == 0.0
    # The weight that copies share is bounded by all their bounds.
    merged = by_scipy(gram, margins, mu, np.bincount(copies) / 9)
    assert np.bincount(copies, weights) == pytest.approx(merged, abs=1e-6)


def test_weights_on_a_bound_are_exactly_there_and_cancel() -> None:
    gram, margins = draw(2, n=9)
    [weights] = quasi_uniform(gram, margins, [float(np.abs(margins).mean())])
    np.testing.assert_array_equal(weights, np.sign(margins) / 9)
    [weights] = quasi_uniform(gram, margins, [0.95 * float(np.abs(margins).mean())])
    assert (np.abs(weights) == 1 / 9).sum() > 3


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_of_several_optima_the_one_of_least_norm_is_found(share: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        right = np.where(rng.random((7, 20)) < 0.6, 1.0, -1.0)
        gram, margins = right.T @ right / 7, right.mean(axis=0)
        [w] = quasi_uniform(gram, margins, [share * float(np.abs(margins).mean())])
        if np.abs(w).max() < 0.99 / 20:
            # No bound is in the way: w has no part along which no vote changes.
            assert right.T @ np.linalg.lstsq(right.T, w)[0] == pytest.approx(w, abs=1e-5)


def test_a_mean_margin_that_no_vote_has_gives_nan_and_leaves_the_others_alone(
    problem: Problem,
) -> None:
    H, y = problem
    assert VALUES[0] < np.abs(y @ H / len(y)).mean() < 0.5
    path = MinCq().path(H, y, Grid.of({"mu": [0.9, 0.5, *VALUES]}))
    assert np.isnan(path[:2]).all()
    np.testing.assert_array_equal(path[2:], MinCq().path(H, y, GRID))


def test_a_candidate_whose_residual_is_too_large_is_nan(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "RESIDUAL", 0.0)
    assert np.isnan(MinCq().path(*problem, GRID)).all()


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
        assert weights[chosen] == pytest.approx(alone, abs=1e-9)
        assert not weights[~chosen].any()


def test_after_cbboost_a_mean_margin_that_its_voters_lack_gives_nan(problem: Problem) -> None:
    H, y = problem
    algorithm = MinCqOnCBBoost(mu=0.9)
    assert np.isnan(algorithm.path(H, y, Grid.of({"n_rounds": [1, 5]}))).all()
    assert "mu = 0.9" in algorithm.limit(reduce_problem(H, y))
    none = np.array([[1.0], [-1.0]]), np.array([1.0, 1.0])
    assert np.isnan(MinCqOnCBBoost().path(*none, Grid.of({"n_rounds": [2]}))).all()
