from __future__ import annotations

from fractions import Fraction
from math import sqrt

import baycomp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student

from quadrepro.stats import corrected_t_test, paired_t_test
from tests.stats.examples import ANNEAL

pairs = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=30)


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
