from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from quadrepro.stats import (
    better_over_all,
    distribution_of_wins,
    poisson_binomial_test,
    sign_test,
    sign_test_power,
)

risks = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40)


def p_value(wins: int, losses: int, ties: int = 0) -> float:
    a = [0] * wins + [1] * losses + [2] * ties
    b = [1] * wins + [0] * losses + [2] * ties
    return sign_test(a, b).p_value


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 10))
def test_the_p_value_is_the_doubled_binomial_tail_without_ties(
    wins: int, losses: int, ties: int
) -> None:
    n = wins + losses
    tail = sum(comb(n, i) for i in range(min(wins, losses) + 1))
    exact = min(Fraction(1), Fraction(2 * tail, 2**n))
    assert p_value(wins, losses, ties) == pytest.approx(float(exact), rel=1e-12)


@given(risks)
def test_every_data_set_is_counted_once_and_the_test_is_symmetric(
    pairs: list[tuple[int, int]],
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    there, back = sign_test(a, b), sign_test(b, a)
    assert there.wins == sum(x < y for x, y in pairs)
    assert there.losses == sum(x > y for x, y in pairs)
    assert there.ties == sum(x == y for x, y in pairs)
    assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)
    assert there.p_value == back.p_value


def test_rounding_decides_no_data_set_and_a_risk_that_is_not_a_number_leaves_no_p_value() -> None:
    test = sign_test([1 / 3, 1 / 3, 0.1 + 0.2], [1 / 3 + 1e-16, 1 / 3 + 1e-6, 0.3])
    assert (test.wins, test.losses, test.ties) == (1, 0, 2)
    assert sign_test([], []).p_value == 1
    test = sign_test([0.1, nan, 0.1, 0.2], [0.2, 0.1, nan, 0.3])
    assert (test.wins, test.losses, test.ties) == (2, 0, 0)
    assert isnan(test.p_value)
    assert not test.significant


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("n", [0, 5, 6, 25])
def test_the_power_is_the_probability_of_outcomes_that_are_significant(
    n: int, share: float
) -> None:
    significant = [p_value(wins, n - wins) <= 0.05 for wins in range(n + 1)]
    chances = binom.pmf(np.arange(n + 1), n, share)
    assert sign_test_power(n, share) == pytest.approx(chances @ significant)


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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_wins_are_distributed_as_by_brute_force_over_outcomes(p: list[float]) -> None:
    expected = np.zeros(len(p) + 1)
    for outcome in itertools.product([0, 1], repeat=len(p)):
        chance = np.prod([x if won else 1 - x for x, won in zip(p, outcome, strict=True)])
        expected[sum(outcome)] += chance
    np.testing.assert_allclose(distribution_of_wins(p), expected, atol=1e-14)


def test_equal_contests_are_binomial_and_keep_the_tail() -> None:
    p = np.full(40, 1e-3)
    wins = distribution_of_wins(p)
    np.testing.assert_allclose(wins[:5], binom(40, 1e-3).pmf(np.arange(5)), rtol=1e-9)
    assert wins[40] == pytest.approx(1e-120, rel=1e-9)


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
def test_the_test_counts_examples_that_one_of_the_two_gets_wrong_on_each_data_set(
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
