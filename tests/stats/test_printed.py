from __future__ import annotations

from functools import cache
from itertools import product
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom
from scipy.stats import t as student

from quadrepro.stats import (
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    independent_misses,
    placement,
)

samples = st.lists(st.floats(0, 1), min_size=2, max_size=30)


@given(samples, st.integers(1, 20))
def test_the_interval_is_students_for_the_mean_of_further_repeats(
    ours: list[float], further: int
) -> None:
    n, mean, sd = len(ours), np.mean(ours), np.std(ours, ddof=1)
    assume(sd > 1e-9)
    low, high = student.interval(0.95, n - 1, mean, sd * (1 / further + 1 / n) ** 0.5)
    where = placement(ours, 0.5, 0.0005, further=further)
    assert (where.mean, where.low, where.high) == pytest.approx((mean, low, high))


def test_a_repeat_that_is_not_a_number_leaves_no_verdict() -> None:
    assert isnan(placement([nan, 0.2, 0.3], 0.2, 0.005).p_value)


def test_the_printed_rounding_widens_the_interval_on_both_sides() -> None:
    ours = [0.1, 0.2, 0.3]
    where = placement(ours, 0.2, 0.0)
    for end, out in ((where.low, -1), (where.high, 1)):
        assert not placement(ours, end + out * 0.004, 0.005).significant
        assert placement(ours, end + out * 0.005, 0.005).p_value == pytest.approx(0.05)
        assert placement(ours, end + out * 0.006, 0.005).significant
        assert placement(ours, end + out * 0.004, 0.003).significant


@given(st.floats(0, 1), st.integers(2, 20))
def test_constant_repeats_hold_only_their_own_value(value: float, n: int) -> None:
    for rounding in (0.0, 0.0005):
        assert placement([value] * n, value, rounding).p_value == 1
        assert placement([value] * n, value + 0.01, rounding).p_value == 0
        assert placement([value] * n, value - 0.01, rounding).p_value == 0


def test_two_repeats_are_enough_and_one_is_not() -> None:
    assert not placement([0.1, 0.2], 0.15, 0.0005).significant
    with pytest.raises(ValueError, match="two repeats"):
        placement([0.1], 0.1, 0.0005)


@given(samples, st.floats(0, 1), st.sampled_from([0.0, 0.0005, 0.005]))
def test_a_number_is_in_its_interval_if_its_p_value_is_above_five_percent(
    ours: list[float], printed: float, rounding: float
) -> None:
    where = placement(ours, printed, rounding)
    assume(abs(where.p_value - 0.05) > 1e-9)
    inside = where.low - rounding - 1e-12 <= printed <= where.high + rounding + 1e-12
    assert inside == (not where.significant)


def test_the_p_value_is_students_from_the_end_of_the_rounding_interval() -> None:
    ours = [0.1, 0.2, 0.3, 0.25]
    where = placement(ours, 0.51, 0.005)
    distance = (0.505 - np.mean(ours)) / (np.std(ours, ddof=1) * np.sqrt(1.25))
    assert where.p_value == pytest.approx(2 * student.sf(distance, 3))
    assert placement(ours, round(float(np.mean(ours)), 2), 0.005).p_value == 1


def test_the_binomial_error_counts_only_where_all_splits_agree() -> None:
    where, binomial = placement([0.1] * 4, 0.2, 0.0, n_test=20), np.sqrt((3 / 22) * (19 / 22) / 20)
    reach = student.ppf(0.975, 3) * binomial * np.sqrt(1.25)
    assert where.high - where.low == pytest.approx(2 * reach)
    assert not where.significant
    assert placement([0.1] * 4, 0.2, 0.0).significant
    assert placement([0.1, 0.15], 0.2, 0.0, n_test=20) == placement([0.1, 0.15], 0.2, 0.0)


def normal(n_splits: int, n_columns: int, share: float, seed: int = 3) -> np.ndarray:
    """Return splits whose columns have a part of their variance in common."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n_splits, 1))
    own = rng.normal(size=(n_splits, n_columns))
    return np.sqrt(share) * common + np.sqrt(1 - share) * own


def test_each_split_is_placed_among_the_others() -> None:
    splits = normal(12, 3, 0.5)
    counts = [
        sum(placement(np.delete(splits[:, c], i), splits[i, c], 0.0).significant for c in range(3))
        for i in range(12)
    ]
    expected = np.bincount(counts, minlength=4) / 12
    np.testing.assert_allclose(chance_of_misses(splits), expected)


@pytest.mark.parametrize(
    ("n", "n_test", "risk"), [(3, 40, 0.1), (3, 200, 0.02), (4, 40, 0.1), (10, 200, 0.02)]
)
def test_as_many_discrete_risks_are_outside_as_the_chance_says(
    n: int, n_test: int, risk: float
) -> None:
    half, printed = 0.005, np.round(np.arange(n_test + 1) / n_test, 2)
    weights = binom.pmf(np.arange(n_test + 1), n_test, risk)

    @cache
    def said_and_true(*errors: int) -> tuple[float, float]:
        """Return the chance that is said, and that of all numbers of errors that may follow."""
        ours = np.array(errors) / n_test
        where = placement(ours, 0.0, half, n_test=n_test)
        inside = (where.low - half - 1e-9 < printed) & (printed < where.high + half + 1e-9)
        said = chance_of_misses(ours[:, None], rounding=half, n_test=n_test)[1]
        return float(said), float(weights[~inside].sum())

    worlds = np.sort(np.random.default_rng(n).binomial(n_test, risk, (1000, n)))
    said, true = np.array([said_and_true(*w) for w in worlds.tolist()]).T
    # Four standard errors of the difference, whose deviation is 0.1 at most.
    assert np.mean(said) == pytest.approx(np.mean(true), abs=0.012)


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_one_in_twenty_means_is_outside_however_columns_depend(share: float) -> None:
    splits = normal(40, 5, share)
    chance = chance_of_misses(splits, further=20)
    assert chance @ np.arange(6) / 5 == pytest.approx(0.05, abs=0.012)


def test_columns_that_move_together_are_outside_together() -> None:
    alone, together = (chance_of_misses(normal(40, 5, s), further=20) for s in (0.0, 0.99))
    assert together[5] > 0.02 > alone[5]
    assert together[0] > alone[0]


def test_columns_that_never_vary_are_never_outside() -> None:
    splits = np.column_stack([normal(9, 1, 0.0), np.full(9, 0.3)])
    for further in (1, 9):
        assert chance_of_misses(splits, further=further)[2] == 0


def test_the_number_of_misses_is_that_of_all_combinations_of_rows() -> None:
    rows = [np.array([0.7, 0.2, 0.1]), np.array([0.5, 0.5]), np.array([0.9, 0.0, 0.0, 0.1])]
    total = np.zeros(7)
    for counts in product(*(range(len(row)) for row in rows)):
        total[sum(counts)] += np.prod([row[c] for row, c in zip(rows, counts, strict=True)])
    for outside in range(7):
        found = count_misses(outside, rows)
        assert found.p_more == pytest.approx(total[outside:].sum())
        assert found.p_fewer == pytest.approx(total[: outside + 1].sum())
    assert found.expected == pytest.approx(total @ np.arange(7))


def test_independent_numbers_are_binomial() -> None:
    found = count_misses(10, [independent_misses(5)] * 20)
    of_all = binom(100, 0.05)
    assert found.expected == pytest.approx(5)
    assert (found.low, found.high) == (of_all.ppf(0.025), of_all.ppf(0.975))
    assert found.p_more == pytest.approx(of_all.sf(9))
    assert found.p_fewer == pytest.approx(of_all.cdf(10))


def test_the_chance_of_a_group_is_one_minus_that_no_group_has_so_many() -> None:
    groups = [independent_misses(n) for n in (5, 8, 13)]
    none = np.prod([binom(n, 0.05).cdf(1) for n in (5, 8, 13)])
    assert chance_of_a_group(2, groups) == pytest.approx(1 - none)
