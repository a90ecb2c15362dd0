from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from quadrepro.stats.sign_test import SignTest, sign_test

risks = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 10))
def test_p_value_is_the_binomial_test_without_ties(wins: int, losses: int, ties: int) -> None:
    expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert SignTest(wins, losses, ties).p_value == pytest.approx(expected, abs=1e-12)


@given(risks)
def test_every_data_set_is_counted_once_and_the_test_is_symmetric(
    pairs: list[tuple[int, int]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    there, back = sign_test(a, b), sign_test(b, a)
    assert there.wins + there.losses + there.ties == len(pairs)
    assert (there.wins, there.losses) == (back.losses, back.wins)
    assert there.p_value == back.p_value


def test_the_level_itself_is_significant() -> None:
    assert not SignTest(5, 0, 3).significant  # p = 0.0625
    assert SignTest(6, 0, 0).significant  # p = 0.03125
