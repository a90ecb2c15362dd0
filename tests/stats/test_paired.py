from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, isnan, nan, sqrt

import baycomp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import rankdata, ttest_ind, ttest_rel, wilcoxon
from scipy.stats import t as student
from statsmodels.stats.weightstats import ttost_paired

from quadrepro.stats import (
    Moments,
    corrected_t_test,
    equivalence_test,
    paired_t_test,
    sign_test,
    sign_test_power,
    welch_test,
    wilcoxon_test,
)
from quadrepro.stats.paired import EXACT, distribution_of_rank_sums
from tests.stats.examples import AFTER, ANNEAL, BEFORE, column

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


def test_rounding_decides_no_data_set() -> None:
    third = Fraction(1, 3)
    test = sign_test([third, third, 0.1 + 0.2], [1 / 3, third + Fraction(1, 10**6), 0.3])
    assert (test.wins, test.losses, test.ties) == (1, 0, 2)


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


def moments(values: np.ndarray) -> Moments:
    return Moments(float(values.mean()), float(values.std(ddof=1)), len(values))


@given(st.integers(0, 999), st.integers(2, 30), st.integers(2, 30), st.floats(0.01, 100))
def test_moments_give_the_p_value_of_the_samples(seed: int, m: int, n: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, 1, m), rng.normal(1, spread, n)
    test = welch_test(moments(a), moments(b))
    assert test.p_value == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue, rel=1e-6)
    assert test.difference == pytest.approx(a.mean() - b.mean())


def test_without_spread_only_the_means_decide() -> None:
    half, also_half, more = (moments(np.full(20, value)) for value in (0.5, 0.5, 0.6))
    same = welch_test(half, also_half)
    assert (same.difference, same.p_value) == (0, 1)
    assert welch_test(half, replace(more, sd=0.0)).p_value == 0
    assert welch_test(replace(more, sd=0.0), half).p_value == 0


def test_a_mean_that_is_not_a_number_leaves_no_p_value() -> None:
    assert isnan(welch_test(Moments(nan, 0.1, 3), Moments(0.5, 0.1, 20)).p_value)


def test_the_spread_of_one_sample_is_enough() -> None:
    p = welch_test(Moments(0.5, 0, 20), Moments(0.6, 0.2, 20)).p_value
    assert p == pytest.approx(2 * student.sf(0.1 / (0.04 / 20) ** 0.5, 19))
    assert welch_test(Moments(0.6, 0.2, 20), Moments(0.5, 0, 20)).p_value == pytest.approx(p)


@pytest.mark.parametrize(
    ("sd", "n", "message"),
    [(0.1, 1, "at least two values, not 1"), (-0.1, 2, "deviation cannot be -0.1")],
)
def test_what_is_no_sample_is_refused(sd: float, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Moments(0.5, sd, n)


few_pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)


def test_demsars_example() -> None:
    test = wilcoxon_test(column(0), column(1))
    # The paper splits the ranks 1 and 2 of its two ties: 93 and 12.
    assert (test.other_rank_sum + 1.5, test.rank_sum + 1.5, test.ties) == (93, 12, 2)
    assert test.significant


def test_hollander_and_wolfes_example() -> None:
    test = wilcoxon_test(BEFORE, AFTER)
    assert (test.other_rank_sum, test.rank_sum) == (40, 5)
    assert test.p_value == pytest.approx(0.03906, abs=1e-5)


@given(few_pairs)
def test_the_p_value_is_the_share_of_all_signs_that_are_as_uneven(
    values: list[tuple[int, int]],
) -> None:
    d = np.array([x - y for x, y in values])
    ranks = rankdata(np.abs(d))[d != 0]
    found = [abs(np.dot(s, ranks)) for s in product([-1, 1], repeat=len(ranks))]
    uneven = abs(np.dot(np.sign(d[d != 0]), ranks))
    test = wilcoxon_test(*zip(*values, strict=True))
    assert test.p_value == pytest.approx(np.mean(np.array(found) >= uneven), rel=1e-9)
    assert test.ties == (d == 0).sum()


@given(st.lists(st.integers(-40, 40), min_size=2, max_size=40, unique_by=abs))
def test_without_ties_the_p_value_is_scipys(d: list[int]) -> None:
    assume(0 not in d)
    expected = wilcoxon(d, method="exact").pvalue
    assert wilcoxon_test(d, [0] * len(d)).p_value == pytest.approx(expected, rel=1e-9)


def test_many_pairs_have_the_normal_p_value_of_scipy_with_pratts_zeros() -> None:
    rng = np.random.default_rng(3)
    d = rng.integers(-9, 12, EXACT + 1)
    expected = wilcoxon(d, zero_method="pratt", method="asymptotic").pvalue
    assert wilcoxon_test(d, np.zeros(len(d))).p_value == pytest.approx(expected, rel=1e-9)
    fewer = wilcoxon(d[:EXACT], zero_method="pratt", method="asymptotic").pvalue
    exact = wilcoxon_test(d[:EXACT], np.zeros(EXACT)).p_value
    assert exact == pytest.approx(fewer, rel=0.05)
    assert exact != pytest.approx(fewer, rel=1e-9)


@given(few_pairs)
def test_the_test_is_symmetric(values: list[tuple[int, int]]) -> None:
    a, b = zip(*values, strict=True)
    there, back = wilcoxon_test(a, b), wilcoxon_test(b, a)
    assert (there.rank_sum, there.other_rank_sum) == (back.other_rank_sum, back.rank_sum)
    assert there.p_value == back.p_value


def test_differences_that_only_rounding_tells_apart_are_tied() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    test = wilcoxon_test([0.3, 0.1], [0.2, 0.2])
    assert (test.rank_sum, test.other_rank_sum) == (1.5, 1.5)
    third = Fraction(1, 3)
    assert wilcoxon_test([third, third], [third, third]).ties == 2


def test_ties_alone_show_nothing_and_no_pair_is_refused() -> None:
    assert wilcoxon_test([1, 2], [1, 2]).p_value == 1
    with pytest.raises(ValueError, match="at least 1 pairs, and there are 0"):
        wilcoxon_test([], [])


def test_the_distribution_of_rank_sums_is_that_of_all_subsets() -> None:
    ranks = np.array([2, 3, 3, 8])
    sums = [int(np.dot(taken, ranks)) for taken in product([0, 1], repeat=4)]
    assert distribution_of_rank_sums(ranks).tolist() == (np.bincount(sums) / 16).tolist()


@given(pairs, st.sampled_from([0.1, 0.5, 0.9]))
def test_the_statistic_is_nadeau_and_bengios(values: list[tuple[int, int]], share: float) -> None:
    d = np.array([x - y for x, y in values], dtype=float)
    assume(np.ptp(d) > 0)
    # n_test / n_train examples of the share, as in equation 8 of the paper.
    t = d.mean() / sqrt(d.var(ddof=1) * (1 / len(d) + share / (1 - share)))
    test = corrected_t_test(*zip(*values, strict=True), test_share=share)
    assert test.mean_difference == pytest.approx(d.mean())
    assert test.p_value == pytest.approx(2 * student.sf(abs(t), len(d) - 1), rel=1e-9)


@given(pairs)
def test_without_overlap_it_is_the_paired_t_test_and_with_it_is_less_sure(
    values: list[tuple[int, int]],
) -> None:
    a, b = zip(*values, strict=True)
    plain = paired_t_test(a, b).p_value
    assert corrected_t_test(a, b, test_share=0).p_value == pytest.approx(plain, abs=1e-12)
    assert corrected_t_test(a, b, test_share=0.3).p_value >= plain - 1e-12


def test_ten_times_tenfold_cross_validation_of_anneal() -> None:
    test = corrected_t_test([0] * 100, ANNEAL, test_share=0.1)
    # Baycomp's one-sided posterior probability is half of the p-value.
    left, right = baycomp.CorrelatedTTest(np.zeros(100), np.array(ANNEAL), runs=10).probs()
    assert test.p_value == pytest.approx(2 * min(left, right), rel=1e-6)
    assert paired_t_test([0] * 100, ANNEAL).p_value < test.p_value / 1000


def test_differences_without_spread_are_certain() -> None:
    assert corrected_t_test([0.3, 0.2], [0.2, 0.1], 0.5).p_value == 0
    assert corrected_t_test([0.3, 0.2], [0.2, 0.1], 0.5).mean_difference == 0.1
    third = [Fraction(1, 3)] * 3
    assert corrected_t_test(third, third, 0.5).p_value == 1


@pytest.mark.parametrize("share", [-0.1, 1.0, 1.5, float("nan")])
def test_what_is_no_share_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="at least 0 and below 1"):
        corrected_t_test([1, 2], [2, 4], share)


def test_one_split_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 pairs, and there are 1"):
        corrected_t_test([1], [2], 0.5)


@given(pairs, st.sampled_from([0.5, 2.0, 6.0]))
def test_the_p_value_is_that_of_statsmodels(values: list[tuple[int, int]], margin: float) -> None:
    a, b = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    assume(np.ptp(a - b) > 0)
    test = equivalence_test(a, b, margin)
    assert test.p_value == pytest.approx(ttost_paired(a, b, -margin, margin)[0], abs=1e-9)


@given(pairs, st.sampled_from([0.5, 2.0, 6.0]))
def test_equivalence_is_significant_if_the_interval_lies_within_the_margin(
    values: list[tuple[int, int]], margin: float
) -> None:
    test = equivalence_test(*zip(*values, strict=True), margin)
    within = -margin < test.low and test.high < margin
    assert test.significant == within
    assert not (test.significant and test.different)
    assert test.different == (test.low > margin or test.high < -margin)


def test_few_noisy_differences_show_neither() -> None:
    test = equivalence_test([1, 5, 3], [2, 3, 4], margin=1)
    assert not test.significant
    assert not test.different


def test_equivalence_without_spread_is_judged_by_the_value() -> None:
    assert equivalence_test([0.3, 0.2], [0.2, 0.1], 0.2).significant
    far = equivalence_test([0.3, 0.2], [0.2, 0.1], 0.05)
    assert far.different
    assert not far.significant
    # A difference of the margin itself is not below it.
    edge = equivalence_test([0.3, 0.2], [0.2, 0.1], 0.1)
    assert not edge.significant
    assert not edge.different
    assert equivalence_test([Fraction(1, 3)] * 2, [Fraction(1, 3)] * 2, 0.1).p_value == 0


@pytest.mark.parametrize(("skewness", "rate"), [(0, 0.05), (2, 0.122)])
def test_differences_of_the_margin_are_called_equivalent_at_the_stated_rate(
    skewness: int, rate: float
) -> None:
    rng = np.random.default_rng(0)
    shape = 400, 14
    noise = rng.exponential(size=shape) - 1 if skewness else rng.normal(size=shape)
    found = [equivalence_test(3 + of, np.zeros(14), 3).significant for of in noise]
    # Three standard errors.
    assert np.mean(found) == pytest.approx(rate, abs=3 * (rate * (1 - rate) / 400) ** 0.5)


@pytest.mark.parametrize("margin", [0.0, -1.0, float("nan"), float("inf")])
def test_a_margin_that_cannot_be_is_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="the margin must be above 0"):
        equivalence_test([1, 2], [2, 4], margin)


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("n", [0, 5, 6, 25])
def test_the_power_is_the_share_of_outcomes_that_are_significant(n: int, share: float) -> None:
    rng = np.random.default_rng(n)
    wins = rng.binomial(n, share, 2000)
    significant = {
        w: sign_test([0] * w + [1] * (n - w), [1] * w + [0] * (n - w)).significant
        for w in range(n + 1)
    }
    found = np.mean([significant[w] for w in wins])
    assert sign_test_power(n, share) == pytest.approx(found, abs=0.045)


def test_five_data_sets_have_no_power_and_six_have_that_of_a_clean_sweep() -> None:
    assert sign_test_power(5, 0.9) == 0
    assert sign_test_power(6, 0.5) == pytest.approx(2 / 2**6)
    assert sign_test_power(6, 0.9) == pytest.approx(0.9**6 + 0.1**6)
