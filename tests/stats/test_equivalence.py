from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from quadrepro.stats import equivalence_test, sign_test, sign_test_power

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20)


@given(pairs, st.sampled_from([0.5, 2.0, 6.0]))
def test_the_p_value_is_that_of_statsmodels(values: list[tuple[int, int]], margin: float) -> None:
    a, b = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    assume(np.ptp(a - b) > 0)
    test = equivalence_test(a, b, margin)
    assert test.p_value == pytest.approx(ttost_paired(a, b, -margin, margin)[0], abs=1e-9)


@given(pairs, st.sampled_from([0.5, 2.0, 6.0]))
def test_it_is_significant_if_the_interval_lies_within_the_margin(
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


def test_differences_without_spread_are_judged_by_their_value() -> None:
    assert equivalence_test([0.3, 0.2], [0.2, 0.1], 0.2).significant
    far = equivalence_test([0.3, 0.2], [0.2, 0.1], 0.05)
    assert far.different
    assert not far.significant
    # A difference of the margin itself is not below it.
    edge = equivalence_test([0.3, 0.2], [0.2, 0.1], 0.1)
    assert not edge.significant
    assert not edge.different
    assert equivalence_test([Fraction(1, 3)] * 2, [Fraction(1, 3)] * 2, 0.1).p_value == 0


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
