"""Samples against the closed forms of their distributions, within five standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from quadrepro.data.card import load_card
from quadrepro.data.rules import (
    Labelled,
    draw_orange,
    draw_ringnorm,
    draw_twonorm,
    draw_waveform,
)
from tests.data.samples import N, assert_follows, first_and_last, rng

A = 2 / math.sqrt(20)
RING = math.exp(-4.5 / 2) - math.exp(-8 / 2)
PEAKS = {0: (7, 15), 1: (7, 11), 2: (11, 15)}

by_rows = pytest.mark.parametrize("draw", [draw_twonorm, draw_ringnorm, draw_waveform])


def constant_words(word: int) -> Any:
    """Return a generator all of whose words are the same."""
    words = SimpleNamespace(random_raw=lambda n: np.full(n, word, dtype=np.uint64))
    return SimpleNamespace(bit_generator=words)


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


def wave_densities(Z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each class's density on the plane through the three waves, shape (3, ...)."""
    corners = waves_in_plane(np.array([wave(7), wave(11), wave(15)]))
    place = dict(zip((7, 11, 15), corners, strict=True))
    densities = []
    for one, other in PEAKS.values():
        # The means fill a side of a triangle: along it the density is a difference of two
        # normal distribution functions, across it a normal density.
        length = np.linalg.norm(place[other] - place[one])
        along = (place[other] - place[one]) / length
        s, t = (Z - place[one]) @ along, (Z - place[one]) @ np.array([-along[1], along[0]])
        inside = stats.norm.cdf(s) - stats.norm.cdf(s - length)
        densities.append(stats.norm.pdf(t) * inside / length)
    return np.array(densities)


def waves_in_plane(X: NDArray[np.float64]) -> NDArray[np.float64]:
    axes, _ = np.linalg.qr(np.array([wave(11) - wave(7), wave(15) - wave(7)]).T)
    return (X - wave(7)) @ axes


def waveform_errors(step: float = 0.1) -> tuple[float, list[float]]:
    """Return the Bayes error of all three classes, and of each against the rest."""
    axis = np.arange(-22, 22, step)
    density = wave_densities(np.stack(np.meshgrid(axis, axis), axis=-1)) * step**2 / 3
    assert density.sum() == pytest.approx(1, abs=1e-12)
    rest = density.sum(axis=0) - density
    return 1 - density.max(axis=0).sum(), np.minimum(density, rest).sum(axis=(1, 2)).tolist()


def test_a_uniform_number_is_the_upper_52_bits_of_a_word_and_a_half() -> None:
    words = np.random.PCG64(3).random_raw(21 * 5).tolist()
    U = np.array([float((word // 2**12 + Fraction(1, 2)) / 2**52) for word in words]).reshape(5, 21)
    X, y = draw_twonorm(rng(3), 5)
    assert y.tolist() == (U[:, 0] > 0.5).astype(int).tolist()
    expected = stats.norm.ppf(U[:, 1:]) + np.where(U[:, :1] > 0.5, -A, A)
    np.testing.assert_allclose(X, expected, rtol=0, atol=0.5001e-4)


@pytest.mark.parametrize(("word", "label", "sign"), [(0, 0, -1), (2**64 - 1, 1, 1)])
def test_the_most_extreme_words_give_finite_values(word: int, label: int, sign: int) -> None:
    X, y = draw_twonorm(constant_words(word), 1)
    assert y.tolist() == [label]
    # 8.2095 is the normal number above which 2^-53 of the distribution lies.
    assert np.unique(X).tolist() == [pytest.approx(sign * (8.2095 - A), abs=1e-4)]


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


def test_orange_without_noise_has_two_inputs() -> None:
    assert draw_orange(rng(), 6, 0)[0].shape == (6, 2)


def test_twonorm_is_as_hard_as_its_card_says() -> None:
    assert load_card("twonorm_generated").view("default").bayes_error == pytest.approx(
        stats.norm.cdf(-2), abs=5e-7
    )
    X, y = draw_twonorm(rng(1), N)
    assert_rate((X.sum(axis=1) < 0) != (y == 1), stats.norm.cdf(-2))


def test_ringnorm_is_as_hard_as_its_card_says() -> None:
    # The squared distance from 4a/3, against 8/3 (20 ln 2 + 2/3).
    bound = 8 / 3 * (20 * math.log(2) + 2 / 3)
    missed, taken = stats.ncx2.sf(bound, 20, 4 / 9), stats.ncx2.cdf(bound / 4, 20, 16 / 9)
    error = (missed + taken) / 2
    assert load_card("ringnorm_generated").view("default").bayes_error == pytest.approx(
        error, abs=5e-7
    )
    X, y = draw_ringnorm(rng(1), N)
    wide = stats.norm(0, 2).logpdf(X).sum(axis=1)
    narrow = stats.norm(A, 1).logpdf(X).sum(axis=1)
    assert_rate((narrow > wide) != (y == 1), error)


def test_waveform_is_as_hard_as_its_card_says() -> None:
    error, against_rest = waveform_errors()
    lowest = load_card("waveform_generated").view("default").bayes_error
    assert lowest == pytest.approx(against_rest[1], abs=5e-5)
    assert error == pytest.approx(0.13293, abs=5e-6)
    assert against_rest == [pytest.approx(e, abs=5e-5) for e in (0.1007, 0.0826, 0.0826)]
    X, y = draw_waveform(rng(1), N)
    assert_rate(wave_densities(waves_in_plane(X)).argmax(axis=0) != y, error)


def test_orange_is_as_hard_as_its_card_says() -> None:
    assert load_card("orange").view("default").bayes_error == pytest.approx(RING / 2, abs=5e-7)
    X, y = draw_orange(rng(1), 2 * N, 0)
    squares = X[:, 0] ** 2 + X[:, 1] ** 2
    assert_rate(((squares >= 4.5) & (squares <= 8)) != (y == 2), RING / 2)


@pytest.mark.parametrize(
    ("name", "parameters", "first", "last"),
    [
        (
            "twonorm",
            {"rows": 100},
            [-1.0607, -2.1867, -2.5786, "1"],
            [-0.0926, -0.4343, -2.5824, "1"],
        ),
        (
            "ringnorm",
            {"rows": 100},
            [-0.1662, -1.2923, -1.6842, "1"],
            [0.8018, 0.4601, -1.6879, "1"],
        ),
        (
            "waveform",
            {"rows": 100},
            [-1.7395, -1.8616, 1.4296, "1"],
            [-1.5964, 0.8584, 2.0921, "0"],
        ),
        (
            "orange",
            {"rows": 200, "noise_inputs": 1},
            [0.3503, -0.6135, -0.3343, "1"],
            [-0.5076, 2.7289, 0.4514, "2"],
        ),
    ],
)
def test_a_seed_gives_these_rows(
    name: str, parameters: dict[str, float], first: list[Any], last: list[Any]
) -> None:
    assert first_and_last(name, **parameters) == (first, last)
