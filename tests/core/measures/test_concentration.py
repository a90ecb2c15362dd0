from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.measures.concentration import (
    bernstein_of_errors,
    check_delta,
    check_falls,
    empirical_bernstein,
    hoeffding,
    in_range,
    margin_matrix,
)

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]

DISTRIBUTIONS: dict[str, tuple[Draw, float]] = {
    "uniform": (lambda rng, shape: rng.random(shape), 1 / 2),
    "even coin": (lambda rng, shape: rng.binomial(1, 0.5, shape), 0.5),
    "rare coin": (lambda rng, shape: rng.binomial(1, 0.02, shape), 0.02),
    "beta(2, 5)": (lambda rng, shape: rng.beta(2, 5, shape), 2 / 7),
    "constant": (lambda rng, shape: np.full(shape, 0.3), 0.3),
}
REPEATS = 4000


def bernstein(mean: Any, variance: Any, n: int, delta: float) -> Any:
    """Theorem 2.3."""
    t = np.log(1 / delta)
    return mean + np.sqrt(2 * variance * t / n) + t / (3 * n)


sizes = st.integers(2, 10_000)
probabilities = st.floats(1e-6, 0.5)
units = st.floats(0, 1)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("n", [5, 60])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_every_bound_holds_as_often_as_it_promises(name: str, n: int, delta: float) -> None:
    draw, expectation = DISTRIBUTIONS[name]
    z = draw(np.random.default_rng(1), (REPEATS, n))
    mean = z.mean(axis=1)
    bounds = {
        "hoeffding": hoeffding(mean, n, delta),
        "empirical": empirical_bernstein(mean, z.var(axis=1, ddof=1), n, delta),
    }
    # Three standard errors of the simulation.
    slack = 3 * (delta * (1 - delta) / REPEATS) ** 0.5
    for bound, values in bounds.items():
        assert (values >= expectation).mean() >= 1 - delta - slack, bound


def test_the_bounds_are_the_theorems_formulas() -> None:
    ln10, ln20 = np.log(10), np.log(20)
    assert hoeffding(0.2, 50, 0.1) == pytest.approx(0.2 + (ln10 / 100) ** 0.5)
    assert empirical_bernstein(0.2, 0.01, 50, 0.1) == pytest.approx(
        0.2 + (0.02 * ln20 / 50) ** 0.5 + 7 * ln20 / 147
    )


@given(units, st.floats(0, 0.25), sizes, probabilities)
def test_more_draws_and_a_larger_delta_tighten_every_bound(
    mean: float, variance: float, n: int, delta: float
) -> None:
    for bound in (
        lambda n, delta: hoeffding(mean, n, delta),
        lambda n, delta: empirical_bernstein(mean, variance, n, delta),
    ):
        assert bound(2 * n, delta) < bound(n, delta)
        assert bound(n, 1.5 * delta) < bound(n, delta)
        assert bound(n, delta) > mean


@given(st.integers(0, 50), st.integers(50, 5000), probabilities)
def test_bernsteins_bound_on_errors_is_the_largest_probability_that_the_theorem_allows(
    wrong: int, n: int, delta: float
) -> None:
    error = wrong / n
    p = float(bernstein_of_errors(error, n, delta))
    assert error <= p <= 1
    grid = np.linspace(0, 1, 2001)
    allowed = grid <= bernstein(error, grid * (1 - grid), n, delta)
    assert (allowed == (grid <= p)).mean() >= 1 - 2 / len(grid)
    if p < 1:
        assert bernstein(error, p * (1 - p), n, delta) == pytest.approx(p)


def test_bernsteins_bound_on_errors_holds_as_often_as_it_promises() -> None:
    for p in (0.02, 0.3, 0.9):
        errors = np.random.default_rng(2).binomial(60, p, REPEATS) / 60
        assert (bernstein_of_errors(errors, 60, 0.3) >= p).mean() >= 0.7 - 0.03


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="n >= 2, not 1"):
        empirical_bernstein(0.5, 0.0, 1, 0.1)
    with pytest.raises(ValueError, match=r"probability in \(0, 1\), not 1.5"):
        hoeffding(0.5, 10, 1.5)
    with pytest.raises(ValueError, match=r"error must be in \[0, 1\], not 1.5"):
        bernstein_of_errors(1.5, 10, 0.1)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, np.nan])
def test_a_probability_of_failure_lies_between_zero_and_one(delta: float) -> None:
    check_delta(0.5)
    with pytest.raises(ValueError, match=r"delta is a probability in \(0, 1\), not"):
        check_delta(delta)


def test_both_ends_of_a_range_are_inside_and_nothing_beyond_them() -> None:
    assert in_range("gamma", [0, 0.5], 0.5).tolist() == [0, 0.5]
    for value in (-1e-9, 0.5 + 1e-9, np.nan):
        with pytest.raises(ValueError, match=r"gamma must be in \[0, 0.5\], not"):
            in_range("gamma", value, 0.5)


def test_the_first_round_in_which_a_loss_rises_is_named() -> None:
    check_falls(np.array([True, True]), "quadratic", "QuadBoost")
    message = "the quadratic loss rises in round 2: these are not the margins of QuadBoost"
    with pytest.raises(ValueError, match=message):
        check_falls(np.array([True, False, False]), "quadratic", "QuadBoost")


@pytest.mark.parametrize("shape", [(3,), (0, 3), (3, 0), (1, 1, 1)])
def test_margins_are_a_matrix_of_examples_by_rounds(shape: tuple[int, ...]) -> None:
    assert margin_matrix(np.ones((2, 1))).tolist() == [[1], [1]]
    with pytest.raises(ValueError, match="margins must be a matrix of examples by rounds, not"):
        margin_matrix(np.ones(shape))
