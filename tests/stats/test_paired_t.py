from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from quadrepro.stats.paired_t import paired_t

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30)


def test_the_p_value_is_students_of_the_differences() -> None:
    # Differences 1, 2, 3: mean 2, standard error 1/sqrt(3).
    test = paired_t([2, 4, 6], [1, 2, 3])
    assert test.difference == pytest.approx(2)
    assert test.p_value == pytest.approx(2 * student.sf(2 * 3**0.5, df=2))
    assert not test.significant
    assert paired_t([2, 4, 6, 5], [1, 2, 3, 3]).significant


@given(pairs)
def test_exchanging_the_sides_changes_the_sign_alone(values: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in values], [y for _, y in values]
    there, back = paired_t(a, b), paired_t(b, a)
    assert there.difference == -back.difference
    assert there.p_value == pytest.approx(back.p_value)
    assert 0 <= there.p_value <= 1


def test_equal_samples_do_not_differ_and_a_constant_difference_is_certain() -> None:
    assert paired_t([0.1, 0.7], [0.1, 0.7]).p_value == 1
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    assert paired_t([0.3, 0.2], [0.2, 0.1]).p_value == 0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [([1.0], [2.0], "at least two pairs"), ([1.0, 2.0], [1.0], "2 values cannot be paired with 1")],
)
def test_what_cannot_be_paired_is_refused(a: list[float], b: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_t(a, b)
