from __future__ import annotations

from itertools import combinations_with_replacement
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, wilcoxon

from quadrepro.stats import hedges_g, hodges_lehmann, rank_biserial, wilcoxon_test
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


@given(differences)
def test_the_rank_biserial_correlation_is_the_difference_of_shares_of_rank_sums(
    d: list[int],
) -> None:
    test, effect = wilcoxon_test(d, [0] * len(d)), rank_biserial(d, [0] * len(d))
    total = test.rank_sum + test.other_rank_sum
    expected = (test.rank_sum - test.other_rank_sum) / total if total else 0
    assert effect.estimate == expected
    assert -1 <= effect.low <= effect.estimate <= effect.high <= 1


def test_the_rank_biserial_interval_is_fishers() -> None:
    effect = rank_biserial(AFTER, BEFORE)
    assert effect.estimate == pytest.approx(35 / 45)
    error = sqrt((2 * 9**3 + 3 * 9**2 + 9) / 6) / ((9**2 + 9) / 2)
    reach = np.arctanh([effect.low, effect.high]) - np.arctanh(35 / 45)
    assert reach == pytest.approx([-1.959964 * error, 1.959964 * error], rel=1e-5)


def test_wins_alone_are_a_correlation_of_one_and_ties_alone_say_nothing() -> None:
    assert rank_biserial([1, 2], [2, 4]).estimate == 1
    assert rank_biserial([2, 4], [1, 2]).estimate == -1
    none = rank_biserial([1, 2], [1, 2])
    assert (none.estimate, none.low, none.high) == (0, -1, 1)


@pytest.mark.parametrize("n", [4, 12, 60])
def test_g_is_cohens_d_with_an_interval_of_the_noncentral_t_distribution(n: int) -> None:
    d = np.random.default_rng(n).normal(0.5, 1, n)
    effect = hedges_g(d, np.zeros(n))
    cohen = d.mean() / d.std(ddof=1)
    shrinkage = effect.estimate / cohen
    # Hedges' approximation of the factor.
    assert shrinkage == pytest.approx(1 - 3 / (4 * (n - 1) - 1), abs=0.02)
    t = cohen * sqrt(n)
    for end, tail in ((effect.low, 0.975), (effect.high, 0.025)):
        assert nct.cdf(t, n - 1, end / shrinkage * sqrt(n)) == pytest.approx(tail, abs=1e-4)


@pytest.mark.parametrize("n", [3, 30])
def test_the_interval_of_g_goes_on_where_the_search_would_not_end(n: int) -> None:
    d = np.linspace(-1, 1, n)
    d /= d.std(ddof=1) / sqrt(n)
    near, far = (hedges_g(d + t, np.zeros(n)) for t in (999.9, 1000.1))
    assert (far.low, far.high) == pytest.approx((near.low, near.high), rel=1e-3)
    for t in (1e6, -1e9):
        effect = hedges_g(d + t, np.zeros(n))
        assert effect.low < effect.estimate < effect.high
        assert effect.low * effect.high > 0


def test_differences_without_spread_have_no_finite_g() -> None:
    assert hedges_g([1, 2, 3], [1, 2, 3]).estimate == 0
    assert hedges_g([1, 2, 3], [2, 3, 4]).estimate == -inf
    with pytest.raises(ValueError, match="at least 3 pairs"):
        hedges_g([1, 2], [2, 4])
