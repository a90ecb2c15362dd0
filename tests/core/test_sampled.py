"""Samples against the closed forms of their distributions, within five standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from quadrepro.data.rules import Labelled, draw_orange, draw_ringnorm, draw_twonorm, draw_waveform
from tests.data.samples import N, assert_follows, first_and_last, rng

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


def test_twonorm_has_its_means_and_unit_covariance() -> None:
    X, y = draw_twonorm(rng(), N)
    assert_rate(y == 1, 1 / 2)
    assert_moments(X[y == 0], np.full(20, A), np.eye(20))
    assert_moments(X[y == 1], np.full(20, -A), np.eye(20))


def test_ringnorm_has_a_wide_class_and_a_shifted_one() -> None:
    X, y = draw_ringnorm(rng(), N)
    assert_rate(y == 1, 1 / 2)
    assert_moments(X[y == 0], np.zeros(20), 4 * np.eye(20))
    assert_moments(X[y == 1], np.full(20, A), np.eye(20))


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


TEN = [0.5478, -0.9209, -1.8361], [1.7934, -0.7512, 1.0259]


@pytest.mark.parametrize(
    ("name", "parameters", "first", "last"),
    [
        ("twonorm", {}, [-1.0607, -2.1867, -2.5786, "1"], [-0.0926, -0.4343, -2.5824, "1"]),
        ("ringnorm", {}, [-0.1662, -1.2923, -1.6842, "1"], [0.8018, 0.4601, -1.6879, "1"]),
        ("waveform", {}, [-1.7395, -1.8616, 1.4296, "1"], [-1.5964, 0.8584, 2.0921, "0"]),
        ("m1", {"sigma": 0.3}, [0.5478, -0.184], [1.9131, 0.0682]),
        ("m2", {"sigma": 0.3}, [*TEN[0], 0.2384], [*TEN[1], 2.752]),
        ("sparse", {"sigma": 0.3}, [*TEN[0], 0.3866], [*TEN[1], 0.7709]),
    ],
)
def test_a_seed_gives_these_rows(
    name: str, parameters: dict[str, float], first: list[Any], last: list[Any]
) -> None:
    assert first_and_last(name, rows=100, **parameters) == (first, last)


def test_a_seed_gives_these_rows_of_orange() -> None:
    first, last = [0.3503, -0.6135, -0.3343, "1"], [-0.5076, 2.7289, 0.4514, "2"]
    assert first_and_last("orange", rows=200, noise_inputs=1) == (first, last)
