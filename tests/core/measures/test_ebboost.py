from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.concentration import hoeffding
from quadrepro.core.measures.ebboost import (
    empirical_bernstein_of_class,
    finite_class,
    penalised_error,
)

REPEATS = 2000

errors_of_votes = st.lists(st.integers(0, 49), min_size=1, max_size=8)
lams = st.floats(0, 1e6)


def test_the_bounds_are_the_papers_formulas() -> None:
    assert finite_class(0.2, 50, np.log(7), 0.1) == pytest.approx(0.2 + (np.log(70) / 100) ** 0.5)
    t = np.log(10 * 7 / 0.1)
    assert empirical_bernstein_of_class(0.2, 0.01, 50, np.log(7), 0.1) == pytest.approx(
        0.2 + (0.18 * t / 50) ** 0.5 + 15 * t / 49
    )


def test_a_class_of_one_function_has_hoeffdings_bound() -> None:
    assert finite_class(0.2, 50, 0.0, 0.1) == pytest.approx(hoeffding(0.2, 50, 0.1))


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_corollary_22_holds_for_all_functions_at_once_as_often_as_it_promises(
    size: int, delta: float
) -> None:
    rng = np.random.default_rng(size)
    means = rng.binomial(40, 0.5, (REPEATS, size)) / 40
    slack = 3 * (delta * (1 - delta) / REPEATS) ** 0.5
    held = (finite_class(means, 40, np.log(size), delta) >= 0.5).all(axis=1).mean()
    assert held >= 1 - delta - slack
    # One function's bound does not hold for forty at once, and no bound is the mean itself.
    if size == 40:
        assert (finite_class(means, 40, 0.0, delta) >= 0.5).all(axis=1).mean() < 1 - delta - slack


@given(arrays(np.bool_, 30), st.floats(0, 100))
def test_theorem_25_with_the_01_loss_is_lemma_31(wrong: FloatArray, log_size: float) -> None:
    p, n = wrong.mean(), len(wrong)
    t = log_size + np.log(10 / 0.05)
    lemma = p + np.sqrt(18 * p * (1 - p) * t / (n - 1)) + 15 * t / (n - 1)
    bound = empirical_bernstein_of_class(p, wrong.var(ddof=1), n, log_size)
    assert bound == pytest.approx(lemma)


@given(errors_of_votes, lams)
def test_the_penalty_changes_no_minimiser_of_errors_below_one_half(
    counts: list[int], lam: float
) -> None:
    errors = np.array(counts) / 100
    penalised = penalised_error(errors, lam)
    assert np.array_equal(penalised == penalised.min(), errors == errors.min())


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="n >= 2, not 1"):
        empirical_bernstein_of_class(0.1, 0.0, 1, 0.0)
    with pytest.raises(ValueError, match="n >= 1, not 0"):
        finite_class(0.1, 0, 0.0)
    with pytest.raises(ValueError, match="log_size must be in"):
        finite_class(0.1, 9, -1.0)
    with pytest.raises(ValueError, match="error must be in"):
        penalised_error(1.1, 1.0)
    with pytest.raises(ValueError, match="lam must be in"):
        penalised_error(0.1, -1.0)
