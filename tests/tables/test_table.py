"""Entries of tables as values, and the number of decimals that they need."""

from __future__ import annotations

from math import inf, nan
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.tables.table import Entry, decimals, listed, moments, words

SIZES = st.floats(1e-7, 1e7)


@given(st.lists(SIZES, min_size=1, max_size=5), st.integers(1, 5))
def test_decimals_give_the_largest_value_as_many_significant_digits_as_asked(
    sizes: list[float], digits: int
) -> None:
    largest = max(sizes)
    text = f"{largest:.{decimals([-size for size in sizes], digits)}f}"
    # Half a unit of the last of the digits is the largest error.
    power = 0
    while 10 ** (power + 1) <= largest:
        power += 1
    while 10.0**power > largest:
        power -= 1
    unit = 10.0 ** min(power - digits + 1, 0)
    assert abs(float(text) - largest) <= unit / 2 * (1 + 1e-9)
    assert decimals(sizes, digits) <= max(0, digits - 1 - power)


def test_missing_infinite_and_zero_values_do_not_decide_decimals() -> None:
    assert decimals([None, nan, inf, -inf, 0.0, 0.0123]) == decimals([0.0123]) == 5
    assert decimals([None, nan, 0.0]) == 4


def test_moments_are_none_with_too_few_values() -> None:
    assert moments([]) == (None, None)
    assert moments([0.5]) == (0.5, None)
    values = [0.1, 0.4, 0.2]
    assert moments(values) == (pytest.approx(mean(values)), pytest.approx(stdev(values)))


def test_equal_values_have_a_deviation_of_exactly_zero() -> None:
    assert moments([0.1] * 7) == (0.1, 0.0)


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a, b", "c"], "a, b; c"),
    ],
)
def test_items_with_commas_are_separated_by_semicolons(items: list[str], text: str) -> None:
    assert listed(items) == text


def test_words_are_entries_without_numbers() -> None:
    assert words(["a", ""]) == (Entry("a"), Entry(""))
