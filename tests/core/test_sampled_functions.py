"""Samples of regression functions against their definitions, within five standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from quadrepro.data.rules import draw_m1, draw_m2, draw_sparse, m1_mean, m2_mean, sparse_mean
from tests.data.samples import N, assert_follows, rng


@pytest.mark.parametrize(
    ("draw", "mean", "n_inputs"),
    [(draw_m1, m1_mean, 1), (draw_m2, m2_mean, 10), (draw_sparse, sparse_mean, 10)],
)
def test_a_regression_is_its_mean_on_a_cube_with_normal_noise(
    draw: Callable[..., Any], mean: Callable[..., Any], n_inputs: int
) -> None:
    X, y = draw(rng(), N, 0.3)
    assert X.shape == (N, n_inputs)
    for x in X.T:
        assert_follows(x, stats.uniform(-2, 4).cdf)
    assert np.all(np.abs(np.corrcoef(X.T) - np.eye(n_inputs)) < 5 / math.sqrt(N))
    assert_follows(y - mean(X), stats.norm(0, 0.3).cdf)


@pytest.mark.parametrize(
    ("x", "low", "expected"),
    [
        (-1 / 16, -0.25, -2.5),
        (-3 / 16, -0.25, 2.5 * math.sqrt(3)),
        (-1 / 16, -1 / 16, -2.5),
        (-9 / 16, -0.25, 0),
        (-9 / 16, -0.75, -7.5),
        (0, -0.25, 0),
        (1 / 16, -0.25, 0),
    ],
)
def test_m1_at_points_where_the_sine_is_one(x: float, low: float, expected: float) -> None:
    assert m1_mean(np.array([[x]]), low).tolist() == [pytest.approx(expected, abs=1e-12)]


def test_m2_at_points_where_the_sine_is_one() -> None:
    root = math.sqrt(math.pi / 2)
    X = np.zeros((4, 10))
    X[0, 0], X[1, 1], X[2, 8], X[3, 9] = root, root, -root, -root
    np.testing.assert_allclose(m2_mean(X), [root, -root, -root, root])
    assert m2_mean(np.full((1, 10), 1.5)).tolist() == [pytest.approx(0, abs=1e-12)]


def test_the_sparse_mean_is_a_vote_of_five_stumps_of_falling_weight() -> None:
    corners = np.array(np.meshgrid(*[[-1, 1]] * 5)).reshape(5, -1).T
    cuts = np.array([-1, -0.5, 0, 0.5, 1])
    X = np.zeros((32, 10))
    X[:, :5] = cuts + 0.01 * corners
    expected = [sum(Fraction(int(s), j) for j, s in enumerate(row, 1)) for row in corners]
    np.testing.assert_allclose(sparse_mean(X), [float(value) for value in expected], atol=1e-12)
    # A threshold itself is below, and the other five inputs do not count.
    X[:, :5], X[:, 5:] = cuts, 2
    assert sparse_mean(X).tolist() == [pytest.approx(-137 / 60)] * 32
