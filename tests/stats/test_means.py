from __future__ import annotations

from dataclasses import replace
from math import sqrt

import baycomp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_rel
from statsmodels.stats.weightstats import ttost_paired

from quadrepro.stats import (
    Mean,
    bayesian_correlated_t,
    corrected_t_test,
    detectable_difference,
    differences,
    equivalence_test,
    paired_t_test,
)

# Corani and Benavoli's tutorial: errors of naive Bayes minus errors of AODE on anneal, in ten
# times tenfold cross-validation; of each ten folds the last two have 89 examples, the others 90.
ANNEAL_COUNTS = [
    *(2, 1, 2, 1, 1, 1, 1, 0, 2, 3, 1, 1, 2, 1, 1, 1, 1, 6, 6, 0),
    *(3, 3, 2, 4, 1, 1, 1, 0, 1, 4, 2, 2, 1, 4, 0, 5, 1, 3, 2, 2),
    *(0, 1, 2, 1, 3, 1, 4, 0, 0, 5, 3, 3, 2, 0, 2, 3, 1, 2, 3, 1),
    *(1, 1, 2, 0, 5, 1, 2, 0, 2, 1, 0, 2, 1, 1, 1, 2, 1, 0, 1, 3),
    *(1, 1, 1, 2, 3, 2, 1, 0, 4, 2, 2, 0, 2, 6, 2, 0, 1, 2, 2, 0),
]
ANNEAL = [count / (90 if i % 10 < 8 else 89) for i, count in enumerate(ANNEAL_COUNTS)]

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30)


@given(pairs, st.sampled_from([1e-9, 1.0, 1e6]))
def test_p_value_and_interval_are_scipys_in_any_unit(
    values: list[tuple[int, int]], unit: float
) -> None:
    a, b = (unit * np.array([pair[side] for pair in values]) for side in (0, 1))
    assume(len({x - y for x, y in values}) > 1)
    test = paired_t_test(a, b)
    assert test.p_value == pytest.approx(ttest_rel(a, b).pvalue, rel=1e-6)
    interval = ttest_rel(a, b).confidence_interval()
    expected = np.mean(a) - np.mean(b), interval.low, interval.high
    assert (test.mean_difference, test.low, test.high) == pytest.approx(expected, abs=1e-9 * unit)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_equal_samples_do_not_differ_and_a_constant_difference_is_certain(unit: float) -> None:
    assert paired_t_test([0.1 * unit, 0.7 * unit], [0.1 * unit, 0.7 * unit]).p_value == 1
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    test = paired_t_test([0.3 * unit, 0.2 * unit], [0.2 * unit, 0.1 * unit])
    assert test.p_value == 0
    assert test.mean_difference == pytest.approx(0.1 * unit)
    # Differences that are small but vary are tested.
    a, b = [unit] * 3, [unit * (1 - k * 1e-9) for k in (1, 3, 2)]
    p_value = paired_t_test(a, b).p_value
    assert 0 < p_value == pytest.approx(ttest_rel(a, b).pvalue, rel=1e-4)


@given(pairs, st.sampled_from([0.1, 0.5, 0.9]))
def test_the_statistic_is_nadeau_and_bengios(values: list[tuple[int, int]], share: float) -> None:
    d = np.array([x - y for x, y in values], dtype=float)
    assume(np.ptp(d) > 0)
    # n_test / n_train examples of the share, as in equation 8 of the paper.
    t = d.mean() / sqrt(d.var(ddof=1) * (1 / len(d) + share / (1 - share)))
    test = corrected_t_test(*zip(*values, strict=True), test_share=share)
    assert test.mean_difference == pytest.approx(d.mean())
    assert test.p_value == pytest.approx(2 * student.sf(abs(t), len(d) - 1), rel=1e-9)


def test_equal_differences_are_equal_numbers() -> None:
    assert differences([0.3, 0.2, 0.25], [0.2, 0.1, 0.25]).tolist() == [0.1, 0.1, 0.0]
    assert differences([3e20, 1], [1e20, 1]).tolist() == [2e20, 0.0]
    assert differences([0, 0], [0, 0]).tolist() == [0, 0]


@given(pairs, st.sampled_from([0.01, 0.05, 0.2]), st.floats(-3, 3))
def test_p_values_and_intervals_agree(
    values: list[tuple[int, int]], level: float, limit: float
) -> None:
    mean = Mean.from_values([x - y for x, y in values], 0.1)
    assume(mean.error > 0)
    shifted = replace(mean, value=mean.value - limit)
    assert mean.p_above(limit) + mean.p_below(limit) == pytest.approx(1)
    two_sided = 2 * min(mean.p_above(limit), mean.p_below(limit))
    assert shifted.p_value() == pytest.approx(two_sided, rel=1e-6)
    low, high = mean.interval(level)
    for end in (low, high):
        assert replace(mean, value=mean.value - end).p_value() == pytest.approx(level)
    # A true difference as large as the interval reaches is found half of the time.
    assert mean.reach(level / 2) == pytest.approx((high - low) / 2)
    assert mean.reach(level, 0.8) > mean.reach(level)


def test_a_mean_without_error_is_judged_by_its_value() -> None:
    mean = Mean.from_values([0.1] * 3)
    assert (mean.p_above(0.1), mean.p_above(0.05), mean.p_above(0.2)) == (1, 0, 1)
    assert (mean.p_below(0.1), mean.p_below(0.05), mean.p_below(0.2)) == (1, 1, 0)
    assert mean.p_value() == 0
    assert mean.interval() == (0.1, 0.1)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.floats(0, 1))
def test_the_standard_deviation_of_a_mean_is_at_least_the_least_one(
    values: list[float], least_sd: float
) -> None:
    mean = Mean.from_values(values, 0.5, least_sd)
    sd = max(float(np.std(values, ddof=1)), least_sd)
    assert mean.error == pytest.approx(sd * sqrt(1 / len(values) + 1), abs=1e-9)
    assert mean.value == pytest.approx(np.mean(values))


@given(pairs, st.sampled_from([0.5, 2.0, 6.0]))
def test_equivalence_has_the_p_value_of_statsmodels_and_an_interval_within_the_margin(
    values: list[tuple[int, int]], margin: float
) -> None:
    a, b = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    test = equivalence_test(a, b, margin)
    if np.ptp(a - b) > 0:
        assert test.p_value == pytest.approx(ttost_paired(a, b, -margin, margin)[0], abs=1e-9)
    assert test.significant == (-margin < test.low and test.high < margin)
    assert not (test.significant and test.different)
    assert test.different == (test.low > margin or test.high < -margin)


def test_equivalence_without_spread_is_judged_by_the_value() -> None:
    assert equivalence_test([0.3, 0.2], [0.2, 0.1], 0.2).significant
    different = equivalence_test([0.3, 0.2], [0.2, 0.1], 0.05)
    assert different.different
    assert not different.significant
    # A difference of the margin itself is not below it.
    higher, lower = [0.3, 0.2], [0.2, 0.1]
    for edge in (equivalence_test(higher, lower, 0.1), equivalence_test(lower, higher, 0.1)):
        assert not edge.significant
        assert not edge.different


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_correlated_t_test_is_baycomps_and_that_of_the_tutorial(rope: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(50), rng.random(50)
    posterior = bayesian_correlated_t(a, b, test_share=0.1, rope=rope)
    expected = baycomp.CorrelatedTTest(a, b, rope, runs=5).probs()
    probabilities = posterior.worse, posterior.same, posterior.better
    ours = probabilities[::2] if rope == 0 else probabilities
    assert ours == pytest.approx(expected, abs=1e-9)
    printed = bayesian_correlated_t([0] * 100, ANNEAL, test_share=0.1, rope=0.01)
    assert (printed.better, printed.same) == pytest.approx((0.9542966, 0.0457031), abs=2e-5)
    assert printed.worse == pytest.approx(3.0354e-07, rel=0.01)


@pytest.mark.parametrize(
    ("difference", "rope", "expected"),
    [
        (0.0, 0.0, (0.5, 0, 0.5)),
        (0.0, 0.1, (0, 1, 0)),
        (0.1, 0.1, (0, 1, 0)),
        (-0.2, 0.1, (1, 0, 0)),
        (0.2, 0.0, (0, 0, 1)),
    ],
)
def test_equal_differences_are_certain(
    difference: float, rope: float, expected: tuple[float, float, float]
) -> None:
    posterior = bayesian_correlated_t([0.4 + difference] * 3, [0.4] * 3, 0.5, rope)
    assert (posterior.better, posterior.same, posterior.worse) == expected


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("level", [0.05, 0.05 / 6])
def test_the_number_of_splits_that_show_a_mean_is_the_first_with_so_short_an_interval(
    share: float, level: float
) -> None:
    mean = Mean.from_values([0.02, 0.05, -0.01, 0.06, 0.04, 0.03], share)
    sd = np.std([0.02, 0.05, -0.01, 0.06, 0.04, 0.03], ddof=1)
    n = mean.splits_to_show(share, level)
    shown = [
        student.ppf(1 - level / 2, k - 1) * sd * np.sqrt(1 / k + share / (1 - share)) <= mean.value
        for k in range(2, 1001)
    ]
    assert n == (2 + np.argmax(shown) if any(shown) else np.inf)
    assert (mean.p_value() <= level) == (n <= 6)


@pytest.mark.parametrize(("n", "expected"), [(1000, 1000), (1001, np.inf)])
def test_more_than_a_thousand_splits_are_as_good_as_none(n: int, expected: float) -> None:
    value = student.ppf(0.975, n - 1) / sqrt(n) + 1e-12
    assert Mean(value, 1 / sqrt(6), 5).splits_to_show(0.0) == expected


def test_the_number_of_splits_shows_a_mean_of_that_size_in_half_of_all_runs() -> None:
    rng = np.random.default_rng(0)
    exact = Mean(0.05, 0.08 * np.sqrt(1 / 10 + 3 / 7), 9)
    n = int(exact.splits_to_show(0.3, 0.4))
    assert n > 10
    shown = [Mean.from_values(rng.normal(0.05, 0.08, n), 0.3).p_value() <= 0.4 for _ in range(1000)]
    assert 0.4 < np.mean(shown) < 0.6
    # The detectable difference is at most the disagreement, and a risk at most 1.
    assert detectable_difference(2, 2 / 7, 10, 0.1) == (1.0, pytest.approx(0.549, abs=1e-3))
    assert detectable_difference(2, 2 / 7, 10, 0.1, 0.05 / 3)[0] == np.inf
    few, _ = detectable_difference(10, 0.3, 10, 0.1)
    assert 0.1 < few == pytest.approx(detectable_difference(10, 0.3, 10, few)[0])


@pytest.mark.parametrize("fresh", [False, True])
def test_half_of_all_runs_or_more_show_the_detectable_difference(fresh: bool) -> None:
    """Two methods disagree on a tenth of 400 rows, with the same errors in all splits or others."""
    rng, share, n_rows, n_test = np.random.default_rng(0), 0.3, 400, 120
    at_ten, at_any = detectable_difference(n_test, share, 10, 0.1)
    for difference, n_splits, low, high in ((at_ten, 10, 0.5, 0.8), (0.8 * at_any, 150, -1, 0.5)):
        chances = [(0.1 + difference) / 2, (0.1 - difference) / 2, 0.9]
        shown = []
        for _ in range(1000):
            if fresh:
                counts = rng.multinomial(n_test, chances, n_splits)
            else:
                in_rows = rng.multinomial(n_rows, chances)
                counts = rng.multivariate_hypergeometric(in_rows, n_test, n_splits)
            errors = (counts[:, 0] - counts[:, 1]) / n_test
            shown.append(Mean.from_values(errors, share, 1 / n_test).p_value() <= 0.05)
        assert low < np.mean(shown) < high
