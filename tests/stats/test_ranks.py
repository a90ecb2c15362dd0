from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, inf, isnan, nan

import baycomp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scikit_posthocs import posthoc_nemenyi_friedman
from scipy.stats import beta, binom, f, friedmanchisquare, rankdata, wilcoxon

from quadrepro.stats import (
    bayesian_signed_rank,
    better_over_all,
    critical_difference,
    distribution_of_wins,
    friedman_test,
    hodges_lehmann,
    poisson_binomial_test,
    ranks,
    sign_test,
    sign_test_power,
    wilcoxon_test,
)
from quadrepro.stats.ranks import EXACT

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
    for outcome in product([0, 1], repeat=len(p)):
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


# Demšar (2006), Table 6: areas under the ROC curve of C4.5, with m, with cf, and with both. The
# paper ranks unrounded numbers: on voting, .975 with cf is above .975 with both.
DEMSAR = [
    (0.763, 0.768, 0.771, 0.798),
    (0.599, 0.591, 0.590, 0.569),
    (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657),
    (0.882, 0.888, 0.886, 0.898),
    (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685),
    (0.583, 0.583, 0.563, 0.625),
    (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000),
    (0.940, 0.962, 0.965, 0.962),
    (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.975, 0.9749),
    (0.957, 0.978, 0.946, 0.970),
]

# Hollander and Wolfe (1973), Table 3.1: depression before and after a first visit.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def risks_of_demsar() -> list[tuple[float, ...]]:
    """Return the areas as risks: the lower, the better."""
    return [tuple(1 - area for area in row) for row in DEMSAR]


def column(i: int) -> list[float]:
    """Return the risks of one of Demšar's four methods."""
    return [row[i] for row in risks_of_demsar()]


few_pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)


def test_examples_of_demsar_and_of_hollander_and_wolfe() -> None:
    test = wilcoxon_test(column(0), column(1))
    # Demšar splits the ranks 1 and 2 of his two ties: 93 and 12.
    assert (test.other_rank_sum + 1.5, test.rank_sum + 1.5, test.ties) == (93, 12, 2)
    assert test.significant
    test = wilcoxon_test(BEFORE, AFTER)
    assert (test.other_rank_sum, test.rank_sum) == (40, 5)
    assert test.p_value == pytest.approx(0.03906, abs=1e-5)
    shift = hodges_lehmann(BEFORE, AFTER)
    assert (shift.estimate, shift.low, shift.high) == pytest.approx((0.46, 0.010, 0.786))


@given(few_pairs)
def test_the_p_value_is_the_share_of_all_signs_that_are_as_uneven(
    values: list[tuple[int, int]],
) -> None:
    d = np.array([x - y for x, y in values])
    ranks = rankdata(np.abs(d))[d != 0]
    differences = [abs(np.dot(s, ranks)) for s in product([-1, 1], repeat=len(ranks))]
    uneven = abs(np.dot(np.sign(d[d != 0]), ranks))
    test = wilcoxon_test(*zip(*values, strict=True))
    assert test.p_value == pytest.approx(np.mean(np.array(differences) >= uneven), rel=1e-9)
    assert test.ties == (d == 0).sum()


@pytest.mark.parametrize("n", [2, 7, 40, 100])
def test_without_ties_the_p_value_is_scipys(n: int) -> None:
    d = np.random.default_rng(3).normal(0.2, size=n)
    expected = wilcoxon(d, method="exact").pvalue
    assert wilcoxon_test(d, np.zeros(n)).p_value == pytest.approx(expected, rel=1e-9)


def test_many_pairs_have_the_normal_p_value_of_scipy_with_pratts_zeros() -> None:
    rng = np.random.default_rng(3)
    d = rng.integers(-9, 12, EXACT + 1)
    expected = wilcoxon(d, zero_method="pratt", method="asymptotic").pvalue
    assert wilcoxon_test(d, np.zeros(len(d))).p_value == pytest.approx(expected, rel=1e-9)
    fewer = wilcoxon(d[:EXACT], zero_method="pratt", method="asymptotic").pvalue
    exact = wilcoxon_test(d[:EXACT], np.zeros(EXACT)).p_value
    assert exact == pytest.approx(fewer, rel=0.05)
    assert exact != pytest.approx(fewer, rel=1e-9)


@pytest.mark.parametrize("n", [2, EXACT + 1])
def test_ties_alone_show_nothing(n: int) -> None:
    assert wilcoxon_test(range(n), range(n)).p_value == 1
    test = friedman_test([[1, 1, 1]] * n)
    assert (test.mean_ranks, test.p_value, test.f_p_value) == ((2.0, 2.0, 2.0), 1.0, 1.0)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=15))
def test_the_shift_is_the_median_of_all_means_of_two(d: list[int]) -> None:
    means = [(x + y) / 2 for x, y in combinations_with_replacement(d, 2)]
    shift = hodges_lehmann(d, [0] * len(d))
    assert shift.estimate == pytest.approx(np.median(means))
    assert shift.low <= shift.estimate <= shift.high
    back = hodges_lehmann([0] * len(d), d)
    assert (back.low, back.high) == pytest.approx((-shift.high, -shift.low))


def test_wilcoxons_test_rejects_the_shifts_outside_the_interval_and_no_others() -> None:
    for seed in range(5):
        d = np.random.default_rng(seed).normal(size=12)
        shift = hodges_lehmann(d, np.zeros(12))
        for end, outwards in ((shift.low, -1e-6), (shift.high, 1e-6)):
            assert wilcoxon(d - end - outwards).pvalue <= 0.05
            assert wilcoxon(d - end + outwards).pvalue > 0.05
    five, six = (hodges_lehmann(range(n), [0] * n) for n in (5, 6))
    assert (five.low, five.high, six.low, six.high) == (-inf, inf, 0, 5)
    # Where the exact distribution ends, the normal one goes on.
    d = np.random.default_rng(0).normal(size=EXACT + 1)
    exact, normal = (hodges_lehmann(d[:n], np.zeros(n)) for n in (EXACT, EXACT + 1))
    assert (normal.low, normal.high) == pytest.approx((exact.low, exact.high), abs=0.02)


tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 5), min_size=k, max_size=k), min_size=2, max_size=12)
)


def test_demsars_example_and_nemenyis_test() -> None:
    test = friedman_test(risks_of_demsar())
    assert [round(rank, 3) for rank in test.mean_ranks] == [3.143, 2.000, 2.893, 1.964]
    # The paper does not divide by what ties take from the variance of the ranks.
    left = rankdata(risks_of_demsar(), axis=1).var(axis=1).mean() / ((4**2 - 1) / 12)
    assert round(test.statistic * left, 2) == 9.28
    assert round(critical_difference(4, 14), 2) == 1.25
    p_values = posthoc_nemenyi_friedman(np.array(risks_of_demsar())).to_numpy()
    for (i, j), level in product(combinations(range(4), 2), (0.01, 0.05, 0.1, 0.5, 0.9)):
        apart = abs(test.mean_ranks[i] - test.mean_ranks[j]) >= critical_difference(4, 14, level)
        assert apart == (p_values[i, j] <= level)


@given(tables)
def test_the_statistic_is_scipys_and_f_that_of_an_analysis_of_variance_of_the_ranks(
    table: list[list[int]],
) -> None:
    ranks = rankdata(table, axis=1)
    (n, k), means = ranks.shape, ranks.mean(axis=0)
    assume(any(len(set(row)) > 1 for row in table))
    test, expected = friedman_test(table), friedmanchisquare(*zip(*table, strict=True))
    assert test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert test.mean_ranks == pytest.approx(means)
    rest = ((ranks - means) ** 2).sum()
    if rest > 1e-9:
        statistic = n * means.var() * k * (n - 1) / rest
        assert test.f_statistic == pytest.approx(statistic, abs=1e-9)
        assert test.f_p_value == pytest.approx(f.sf(statistic, k - 1, (k - 1) * (n - 1)), abs=1e-9)


@pytest.mark.parametrize(("row", "orders"), [((1, 2, 3), 6), ((1, 1, 3), 3), ((1, 2), 2)])
def test_an_infinite_f_has_the_exact_probability_of_its_order(
    row: tuple[int, ...], orders: int
) -> None:
    test = friedman_test([row] * 4)
    assert test.statistic == pytest.approx(4 * (len(row) - 1))
    assert (test.f_statistic, test.f_p_value) == (float("inf"), pytest.approx(orders**-3))


def test_neither_other_data_sets_nor_a_limit_of_rounding_decide_whether_two_values_tie() -> None:
    for unit in (1e-4, 1.0, 1e4):
        for excess, counts in ((5e-10, (0, 1)), (2e-9, (1, 0))):
            ours, theirs = [unit, 1e6], [unit * (1 + excess), 1e6]
            signs, ranks = sign_test(ours, theirs), wilcoxon_test(ours, theirs)
            assert (signs.wins, signs.ties - 1) == counts
            assert (ranks.rank_sum > 0, ranks.ties - 1) == counts
            means = friedman_test(list(zip(ours, theirs, strict=True))).mean_ranks
            assert means == ((1.25, 1.75) if counts[0] else (1.5, 1.5))
    # The tenth digit is a 5, which rounding to nine digits takes up or down.
    half = 0.1234567895
    test = friedman_test([[half - 1e-16, half + 1e-16, 0.9]] * 2)
    assert test.mean_ranks == (1.5, 1.5, 3)
    differences = wilcoxon_test([half - 1e-16, 0.8], [0.0, 0.8 + half + 1e-15])
    assert differences.rank_sum == differences.other_rank_sum == 1.5


DRAWS = 0.01
"""Four standard errors of the difference of two shares of 50,000 draws."""


@pytest.mark.parametrize(("i", "j", "rope"), [(0, 1, 0.0), (2, 3, 0.0), (0, 2, 0.0101)])
def test_the_signed_rank_test_is_baycomps(i: int, j: int, rope: float) -> None:
    a, b = column(i), column(j)
    posterior = bayesian_signed_rank(a, b, rope)
    expected = baycomp.SignedRankTest.probs(
        np.array(a), np.array(b), rope, nsamples=10_000, random_state=5
    )
    probabilities = posterior.worse, posterior.same, posterior.better
    ours = probabilities[::2] if rope == 0 else probabilities
    assert ours == pytest.approx(expected, abs=2 * DRAWS)
    assert sum(probabilities) == pytest.approx(1)


def brute_force(d: list[int], rope: int, draws: int) -> tuple[float, float, float]:
    """Return the three shares by the definition: all pairs of differences with all weights."""
    rng = np.random.default_rng(9)
    z = np.array([0, *d])
    sums = z[:, None] + z
    below = (sums < -2 * rope) + (sums == -2 * rope) / 2
    above = (sums > 2 * rope) + (sums == 2 * rope) / 2
    shares = []
    for w in rng.dirichlet([0.5, *[1.0] * len(d)], draws):
        left, right = w @ below @ w, w @ above @ w
        shares.append(np.argmax([left, 1 - left - right, right]))
    counts = np.bincount(shares, minlength=3) / draws
    return float(counts[0]), float(counts[1]), float(counts[2])


@settings(max_examples=10)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.integers(1, 3))
def test_the_signed_rank_test_is_its_definition_with_sums_on_the_ends_of_the_rope(
    d: list[int], rope: int
) -> None:
    ours, zero = [0.1 * x for x in d], [0.0] * len(d)
    posterior = bayesian_signed_rank(ours, zero, 0.1 * rope)
    shares = posterior.better, posterior.same, posterior.worse
    assert shares == pytest.approx(brute_force(d, rope, 1000), abs=0.08)
    back = bayesian_signed_rank(zero, ours, 0.1 * rope)
    assert (back.worse, back.same, back.better) == shares


def test_equal_methods_are_the_same_and_a_difference_on_every_data_set_is_almost_certain() -> None:
    same, split = bayesian_signed_rank([1, 2], [1, 2], 0.1), bayesian_signed_rank([1, 2], [1, 2])
    assert (same.better, same.same, same.worse) == (0, 1, 0)
    assert (split.better, split.same, split.worse) == (0.5, 0, 0.5)
    assert bayesian_signed_rank([0.0] * 20, [1.0] * 20, 0.1).better > 0.999
    assert bayesian_signed_rank([1.0] * 20, [0.0] * 20, 1e300).same == 1


def test_the_same_data_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    first = bayesian_signed_rank(column(0), column(1), 0.01)
    assert bayesian_signed_rank(column(0), column(1), 0.01) == first
    # Many data sets are drawn in parts.
    monkeypatch.setattr(ranks, "AT_ONCE", 15 * 7001)
    parts = bayesian_signed_rank(column(0), column(1), 0.01)
    assert parts.better == pytest.approx(first.better, abs=DRAWS)
    assert parts.better + parts.same + parts.worse == pytest.approx(1)


def test_one_difference_beyond_the_rope_wins_by_the_beta_distribution() -> None:
    # It has weight w ~ Beta(1, 1/2). Only its sum with itself is beyond the rope: w² > 1/2.
    posterior = bayesian_signed_rank([2], [0], rope=1.5)
    assert posterior.worse == pytest.approx((1 - 0.5**0.5) ** 0.5, abs=DRAWS)
    assert posterior.better == 0
