from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon
from statsmodels.stats.multitest import multipletests

from quadrepro.stats import (
    Comparison,
    compare_on_splits,
    compare_over_datasets,
    corrected_t_test,
    friedman_test,
    hodges_lehmann,
    holm,
    rank_methods,
    step_of_scores,
)

Scores = dict[str, list[float]]


def test_holms_values_are_those_of_statsmodels_without_tests_that_could_not_be_made() -> None:
    for values in ([0.3], [0.04, 0.0, 1.0, 0.04, 0.2], np.random.default_rng(0).random(20)):
        expected = [*multipletests(values, method="holm")[1]]
        assert holm(values) == pytest.approx(expected, rel=1e-12)
    first, untested, last = holm([0.01, nan, 0.04])
    assert (first, last, isnan(untested), holm([])) == (0.02, 0.04, True, [])


@st.composite
def score_tables(draw: st.DrawFn, most_methods: int = 4) -> Scores:
    """Draw whole scores above 0, which often tie, and which often grow from method to method."""
    n_methods, n_rows = draw(st.integers(2, most_methods)), draw(st.integers(2, 14))
    shift = draw(st.sampled_from([0, 0, 2, 6]))
    column = st.lists(st.integers(1, 12), min_size=n_rows, max_size=n_rows)
    return {
        name: [float(score + shift * j) for score in draw(column)]
        for j, name in enumerate("abcdef"[:n_methods])
    }


def advantage_in_ranks(
    a: list[float], b: list[float], *, greater_is_better: bool, ratio: bool
) -> tuple[float, bool]:
    """Return the ranks in favour of A less those in favour of B, and whether no ranks tie."""
    x, y = (np.log(side) if ratio else np.array(side) for side in (a, b))
    d = np.round(x - y, 9)
    sizes = np.abs(d)
    sign = 1 if greater_is_better else -1
    distinct = len({*sizes.tolist()}) == len(d) and sizes.min() > 0
    return sign * float(np.sign(d) @ rankdata(sizes)), distinct


def assert_consistent(c: Comparison, advantage: float, *, greater_is_better: bool) -> None:
    """Check winner, difference and interval against the side that a test statistic favours."""
    neutral = 1.0 if c.ratio else 0.0
    assert c.low <= c.difference <= c.high
    assert c.separates == (c.p_adjusted <= c.level) == (c.winner is not None)
    if c.winner is None:
        assert c.loser is None
        assert c.low <= neutral <= c.high
        return
    assert {c.winner, c.loser} == {c.a, c.b}
    assert (c.winner == c.a) == (advantage > 0)
    if (c.winner == c.a) == greater_is_better:
        assert neutral <= c.low
    else:
        assert c.high <= neutral


@settings(max_examples=50)
@given(scores=score_tables(), greater_is_better=st.booleans(), ratio=st.booleans())
def test_a_comparison_counts_its_rows_and_does_not_contradict_its_rank_sums(
    scores: Scores, greater_is_better: bool, ratio: bool
) -> None:
    pairs = compare_over_datasets(scores, greater_is_better=greater_is_better, ratio=ratio)
    for (a, b), c in pairs.items():
        advantage, distinct = advantage_in_ranks(
            scores[a], scores[b], greater_is_better=greater_is_better, ratio=ratio
        )
        assert_consistent(c, advantage, greater_is_better=greater_is_better)
        signs = np.sign(np.subtract(scores[a], scores[b])).tolist()
        better = 1 if greater_is_better else -1
        assert (c.wins, c.losses, c.ties) == tuple(map(signs.count, (better, -better, 0)))
        if distinct:
            neutral = 1.0 if ratio else 0.0
            assert c.separates == (not c.low <= neutral <= c.high)


@given(score_tables(), st.booleans(), st.sampled_from([0.1, 0.5]))
def test_no_comparison_on_splits_contradicts_its_mean(
    scores: Scores, greater_is_better: bool, share: float
) -> None:
    pairs = compare_on_splits(scores, share, resolution=1, greater_is_better=greater_is_better)
    for (a, b), c in pairs.items():
        difference = float(np.mean(scores[a]) - np.mean(scores[b]))
        assert c.difference == pytest.approx(difference, abs=1e-9)
        advantage = difference if greater_is_better else -difference
        assert_consistent(c, advantage, greater_is_better=greater_is_better)
        assert c.separates == (not c.low <= 0 <= c.high)


def with_numbers(c: Comparison) -> tuple[float, ...]:
    return c.difference, c.low, c.high, c.p_value, c.p_adjusted


@given(score_tables(), st.booleans())
def test_swapping_a_comparison_twice_changes_nothing(scores: Scores, ratio: bool) -> None:
    pairs = compare_over_datasets(scores, ratio=ratio)
    for (a, b), c in pairs.items():
        swapped = c.swapped()
        assert (swapped.a, swapped.b, swapped.winner) == (b, a, c.winner)
        assert (swapped.wins, swapped.losses, swapped.ties) == (c.losses, c.wins, c.ties)
        assert with_numbers(swapped) == pytest.approx(with_numbers(pairs[b, a]))
        again = swapped.swapped()
        if ratio:
            assert with_numbers(again) == pytest.approx(with_numbers(c))
            again = replace(again, difference=c.difference, low=c.low, high=c.high)
        assert again == c


@given(score_tables())
def test_scores_that_are_better_when_higher_mirror_their_negatives_or_reciprocals(
    scores: Scores,
) -> None:
    negative = {name: [-x for x in values] for name, values in scores.items()}
    higher = compare_over_datasets(scores, greater_is_better=True)
    for pair, c in compare_over_datasets(negative).items():
        mirrored = replace(c, difference=0.0 - c.difference, low=0.0 - c.high, high=0.0 - c.low)
        assert higher[pair] == mirrored
    reciprocal = {name: [1 / x for x in values] for name, values in scores.items()}
    higher = compare_over_datasets(scores, greater_is_better=True, ratio=True)
    for pair, c in compare_over_datasets(reciprocal, ratio=True).items():
        assert (higher[pair].winner, higher[pair].wins) == (c.winner, c.wins)
        assert higher[pair].p_value == pytest.approx(c.p_value)
        assert higher[pair].difference == pytest.approx(1 / c.difference)


@given(score_tables(), st.integers(0, 13))
def test_the_unit_of_a_row_does_not_change_a_comparison_of_ratios(scores: Scores, i: int) -> None:
    row = i % len(scores["a"])
    in_cents = {
        name: [100 * x if j == row else x for j, x in enumerate(values)]
        for name, values in scores.items()
    }
    changed = compare_over_datasets(in_cents, ratio=True)
    for pair, c in compare_over_datasets(scores, ratio=True).items():
        assert changed[pair].winner == c.winner
        assert with_numbers(changed[pair]) == pytest.approx(with_numbers(c), rel=1e-6)


def test_a_ratio_is_the_first_score_over_the_second_and_rounding_does_not_decide_it() -> None:
    scores = {"a": [2.0, 4.0, 6.0, 8.0, 10.0, 12.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    c = compare_over_datasets(scores, ratio=True, rope=0.01)["a", "b"]
    assert (c.difference, c.low, c.high) == pytest.approx((2.0, 2.0, 2.0))
    assert (c.ratio, c.winner, c.wins) == (True, "b", 0)
    for unit in (1.0, 100.0):
        scores = {"a": [unit] * 7, "b": [unit * (1 + 1e-14)] * 7}
        c = compare_over_datasets(scores, ratio=True)["a", "b"]
        assert (c.ties, c.p_value, c.winner) == (7, 1.0, None)


def test_too_few_rows_leave_an_infinite_interval_and_two_splits_are_not_tested() -> None:
    scores = {"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 3.0, 5.0, 7.0]}
    for ratio, ends in ((False, (-inf, inf)), (True, (0.0, inf))):
        for c in compare_over_datasets(scores, ratio=ratio).values():
            assert (c.winner, c.low, c.high) == (None, *ends)
    for c in compare_on_splits({"a": [0.1, 0.2], "b": [0.5, 0.9]}, 0.5).values():
        assert isnan(c.p_value)
        assert isnan(c.p_adjusted)
        assert (c.winner, c.separates, c.immaterial) == (None, False, False)
        assert (c.low, c.high, c.wins + c.losses) == (-inf, inf, 2)


@settings(max_examples=10)
@given(st.integers(0, 999), st.integers(2, 4), st.integers(2, 25))
def test_p_values_are_scipys_by_holms_method_and_intervals_have_the_levels_of_its_steps(
    seed: int, n_methods: int, n_rows: int
) -> None:
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(n_methods, n_rows)) + np.arange(n_methods)[:, None]
    scores = {name: drawn[j].tolist() for j, name in enumerate("abcd"[:n_methods])}
    comparisons = compare_over_datasets(scores)
    pairs = [comparisons[pair] for pair in combinations(scores, 2)]
    expected = [wilcoxon(scores[c.a], scores[c.b], method="exact").pvalue for c in pairs]
    assert [c.p_value for c in pairs] == pytest.approx(expected, rel=1e-9)
    assert [c.p_adjusted for c in pairs] == pytest.approx(holm(expected), rel=1e-9)
    pairs.sort(key=lambda c: c.p_value)
    for c, n_left in zip(pairs, range(len(pairs), 0, -1), strict=True):
        if c.p_adjusted == n_left * c.p_value:
            effect = hodges_lehmann(scores[c.a], scores[c.b], 0.05 / n_left)
            assert (c.low, c.high) == (effect.low, effect.high)


@given(score_tables(), st.sampled_from([0.001, 0.1, 0.5]))
def test_the_level_decides_the_winner_and_not_the_p_value(scores: Scores, level: float) -> None:
    usual = compare_over_datasets(scores)
    for pair, c in compare_over_datasets(scores, level=level).items():
        assert (c.p_value, c.p_adjusted) == (usual[pair].p_value, usual[pair].p_adjusted)
        assert (c.winner is not None) == (c.p_adjusted <= level)
        assert c.level == level


@given(score_tables(), st.sampled_from([1.0, 5.0, 100.0]))
def test_a_difference_is_immaterial_if_its_interval_is_within_the_rope(
    scores: Scores, rope: float
) -> None:
    plain = compare_over_datasets(scores)
    for pair, c in compare_over_datasets(scores, rope=rope).items():
        assert with_numbers(c) == with_numbers(plain[pair])
        assert c.immaterial == (-rope <= c.low and c.high <= rope)
        assert c.winner == (None if c.immaterial else plain[pair].winner)


def test_however_many_rows_tie_no_pair_is_immaterial_and_a_significant_one_has_a_winner() -> None:
    for n_rows in (2, 8):
        scores = {name: [float(i) for i in range(n_rows)] for name in "ab"}
        assert not compare_over_datasets(scores)["a", "b"].immaterial
        assert not compare_on_splits(scores, 0.1)["a", "b"].immaterial
    scores = {"a": [1.0] * 66, "b": [1.0] * 60 + [2.0] * 6}
    c = compare_over_datasets(scores)["a", "b"]
    assert (c.p_value, c.winner) == (pytest.approx(2 / 2**6), "a")


@given(st.integers(10, 1000), st.sampled_from([0.1, 0.5, 0.9]), st.integers(0, 999))
def test_splits_that_differ_by_the_same_one_example_are_not_significant(
    n_test: int, share: float, seed: int
) -> None:
    errors = np.random.default_rng(seed).integers(0, n_test, 3)
    scores = {"a": (errors / n_test).tolist(), "b": ((errors + 1) / n_test).tolist()}
    c = compare_on_splits(scores, share, resolution=1 / n_test)["a", "b"]
    assert c.winner is None
    assert c.p_value > 0.2
    assert c.difference == pytest.approx(-1 / n_test)


@settings(max_examples=10)
@given(st.integers(0, 999), st.integers(3, 20), st.sampled_from([0.1, 0.5]))
def test_splits_have_the_p_values_of_the_corrected_t_test(
    seed: int, n_splits: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = {name: rng.normal(0.01 * i, 0.02, n_splits).tolist() for i, name in enumerate("abc")}
    comparisons = compare_on_splits(scores, share)
    pairs = [comparisons[pair] for pair in combinations(scores, 2)]
    tests = [corrected_t_test(scores[c.a], scores[c.b], share) for c in pairs]
    assert [c.p_value for c in pairs] == pytest.approx([test.p_value for test in tests])
    assert [c.p_adjusted for c in pairs] == pytest.approx(holm(test.p_value for test in tests))
    differences = [test.mean_difference for test in tests]
    assert [c.difference for c in pairs] == pytest.approx(differences)
    alone = compare_on_splits({name: scores[name] for name in "ab"}, share)["a", "b"]
    assert (alone.low, alone.high) == pytest.approx((tests[0].low, tests[0].high))


@given(score_tables(most_methods=6), st.sampled_from([None, "b"]), st.booleans())
def test_cliques_hold_every_pair_that_is_not_separated_and_no_other(
    scores: Scores, control: str | None, on_splits: bool
) -> None:
    share = 0.5 if on_splits else None
    ranking = rank_methods(scores, control=control, test_share=share)
    names, cliques = [method.name for method in ranking.methods], ranking.cliques()
    joined = {pair for clique in cliques for pair in combinations(clique, 2)}
    assert joined == {
        (i, j)
        for i, j in combinations(range(len(names)), 2)
        if (names[i], names[j]) in ranking.pairs and not ranking.pairs[names[i], names[j]].separates
    }
    assert all(len(clique) > 1 and [*clique] == sorted(clique) for clique in cliques)
    assert not any({*a} < {*b} for a in cliques for b in cliques)


@given(score_tables(), st.booleans())
def test_methods_are_in_the_order_of_their_mean_ranks_and_the_first_leads_those_it_does_not_beat(
    scores: Scores, greater_is_better: bool
) -> None:
    ranking = rank_methods(scores, greater_is_better=greater_is_better)
    sign = -1 if greater_is_better else 1
    losses = sign * np.array([*scores.values()])
    ranks = dict(zip(scores, rankdata(losses, axis=0).mean(axis=1).tolist(), strict=True))
    mean_ranks = [method.mean_rank for method in ranking.methods]
    assert mean_ranks == sorted(mean_ranks)
    assert tuple(mean_ranks) == ranking.friedman.mean_ranks
    assert ranking.friedman.statistic == pytest.approx(friedman_test(losses.T.tolist()).statistic)
    names = [method.name for method in ranking.methods]
    assert [(c.a, c.b) for c in ranking.ordered_pairs] == [*combinations(names, 2)]
    assert ranking.reference == names[0]
    for method in ranking.methods:
        assert method.mean_rank == pytest.approx(ranks[method.name])
        assert method.mean_score == pytest.approx(np.mean(scores[method.name]))
        first = method.name == names[0]
        in_group = first or ranking.pairs[names[0], method.name].winner is None
        assert method.in_best_group == in_group


@given(score_tables())
def test_a_control_is_compared_with_each_other_method_and_the_p_values_are_adjusted_for_those(
    scores: Scores,
) -> None:
    ranking = rank_methods(scores, control="b")
    assert ranking.reference == "b"
    others = [name for name in scores if name != "b"]
    assert ranking.pairs.keys() == {pair for name in others for pair in ((name, "b"), ("b", name))}
    expected = holm(ranking.pairs[name, "b"].p_value for name in others)
    assert [ranking.pairs[name, "b"].p_adjusted for name in others] == pytest.approx(expected)
    assert len(ranking.ordered_pairs) == len(others)


@pytest.mark.parametrize(("n_methods", "n_rows"), [(2, 5), (2, 6), (3, 6), (3, 7), (4, 8), (4, 9)])
def test_rows_are_too_few_if_even_a_clean_sweep_is_not_significant(
    n_methods: int, n_rows: int
) -> None:
    rng = np.random.default_rng(0)
    sweep = {
        name: (10.0**j + rng.random(n_rows)).tolist() for j, name in enumerate("abcd"[:n_methods])
    }
    ranking = rank_methods(sweep)
    assert ranking.too_few == all(c.winner is None for c in ranking.pairs.values())
    for n_splits in (2, 3):
        splits = {name: values[:n_splits] for name, values in sweep.items()}
        assert rank_methods(splits, test_share=0.1).too_few == (n_splits == 2)


def test_the_resolution_of_splits_is_the_smallest_difference_of_their_scores() -> None:
    scores = {"a": [0.10, 0.20, 0.30], "b": [0.12, 0.22, 0.32], "c": [0.14, 0.26, 0.30]}
    ranking = rank_methods(scores, test_share=0.5)
    expected = compare_on_splits(scores, 0.5, resolution=0.02)
    assert ranking.pairs["a", "c"].p_value == pytest.approx(expected["a", "c"].p_value)
    coarser = rank_methods(scores, test_share=0.5, resolution=0.1)
    assert coarser.pairs["a", "c"].p_value > expected["a", "c"].p_value
    # A difference without variance, whatever else is in the table.
    for table in (scores, scores | {"d": [0.101, 0.5, 0.2]}):
        pair = rank_methods(table, test_share=1 / 3).pairs["a", "b"]
        assert (pair.winner, pair.p_value > 0.3) == (None, True)
    # Equal scores prove no more than those of the others do.
    equal = rank_methods(scores | {"e": scores["a"]}, test_share=0.5).pairs["a", "e"]
    assert equal.low < 0 < equal.high
    # A large difference on every fold is significant, whatever else is in the table.
    folds = {"a": [0.05, 0.06, 0.04, 0.05, 0.07], "b": [0.40, 0.39, 0.42, 0.40, 0.41]}
    third = {"c": [0.04, 0.07, 0.06, 0.04, 0.06]}
    alone, among_three = (rank_methods(table, test_share=0.2) for table in (folds, folds | third))
    assert alone.pairs["a", "b"].p_value == pytest.approx(among_three.pairs["a", "b"].p_value)
    assert alone.pairs["a", "b"].winner == "a"


def test_of_many_methods_that_all_rows_rank_alike_the_p_value_is_finite() -> None:
    assert friedman_test([[float(j) for j in range(180)]] * 3).f_p_value == 0.0


@pytest.mark.parametrize("names", ["ABC", "BAC"])
def test_the_best_group_does_not_depend_on_the_order_of_methods_that_tie(names: str) -> None:
    scores = {
        "A": [0.36, 0.30, 0.30, 0.31, 0.29, 0.28, 0.31, 0.29],
        "B": [0.31, 0.33, 0.30, 0.34, 0.27, 0.27, 0.33, 0.32],
        "C": [0.32, 0.34, 0.33, 0.35, 0.33, 0.36, 0.35, 0.35],
    }
    ranking = rank_methods({name: scores[name] for name in names})
    assert [m.mean_rank for m in ranking.methods[:2]] == [1.5625, 1.5625]
    # C differs significantly from B, and not from A.
    assert (ranking.pairs["A", "C"].winner, ranking.pairs["B", "C"].winner) == (None, "B")
    assert [m.in_best_group for m in ranking.methods] == [True, True, False]


def test_methods_of_equal_rank_keep_their_order() -> None:
    ranking = rank_methods({"b": [1, 2], "a": [2, 1]})
    assert [method.name for method in ranking.methods] == ["b", "a"]


@given(score_tables())
def test_the_step_of_shares_is_a_number_of_examples_and_no_larger_than_a_difference(
    scores: Scores,
) -> None:
    columns = [[errors / 40 for errors in values] for values in scores.values()]
    step = step_of_scores(columns)
    assert 40 * step == pytest.approx(round(40 * step))
    rows = [*zip(*columns, strict=True)]
    steps = [abs(x - y) for row in rows for x, y in combinations(row, 2) if x != y]
    assert all(0 < step <= difference + 1e-12 for difference in steps)
