from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import inf, nan

import baycomp
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import f, friedmanchisquare, norm, rankdata, wilcoxon

from quadrepro.stats import (
    bayesian_correlated_t,
    bayesian_signed_rank,
    critical_difference,
    fault_of_size,
    friedman_test,
    hodges_lehmann,
    holm,
    rank_methods,
    ranks,
    sign_test,
    wilcoxon_test,
)
from quadrepro.stats.ranks import EXACT, distribution_of_rank_sums

# Demšar (2006), Table 6: areas under the ROC curve of C4.5, with m, with cf, and with both. The
# paper ranks unrounded numbers: on voting, .975 with cf is above .975 with both.
DEMSAR = [
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.9749),
    (0.957, 0.978, 0.946, 0.970),
]

# Hollander and Wolfe (1973), Table 3.1: depression before and after a first visit.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def risks_of_demsar() -> list[tuple[float, ...]]:
    """Return the areas as risks: the lower, the better."""
    return [tuple(1 - area for area in row) for row in DEMSAR]


def column(i: int) -> list[float]:
    """Return the risks of one of Demšar's four methods."""
    return [row[i] for row in risks_of_demsar()]


NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
RISKS = {name: column(i) for i, name in enumerate(NAMES)}
RANKING = rank_methods(RISKS, rope=0.01)

few_pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)


def test_demsars_example_of_signed_ranks() -> None:
    test = wilcoxon_test(column(0), column(1))
    # The paper splits the ranks 1 and 2 of its two ties: 93 and 12.
    assert (test.other_rank_sum + 1.5, test.rank_sum + 1.5, test.ties) == (93, 12, 2)
    assert test.significant


def test_hollander_and_wolfes_example() -> None:
    test = wilcoxon_test(BEFORE, AFTER)
    assert (test.other_rank_sum, test.rank_sum) == (40, 5)
    assert test.p_value == pytest.approx(0.03906, abs=1e-5)
    shift = hodges_lehmann(BEFORE, AFTER)
    assert (shift.estimate, shift.low, shift.high) == pytest.approx((0.46, 0.010, 0.786))


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


@pytest.mark.parametrize("n", [2, EXACT + 1])
def test_ties_alone_show_nothing(n: int) -> None:
    assert wilcoxon_test(range(n), range(n)).p_value == 1
    test = friedman_test([[1, 1, 1]] * n)
    assert (test.mean_ranks, test.p_value, test.f_p_value) == ((2.0, 2.0, 2.0), 1.0, 1.0)


def test_the_distribution_of_rank_sums_is_that_of_all_subsets() -> None:
    ranks = np.array([2, 3, 3, 8])
    sums = [int(np.dot(taken, ranks)) for taken in product([0, 1], repeat=4)]
    assert distribution_of_rank_sums(ranks).tolist() == (np.bincount(sums) / 16).tolist()


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=15))
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


tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=2, max_size=12)
)


def test_demsars_example() -> None:
    test = friedman_test(risks_of_demsar())
    assert [round(rank, 3) for rank in test.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    # The paper does not divide by what ties take from the variance of the ranks.
    left = rankdata(risks_of_demsar(), axis=1).var(axis=1).mean() / ((4**2 - 1) / 12)
    assert round(test.statistic * left, 2) == 9.28
    assert round(critical_difference(4, 14), 2) == 1.25
    assert round(critical_difference(4, 14, level=0.1), 2) == 1.12
    # C4.5 against the others: z = (3.143 - 1.964) / 0.488 = 2.416 and so on.
    found = [pair.rank_p for pair in RANKING.pairs if pair.b == "C4.5"]
    assert found == pytest.approx([0.016, 0.019, 0.607], abs=0.002)


@given(tables)
def test_the_statistic_and_its_p_value_are_scipys(table: list[list[int]]) -> None:
    assume(any(len(set(row)) > 1 for row in table))
    test, expected = friedman_test(table), friedmanchisquare(*zip(*table, strict=True))
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert sum(test.mean_ranks) == pytest.approx(len(table[0]) * (len(table[0]) + 1) / 2)


@given(tables)
def test_f_is_that_of_an_analysis_of_variance_of_the_ranks(table: list[list[int]]) -> None:
    ranks = rankdata(table, axis=1)
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    rest = ((ranks - means) ** 2).sum()
    assume(rest > 1e-9)
    expected = n * means.var() * k * (n - 1) / rest
    test = friedman_test(table)
    assert test.f_statistic == pytest.approx(expected, abs=1e-9)
    assert test.f_p_value == pytest.approx(f.sf(expected, k - 1, (k - 1) * (n - 1)), abs=1e-9)


@pytest.mark.parametrize(("row", "orders"), [((1, 2, 3), 6), ((1, 1, 3), 3), ((1, 2), 2)])
def test_an_infinite_f_has_the_exact_probability_of_its_order(
    row: tuple[int, ...], orders: int
) -> None:
    test = friedman_test([row] * 4)
    assert test.statistic == pytest.approx(4 * (len(row) - 1))
    assert (test.f_statistic, test.f_p_value) == (float("inf"), pytest.approx(orders**-3))


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_what_ties_is_a_matter_of_two_values_and_not_of_other_data_sets(unit: float) -> None:
    for apart, counts in ((5e-10, (0, 1)), (2e-9, (1, 0))):
        ours, theirs = [unit, 1e6], [unit * (1 + apart), 1e6]
        signs, ranks = sign_test(ours, theirs), wilcoxon_test(ours, theirs)
        assert (signs.wins, signs.ties - 1) == counts
        assert (ranks.rank_sum > 0, ranks.ties - 1) == counts
        means = friedman_test(list(zip(ours, theirs, strict=True))).mean_ranks
        assert means == ((1.25, 1.75) if counts[0] else (1.5, 1.5))


def test_values_of_a_tie_share_their_rank_wherever_they_would_be_cut_off() -> None:
    # The tenth digit is a 5, which rounding to nine digits takes up or down.
    half = 0.1234567895
    test = friedman_test([[half - 1e-16, half + 1e-16, 0.9]] * 2)
    assert test.mean_ranks == (1.5, 1.5, 3)
    differences = wilcoxon_test([half - 1e-16, 0.8], [0.0, 0.8 + half + 1e-15])
    assert differences.rank_sum == differences.other_rank_sum == 1.5


DRAWS = 0.01
"""Four standard errors of the difference of two shares of 50,000 draws."""


@pytest.mark.parametrize(
    ("i", "j", "rope"), [(0, 1, 0.0), (2, 3, 0.0), (0, 2, 0.0101), (0, 1, 0.03), (2, 3, 0.03)]
)
def test_the_signed_rank_test_is_baycomps(i: int, j: int, rope: float) -> None:
    a, b = column(i), column(j)
    found = bayesian_signed_rank(a, b, rope)
    expected = baycomp.SignedRankTest.probs(
        np.array(a), np.array(b), rope, nsamples=20_000, random_state=5
    )
    ours = (found.worse, found.better) if rope == 0 else (found.worse, found.same, found.better)
    assert ours == pytest.approx(expected, abs=2 * DRAWS)
    assert found.better + found.same + found.worse == pytest.approx(1)


def brute_force(d: list[int], rope: int, draws: int) -> tuple[float, float, float]:
    """Return the three shares by the definition: all pairs of differences with all weights."""
    rng = np.random.default_rng(9)
    z = np.array([0, *d])
    sums = z[:, None] + z
    below = (sums < -2 * rope) + (sums == -2 * rope) / 2
    above = (sums > 2 * rope) + (sums == 2 * rope) / 2
    shares = []
    for w in rng.dirichlet([0.5, *[1.0] * len(d)], draws):
        left, right = w @ below @ w, w @ above @ w
        shares.append(np.argmax([left, 1 - left - right, right]))
    counts = np.bincount(shares, minlength=3) / draws
    return float(counts[0]), float(counts[1]), float(counts[2])


@settings(max_examples=10)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.integers(1, 3))
def test_the_signed_rank_test_is_its_definition_with_sums_on_the_ends_of_the_rope(
    d: list[int], rope: int
) -> None:
    found = bayesian_signed_rank([0.1 * x for x in d], [0.0] * len(d), 0.1 * rope)
    shares = (found.better, found.same, found.worse)
    assert shares == pytest.approx(brute_force(d, rope, 2000), abs=0.06)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8), st.integers(0, 2))
@settings(max_examples=10)
def test_exchanging_the_sides_exchanges_the_probabilities(d: list[int], rope: int) -> None:
    zero = [0] * len(d)
    there, back = bayesian_signed_rank(d, zero, rope), bayesian_signed_rank(zero, d, rope)
    assert (there.better, there.same, there.worse) == (back.worse, back.same, back.better)


def test_equal_methods_are_the_same_or_as_often_better_as_worse() -> None:
    same, split = bayesian_signed_rank([1, 2], [1, 2], 0.1), bayesian_signed_rank([1, 2], [1, 2])
    assert (same.better, same.same, same.worse) == (0, 1, 0)
    assert (split.better, split.same, split.worse) == (0.5, 0, 0.5)


def test_a_difference_beyond_the_rope_on_every_data_set_is_almost_certain() -> None:
    found = bayesian_signed_rank([0.0] * 20, [1.0] * 20, 0.1)
    assert found.better > 0.999
    assert bayesian_signed_rank([1.0] * 20, [0.0] * 20, 0.1).worse == found.better
    assert bayesian_signed_rank([1.0] * 20, [0.0] * 20, 1e300).same == 1


def test_the_same_data_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    first = bayesian_signed_rank(column(0), column(1), 0.01)
    assert bayesian_signed_rank(column(0), column(1), 0.01) == first
    # Many data sets are drawn in parts.
    monkeypatch.setattr(ranks, "AT_ONCE", 15 * 7001)
    parts = bayesian_signed_rank(column(0), column(1), 0.01)
    assert parts.better == pytest.approx(first.better, abs=DRAWS)
    assert parts.better + parts.same + parts.worse == pytest.approx(1)


def test_one_difference_beyond_the_rope_wins_by_the_beta_distribution() -> None:
    # It has weight w ~ Beta(1, 1/2). Only its sum with itself is beyond the rope: w² > 1/2.
    found = bayesian_signed_rank([2], [0], rope=1.5)
    assert found.worse == pytest.approx((1 - 0.5**0.5) ** 0.5, abs=DRAWS)
    assert found.better == 0


@pytest.mark.parametrize("rope", [-0.1, nan, inf])
def test_a_rope_that_cannot_be_is_refused(rope: float) -> None:
    with pytest.raises(ValueError, match="the half-width of the rope cannot be"):
        bayesian_signed_rank([1, 2], [2, 3], rope)
    with pytest.raises(ValueError, match="the half-width of the rope cannot be"):
        bayesian_correlated_t([1, 2], [2, 4], 0.5, rope)


def test_methods_stand_by_their_mean_ranks_with_friedmans_test() -> None:
    found = RANKING
    assert found.methods == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert found.mean_ranks == found.friedman.mean_ranks == tuple(sorted(found.mean_ranks))
    assert found.friedman.statistic == pytest.approx(friedman_test(risks_of_demsar()).statistic)
    assert (found.n_datasets, found.rope) == (14, 0.01)
    assert found.critical_difference == critical_difference(4, 14)


def test_every_pair_has_what_the_functions_say_of_it() -> None:
    found = RANKING
    assert [(p.a, p.b) for p in found.pairs] == [
        (a, b) for i, a in enumerate(found.methods) for b in found.methods[i + 1 :]
    ]
    ranks = dict(zip(found.methods, found.mean_ranks, strict=True))
    risks = list(zip(*(RISKS[name] for name in found.methods), strict=True))
    nemenyi = posthoc_nemenyi_friedman(pd.DataFrame(risks, columns=found.methods))
    for pair in found.pairs:
        assert pair.nemenyi_p == pytest.approx(nemenyi.loc[pair.a, pair.b], abs=1e-6)
        z = abs(pair.rank_difference) / (4 * 5 / (6 * 14)) ** 0.5
        assert pair.rank_p == pytest.approx(2 * norm.sf(z))
        a, b = RISKS[pair.a], RISKS[pair.b]
        assert pair.rank_difference == pytest.approx(ranks[pair.a] - ranks[pair.b])
        assert pair.wilcoxon_p == wilcoxon_test(a, b).p_value
        assert pair.shift == hodges_lehmann(a, b)
        assert pair.posterior == bayesian_signed_rank(a, b, 0.01)
    assert [p.rank_p_holm for p in found.pairs] == holm(p.rank_p for p in found.pairs)
    assert [p.wilcoxon_p_holm for p in found.pairs] == holm(p.wilcoxon_p for p in found.pairs)


def test_methods_of_equal_rank_keep_their_order() -> None:
    assert rank_methods({"b": [1, 2], "a": [2, 1]}).methods == ("b", "a")


@pytest.mark.parametrize(
    ("risks", "message"),
    [
        ({"a": [1, 2]}, "two methods on"),
        ({}, "two methods"),
        ({"a": [1], "b": [2]}, "two methods on at least two data sets"),
        ({"a": [1, 2], "b": [2]}, "shorter"),
        ({"a": [1, nan], "b": [2, 1]}, "finite"),
        ({"a": [1.0] * 5001, "b": [2.0] * 5001}, "2 methods on 5001 data sets are too many"),
        ({str(i): [1.0, 2.0] for i in range(61)}, "61 methods on 2 data sets are too many"),
        ({str(i): [1.0] * 2300 for i in range(10)}, "and 100000 pairs of methods times"),
    ],
)
def test_what_cannot_be_ranked_is_refused(risks: dict[str, list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rank_methods(risks)


def test_the_largest_tables_that_are_ranked() -> None:
    sizes = [(2, 5000), (60, 56), (10, 2222), (2, 2)]
    assert [fault_of_size(*size) for size in sizes] == [""] * 4
    assert all(fault_of_size(k, n + 1) for k, n in sizes[:3])
