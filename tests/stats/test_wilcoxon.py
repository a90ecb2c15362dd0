from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from quadrepro.stats import wilcoxon_test
from quadrepro.stats.paired import EXACT, distribution_of_rank_sums
from tests.stats.examples import AFTER, BEFORE, column

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)


def test_demsars_example() -> None:
    test = wilcoxon_test(column(0), column(1))
    # The paper splits the ranks 1 and 2 of its two ties: 93 and 12.
    assert (test.other_rank_sum + 1.5, test.rank_sum + 1.5, test.ties) == (93, 12, 2)
    assert test.significant


def test_hollander_and_wolfes_example() -> None:
    test = wilcoxon_test(BEFORE, AFTER)
    assert (test.other_rank_sum, test.rank_sum) == (40, 5)
    assert test.p_value == pytest.approx(0.03906, abs=1e-5)


@given(pairs)
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


@given(pairs)
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
