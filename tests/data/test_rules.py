"""Samples drawn by rule follow their distributions, within five standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from quadrepro.data.card import load_card
from quadrepro.data.rules import (
    Fresh,
    Labelled,
    draw_fresh,
    draw_m1,
    draw_m2,
    draw_orange,
    draw_ringnorm,
    draw_sparse,
    draw_twonorm,
    draw_waveform,
    m1_mean,
    m2_mean,
    rule_of,
    sparse_mean,
)
from quadrepro.errors import ConfigError

N = 10_000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def assert_follows(values: NDArray[np.float64], cdf: Callable[..., Any]) -> None:
    assert stats.kstest(values, cdf).pvalue > 0.001


# Classes


A = 2 / math.sqrt(20)
RING = math.exp(-4.5 / 2) - math.exp(-8 / 2)
PEAKS = {0: (7, 15), 1: (7, 11), 2: (11, 15)}

by_rows = pytest.mark.parametrize("draw", [draw_twonorm, draw_ringnorm, draw_waveform])


def wave(peak: int) -> NDArray[np.float64]:
    return np.interp(np.arange(1, 22), [peak - 6, peak, peak + 6], [0, 6, 0])


def assert_moments(
    X: NDArray[np.float64], mean: NDArray[np.float64], covariance: NDArray[np.float64]
) -> None:
    """Compare with the moments of a distribution that is normal or has lighter tails."""
    variances = np.diag(covariance)
    assert np.all(np.abs(X.mean(axis=0) - mean) < 5 * np.sqrt(variances / len(X)))
    errors = np.sqrt((np.outer(variances, variances) + covariance**2) / len(X))
    assert np.all(np.abs(np.cov(X.T) - covariance) < 5 * errors)


def assert_rate(hits: NDArray[np.bool_], probability: float) -> None:
    error = math.sqrt(probability * (1 - probability) / len(hits))
    assert hits.mean() == pytest.approx(probability, abs=5 * error)


def test_a_uniform_number_is_the_upper_52_bits_of_a_word_and_a_half() -> None:
    words = np.random.PCG64(3).random_raw(21 * 5).tolist()
    U = np.array([float((word // 2**12 + Fraction(1, 2)) / 2**52) for word in words]).reshape(5, 21)
    X, y = draw_twonorm(rng(3), 5)
    assert y.tolist() == (U[:, 0] > 0.5).astype(int).tolist()
    expected = stats.norm.ppf(U[:, 1:]) + np.where(U[:, :1] > 0.5, -A, A)
    np.testing.assert_allclose(X, expected, rtol=0, atol=0.5001e-4)


@by_rows
def test_a_longer_sample_begins_with_the_shorter_one(draw: Callable[..., Labelled]) -> None:
    (X, y), (longer_X, longer_y) = draw(rng(), 7), draw(rng(), 11)
    assert np.array_equal(X, longer_X[:7])
    assert np.array_equal(y, longer_y[:7])


@pytest.mark.parametrize(
    ("draw", "mean", "variance"), [(draw_twonorm, A, 1), (draw_ringnorm, 0, 4)]
)
def test_twonorm_and_ringnorm_have_their_means_and_covariances(
    draw: Callable[..., Labelled], mean: float, variance: int
) -> None:
    X, y = draw(rng(), N)
    assert_rate(y == 1, 1 / 2)
    assert_moments(X[y == 0], np.full(20, mean), variance * np.eye(20))
    assert_moments(X[y == 1], np.full(20, A if mean == 0 else -A), np.eye(20))


@pytest.mark.parametrize("label", [0, 1, 2])
def test_waveform_mixes_the_two_triangles_of_its_class(label: int) -> None:
    X, y = draw_waveform(rng(), N)
    assert_rate(y == label, 1 / 3)
    one, other = (wave(peak) for peak in PEAKS[label])
    # A uniform number has variance 1/12.
    covariance = np.eye(21) + np.outer(one - other, one - other) / 12
    assert_moments(X[y == label], (one + other) / 2, covariance)


def test_orange_is_a_disc_and_its_ring_with_normal_noise() -> None:
    X, y = draw_orange(rng(), 2 * N, 3)
    assert y.tolist() == [1] * N + [2] * N
    squares = (X[:, 0] ** 2 + X[:, 1] ** 2).reshape(2, N)
    assert_moments(X[y == 1], np.zeros(5), np.eye(5))
    assert_follows(squares[0], stats.chi2(2).cdf)
    assert squares[1].min() >= 4.5
    assert squares[1].max() <= 8
    assert_follows(squares[1], lambda s: (math.exp(-4.5 / 2) - np.exp(-s / 2)) / RING)
    angles = np.arctan2(X[y == 2, 1], X[y == 2, 0])
    assert_follows(angles, stats.uniform(-math.pi, 2 * math.pi).cdf)
    assert_moments(X[y == 2, 2:], np.zeros(3), np.eye(3))


# Regression functions


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


def test_m1_and_m2_at_points_where_the_sine_is_one() -> None:
    for x, low, expected in (
        (-1 / 16, -0.25, -2.5),
        (-3 / 16, -0.25, 2.5 * math.sqrt(3)),
        (-1 / 16, -1 / 16, -2.5),
        (-9 / 16, -0.25, 0),
        (-9 / 16, -0.75, -7.5),
        (0, -0.25, 0),
        (1 / 16, -0.25, 0),
    ):
        assert m1_mean(np.array([[x]]), low).tolist() == [pytest.approx(expected, abs=1e-12)]
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


# Parts and refusals


NOISELESS = ["m1", "m2", "sparse"]
CLASSES = ["orange", "ringnorm_generated", "twonorm_generated", "waveform_generated"]


def drawn(
    name: str,
    sizes: tuple[int, ...] = (8, 4, 6),
    changes: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Fresh:
    rule, parameters = rule_of(load_card(name), changes or {})
    return draw_fresh(rule, parameters, sizes, np.random.default_rng(seed))


def inputs(fresh: Fresh) -> np.ndarray:
    return np.column_stack([fresh.table.columns[a.name] for a in fresh.table.attributes])


@pytest.mark.parametrize("name", [*NOISELESS, *CLASSES])
def test_the_parts_have_their_sizes_and_the_cards_attributes(name: str) -> None:
    card, fresh = load_card(name), drawn(name)
    assert fresh.table.n_rows == 18
    assert fresh.table.attributes == card.attributes
    if card.task == "classification":
        assert set(fresh.table.target) <= set(card.target.labels)


@pytest.mark.parametrize("name", NOISELESS)
def test_noise_changes_the_targets_and_neither_the_truth_nor_the_inputs(name: str) -> None:
    still, noisy = (drawn(name, (400,), {"sigma": sigma}) for sigma in (0, 0.5))
    # Targets have four decimals.
    assert np.abs(still.truth - still.table.target).max() <= 0.5001e-4
    assert np.abs(still.truth).max() > 1
    np.testing.assert_array_equal(inputs(still), inputs(noisy))
    np.testing.assert_array_equal(still.truth, noisy.truth)
    residuals = noisy.table.target - noisy.truth
    # The deviation of a deviation is about σ/sqrt(2n).
    assert residuals.std() == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(800))


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("wine", {}, "wine is not drawn by rule, so no fresh sample can be drawn"),
        ("m1", {"sigm": 1}, "the rule of m1 has no parameter 'sigm'; did you mean 'sigma'?"),
        ("m2", {"low": -1}, "the rule of m2 has no parameter 'low'; known are sigma"),
        ("orange", {"noise_inputs": 1.5}, "noise_inputs must be a whole number from 0 to 1000, no"),
        ("orange", {"noise_inputs": 1e9}, "noise_inputs must be a whole number from 0 to 1000"),
    ],
)
def test_what_cannot_be_drawn_is_named(name: str, changes: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        drawn(name, changes=changes)
    assert str(caught.value).startswith(message)
