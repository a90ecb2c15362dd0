from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from quadrepro.papers.claims.claim import NO_SPLITS, ClaimWord, Judgement, Lacking, Ours
from quadrepro.papers.claims.trends import Inequality
from quadrepro.stats import corrected_t_test
from tests.papers.measured import MIRROR, changed, curves_of, judge, overlapping

AVERAGES = ("lower-on-average", "higher-on-average")


def lower(evidence: Ours, kind: str = "lower-on-average", **keys: Any) -> Judgement:
    return judge(evidence, kind, **{"measure": "train_error", "of": "a", **keys})


def around(mean: float, *offsets: float) -> list[list[float]]:
    """Return one split per offset, in percentage points: two rounds about the mean and it."""
    return [[(mean + offset + 1) / 100, (mean + offset - 1) / 100] for offset in offsets]


APART = {"a": around(20, -1, 0, 1), "b": around(21, -1.1, 0, 1.1), "c": around(20, 1, 0, -1)}


def test_means_over_the_named_rounds_are_compared_over_the_splits() -> None:
    rng = np.random.default_rng(0)
    curves = {c: rng.uniform(0.1, 0.4, (6, 9)) for c in "ab"}
    evidence = curves_of({c: splits.tolist() for c, splits in curves.items()})
    text, _ = lower(evidence, than="b", **{"from": 3, "to": 7})
    x, y = (curves[c][:, 2:7].mean(axis=1) for c in "ab")
    low, high = 100 * np.array(ttest_rel(x, y).confidence_interval(0.9))
    assert text.startswith(
        f"mean training error over rounds from 3 to 7: A {100 * x.mean():.3g}%,"
        f" B {100 * y.mean():.3g}% ("
    )
    assert (
        f" ({100 * (x - y).mean():+.3g} [{low:+.3g}, {high:+.3g}]); "
        f"lowest on {(x <= y).sum()} of 6 splits"
    ) in text
    assert text.endswith(" percentage points")


WORDS: list[tuple[float, ClaimWord]] = [
    # Differences deviate by 0.1 percentage points: the interval reaches 0.169 from the mean.
    (-1.0, "supported"),
    (-0.17, "supported"),
    (-0.16, "agrees"),
    (0.16, "disagrees"),
    (0.17, "refuted"),
    (1.0, "refuted"),
]


@pytest.mark.parametrize(("gap", "word"), WORDS)
def test_each_word_on_a_mean_follows_from_the_interval(gap: float, word: ClaimWord) -> None:
    evidence = curves_of({"a": around(20 + gap, -1, 0, 1), "b": around(20, -1.1, 0, 1.1)})
    is_lower, is_higher = (lower(evidence, kind, than="b").word for kind in AVERAGES)
    assert (is_lower, is_higher) == (word, MIRROR[word])
    swapped = [lower(evidence, kind, of="b", than="a").word for kind in AVERAGES]
    assert swapped == [MIRROR[word], word]


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=2, max_size=8),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_swapping_two_curves_mirrors_the_word(splits: list[tuple[int, int]], share: float) -> None:
    a, b = ([[x / 100] for x in side] for side in zip(*splits, strict=True))
    evidence = overlapping(curves_of({"a": a, "b": b}, n_test=100), share)
    is_lower, is_higher = (lower(evidence, kind, than="b").word for kind in AVERAGES)
    assert lower(evidence, of="b", than="a").word == is_higher
    equal = sum(x - y for x, y in splits) == 0
    assert is_higher == ("disagrees" if equal else MIRROR[is_lower])
    margins = [judge_same(evidence, *names, margin=5.0).word for names in ("ab", "ba")]
    assert margins[0] == margins[1]


def judge_same(evidence: Ours, name: str, than: str, **keys: Any) -> Judgement:
    return lower(evidence, "same-on-average", of=name, than=than, **keys)


def test_means_are_below_each_other() -> None:
    for name, than, words in (
        # Equal means are neither lower nor higher.
        ("a", ["c"], ("disagrees", "disagrees")),
        ("a", ["b", "c"], ("disagrees", "refuted")),
    ):
        evidence = curves_of(APART)
        assert tuple(lower(evidence, kind, of=name, than=than).word for kind in AVERAGES) == words


def test_splits_that_overlap_decide_less() -> None:
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20.4, -1.2, 0, 1.2)})
    assert lower(evidence, than="b").word == "supported"
    assert lower(overlapping(evidence, 0.5), than="b").word == "agrees"
    # The p-value is two-sided, and one side is tested.
    x, y = ([20 + n for n in (-1, 0, 1)], [20.4 + n for n in (-1.2, 0, 1.2)])
    assert corrected_t_test(x, y, 0.5).p_value / 2 > 0.05


def test_several_comparisons_are_counted_before_one_refutes() -> None:
    near = around(20.27, -1.1, 0, 1.1)
    evidence = curves_of({"a": near, **{c: around(20, -1, 0, 1) for c in "bcdef"}})
    assert lower(evidence, than="b").word == "refuted"
    assert lower(evidence, than=["b", "c", "d", "e", "f"]).word == "disagrees"


def test_a_level_is_the_same_at_every_round() -> None:
    evidence = curves_of({"a": [[0.9, 0.2]] * 2, "b": [[0.3]] * 2, "c": [[0.4]] * 2})
    assert lower(evidence, than=["b", "c"], **{"from": 2}).word == "supported"
    assert " (+25 [" in lower(evidence, than="b").text
    assert lower(evidence, of="b", than="c").word == "supported"


def test_only_common_values_with_a_solution_in_every_split_count() -> None:
    a = [[0.21, 0.9, 0.22], [0.23, nan, 0.24]]
    b = [[0.21, 0.1, 0.22, 0.1], [0.23, 0.1, 0.24, 0.1]]
    assert " (+0 [" in lower(curves_of({"a": a, "b": b}), than="b").text


@pytest.mark.parametrize(
    ("a", "keys", "message"),
    [
        ([[0.5, 0.4]], {}, NO_SPLITS),
        ([[nan, nan]] * 2, {}, "no candidate has a solution"),
        ([[0.5, 0.4]] * 2, {"from": 5, "to": 9}, "no common rounds from 5 to 9"),
    ],
)
def test_curves_need_common_rounds(
    a: list[list[float]], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(Lacking, match=message):
        lower(curves_of({"a": a, "b": [[0.5, 0.4]] * len(a)}), than="b", **keys)


def test_every_row_counts_and_several_are_named() -> None:
    evidence = curves_of({"a": [[0.5, 0.3]] * 2, "b": [[0.5, 0.4]] * 2}, rows=("x", "y"))
    # Differences that do not vary deviate by one test example of 1000.
    text, word = lower(evidence, than="b")
    assert text.startswith("mean training error over rounds: x: A ")
    assert text.count(" (-5 [-5.45, -4.55]); lowest on 2 of 2 splits; ") == 2
    assert "; y: A " in text
    assert word == "supported"

    evidence.outcomes.records["y", "a", 0].measures["train_error"][:] = [0.9, 0.9]
    evidence.outcomes.records["y", "a", 1].measures["train_error"][:] = [0.9, 0.9]
    assert lower(evidence, than="b").word == "refuted"


def same(gap: float, margin: float | None = 1.0) -> Judgement:
    """Judge whether two curves are the same, whose differences deviate by 0.1 points."""
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20 - gap, -1.1, 0, 1.1)})
    return judge_same(evidence, "a", "b", margin=margin)


def test_curves_are_the_same_if_the_interval_is_within_the_margin() -> None:
    for gap, word in (
        (0.8, "supported"),
        (-0.8, "supported"),
        (0.95, "agrees"),
        (1.05, "disagrees"),
        (-2, "refuted"),
    ):
        text, judged = same(gap)
        assert judged == word
        assert f"({gap:+.3g} [{gap - 0.16858:+.3g}, {gap + 0.16858:+.3g}]) within 1; power" in text


def test_the_margin_of_other_measures_is_in_their_unit() -> None:
    a, b = [[2.0], [2.1], [1.9]], [[1.5], [1.62], [1.38]]
    evidence = curves_of({"a": a, "b": b}, measure="train_mse")
    words = [judge_same(evidence, "a", "b", margin=m, **MSE).word for m in (0.6, 0.4)]
    assert words == ["supported", "refuted"]


# Both sides are counted: one alone would be below 0.05 from 0.169 on, half of that from 0.248 on.
def test_without_a_margin_a_difference_refutes_and_nothing_supports() -> None:
    for gap, word in (
        (0.0, "undecided"),
        (0.24, "undecided"),
        (0.25, "refuted"),
        (-0.5, "refuted"),
    ):
        text, judged = same(gap, margin=None)
        assert (judged, "within" in text) == (word, False)


def below(evidence: Ours, **keys: Any) -> Judgement:
    return lower(evidence, "lower-at-every-round", **{"than": "b", **keys})


def test_a_lower_curve_is_somewhere_below_never_above() -> None:
    for a, text, word in (
        ([0.5, 0.3, 0.1], "by 0.0000 to 0.2000, 0.2000 at the end", "agrees"),
        ([0.5, 0.3, nan], "by 0.0000 to 0.1000, 0.1000 at the end", "agrees"),
        ([0.5, 0.5, 0.1], "by -0.1000 to 0.2000, 0.2000 at the end", "disagrees"),
        ([0.5, 0.4, 0.3], "by 0.0000 to 0.0000, 0.0000 at the end", "disagrees"),
    ):
        curves = {"a": [a], "b": [[0.5, 0.4, 0.3]]}
        assert below(curves_of(curves, measure="c_bound"), measure="c_bound") == (text, word)


def test_a_curve_that_is_significantly_lower_at_every_round_is_supported() -> None:
    curves = {"a": [[0.3, 0.2], [0.31, 0.21], [0.32, 0.22]], "b": [[0.4, 0.3]] * 3}
    assert below(curves_of(curves)).word == "supported"
    # It is not where one round is level with the other.
    curves["b"] = [[0.4, 0.21]] * 3
    assert below(curves_of(curves)).word == "agrees"


def test_a_higher_round_refutes_if_it_is_significant_among_all() -> None:
    low = [[0.5] * 30] * 3
    one_above = [[0.5] * 29 + [x] for x in (0.508, 0.510, 0.512)]
    evidence = curves_of({"a": one_above, "b": low})
    text, word = below(evidence)
    # p = 0.007 at the last round, times 30.
    assert word == "disagrees"
    assert "significantly higher at 0 of 30 (Holm), power 0.8 at " in text
    assert below(evidence, **{"from": 30}).word == "refuted"
    assert below(evidence, to=29).word == "disagrees"


def test_several_algorithms_are_lower_than_a_level_from_a_round_on() -> None:
    curves = {"a": [[0.9, 0.2]], "b": [[0.1, 0.28]], "c": [[0.3]]}
    evidence = curves_of(curves, measure="c_bound")
    keys: dict[str, Any] = {"of": ["a", "b"], "than": "c", "measure": "c_bound"}
    assert below(evidence, **keys).word == "disagrees"
    assert below(evidence, **keys, **{"from": 2}) == (
        "A lower by 0.1000 to 0.1000, 0.1000 at the end, "
        "B lower by 0.0200 to 0.0200, 0.0200 at the end",
        "agrees",
    )


def slope(curves: list[list[float]], rows: Sequence[str] = ("r1",), **keys: Any) -> Judgement:
    evidence = curves_of({"a": curves}, measure="train_mse", rows=rows)
    return judge(evidence, "slope", **{"of": "a", "at_most": -1 + 1e-9, **keys, **MSE})


MSE = {"measure": "train_mse"}


def powers(*exponents: float) -> list[list[float]]:
    return [(np.arange(1.0, 21.0) ** -exponent).tolist() for exponent in exponents]


@pytest.mark.parametrize(
    ("exponents", "word"),
    [
        ((1.1, 1.11, 1.09), "supported"),
        ((1.5, 1.05, 0.9), "agrees"),
        ((0.5, 0.95, 1.1), "disagrees"),
        ((0.9, 0.91, 0.89), "refuted"),
    ],
)
def test_slopes_are_tested_against_the_claim(exponents: tuple[float, ...], word: ClaimWord) -> None:
    assert slope(powers(*exponents)).word == word
    # Of one split, it is the exponent of the power.
    alone: ClaimWord = "agrees" if exponents[0] >= 1 else "disagrees"
    assert slope(powers(exponents[0])) == (f"slope {-exponents[0]:.2f} on r1", alone)


def test_a_slope_leaves_out_first_rounds_and_what_is_rounding_or_zero() -> None:
    values = np.arange(1.0, 21.0) ** -1.0
    values[:4], values[15:] = 7.0, 0.0
    assert slope([values.tolist()], **{"from": 5}) == ("slope -1.00 on r1", "agrees")
    values[12:15] = 0.01
    assert slope([values.tolist()], **{"from": 5}).text != "slope -1.00 on r1"
    above_floor = slope([values.tolist()], **{"from": 5}, floor=0.02)
    assert above_floor == ("slope -1.00 on r1", "agrees")
    with pytest.raises(Lacking, match="too few rounds from 15"):
        slope([values.tolist()], **{"from": 15})


def test_a_split_that_reaches_zero_before_the_range_leaves_the_slope_untested() -> None:
    steep, steeper = powers(1.1, 1.11)
    zero_early = [value if i < 2 else 0.0 for i, value in enumerate(steep)]
    text, word = slope([steep, steeper, zero_early], **{"from": 5})
    mean = np.mean([steep, steeper, zero_early], axis=0)[4:]
    exponent = np.polyfit(np.log(np.arange(5, 21)), np.log(mean), 1)[0]
    assert (text, word) == (f"slope {exponent:.2f} on r1", "agrees")
    assert slope([steep, steeper], **{"from": 5}).word == "supported"


def test_every_row_must_be_steep_enough() -> None:
    judgement = slope([[1.0, 0.5]], rows=("x", "y"))
    assert judgement == ("slope -1.00 on x, -1.00 on y", "agrees")

    evidence = curves_of({"a": [[1.0, 0.5]]}, measure="train_mse", rows=("x", "y"))
    evidence.outcomes.records["y", "a", 0].measures["train_mse"][:] = [1.0, 0.9]
    assert judge(evidence, "slope", of="a", at_most=-0.9, **MSE).word == "disagrees"


MEASURES = ("train_error", "quadratic_risk", "massart")


def in_order(*values: list[float]) -> Judgement:
    """Judge whether measures along rounds 1, 2 and so on are in order."""
    evidence = curves_of({"a": [values[0]]})
    measures = dict(zip(MEASURES, values, strict=True))
    evidence = changed(evidence, lambda record, *place: replace(record, measures=measures))
    return judge(evidence, "in-order", of="a", measures=MEASURES)


def test_every_measure_is_compared_with_the_next_and_one_inequality_refutes() -> None:
    judgement = in_order([1.0, 2.0], [1.0, 3.0], [2.0, 4.0])
    assert judgement == ("4 of 4 inequalities", "supported")
    judgement = in_order([1.0, 2.0], [1.0, 3.0], [0.5, 2.5])
    assert judgement == ("2 of 4 inequalities; not 1 ≤ 0.5 (r1, A, T = 1)", "refuted")
    # A level has no rounds.
    assert in_order([2.0], [1.0], [3.0]).text.endswith("not 2 ≤ 1 (r1, A)")


def test_candidates_without_a_solution_are_no_evidence() -> None:
    judgement = in_order([nan, 2.0], [1.0, 3.0], [2.0, nan])
    assert judgement == ("2 of 2 inequalities", "supported")
    with pytest.raises(Lacking, match="no candidate has a solution"):
        in_order(*[[nan, nan]] * 3)


def test_rounding_is_allowed_for_in_proportion() -> None:
    pairs = ((1.0, 1.0), (1.0 + 1e-10, 1.0), (1e-16, 0.0), (1.0 + 1e-8, 1.0), (2e-12, 1e-12))
    assert [Inequality("", *pair).holds for pair in pairs] == [True, True, True, False, False]
