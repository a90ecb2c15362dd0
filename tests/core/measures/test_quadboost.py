from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.measures.quadboost import (
    clipped_quadratic_loss,
    correlations,
    empirical_rademacher,
    massart,
    quadratic_bound,
    risk_bound,
)
from quadrepro.core.preprocessing import encode
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

NORMS = [1.0, 2.0, np.inf]
each_norm = pytest.mark.parametrize("p", NORMS)


def test_the_bound_is_the_theorems_formula() -> None:
    bound = risk_bound(0.4, 9, 3.0, p=2, m=200, complexity=0.05, delta=0.1)
    assert bound.loss == 0.4
    assert bound.complexity == pytest.approx(4 * 2 * 3 * 3.0 * 0.05)
    assert bound.confidence == pytest.approx((np.log(np.pi**2 * 100 / 0.3) / 400) ** 0.5)
    assert bound.scale == pytest.approx(3 * (np.log(np.log2(6)) / 200) ** 0.5)
    parts = bound.loss + bound.complexity + bound.confidence + bound.scale
    assert bound.total == pytest.approx(parts)
    assert bound.total > 1


@each_norm
def test_votes_are_bounded_side_by_side(p: float) -> None:
    loss, n, norm = np.array([1.0, 0.5, 0.3]), np.array([0, 4, 16]), np.array([0.0, 0.5, 4.0])
    together = risk_bound(loss, n, norm, p=p, m=90, complexity=0.1)
    for i in range(3):
        alone = risk_bound(loss[i], n[i], norm[i], p=p, m=90, complexity=0.1)
        assert together.total[i] == alone.total
    assert together.complexity[0] == 0
    assert together.scale[:2].tolist() == [0, 0]


@each_norm
@given(n=st.integers(1, 500), norm=st.floats(1e-6, 1e4))
def test_the_terms_of_a_vote_are_those_of_the_class_it_is_in(p: float, n: int, norm: float) -> None:
    k = max(0, int(np.ceil(np.log2(norm))))
    bound = risk_bound(0.4, n, norm, p=p, m=200, complexity=0.05)
    of_class = 2 * 2 * n ** (1 - 1 / p) * 2.0**k * 0.05
    assert of_class * (1 - 1e-12) <= bound.complexity
    assert 3 * np.sqrt(np.log(max(k, 1)) / 200) <= bound.scale + 1e-12
    # Only norms below one half are worth more than they are.
    assert bound.complexity == pytest.approx(4 * 2 * n ** (1 - 1 / p) * max(norm, 0.5) * 0.05)


def test_the_failures_of_all_classes_add_up_to_less_than_delta() -> None:
    n, k = np.arange(1.0, 20_001), np.arange(1.0, 2001)
    m, delta = 300, 1.0
    rest = 6 / (np.pi**2 * 20_001)
    bound = risk_bound(0.0, n, 1.0, p=1, m=m, complexity=0.0, delta=delta)
    first = np.exp(-2 * m * bound.confidence**2)
    scale = np.sqrt(np.log(k) / m)
    of_scales = sum(np.exp(-2 * m * (bound.confidence + s) ** 2).sum() for s in scale)
    # All votes of norms up to 1 are one class more, k = 0, with the deviation of k = 1.
    with_one, with_two = (of_scales + more * first.sum() for more in (1, 2))
    # The empirical complexity leaves half of δ to them.
    assert with_one + 4 * rest < 0.8 * delta / 2
    assert with_two > delta / 2


@given(arrays(np.float64, 9, elements=st.floats(-2, 3)))
def test_the_clipped_loss_lies_between_the_error_and_the_plain_loss(margins: FloatArray) -> None:
    clipped = clipped_quadratic_loss(margins)
    assert (margins <= 0).mean() <= clipped <= ((1 - margins) ** 2).mean() + 1e-12


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_clipped_loss_is_2_lipschitz(a: float, b: float) -> None:
    losses = clipped_quadratic_loss(np.array([[a, b]]))
    assert abs(losses[0] - losses[1]) <= 2 * abs(a - b) + 1e-12


@each_norm
@pytest.mark.parametrize("seed", range(5))
def test_the_bound_holds_on_held_out_people_of_the_titanic(p: float, seed: int) -> None:
    dataset = load_dataset("titanic")
    examples = encode(dataset, dataset.card.view("quadboost"))
    order = np.random.default_rng(seed).permutation(len(examples.y))
    train, test = order[:1800], order[1800:]
    H, y = Stumps(3).fit(examples.X[train]).transform(examples.X), examples.y
    weights = QuadBoost().path(H[train], y[train], Grid.of({"n_rounds": [1, 2, 5, 20]}))
    margins = y[:, None] * (H @ weights.T)
    risk = (margins[test] <= 0).mean(axis=0)
    n, norm = (weights != 0).sum(axis=1), np.linalg.norm(weights, ord=p, axis=1)
    estimate = empirical_rademacher(H[train], 500, np.random.default_rng(seed))
    bounds = [
        risk_bound(
            ((1 - margins[train]) ** 2).mean(axis=0),
            *(n, norm),
            p=p,
            m=len(train),
            complexity=complexity,
        )
        for complexity in (estimate.upper, massart(H.shape[1], len(train)))
    ]
    for bound in bounds:
        assert (risk <= bound.total).all()
    # It says something here: most data sets are too small for that.
    assert bounds[0].total[0] < 0.95


def test_numbers_out_of_range_are_refused() -> None:
    good: dict[str, Any] = {"p": 2, "m": 200, "complexity": 0.05}
    with pytest.raises(ValueError, match=r"probability in \(0, 1\], not 0"):
        risk_bound(0.1, 1, 1, **good, delta=0.0)
    with pytest.raises(ValueError, match=r"p must be at least 1, not 0\.5"):
        risk_bound(0.1, 1, 1, **(good | {"p": 0.5}))
    with pytest.raises(ValueError, match="m must be at least 1, not 0"):
        risk_bound(0.1, 1, 1, **(good | {"m": 0}))
    with pytest.raises(ValueError, match="cannot be negative"):
        risk_bound(0.1, 1, -1, **good)


Problem = tuple[FloatArray, FloatArray]


def random_problem(seed: int) -> Problem:
    """Draw voters and labels of nine examples."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (9, 6))
    return signs[:, :5], signs[:, 5]


small_problems = st.integers(0, 10**6).map(random_problem)


def rounds_of(problem: Problem, n_rounds: int) -> FloatArray:
    """Return the margins after 1, 2, ... rounds of QuadBoost."""
    H, y = problem
    path = QuadBoost().path(H, y, Grid.of({"n_rounds": list(range(1, n_rounds + 1))}))
    return y[:, None] * (H @ path.T)


@settings(max_examples=80)
@given(small_problems, st.integers(1, 40))
def test_the_quadratic_risk_is_below_its_bound_with_the_least_correlation(
    problem: Problem, n_rounds: int
) -> None:
    H, y = problem
    margins = rounds_of(problem, n_rounds)
    sizes, T = correlations(margins), np.arange(1, n_rounds + 1)
    risk = ((1 - margins) ** 2).mean(axis=0)
    assert ((margins <= 0).mean(axis=0) <= risk + 1e-12).all()
    assert (risk <= quadratic_bound(sizes.min(), T) + 1e-9).all()
    assert (risk <= quadratic_bound(np.minimum.accumulate(sizes), T) + 1e-9).all()
    residuals = y[:, None] * (1 - np.column_stack([np.zeros(9), margins[:, :-1]]))
    largest = np.abs(residuals.T @ H / 9).max(axis=1)
    # A square root of a rounded difference is good to half the digits.
    np.testing.assert_allclose(sizes, largest, atol=1e-7)


def test_a_bound_that_cannot_last_falls_below_zero() -> None:
    np.testing.assert_allclose(quadratic_bound(0.5, [1, 4, 8]), [0.75, 0.0, -1.0])


def test_orthogonal_voters_need_every_one_of_the_rounds() -> None:
    a, b, c = np.array(list(product([-1.0, 1.0], repeat=3))).T
    H = np.column_stack([a, b, c, a * b * c])
    y = (a + b + c - a * b * c) / 2
    margins = rounds_of((H, y), 5)
    np.testing.assert_allclose(correlations(margins)[:4], 0.5)
    risks = ((1 - margins) ** 2).mean(axis=0)
    assert risks[:4] == pytest.approx([0.75, 0.5, 0.25, 0.0])


def test_margins_of_other_algorithms_have_no_correlations() -> None:
    rising = np.array([[0.5, 0.0], [0.5, 0.0]])
    with pytest.raises(ValueError, match=r"quadratic loss rises in round 2.*not the .* of Quad"):
        correlations(rising)
    with pytest.raises(ValueError, match=r"gamma must be in \[0, 1\]"):
        quadratic_bound(1.1, 1)
    with pytest.raises(ValueError, match=r"n_rounds must be in \[0, inf\]"):
        quadratic_bound(0.6, -1)
