from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_ind

from quadrepro.stats import Moments, welch_test


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
