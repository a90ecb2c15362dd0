from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student

from quadrepro.stats import COVERAGE, placement

samples = st.lists(st.floats(0, 1), min_size=2, max_size=30)


@given(samples)
def test_the_interval_is_students_for_one_further_repeat(ours: list[float]) -> None:
    n, mean, sd = len(ours), np.mean(ours), np.std(ours, ddof=1)
    assume(sd > 1e-9)
    low, high = student.interval(0.95, n - 1, mean, sd * (1 + 1 / n) ** 0.5)
    where = placement(ours, 0.5, 0.0005)
    assert (where.mean, where.sd) == (pytest.approx(mean), pytest.approx(sd))
    assert (where.low, where.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("n", [2, 5, 16])
def test_one_further_draw_is_inside_95_times_of_100(n: int) -> None:
    rng = np.random.default_rng(1)
    hits = sum(
        placement(draws[:-1].tolist(), float(draws[-1]), 0.0).inside
        for draws in rng.normal(0.2, 0.03, (2000, n + 1))
    )
    # Three standard errors of the simulation.
    assert COVERAGE == 0.95
    assert hits / 2000 == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / 2000) ** 0.5)


def test_the_quantile_counts_ties_half_within_the_printed_rounding() -> None:
    ours = [0.1004, 0.2, 0.3, 0.4]
    assert placement(ours, 0.1, 0.0005).quantile == pytest.approx(1 / 8)
    assert placement(ours, 0.1, 0.0001).quantile == 0
    assert placement(ours, 0.25, 0.0005).quantile == pytest.approx(1 / 2)
    # A repeat that rounds to the printed number, on either side of it.
    assert placement(ours, 0.3004, 0.0005).quantile == pytest.approx(5 / 8)
    assert placement(ours, 0.2996, 0.0005).quantile == pytest.approx(5 / 8)
    assert placement(ours, 0.9, 0.0005).quantile == 1


@given(samples, st.floats(0, 1))
def test_the_quantile_is_the_share_below_plus_half_the_ties(
    ours: list[float], printed: float
) -> None:
    below = sum(value < printed - 0.01 for value in ours)
    ties = sum(abs(value - printed) <= 0.01 for value in ours)
    found = placement(ours, printed, 0.01 - 1e-12).quantile
    assert found == pytest.approx((below + ties / 2) / len(ours), abs=1 / len(ours) * 1e-6)


def test_the_printed_rounding_widens_the_interval_on_both_sides() -> None:
    ours = [0.1, 0.2, 0.3]
    low, high = placement(ours, 0.2, 0.0).low, placement(ours, 0.2, 0.0).high
    for end, out in ((low, -1), (high, 1)):
        assert placement(ours, end + out * 0.004, 0.005).inside
        assert placement(ours, end + out * 0.005, 0.005).inside
        assert not placement(ours, end + out * 0.006, 0.005).inside
        assert not placement(ours, end + out * 0.004, 0.003).inside


@given(st.floats(0, 1), st.integers(2, 20))
def test_constant_repeats_hold_only_their_own_value(value: float, n: int) -> None:
    assert placement([value] * n, value, 0.0005).inside
    assert placement([value] * n, value, 0.0).inside
    assert not placement([value] * n, value + 0.01, 0.0005).inside
    assert not placement([value] * n, value - 0.01, 0.0005).inside


def test_fractions_are_numbers_too() -> None:
    where = placement([Fraction(1, 10), Fraction(2, 10)], 0.15, 0.005)
    assert where == placement([0.1, 0.2], 0.15, 0.005)


def test_two_repeats_are_enough_and_one_is_no_distribution() -> None:
    assert placement([0.1, 0.2], 0.15, 0.0005).inside
    with pytest.raises(ValueError, match="two repeats"):
        placement([0.1], 0.1, 0.0005)


@pytest.mark.parametrize("further", [1, 4, 20])
def test_the_interval_covers_the_mean_of_further_repeats(further: int) -> None:
    rng = np.random.default_rng(further)
    draws = rng.normal(size=(4000, 8 + further))
    inside = [
        placement(row[:8], float(row[8:].mean()), 0.0, further=further).inside for row in draws
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.012)


@given(samples, st.floats(0, 1), st.sampled_from([0.0, 0.0005, 0.005]))
def test_a_number_is_inside_if_its_p_value_is_above_five_percent(
    ours: list[float], printed: float, rounding: float
) -> None:
    where = placement(ours, printed, rounding)
    assume(abs(where.p_value - 0.05) > 1e-9)
    assert where.inside == (where.p_value > 0.05)


def test_the_p_value_is_students_from_the_end_of_the_rounding_interval() -> None:
    ours = [0.1, 0.2, 0.3, 0.25]
    where = placement(ours, 0.51, 0.005)
    distance = (0.505 - np.mean(ours)) / (np.std(ours, ddof=1) * np.sqrt(1.25))
    assert where.p_value == pytest.approx(2 * student.sf(distance, 3))
    assert placement(ours, round(float(np.mean(ours)), 2), 0.005).p_value == 1


def test_the_binomial_error_counts_only_where_all_splits_agree() -> None:
    binomial = np.sqrt((3 / 22) * (19 / 22) / 20)
    assert placement([0.1] * 4, 0.2, 0.0, n_test=20).sd == pytest.approx(binomial)
    assert placement([0.1] * 4, 0.2, 0.0, n_test=20).inside
    assert placement([0.1] * 4, 0.2, 0.0).sd == 0
    assert not placement([0.1] * 4, 0.2, 0.0).inside
    assert placement([0.1, 0.15], 0.2, 0.0, n_test=20) == placement([0.1, 0.15], 0.2, 0.0)
