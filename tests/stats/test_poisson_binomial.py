from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

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


def test_equal_contests_are_binomial_and_keep_the_tail() -> None:
    p = np.full(40, 1e-3)
    found = distribution_of_wins(p)
    np.testing.assert_allclose(found[:5], binom(40, 1e-3).pmf(np.arange(5)), rtol=1e-9)
    assert found[40] == pytest.approx(1e-120, rel=1e-9)


@given(probabilities)
def test_over_all_is_the_mean_of_the_posterior_over_the_number_of_wins(p: list[float]) -> None:
    n, wins = len(p), np.arange(len(p) + 1)
    posterior = beta.cdf(0.5, n - wins + 1, wins + 1)
    expected = distribution_of_wins(p) @ posterior
    assert better_over_all(p) == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(
        st.integers(1, 12).flatmap(
            lambda n: st.tuples(*(st.lists(st.booleans(), min_size=n, max_size=n) for _ in "ab"))
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_test_counts_what_one_of_the_two_gets_wrong_on_each_data_set(
    data_sets: list[tuple[list[bool], list[bool]]],
) -> None:
    a_wrong, b_wrong = [a for a, _ in data_sets], [b for _, b in data_sets]
    each = [
        beta(1 + only(a, b), 1 + only(b, a)).cdf(0.5) for a, b in zip(a_wrong, b_wrong, strict=True)
    ]
    test = poisson_binomial_test(a_wrong, b_wrong)
    assert test.per_data_set == pytest.approx(each)
    assert test.probability == pytest.approx(better_over_all(each))
    back = poisson_binomial_test(b_wrong, a_wrong)
    assert test.probability + back.probability == pytest.approx(1)


def only(a: list[bool], b: list[bool]) -> int:
    return sum(x and not y for x, y in zip(a, b, strict=True))


def test_an_algorithm_against_itself_is_a_coin_toss() -> None:
    wrong = [np.array([True, False, True]), np.array([False, False])]
    assert poisson_binomial_test(wrong, wrong).probability == pytest.approx(0.5, abs=1e-12)
    assert poisson_binomial_test(wrong, wrong).per_data_set == pytest.approx((0.5, 0.5))


def test_fewer_disagreeing_errors_make_better() -> None:
    a = [np.array([False] * 20)] * 5
    b = [np.array([True] * 10 + [False] * 10)] * 5
    assert poisson_binomial_test(a, b).probability > 0.98


def test_outcomes_may_be_zeros_and_ones() -> None:
    test = poisson_binomial_test([np.array([0, 1, 0])], [np.array([1, 1, 1])])
    assert test.per_data_set == (better_on_one(0, 2),) == (0.875,)


def test_other_examples_or_data_sets_are_refused() -> None:
    one, two = np.array([True]), np.array([True, False])
    with pytest.raises(ValueError, match="A has 1 test examples and B has 2 on one data set"):
        poisson_binomial_test([two, one], [two, two])
    with pytest.raises(ValueError, match="A has 2 test examples and B has 1 on one data set"):
        poisson_binomial_test([two], [one])
    with pytest.raises(ValueError, match="2 values cannot be paired with 1"):
        poisson_binomial_test([one, one], [one])
