from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from quadrepro.stats import paired_t_test

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30)


@given(pairs)
def test_the_p_value_is_scipys(values: list[tuple[int, int]]) -> None:
    a, b = ([float(pair[side]) for pair in values] for side in (0, 1))
    assume(len({x - y for x, y in values}) > 1)
    test = paired_t_test(a, b)
    assert test.p_value == ttest_rel(a, b).pvalue
    assert test.mean_difference == pytest.approx(np.mean(a) - np.mean(b))


@given(pairs)
def test_exchanging_the_sides_changes_the_sign_alone(values: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in values], [y for _, y in values]
    there, back = paired_t_test(a, b), paired_t_test(b, a)
    assert there.mean_difference == -back.mean_difference
    assert there.p_value == pytest.approx(back.p_value)
    assert 0 <= there.p_value <= 1


@given(pairs, st.sampled_from([1e-9, 1e-3, 1e6]))
def test_the_unit_does_not_matter(values: list[tuple[int, int]], unit: float) -> None:
    a, b = [x for x, _ in values], [y for _, y in values]
    scaled = paired_t_test([unit * x for x in a], [unit * y for y in b])
    assert scaled.p_value == pytest.approx(paired_t_test(a, b).p_value, rel=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_equal_samples_do_not_differ_and_a_constant_difference_is_certain(unit: float) -> None:
    assert paired_t_test([0.1 * unit, 0.7 * unit], [0.1 * unit, 0.7 * unit]).p_value == 1
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    test = paired_t_test([0.3 * unit, 0.2 * unit], [0.2 * unit, 0.1 * unit])
    assert test.p_value == 0
    assert test.mean_difference == pytest.approx(0.1 * unit)


def test_zeros_do_not_differ() -> None:
    assert paired_t_test([0.0, 0.0], [0.0, 0.0]).p_value == 1


def test_differences_that_are_small_but_vary_are_tested() -> None:
    a, b = [1.0, 1.0, 1.0], [1 - 1e-9, 1 - 3e-9, 1 - 2e-9]
    assert paired_t_test(a, b).p_value == pytest.approx(ttest_rel(a, b).pvalue)
    assert 0 < paired_t_test(a, b).p_value < 1


def test_fractions_are_numbers_too() -> None:
    a, b = [Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)], [Fraction(1, 4)] * 3
    expected = ttest_rel([float(x) for x in a], [float(y) for y in b])
    assert paired_t_test(a, b).p_value == pytest.approx(expected.pvalue)


def test_one_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two pairs"):
        paired_t_test([1.0], [2.0])
