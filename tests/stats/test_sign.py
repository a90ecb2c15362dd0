from __future__ import annotations

from fractions import Fraction
from math import comb, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.stats import sign_test

risks = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40)


def p_value(wins: int, losses: int, ties: int = 0) -> float:
    a = [0] * wins + [1] * losses + [2] * ties
    b = [1] * wins + [0] * losses + [2] * ties
    return sign_test(a, b).p_value


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 10))
def test_the_p_value_is_the_doubled_binomial_tail_without_ties(
    wins: int, losses: int, ties: int
) -> None:
    n = wins + losses
    tail = sum(comb(n, i) for i in range(min(wins, losses) + 1))
    exact = min(Fraction(1), Fraction(2 * tail, 2**n))
    assert p_value(wins, losses, ties) == pytest.approx(float(exact), rel=1e-12)


@given(risks)
def test_every_data_set_is_counted_once_and_the_test_is_symmetric(
    pairs: list[tuple[int, int]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    there, back = sign_test(a, b), sign_test(b, a)
    assert there.wins == sum(x < y for x, y in pairs)
    assert there.losses == sum(x > y for x, y in pairs)
    assert there.ties == sum(x == y for x, y in pairs)
    assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)
    assert there.p_value == back.p_value


def test_the_lower_risk_wins() -> None:
    assert sign_test([0.1], [0.2]).wins == 1
    assert sign_test([0.2], [0.1]).losses == 1


def test_fractions_are_compared_exactly_with_each_other_and_with_floats() -> None:
    third, more = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)
    test = sign_test([third, third, more, 1 / 3], [third, more, third, third])
    # The float next to a third is below it.
    assert (test.wins, test.losses, test.ties) == (2, 1, 1)
    sums = [Fraction(1, 10) + Fraction(2, 10)], [Fraction(3, 10)]
    assert sign_test(*sums).ties == 1
    assert sign_test([0.1 + 0.2], [0.3]).losses == 1


def test_ties_alone_or_no_data_set_show_nothing() -> None:
    assert sign_test([0.1, 0.2], [0.1, 0.2]).p_value == 1
    assert sign_test([], []).p_value == 1


def test_six_wins_are_significant_and_five_are_not() -> None:
    assert not sign_test([0] * 5, [1] * 5).significant  # p = 0.0625
    assert sign_test([0] * 6, [1] * 6).significant  # p = 0.03125


def test_a_risk_that_is_not_a_number_is_not_counted_and_makes_the_p_value_none() -> None:
    test = sign_test([0.1, nan, 0.1, 0.2], [0.2, 0.1, nan, 0.3])
    assert (test.wins, test.losses, test.ties) == (2, 0, 0)
    assert isnan(test.p_value)
    assert not test.significant
