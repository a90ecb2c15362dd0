from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import f as fisher
from scipy.stats import multivariate_t
from scipy.stats import t as student

from quadrepro.stats import (
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
)
from quadrepro.stats.likelihood import shrunk_correlation

Likelihood = Callable[..., np.ndarray]

ALL = (
    log_probability_of_means,
    log_probability_of_deviations,
    log_probability_of_pooled_deviations,
)


COVARIANCE = np.array([[1.0, 0.9, 0.5], [0.9, 1.5, 0.6], [0.5, 0.6, 0.8]])


def draw(n: int, d: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.multivariate_normal(np.zeros(3), COVARIANCE, n)[:, :d] + 10.0


def test_a_mean_has_students_predictive_distribution() -> None:
    still = np.full((20, 1), 0.25)  # where splits do not vary, the rounding alone is the floor
    for ours, half, sd in ((draw(8, 1), 0.05, None), (still, 0.005, 0.005)):
        n, mean = len(ours), ours.mean()
        scale = (sd or ours.std(ddof=1)) * np.sqrt(1 / n + 1 / 20)
        between = student(n - 1, mean, scale)
        for printed in (mean - 2 * scale, mean + scale):
            expected = np.log(between.cdf(printed + half) - between.cdf(printed - half))
            log_probability = log_probability_of_means(ours, np.array([printed]), half, 20)
            assert log_probability == pytest.approx(expected, rel=1e-6)
    # Both tails are as exact, however far out.
    ours = np.linspace(-1, 1, 400)[:, None]
    for printed in (0.1, 0.4, 0.6):
        above, below = (
            log_probability_of_means(ours, np.array([sign * printed]), 0.05, 400)
            for sign in (1, -1)
        )
        assert above == pytest.approx(below, rel=1e-9)
    assert above < np.log(1e-20)


def test_a_probability_too_small_for_a_number_is_density_times_width() -> None:
    ours, half = draw(2000, 1), 0.005
    mean, scale = ours.mean(), ours.std(ddof=1) * np.sqrt(2 / 2000)
    for printed in (mean - 50 * scale, mean + 60 * scale):
        expected = student(1999, mean, scale).logpdf(printed) + np.log(2 * half)
        log_probability = log_probability_of_means(ours, np.array([printed]), half, 2000)
        assert log_probability == pytest.approx(expected, rel=1e-9)
        assert expected < np.log(1e-300)


def test_several_means_have_the_multivariate_student_distribution_of_their_columns() -> None:
    ours, half, printed = draw(12), 1e-5, np.array([10.3, 9.8, 10.4])
    sd = ours.std(axis=0, ddof=1) * np.sqrt(1 / 12 + 1 / 20)
    shape = shrunk_correlation(ours) * np.outer(sd, sd)
    density = multivariate_t(ours.mean(axis=0), shape, df=11).logpdf(printed)
    log_probability = log_probability_of_means(ours, printed, half, 20)
    assert log_probability == pytest.approx(density + 3 * np.log(2 * half), abs=1e-4)


def test_probabilities_of_all_numbers_that_could_be_printed_add_up_to_one() -> None:
    ours = draw(30, 2)
    grid = np.arange(-4, 5) / 2 + 10
    means = log_probability_of_means(ours, pairs(grid), 0.25, 20)
    assert np.exp(means).sum() == pytest.approx(1, abs=1e-3)
    spreads = np.arange(8) / 2
    deviations = log_probability_of_deviations(ours, pairs(spreads), 0.25, 20)
    assert np.exp(deviations).sum() == pytest.approx(1, abs=1e-3)


def pairs(grid: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)


def test_a_deviation_has_fishers_distribution() -> None:
    ours, half = draw(8, 1), 1e-6
    variance = ours.var(ddof=1)
    for printed in (0.4, 0.9, 2.5):
        # Change of variables: the ratio of variances grows by 2 s/s' per unit of s.
        density = fisher(19, 7).pdf(printed**2 / variance) * 2 * printed / variance
        log_probability = log_probability_of_deviations(ours, np.array([printed]), half, 20)
        assert log_probability == pytest.approx(np.log(density * 2 * half), rel=1e-4)


def test_a_deviation_too_far_out_to_say_something_of_others_counts_alone() -> None:
    ours, half, printed = draw(400, 2), 0.005, np.array([1.0, 40.0])
    alone = [log_probability_of_deviations(ours[:, [j]], printed[[j]], half, 400) for j in (0, 1)]
    assert log_probability_of_deviations(ours, printed, half, 400) == pytest.approx(sum(alone))
    variance = ours[:, 1].var(ddof=1)
    density = fisher(399, 399).logpdf(40.0**2 / variance) + np.log(2 * 40.0 / variance)
    assert alone[1] == pytest.approx(density + np.log(2 * half), rel=1e-4)
    assert alone[1] < np.log(1e-300)


def test_several_deviations_are_joined_by_the_student_copula_of_squared_correlations() -> None:
    ours, half, printed = draw(25), 1e-5, np.array([0.8, 1.4, 0.7])
    ratios = printed**2 / ours.var(axis=0, ddof=1)
    places = student(24).ppf(fisher(19, 24).cdf(ratios))
    copula = multivariate_t(np.zeros(3), shrunk_correlation(ours) ** 2, df=24).logpdf(places)
    copula -= student(24).logpdf(places).sum()
    alone = [log_probability_of_deviations(ours[:, [j]], printed[[j]], half, 20) for j in range(3)]
    log_probability = log_probability_of_deviations(ours, printed, half, 20)
    assert abs(copula) > 0.1
    assert log_probability == pytest.approx(sum(alone) + copula, abs=1e-4)


def test_a_pooled_deviation_is_a_mean_of_squares() -> None:
    squares = np.array([0.014, 0.012, 0.017, 0.015, 0.011])
    between = student(4, squares.mean(), squares.std(ddof=1) * np.sqrt(1 / 5 + 1 / 20))
    expected = between.cdf(0.125**2) - between.cdf(0.115**2)
    log_probability = log_probability_of_pooled_deviations(
        squares[:, None], np.array([0.12]), 0.005, 20
    )
    assert np.exp(log_probability) == pytest.approx(expected)


@pytest.mark.parametrize("likelihood", ALL)
@pytest.mark.parametrize(
    ("ours", "n", "half"),
    [
        (np.full((20, 2), 0.25), 20, 0.005),
        (np.array([[0.1, 40.0, 3.0], [0.2, 90.0, 2.0]]), 400, 1e-6),
    ],
    ids=["no variance", "two splits of three columns"],
)
def test_the_likelihood_is_finite_for_equal_splits_and_few_splits(
    likelihood: Likelihood, ours: np.ndarray, n: int, half: float
) -> None:
    for printed in (0.0, 0.01, 0.35, 50.0, 1e4):
        log_probability = likelihood(
            ours, np.array([printed, printed, 1.0][: ours.shape[1]]), half, n
        )
        assert np.isfinite(log_probability)
        assert log_probability <= 0


@pytest.mark.parametrize("likelihood", ALL)
def test_the_likelihood_is_finite_and_falls_with_the_distance_of_the_printed_number(
    likelihood: Likelihood,
) -> None:
    ours = np.abs(draw(2000, 2) / 10)
    distances = (2.0, 20.0, 200.0, 2e4)
    logs = [likelihood(ours, np.array([distance, 1.0]), 0.005, 2000) for distance in distances]
    assert np.all(np.isfinite(logs))
    assert np.all(np.diff(logs) < 0)


@pytest.mark.parametrize(("n", "noise"), [(15, 0.0), (100, 1.5)])
def test_a_correlation_is_shrunk_by_the_share_of_its_own_error(n: int, noise: float) -> None:
    ours = draw(n) + noise * draw(n, seed=1)[:, ::-1] * [1, -1, 1]
    standard = (ours - ours.mean(axis=0)) / ours.std(axis=0, ddof=1)
    errors, squares = 0.0, 0.0
    for i, j in ((0, 1), (0, 2), (1, 2)):
        products = standard[:, i] * standard[:, j]
        errors += n / (n - 1) ** 3 * np.sum((products - products.mean()) ** 2)
        squares += np.corrcoef(ours.T)[i, j] ** 2
    correlation = shrunk_correlation(ours)
    assert 1 / n < errors / squares < 1
    assert (squares < 0.5) == (noise > 0)
    expected = (1 - errors / squares) * np.corrcoef(ours.T)
    np.testing.assert_allclose(correlation, expected + errors / squares * np.eye(3))


def test_no_eigenvalue_of_a_shrunk_correlation_is_below_one_by_the_splits() -> None:
    rng = np.random.default_rng(0)
    column = np.sign(rng.normal(size=40)) * 1.0
    for columns in (
        np.stack([column, column, -column], 1),
        np.stack([column, np.ones(40)], 1),
        rng.normal(size=(3, 9)),
    ):
        values = np.linalg.eigvalsh(shrunk_correlation(columns))
        assert values.min() >= 1 / len(columns) - 1e-12
    assert shrunk_correlation(np.stack([column, column], 1))[0, 1] == pytest.approx(1 - 1 / 40)
    # Columns that do not vary are independent, though the mean of twelve times 0.1 is not 0.1.
    ours = np.stack([np.full(12, 0.1), np.full(12, 0.7), np.arange(12.0)], axis=1)
    np.testing.assert_array_equal(shrunk_correlation(ours), np.eye(3))


@pytest.mark.parametrize("likelihood", ALL)
def test_many_tables_at_once_have_the_likelihoods_of_each(likelihood: Likelihood) -> None:
    ours = np.stack([draw(12, seed=seed) for seed in range(4)])
    ours[3, :, 1] = 0.1
    printed = np.array([[10.0, 9.5, 1.2], [1.0, 1.1, 0.8], [3.0, 40.0, 3.2], [0.1, 0.1, 1e4]])
    half = np.array([0.05, 0.5, 0.005])
    log_probability = likelihood(ours, printed, half, 20)
    each = [likelihood(ours[i], printed[i], half, 20) for i in range(4)]
    np.testing.assert_allclose(log_probability, each, rtol=1e-9)
