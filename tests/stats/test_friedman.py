from __future__ import annotations

from fractions import Fraction
from math import nan, sqrt

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import f, friedmanchisquare, norm, rankdata

from quadrepro.stats import (
    critical_difference,
    friedman_test,
    holm,
    nemenyi_p_value,
    rank_p_value,
    sign_test,
    wilcoxon_test,
)
from tests.stats.examples import risks_of_demsar

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
    found = [rank_p_value(3.143 - rank, 4, 14) for rank in (1.964, 2.000, 2.893)]
    assert found == pytest.approx([0.016, 0.019, 0.607], abs=0.002)
    assert [p <= 0.05 for p in holm(found)] == [True, True, False]


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


def test_nemenyis_p_values_are_those_of_scikit_posthocs() -> None:
    risks = risks_of_demsar()
    expected = posthoc_nemenyi_friedman(pd.DataFrame(risks)).to_numpy()
    ranks = friedman_test(risks).mean_ranks
    for i in range(4):
        for j in range(i):
            p = nemenyi_p_value(ranks[i] - ranks[j], 4, 14)
            assert p == pytest.approx(expected[i, j], abs=1e-6)
            assert p == nemenyi_p_value(ranks[j] - ranks[i], 4, 14)


@pytest.mark.parametrize(("k", "n"), [(2, 10), (4, 14), (6, 25)])
def test_ranks_as_far_apart_as_the_critical_difference_have_the_level_as_p_value(
    k: int, n: int
) -> None:
    for level in (0.05, 0.1):
        assert nemenyi_p_value(critical_difference(k, n, level), k, n) == pytest.approx(level)


def test_two_methods_need_no_adjustment() -> None:
    assert nemenyi_p_value(0.7, 2, 12) == pytest.approx(rank_p_value(0.7, 2, 12), abs=1e-9)
    z = 0.7 / sqrt(2 * 3 / (6 * 12))
    assert rank_p_value(-0.7, 2, 12) == pytest.approx(2 * norm.sf(z))


@pytest.mark.parametrize(("row", "orders"), [((1, 2, 3), 6), ((1, 1, 3), 3), ((1, 2), 2)])
def test_an_infinite_f_has_the_exact_probability_of_its_order(
    row: tuple[int, ...], orders: int
) -> None:
    test = friedman_test([row] * 4)
    assert test.statistic == pytest.approx(4 * (len(row) - 1))
    assert (test.f_statistic, test.f_p_value) == (float("inf"), pytest.approx(orders**-3))


def test_ties_alone_show_nothing() -> None:
    test = friedman_test([[1, 1, 1]] * 4)
    assert (test.mean_ranks, test.p_value, test.f_p_value) == ((2.0, 2.0, 2.0), 1.0, 1.0)


def test_risks_that_only_rounding_tells_apart_share_their_rank() -> None:
    assert friedman_test([[0.1 + 0.2, 0.3], [1, 2]]).mean_ranks == (1.25, 1.75)
    third = Fraction(1, 3)
    assert friedman_test([[third, third + Fraction(1, 10**6)]] * 2).mean_ranks == (1, 2)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2]], "at least two data sets"),
        ([[1], [2]], "two methods"),
        ([[1, 2], [1, nan]], "finite"),
        ([[1, 2], [1]], "one risk per method"),
    ],
)
def test_what_cannot_be_ranked_is_refused(table: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        friedman_test(table)


def test_a_difference_of_rounding_is_a_tie_for_all_tests_of_ranks() -> None:
    ours, theirs = [0.2, 0.3, 0.4, 0.1], [0.2 + 2e-10, 0.3 - 2e-10, 0.4 + 2e-10, 0.1]
    assert friedman_test(list(zip(ours, theirs, strict=True))).mean_ranks == (1.5, 1.5)
    assert wilcoxon_test(ours, theirs).ties == sign_test(ours, theirs).ties == 4
    assert sign_test(ours, [0.2 + 2e-8, *theirs[1:]]).wins == 1


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
