from __future__ import annotations

from itertools import combinations_with_replacement
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from quadrepro.stats import hodges_lehmann
from quadrepro.stats.paired import EXACT
from tests.stats.examples import AFTER, BEFORE

differences = st.lists(st.integers(-20, 20), min_size=1, max_size=15)


def test_hollander_and_wolfes_shift() -> None:
    shift = hodges_lehmann(BEFORE, AFTER)
    assert shift.estimate == pytest.approx(0.46)
    assert (shift.low, shift.high) == pytest.approx((0.010, 0.786))


@given(differences)
def test_the_shift_is_the_median_of_all_means_of_two(d: list[int]) -> None:
    means = [(x + y) / 2 for x, y in combinations_with_replacement(d, 2)]
    shift = hodges_lehmann(d, [0] * len(d))
    assert shift.estimate == pytest.approx(np.median(means))
    assert shift.low <= shift.estimate <= shift.high
    back = hodges_lehmann([0] * len(d), d)
    assert (back.low, back.high) == pytest.approx((-shift.high, -shift.low))


@pytest.mark.parametrize("seed", range(5))
def test_wilcoxons_test_rejects_the_shifts_outside_the_interval_and_no_others(seed: int) -> None:
    d = np.random.default_rng(seed).normal(size=12)
    shift = hodges_lehmann(d, np.zeros(12))
    for end, outwards in ((shift.low, -1e-6), (shift.high, 1e-6)):
        assert wilcoxon(d - end - outwards).pvalue <= 0.05
        assert wilcoxon(d - end + outwards).pvalue > 0.05


def test_five_pairs_give_no_finite_interval_and_six_do() -> None:
    five, six = (hodges_lehmann(range(n), [0] * n) for n in (5, 6))
    assert (five.low, five.high) == (-inf, inf)
    assert (six.low, six.high) == (0, 5)


def test_the_interval_goes_on_where_the_exact_distribution_ends() -> None:
    d = np.random.default_rng(0).normal(size=EXACT + 1)
    exact, normal = (hodges_lehmann(d[:n], np.zeros(n)) for n in (EXACT, EXACT + 1))
    assert (normal.low, normal.high) == pytest.approx((exact.low, exact.high), abs=0.02)
