from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.curves import Inequality
from quadrepro.papers.claims.evidence import NO_SPLITS, Lacking, Ours
from quadrepro.stats import corrected_t_test
from tests.papers.measured import changed, curves_of, judge


def lower(evidence: Ours, kind: str = "lower-on-average", **keys: Any) -> Judgement:
    return judge(evidence, kind, **{"measure": "train_error", "of": "a", **keys})


def around(mean: float, *away: float) -> list[list[float]]:
    """Return one split per number: two rounds that lie around the mean by it, in points."""
    return [[(mean + off + 1) / 100, (mean + off - 1) / 100] for off in away]


APART = {"a": around(20, -1, 0, 1), "b": around(21, -1.1, 0, 1.1), "c": around(20, 1, 0, -1)}


def test_means_over_the_named_rounds_are_compared_over_the_splits() -> None:
    rng = np.random.default_rng(0)
    curves = {c: rng.uniform(0.1, 0.4, (6, 9)) for c in "ab"}
    evidence = curves_of({c: of.tolist() for c, of in curves.items()})
    text, _ = lower(evidence, than="b", **{"from": 3, "to": 7})
    x, y = (100 * curves[c][:, 2:7].mean(axis=1) for c in "ab")
    low, high = ttest_rel(x, y).confidence_interval(0.9)
    assert text.startswith(
        f"mean training error over rounds from 3 to 7: A {x.mean():.4g}, B {y.mean():.4g} "
        f"({(x - y).mean():+.3g} [{low:+.3g}, {high:+.3g}]); lowest on {(x <= y).sum()} of 6 splits"
    )


@pytest.mark.parametrize(
    ("of", "than", "is_lower", "is_higher"),
    [
        ("a", "b", True, False),
        ("b", "a", False, True),
        ("a", "c", None, None),
        ("a", ["b", "c"], None, False),
    ],
)
def test_one_side_is_shown_refuted_or_open(
    of: str, than: Any, is_lower: bool | None, is_higher: bool | None
) -> None:
    evidence = curves_of(APART)
    assert lower(evidence, of=of, than=than).holds is is_lower
    assert lower(evidence, kind="higher-on-average", of=of, than=than).holds is is_higher


def test_splits_that_overlap_decide_less() -> None:
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20.4, -1.2, 0, 1.2)})
    assert lower(evidence, than="b").holds
    overlapping = replace(evidence.outcomes, test_shares={"r1": 0.5})
    assert lower(replace(evidence, outcomes=overlapping), than="b").holds is None
    # Two-sided, of which one side is tested.
    x, y = ([20 + n for n in (-1, 0, 1)], [20.4 + n for n in (-1.2, 0, 1.2)])
    assert corrected_t_test(x, y, 0.5).p_value / 2 > 0.05


def test_several_comparisons_are_counted_before_one_refutes() -> None:
    near = around(20.27, -1.1, 0, 1.1)
    evidence = curves_of({"a": near, **{c: around(20, -1, 0, 1) for c in "bcdef"}})
    assert lower(evidence, than="b").holds is False
    assert lower(evidence, than=["b", "c", "d", "e", "f"]).holds is None


def test_a_level_is_the_same_at_every_round() -> None:
    evidence = curves_of({"a": [[0.9, 0.2]] * 2, "b": [[0.3]] * 2, "c": [[0.4]] * 2})
    assert lower(evidence, than=["b", "c"], **{"from": 2}).holds
    assert lower(evidence, than="b").text.startswith(
        "mean training error over rounds: A 55, B 30 (+25 "
    )
    assert lower(evidence, of="b", than="c").holds


def test_only_common_values_with_a_solution_in_every_split_count() -> None:
    a = [[0.21, 0.9, 0.22], [0.23, nan, 0.24]]
    b = [[0.21, 0.1, 0.22, 0.1], [0.23, 0.1, 0.24, 0.1]]
    assert lower(curves_of({"a": a, "b": b}), than="b").text.startswith(
        "mean training error over rounds: A 22.5, B 22.5 (+0 "
    )


@pytest.mark.parametrize(
    ("a", "keys", "message"),
    [
        ([[0.5, 0.4]], {}, NO_SPLITS),
        ([[nan, nan]] * 2, {}, "no candidate has a solution"),
        ([[0.5, 0.4]] * 2, {"from": 5, "to": 9}, "no common rounds from 5 to 9"),
    ],
)
def test_what_is_compared_needs_splits_and_common_rounds(
    a: list[list[float]], keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(Lacking, match=message):
        lower(curves_of({"a": a, "b": [[0.5, 0.4]] * len(a)}), than="b", **keys)


def test_every_row_counts_and_several_are_named() -> None:
    evidence = curves_of({"a": [[0.5, 0.3]] * 2, "b": [[0.5, 0.4]] * 2}, rows=("x", "y"))
    part = "A 40, B 45 (-5 [-5, -5]); lowest on 2 of 2 splits"
    text, holds = lower(evidence, than="b")
    assert text.startswith(f"mean training error over rounds: x: {part}; y: {part}; ")
    assert holds

    def worse_on_y(record: Any, *place: Any) -> Any:
        y = place[:2] == ("y", "a")
        return replace(record, measures={"train_error": [0.9, 0.9]}) if y else record

    assert lower(changed(evidence, worse_on_y), than="b").holds is False


def same(gap: float, *away: float, margin: float | None = 1.0) -> Judgement:
    """Judge whether two curves are the same; the splits of the second differ by `away`."""
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20 - gap, *away)})
    keys = {"of": "a", "than": "b", "margin": margin, "measure": "train_error"}
    return judge(evidence, "same-on-average", **keys)


@pytest.mark.parametrize(
    ("gap", "holds"),
    [(0.0, True), (0.8, True), (0.95, None), (1.05, None), (1.2, False), (-0.8, True), (-2, False)],
)
def test_curves_are_the_same_if_the_whole_interval_is_within_the_margin(
    gap: float, holds: bool | None
) -> None:
    # Differences deviate by 0.1: the interval reaches 0.17 from the mean.
    text, found = same(gap, -1.1, 0, 1.1)
    assert found is holds
    assert f"({gap:+.3g} [{gap - 0.16858:+.3g}, {gap + 0.16858:+.3g}]) within 1; power" in text


@pytest.mark.parametrize(("gap", "holds"), [(0.0, None), (0.15, None), (0.5, False), (-0.5, False)])
def test_without_a_margin_a_difference_refutes_and_nothing_shows(
    gap: float, holds: bool | None
) -> None:
    text, found = same(gap, -1.1, 0, 1.1, margin=None)
    assert (found, "within" in text) == (holds, False)


def test_without_a_margin_both_sides_are_counted() -> None:
    # One side alone would be below 0.05 from 0.169 on, and half of that from 0.248 on.
    assert [same(gap, -1.1, 0, 1.1, margin=None).holds for gap in (0.24, 0.25)] == [None, False]


def below(evidence: Ours, **keys: Any) -> Judgement:
    return lower(evidence, "lower-at-every-round", **{"than": "b", **keys})


@pytest.mark.parametrize(
    ("a", "text", "holds"),
    [
        ([0.5, 0.3, 0.1], "by 0.0000 to 0.2000, 0.2000 at the end", True),
        ([0.5, 0.3, nan], "by 0.0000 to 0.1000, 0.1000 at the end", True),
        ([0.5, 0.5, 0.1], "by -0.1000 to 0.2000, 0.2000 at the end", None),
        ([0.5, 0.4, 0.3], "by 0.0000 to 0.0000, 0.0000 at the end", None),
    ],
)
def test_a_lower_curve_is_nowhere_above_and_somewhere_below(
    a: list[float], text: str, holds: bool | None
) -> None:
    curves = {"a": [a], "b": [[0.5, 0.4, 0.3]]}
    assert below(curves_of(curves, measure="c_bound"), measure="c_bound") == (text, holds)


def test_a_higher_round_refutes_if_it_is_significant_among_all() -> None:
    low = [[0.5] * 30] * 3
    one_above = [[0.5] * 29 + [x] for x in (0.508, 0.510, 0.512)]
    text, holds = below(curves_of({"a": one_above, "b": low}))
    # p = 0.007 at the last round, times 30.
    assert holds is None
    assert "significantly higher at 0 of 30 (Holm), power 0.8 at " in text
    assert below(curves_of({"a": one_above, "b": low}), **{"from": 30}).holds is False
    assert below(curves_of({"a": one_above, "b": low}), to=29).holds is None


def test_several_algorithms_are_lower_than_a_level_from_a_round_on() -> None:
    curves = {"a": [[0.9, 0.2]], "b": [[0.1, 0.28]], "c": [[0.3]]}
    evidence = curves_of(curves)
    keys: dict[str, Any] = {"of": ["a", "b"], "than": "c"}
    assert below(evidence, **keys).holds is None
    assert below(evidence, **keys, **{"from": 2}) == (
        "A lower by 10.0000 to 10.0000, 10.0000 at the end, "
        "B lower by 2.0000 to 2.0000, 2.0000 at the end",
        True,
    )


def slope(curves: list[list[float]], rows: Sequence[str] = ("r1",), **keys: Any) -> Judgement:
    evidence = curves_of({"a": curves}, measure="train_mse", rows=rows)
    return judge(evidence, "slope", **{"of": "a", "at_most": -1 + 1e-9, **keys, **MSE})


MSE = {"measure": "train_mse"}


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, True), (1.5, True), (0.99, None)])
def test_a_slope_is_the_exponent_of_a_power(exponent: float, holds: bool | None) -> None:
    values = (np.arange(1.0, 21.0) ** -exponent).tolist()
    assert slope([values]) == (f"slope {-exponent:.2f} on r1", holds)


@pytest.mark.parametrize(
    ("exponents", "holds"), [((0.9, 0.91, 0.89), False), ((0.5, 0.95, 1.3), None)]
)
def test_slopes_of_the_splits_refute_a_steeper_one(
    exponents: tuple[float, ...], holds: bool | None
) -> None:
    curves = [(np.arange(1.0, 21.0) ** -exponent).tolist() for exponent in exponents]
    assert slope(curves).holds is holds


def test_a_slope_leaves_out_first_rounds_and_what_is_rounding_or_zero() -> None:
    values = np.arange(1.0, 21.0) ** -1.0
    values[:4], values[15:] = 7.0, 0.0
    assert slope([values.tolist()], **{"from": 5}) == ("slope -1.00 on r1", True)
    values[12:15] = 0.01
    assert slope([values.tolist()], **{"from": 5}).text != "slope -1.00 on r1"
    found = slope([values.tolist()], **{"from": 5}, floor=0.02)
    assert found == ("slope -1.00 on r1", True)
    with pytest.raises(Lacking, match="too few rounds from 15"):
        slope([values.tolist()], **{"from": 15})
    # Every row must be steep enough.
    found = slope([[1.0, 0.5]], rows=("x", "y"))
    assert found == ("slope -1.00 on x, -1.00 on y", True)


MEASURES = ("train_error", "quadratic_risk", "massart")


def in_order(*of_measures: list[float]) -> Judgement:
    """Judge whether measures along rounds 1, 2 and so on are in order."""
    evidence = curves_of({"a": [of_measures[0]]})
    measures = dict(zip(MEASURES, of_measures, strict=True))
    evidence = changed(evidence, lambda record, *place: replace(record, measures=measures))
    return judge(evidence, "in-order", of="a", measures=MEASURES)


def test_every_measure_is_compared_with_the_next() -> None:
    found = in_order([1.0, 2.0], [1.0, 3.0], [2.0, 4.0])
    assert found == ("4 of 4 inequalities", True)
    found = in_order([1.0, 2.0], [1.0, 3.0], [0.5, 2.5])
    assert found == ("2 of 4 inequalities; not 1 ≤ 0.5 (r1, A, T = 1)", False)
    # A level has no rounds.
    assert in_order([2.0], [1.0], [3.0]).text.endswith("not 2 ≤ 1 (r1, A)")


def test_candidates_without_a_solution_are_no_evidence() -> None:
    assert in_order([nan, 2.0], [1.0, 3.0], [2.0, nan]) == ("2 of 2 inequalities", True)
    with pytest.raises(Lacking, match="no candidate has a solution"):
        in_order(*[[nan, nan]] * 3)


@pytest.mark.parametrize(
    ("lower", "upper", "holds"),
    [
        (1.0, 1.0, True),
        (1.0 + 1e-10, 1.0, True),
        (1.0 + 1e-8, 1.0, False),
        (2e-12, 1e-12, False),
        (1e-16, 0.0, True),
    ],
)
def test_rounding_is_allowed_for_in_proportion(lower: float, upper: float, holds: bool) -> None:
    assert Inequality("", lower, upper).holds is holds
