from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, poisson_binom

from quadrepro.stats.poisson_binomial import (
    better_on_one,
    better_over_all,
    distribution_of_wins,
    poisson_binomial_test,
)

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=30)

# Columns p_i printed in the appendix of Lacoste, Laviolette and Marchand (2012), two digits.
SVM_OVER_ANN = [.52, .50, .00, .61, .57, .03, .77, .94, .73, .76, .71, 1, .69, 1, 1, .50, 1, .84,
                .00, .25, .02, .26]  # fmt: skip
ANN_OVER_PARZEN = [1, .87, .84, .40, .05, .98, 1, .12, .04, .98, .75, .04, .64, .00, .00, .99, 1,
                   .42, 1, .98, 1, 1]  # fmt: skip
PARZEN_OVER_ADABOOST = [.00, .50, .43, .95, .50, .97, .05, .99, 1, .89, .07, 1, .36, .42, 1, .01,
                        .00, .59, 1, .01, .03, .41]  # fmt: skip


@pytest.mark.parametrize(
    ("p", "printed", "tolerance"),
    [
        (SVM_OVER_ANN, 0.72, 0.005),
        (ANN_OVER_PARZEN, 0.88, 0.005),
        # The columns are rounded to two digits: this one gives 0.525.
        (PARZEN_OVER_ADABOOST, 0.525, 0.001),
    ],
)
def test_golden_columns_of_the_paper(p: list[float], printed: float, tolerance: float) -> None:
    assert better_over_all(p) == pytest.approx(printed, abs=tolerance)


@given(probabilities)
def test_one_of_the_two_is_better(p: list[float]) -> None:
    q = [1 - x for x in p]
    assert better_over_all(p) + better_over_all(q) == pytest.approx(1, abs=1e-12)


@given(st.integers(0, 200), st.integers(0, 200))
def test_one_data_set_is_the_beta_posterior_and_complementary(a: int, b: int) -> None:
    assert better_on_one(a, b) == pytest.approx(beta(1 + a, 1 + b).cdf(0.5), abs=1e-12)
    assert better_on_one(a, b) + better_on_one(b, a) == pytest.approx(1, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_wins_are_distributed_as_by_brute_force_over_outcomes(p: list[float]) -> None:
    expected = np.zeros(len(p) + 1)
    for outcome in itertools.product([0, 1], repeat=len(p)):
        chance = np.prod([x if won else 1 - x for x, won in zip(p, outcome, strict=True)])
        expected[sum(outcome)] += chance
    np.testing.assert_allclose(distribution_of_wins(p), expected, atol=1e-14)


def test_wins_agree_with_scipy_and_keep_the_tail() -> None:
    p = np.full(40, 1e-3)
    found = distribution_of_wins(p)
    np.testing.assert_allclose(found[:5], poisson_binom(p).pmf(np.arange(5)), rtol=1e-9)
    assert found[40] == pytest.approx(1e-120, rel=1e-9)


def test_an_algorithm_against_itself_is_a_coin_toss() -> None:
    wrong = [np.array([True, False, True]), np.array([False, False])]
    assert poisson_binomial_test(wrong, wrong) == pytest.approx(0.5, abs=1e-12)


def test_fewer_disagreeing_errors_make_better() -> None:
    a = [np.array([False] * 20)] * 5
    b = [np.array([True] * 10 + [False] * 10)] * 5
    assert poisson_binomial_test(a, b) > 0.98
