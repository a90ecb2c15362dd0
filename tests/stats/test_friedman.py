from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import inf, isfinite, nan, sqrt
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import chi2, friedmanchisquare, norm, rankdata

from quadrepro.stats import (
    aligned_ranks_test,
    critical_difference,
    friedman_test,
    holm,
    nemenyi_p_value,
    quade_test,
    rank_p_value,
    sign_test,
    wilcoxon_test,
)
from tests.stats.examples import GARCIA, SOLD, risks_of_demsar

tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=2, max_size=12)
)


def test_demsars_example() -> None:
    test = friedman_test(risks_of_demsar(), correct_ties=False)
    assert [round(rank, 3) for rank in test.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    assert round(test.statistic, 2) == 9.28
    assert round(test.f_statistic, 2) == 3.69
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


def test_conovers_example_of_quades_test() -> None:
    # F = 3.83 and p = 0.0152, as in the book and by quade.test in R.
    test = quade_test(SOLD)
    assert test.statistic == pytest.approx(3.8293, abs=5e-5)
    assert test.p_value == pytest.approx(0.01519, abs=5e-6)


def test_the_example_of_garcia_and_others() -> None:
    risks = [[1 - x for x in row] for row in GARCIA]
    test = friedman_test(risks, correct_ties=False)
    assert round(test.statistic, 3) == 16.225
    assert round(test.f_statistic, 3) == 6.691
    assert [round(rank, 3) for rank in test.mean_ranks] == [1.771, 2.479, 2.479, 3.271]


@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 3), (12, 6)])
def test_aligned_ranks_without_ties_follow_the_formula_of_garcia_and_others(n: int, k: int) -> None:
    risks = np.random.default_rng(n).random((n, k))
    ranks = rankdata(risks - risks.mean(axis=1, keepdims=True)).reshape(n, k)
    top = (k - 1) * ((ranks.sum(axis=0) ** 2).sum() - k * n**2 / 4 * (k * n + 1) ** 2)
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (ranks.sum(axis=1) ** 2).sum() / k
    test = aligned_ranks_test(risks.tolist())
    assert test.statistic == pytest.approx(top / below)
    assert test.p_value == pytest.approx(chi2.sf(top / below, k - 1))


def test_the_mean_of_chi_squared_over_all_orders_is_its_degrees_of_freedom() -> None:
    rows = [(0.1, 0.4, 0.4), (0.3, 0.2, 0.9), (0.5, 0.55, 0.7)]
    orders = list(product(*(list(permutations(row)) for row in rows)))
    assert fmean(aligned_ranks_test(order).statistic for order in orders) == pytest.approx(2)

    def chi_squared(f: float) -> float:  # The F of Iman and Davenport turned round.
        return 3 * 2 if f == inf else 3 * 2 * f / (2 + f)

    assert fmean(chi_squared(quade_test(o).statistic) for o in orders) == pytest.approx(2)


def test_large_differences_count_more_for_quade_and_aligned_ranks() -> None:
    # A is much better on four data sets and a little worse on four.
    risks = [(0.1, 0.3 + i / 100) for i in range(4)] + [(0.2, 0.19 - i / 1000) for i in range(4)]
    assert friedman_test(risks).p_value == 1
    assert quade_test(risks).p_value < 0.3
    assert aligned_ranks_test(risks).p_value < 0.3


def test_differences_of_rounding_tie_for_quade_and_aligned_ranks() -> None:
    exact = [(1, 2, 3), (2, 3, 1), (3, 4, 5)]
    rounded = [[x / 10 + (i - 1) * 1e-13 for i, x in enumerate(row)] for row in exact]
    for test in (quade_test, aligned_ranks_test):
        assert test(rounded) == test(exact)


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
    quade = quade_test([row] * 4)
    assert (quade.statistic, quade.p_value) == (float("inf"), pytest.approx(orders**-3))
    assert isfinite(quade_test([row, row, tuple(2 * x for x in row)]).statistic)


def test_ties_alone_show_nothing() -> None:
    test = friedman_test([[1, 1, 1]] * 4)
    assert (test.mean_ranks, test.p_value, test.f_p_value) == ((2.0, 2.0, 2.0), 1.0, 1.0)
    assert quade_test([[1, 1, 1]] * 4).p_value == aligned_ranks_test([[1, 1, 1]] * 4).p_value == 1


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
    for test in (friedman_test, quade_test, aligned_ranks_test):
        with pytest.raises(ValueError, match=message):
            test(table)


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
