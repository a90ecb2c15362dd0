from __future__ import annotations

from functools import cache, partial
from itertools import permutations, product
from math import comb, inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm, ttest_ind_from_stats
from scipy.stats import f as fisher
from scipy.stats import t as student

from quadrepro.stats import (
    Placement,
    Repeats,
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    independent_misses,
    largest_deviation,
    null_p_values,
    place_deviation,
    place_number,
    tail_p_values,
)
from quadrepro.stats.placement import _simulated

samples = st.lists(st.floats(0, 1), min_size=2, max_size=30)


def place(ours: list[float], printed: float, rounding: float, n_printed: int = 1) -> Placement:
    """Place a printed number that is not a share of errors."""
    return place_number(Repeats(tuple(ours)), printed, rounding, n_printed=n_printed)


def shares(errors: list[int], n_test: int, one_test_set: bool = False) -> Repeats:
    """Return repeats of whole numbers of errors."""
    values = tuple(count / n_test for count in errors)
    return Repeats(values, (n_test,) * len(errors), one_test_set)


@given(samples, st.integers(1, 20))
def test_interval_and_p_value_are_students_for_the_mean_of_further_repeats(
    ours: list[float], n_printed: int
) -> None:
    n, mean, sd = len(ours), float(np.mean(ours)), np.std(ours, ddof=1)
    assume(sd > 1e-9)
    error = sd * (1 / n_printed + 1 / n) ** 0.5
    low, high = student.interval(0.95, n - 1, mean, error)
    placement = place(ours, 0.5, 0.0005, n_printed)
    expected = (mean, low - 0.0005, high + 0.0005)
    assert (placement.ours, placement.low, placement.high) == pytest.approx(expected)
    # The distance is that from the end of the rounding interval.
    distance = max(0.0, abs(mean - 0.5) - 0.0005) / error
    assert placement.p_value == pytest.approx(2 * student.sf(distance, n - 1))
    assert isnan(place([nan, *ours], 0.5, 0.0005).p_value)


@given(samples, st.floats(0, 1), st.floats(0.001, 0.3), st.integers(2, 20))
def test_a_printed_deviation_makes_it_welchs_test(
    ours: list[float], printed: float, printed_sd: float, n_printed: int
) -> None:
    sd = float(np.std(ours, ddof=1))
    assume(sd > 1e-9)
    placement = place_number(
        Repeats(tuple(ours)), printed, 0.005, n_printed=n_printed, printed_sd=printed_sd
    )
    mean, n = float(np.mean(ours)), len(ours)
    nearest = float(np.clip(mean, printed - 0.005, printed + 0.005))
    theirs = (nearest, printed_sd, n_printed)
    test = ttest_ind_from_stats(mean, sd, n, *theirs, equal_var=False)
    assert placement.p_value == pytest.approx(test.pvalue, rel=1e-6)
    a, b = sd**2 / n, printed_sd**2 / n_printed
    df = (a + b) ** 2 / (a**2 / (n - 1) + b**2 / (n_printed - 1))
    reach = sqrt(a + b) * student.ppf(0.975, df) + 0.005
    assert (placement.low, placement.high) == pytest.approx((mean - reach, mean + reach))


@given(st.floats(0, 1), st.integers(2, 20))
def test_equal_repeats_without_test_sets_hold_only_their_own_value(value: float, n: int) -> None:
    assert Repeats((value,) * n).sd == 0
    assert Repeats((value,) * n).mean == pytest.approx(value)
    for rounding in (0.0, 0.0005):
        assert place([value] * n, value, rounding).p_value == 1
        assert place([value] * n, value + 0.01, rounding).p_value == 0
        assert place([value] * n, value - 0.01, rounding).p_value == 0


def assert_inside_iff_not_significant(placement: Placement, printed: float) -> None:
    """Check that the p-value is at most 0.05 exactly outside of the interval."""
    assume(min(abs(printed - placement.low), abs(printed - placement.high)) > 1e-9)
    assert placement.significant == (not placement.low <= printed <= placement.high)


@given(samples, st.floats(-0.5, 1.5), st.sampled_from([0.0, 0.0005, 0.005]), st.integers(1, 5))
def test_a_number_is_in_its_interval_if_its_p_value_is_above_five_percent(
    ours: list[float], printed: float, rounding: float, n_printed: int
) -> None:
    assert_inside_iff_not_significant(place(ours, printed, rounding, n_printed), printed)


@st.composite
def counted(draw: st.DrawFn) -> Repeats:
    """Draw shares of few errors, whose test of test examples is exact."""
    n_test, n = draw(st.integers(10, 60)), draw(st.integers(2, 6))
    most = draw(st.sampled_from([0, 2, 8, 25]))
    errors = draw(st.lists(st.integers(0, min(most, n_test)), min_size=n, max_size=n))
    return shares(errors, n_test, draw(st.booleans()))


@settings(max_examples=60)
@given(
    counted(),
    st.integers(0, 120),
    st.sampled_from([2, 3]),
    st.integers(1, 3),
    st.sampled_from([None, 0.01, 0.1]),
)
def test_a_share_of_errors_is_in_its_interval_if_its_p_value_is_above_five_percent(
    ours: Repeats, place_of_number: int, digits: int, n_printed: int, printed_sd: float | None
) -> None:
    printed, rounding = round(place_of_number / 170, digits), 0.5 * 10.0**-digits
    n_printed = n_printed if printed_sd is None else n_printed + 1
    placement = place_number(ours, printed, rounding, n_printed=n_printed, printed_sd=printed_sd)
    assert_inside_iff_not_significant(placement, printed)


@given(samples, st.floats(0.01, 1), st.integers(2, 20), st.sampled_from([1e-3, 100.0, 1e4]))
def test_the_unit_of_rmses_does_not_change_a_p_value(
    ours: list[float], printed: float, n_printed: int, unit: float
) -> None:
    assume(np.std(ours) > 1e-3)
    scaled, plain = Repeats(tuple(unit * x for x in ours)), Repeats(tuple(ours))
    for n in (1, n_printed):
        changed = place_number(scaled, unit * printed, unit * 0.005, n_printed=n)
        placement = place_number(plain, printed, 0.005, n_printed=n)
        assert changed.p_value == pytest.approx(placement.p_value, rel=1e-5, abs=1e-12)
        ends = unit * placement.low, unit * placement.high
        assert (changed.low, changed.high) == pytest.approx(ends, rel=1e-9, abs=1e-9)
    deviations = (
        place_deviation(scaled, unit * printed, unit * 0.005, n_printed=n_printed),
        place_deviation(plain, printed, 0.005, n_printed=n_printed),
    )
    changed_p, p = (deviation.p_value for deviation in deviations if deviation is not None)
    assert changed_p == pytest.approx(p, rel=1e-5, abs=1e-12)


def mid_p_value(count: int, tested: int, errors: int, examples: int) -> float:
    """Return the two-sided mid-p-value of errors among `tested` examples, over all draws.

    A draw chooses the tested examples from all examples of both sides.
    """
    n_wrong, n_right = count + errors, tested + examples - count - errors
    draws = [
        comb(n_wrong, k) * comb(n_right, tested - k)
        for k in range(max(0, tested - n_right), min(n_wrong, tested) + 1)
    ]
    at = count - max(0, tested - n_right)
    below, above = sum(draws[:at]) + draws[at] / 2, sum(draws[at + 1 :]) + draws[at] / 2
    return min(1.0, 2 * min(below, above) / sum(draws))


few_or_many = st.one_of(st.integers(0, 12), st.integers(0, 60))


@given(
    st.integers(2, 5),
    few_or_many,
    st.integers(0, 60),
    few_or_many,
    st.booleans(),
    st.integers(1, 2),
)
def test_equal_repeats_are_judged_by_the_exact_test_of_two_proportions(
    n: int, each: int, n_right: int, count: int, one_test_set: bool, n_printed: int
) -> None:
    n_test = max(12, each + n_right)
    errors, examples = (each, n_test) if one_test_set else (n * each, n * n_test)
    tested = n_test if one_test_set else n_test * n_printed
    assume(count <= tested and count * examples != errors * tested)
    placement = place_number(
        shares([each] * n, n_test, one_test_set), count / tested, 1e-6, n_printed=n_printed
    )
    p_value = mid_p_value(count, tested, errors, examples)
    if errors < 3 or errors * tested / examples < 1:
        assert placement.p_value == pytest.approx(p_value)
    else:
        assert placement.significant == (p_value <= 0.1)


def test_many_errors_are_judged_by_the_normal_distribution() -> None:
    ours = shares([500] * 4, 5000)
    risk = 2001 / 20002
    reach = norm.isf(0.05) * np.sqrt(risk * (1 - risk) * (1 / 5000 + 1 / 20000))
    placement = place_number(ours, 0.1, 0.0005)
    ends = 0.1 - reach - 0.0005, 0.1 + reach + 0.0005
    assert (placement.low, placement.high) == pytest.approx(ends, abs=1 / 5000)
    for printed in np.arange(0.09, 0.11, 0.0001).round(4).tolist():
        placement = place_number(ours, printed, 0.00005)
        assert placement.significant == (not placement.low <= printed <= placement.high)


def test_the_sampling_of_test_examples_explains_a_distance_from_equal_repeats() -> None:
    assert not place_number(shares([5] * 4, 50), 0.14, 0.0005).significant
    assert place_number(shares([5] * 4, 50), 0.5, 0.0005).significant
    placement = place_number(shares([0, 0, 0], 50), 0.020, 0.0005)
    assert placement.low <= 0 <= 0.02 <= placement.high
    # One of 200 examples is wrong, and a quarter of them is printed.
    assert placement.p_value == pytest.approx(0.25)


@given(counted(), st.floats(0, 0.6))
def test_test_sets_only_widen_the_interval(ours: Repeats, printed: float) -> None:
    placement = place_number(ours, printed, 0.005)
    alone = place([*ours.values], printed, 0.005)
    assert placement.low <= alone.low
    assert placement.high >= alone.high
    assert placement.p_value >= alone.p_value


@given(st.integers(0, 25), st.integers(2, 6), st.sampled_from([2, 5, 100]))
def test_more_runs_on_one_test_set_do_not_narrow_its_floor(
    errors: int, n: int, n_printed: int
) -> None:
    runs = shares([errors] * n, 50, one_test_set=True)
    once = place_number(runs, 0.3, 0.0005)
    assert place_number(runs, 0.3, 0.0005, n_printed=n_printed) == once
    further = place_number(shares([errors] * (n + 3), 50, one_test_set=True), 0.3, 0.0005)
    assert (further.low, further.high) == pytest.approx((once.low, once.high))
    assert further.p_value == pytest.approx(once.p_value)
    splits = place_number(shares([errors] * n, 50), 0.3, 0.0005, n_printed=n_printed)
    assert splits.high - splits.low <= once.high - once.low


def test_splits_count_their_examples_once_each_and_runs_those_of_one_in_any_order() -> None:
    ours = (0.1, 0.2, 0.3)
    assert Repeats(ours, (10, 20, 30)).test_sets == (14, 60, 20)
    assert Repeats(ours, (20, 20, 20), one_test_set=True).test_sets == (4, 20, 20)
    # Their mean is 21.5 errors.
    runs = [shares([*errors], 140, one_test_set=True) for errors in permutations([15, 26, 6, 39])]
    assert len({ours.test_sets for ours in runs}) == 1


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=7),
    st.floats(0.05, 1),
    st.sampled_from([0.0005, 0.02]),
    st.integers(2, 30),
)
def test_a_deviation_has_fishers_distribution(
    ours: list[float], printed: float, rounding: float, n_printed: int
) -> None:
    sd = np.std(ours, ddof=1)
    assume(sd > 1e-3)
    placement = place_deviation(Repeats(tuple(ours)), printed, rounding, n_printed=n_printed)
    assert placement is not None
    ratio = fisher(n_printed - 1, len(ours) - 1)
    ends = ((printed + side * rounding) / sd for side in (-1, 1))
    least, most = (end**2 for end in ends)
    p_value = min(1.0, 2 * min(ratio.sf(least), ratio.cdf(most)))
    assert placement.p_value == pytest.approx(p_value, rel=1e-6)
    assert_inside_iff_not_significant(placement, printed)


@given(counted(), st.integers(0, 30), st.integers(2, 20))
def test_a_deviation_is_in_its_interval_if_its_p_value_is_above_five_percent(
    ours: Repeats, place_of_number: int, n_printed: int
) -> None:
    printed = place_of_number / 100
    placement = place_deviation(ours, printed, 0.005, n_printed=n_printed)
    assert placement is not None
    assert_inside_iff_not_significant(placement, printed)


def test_equal_repeats_leave_only_the_deviation_of_their_test_sets() -> None:
    assert place_deviation(Repeats((0.1,) * 5), 0.01, 0.005, n_printed=5) is None
    placement = place_deviation(shares([5] * 5, 50), 0.04, 0.005, n_printed=5)
    assert placement is not None
    risk = 26 / 252
    assert placement.ours == pytest.approx((risk * (1 - risk) / 50) ** 0.5)


def test_long_tails_widen_the_interval_of_a_deviation() -> None:
    even, skewed = (Repeats((*range(20), last)) for last in (20.0, 200.0))
    a, b = (place_deviation(ours, 1.0, 0.5, n_printed=21) for ours in (even, skewed))
    assert a is not None
    assert b is not None
    assert b.high / b.ours > a.high / a.ours
    assert b.low / b.ours < a.low / a.ours


@given(st.floats(0.05, 0.95), st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_no_numbers_deviate_more_than_the_largest_deviation(
    rounding: float, values: list[float]
) -> None:
    mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
    assert sd <= largest_deviation(mean, 0.0, 0.0, 1.0, len(values)) + 1e-9
    assert sd <= largest_deviation(mean + rounding, rounding, 0.0, 1.0, len(values)) + 1e-9
    assert sd <= largest_deviation(mean, 0.0, 0.0, inf, len(values)) + 1e-9


def normal(n_splits: int, n_columns: int, share: float, seed: int = 3) -> np.ndarray:
    """Return splits whose columns have a part of their variance in common."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n_splits, 1))
    own = rng.normal(size=(n_splits, n_columns))
    return np.sqrt(share) * common + np.sqrt(1 - share) * own


def placed_among_others(
    splits: np.ndarray, rounding: float, n_test: tuple[int, ...], one_test_set: bool
) -> list[list[float]]:
    """Return the p-value of each split, rounded, among the others."""
    p = []
    for i, row in enumerate(splits):
        others = np.delete(splits, i, axis=0)
        p.append(
            [
                place_number(
                    Repeats(tuple(others[:, c].tolist()), n_test[1:], one_test_set),
                    float(np.round(x / (2 * rounding)) * 2 * rounding) if rounding else float(x),
                    rounding,
                ).p_value
                for c, x in enumerate(row)
            ]
        )
    return p


def test_each_split_is_placed_among_the_others() -> None:
    splits = normal(22, 3, 0.5)
    expected = placed_among_others(splits, 0.0, (), one_test_set=False)
    np.testing.assert_allclose(null_p_values(splits), expected, rtol=1e-6)
    counts = (np.array(expected) <= 0.05).sum(axis=1)
    chances = chance_of_misses(null_p_values(splits))
    np.testing.assert_allclose(chances, np.bincount(counts, minlength=4) / 22)
    n_test = (40,) * 22
    for one_test_set, risk in product((False, True), (0.02, 0.2)):
        errors = np.random.default_rng(1).binomial(40, risk, (22, 3)) / 40
        expected = placed_among_others(errors, 0.005, n_test, one_test_set)
        p = null_p_values(errors, rounding=0.005, n_test=n_test, one_test_set=one_test_set)
        np.testing.assert_allclose(p, expected, rtol=1e-6)


@pytest.mark.parametrize(("n", "n_test", "risk"), [(3, 40, 0.1), (10, 40, 0.1)])
def test_the_null_p_values_of_few_splits_are_small_as_often_as_further_shares_are_outside(
    n: int, n_test: int, risk: float
) -> None:
    rounding = 0.005
    printed = np.round(np.arange(n_test + 1) / n_test, 2)
    weights = binom.pmf(np.arange(n_test + 1), n_test, risk)

    @cache
    def stated_and_actual(*errors: int) -> tuple[float, float]:
        ours = shares([*errors], n_test)
        placement = place_number(ours, 0.0, rounding)
        inside = (placement.low - 1e-9 < printed) & (printed < placement.high + 1e-9)
        splits = np.array(ours.values)[:, None]
        null = null_p_values(splits, rounding=rounding, n_test=ours.n_test)
        return float((null <= 0.05).mean()), float(weights[~inside].sum())

    draws = np.sort(np.random.default_rng(n).binomial(n_test, risk, (60, n)))
    rates = np.array([stated_and_actual(*errors) for errors in draws.tolist()])
    stated, actual = rates.T
    # Four standard errors of the difference.
    error = 4 * np.std(stated - actual) / np.sqrt(len(draws))
    assert np.mean(stated) == pytest.approx(np.mean(actual), abs=error + 0.005)


def test_one_in_twenty_means_is_outside_however_columns_depend() -> None:
    alone, together = (
        chance_of_misses(null_p_values(normal(40, 5, share), n_printed=20)) for share in (0.0, 0.99)
    )
    for chances in (alone, together):
        assert chances @ np.arange(6) / 5 == pytest.approx(0.05, abs=0.015)
    assert together[5] > 0.02 > alone[5]
    assert together[0] > alone[0]
    # A column that never varies is never outside.
    for n_splits, n_printed in product((9, 24), (1, 9)):
        splits = np.column_stack([normal(n_splits, 1, 0.0), np.full(n_splits, 0.3)])
        assert chance_of_misses(null_p_values(splits, n_printed=n_printed))[2] == 0


def test_few_splits_are_simulated_with_their_means_deviations_and_mean_correlation() -> None:
    splits = normal(9, 3, 0.5) + np.arange(3)
    columns = _simulated(splits, 0).transpose(1, 0, 2).reshape(3, -1)
    np.testing.assert_allclose(columns.mean(axis=1), splits.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(columns.std(axis=1), splits.std(axis=0, ddof=1), rtol=0.03)
    covariance = np.cov(splits.T)
    expected = (covariance.sum() / covariance.trace() - 1) / 2
    assert 0.1 < expected < 0.9
    off_diagonal = np.corrcoef(columns)[np.triu_indices(3, 1)]
    np.testing.assert_allclose(off_diagonal, expected, atol=0.03)


def test_null_p_values_are_the_same_in_every_run() -> None:
    splits = np.random.default_rng(1).binomial(40, 0.1, (4, 3)) / 40
    for n_printed in (1, 5):
        draw = partial(null_p_values, splits, n_printed=n_printed, rounding=0.005, n_test=(40,) * 4)
        np.testing.assert_array_equal(draw(), draw())


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_a_tail_p_value_counts_the_null_p_values_that_are_as_small(
    null: list[float], p: list[float]
) -> None:
    tails = tail_p_values(p, np.array(null))
    for value, tail in zip(p, tails.tolist(), strict=True):
        n_smaller = sum(x <= value * (1 + 1e-9) for x in null)
        assert tail == pytest.approx(max(value, (1 + n_smaller) / (1 + len(null))))


def test_the_number_of_misses_has_the_distribution_over_all_combinations_of_rows() -> None:
    rows = [np.array([0.7, 0.2, 0.1]), np.array([0.5, 0.5]), np.array([0.9, 0.0, 0.0, 0.1])]
    total = np.zeros(7)
    for counts in product(*(range(len(row)) for row in rows)):
        total[sum(counts)] += np.prod([row[c] for row, c in zip(rows, counts, strict=True)])
    for outside in range(7):
        misses = count_misses(outside, rows)
        p_more, p_fewer = total[outside:].sum(), total[: outside + 1].sum()
        assert (misses.p_more, misses.p_fewer) == pytest.approx((p_more, p_fewer))
        assert misses.p_value == pytest.approx(min(1, 2 * p_more, 2 * p_fewer))
        assert misses.expected == pytest.approx(total @ np.arange(7))


def test_independent_numbers_are_binomial_also_in_groups() -> None:
    misses = count_misses(10, [independent_misses(5)] * 20)
    distribution = binom(100, 0.05)
    assert misses.expected == pytest.approx(5)
    assert (misses.low, misses.high) == (distribution.ppf(0.025), distribution.ppf(0.975))
    assert misses.p_more == pytest.approx(distribution.sf(9))
    assert misses.p_fewer == pytest.approx(distribution.cdf(10))
    groups = [independent_misses(n) for n in (5, 8, 13)]
    fewer = np.prod([binom(n, 0.05).cdf(1) for n in (5, 8, 13)])
    assert chance_of_a_group(2, groups) == pytest.approx(1 - fewer)
