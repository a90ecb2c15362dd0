from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.quadboost import correlations, quadratic_bound

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
