from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from scipy.stats import ttest_rel

from quadrepro.papers.claims.bounds import Inequality, InOrder, LowerAtEveryRound, SmallGap
from quadrepro.papers.claims.evidence import Lacking, Ours
from tests.papers.measured import changed, curves_of


def with_measures(measures: dict[str, list[float]]) -> Ours:
    """Return evidence of one algorithm with some measures along rounds 1, 2 and so on."""
    evidence = curves_of({"a": [next(iter(measures.values()))]})
    return changed(evidence, lambda record, *place: replace(record, measures=measures))


IN_ORDER = InOrder(kind="k", text="t", of=("a",), measures=("low", "mid", "high"))


def test_every_measure_is_compared_with_the_next() -> None:
    evidence = with_measures({"low": [1.0, 2.0], "mid": [1.0, 3.0], "high": [2.0, 4.0]})
    assert IN_ORDER.judge(evidence) == ("4 of 4 inequalities", True)
    broken = with_measures({"low": [1.0, 2.0], "mid": [1.0, 3.0], "high": [0.5, 2.5]})
    assert IN_ORDER.judge(broken) == (
        "2 of 4 inequalities; not 1 ≤ 0.5 (r1, A, T = 1)",
        False,
    )


def test_candidates_without_a_solution_are_no_evidence() -> None:
    evidence = with_measures({"low": [nan, 2.0], "mid": [1.0, 3.0], "high": [2.0, nan]})
    assert IN_ORDER.judge(evidence) == ("2 of 2 inequalities", True)
    with pytest.raises(Lacking, match="cells missing"):
        IN_ORDER.judge(with_measures({name: [nan, nan] for name in ("low", "mid", "high")}))


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


def test_a_level_has_no_rounds_in_its_place() -> None:
    evidence = with_measures({"low": [2.0], "mid": [1.0], "high": [3.0]})
    assert IN_ORDER.judge(evidence).text.endswith("not 2 ≤ 1 (r1, A)")


LOWER = LowerAtEveryRound(kind="k", text="t", of="a", than="b", measure="train_error")


@pytest.mark.parametrize(
    ("a", "text", "holds"),
    [
        ([0.5, 0.3, 0.1], "by 0.0000 to 0.2000, 0.2000 at the end", True),
        ([0.5, 0.3, nan], "by 0.0000 to 0.1000, 0.1000 at the end", True),
        ([0.5, 0.5, 0.1], "by -0.1000 to 0.2000, 0.2000 at the end", False),
        ([0.5, 0.4, 0.3], "by 0.0000 to 0.0000, 0.0000 at the end", False),
    ],
)
def test_a_lower_curve_is_nowhere_above_and_somewhere_below(
    a: list[float], text: str, holds: bool
) -> None:
    assert LOWER.judge(curves_of({"a": [a], "b": [[0.5, 0.4, 0.3]]})) == (text, holds)


def test_mean_curves_over_the_splits_are_compared() -> None:
    evidence = curves_of({"a": [[0.5, 0.9], [0.5, 0.1]], "b": [[0.6, 0.6], [0.6, 0.6]]})
    assert LOWER.judge(evidence) == ("by 0.1000 to 0.1000, 0.1000 at the end", True)


def test_every_row_counts_and_several_are_named() -> None:
    evidence = curves_of({"a": [[0.5, 0.3]], "b": [[0.5, 0.4]]}, rows=("x", "y"))
    part = "by 0.0000 to 0.1000, 0.1000 at the end"
    assert LOWER.judge(evidence) == (f"x: {part}; y: {part}", True)


def test_curves_along_other_rounds_or_without_a_solution_cannot_be_compared() -> None:
    with pytest.raises(Lacking, match="the two have other values of n_rounds"):
        LOWER.judge(curves_of({"a": [[0.5, 0.3]], "b": [[0.5, 0.4, 0.3]]}))
    with pytest.raises(Lacking, match="cells missing"):
        LOWER.judge(curves_of({"a": [[nan, nan]], "b": [[0.5, 0.4]]}))


SMALL = SmallGap(kind="k", text="t", between=("a", "b"), measure="train_error")


def around(mean: float, *away: float) -> list[list[float]]:
    """Return one split per number: two rounds that lie around the mean by it, in points."""
    return [[(mean + off + 1) / 100, (mean + off - 1) / 100] for off in away]


def test_the_interval_of_a_gap_is_that_of_two_one_sided_paired_t_tests() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.1, 0.4, (2, 9, 5))
    text, _ = SMALL.judge(curves_of({"a": a.tolist(), "b": b.tolist()}))
    x, y = 100 * a.mean(axis=1), 100 * b.mean(axis=1)
    low, high = ttest_rel(x, y).confidence_interval(0.9)
    assert text == (
        f"difference {(x - y).mean():.2f} points [{low:.2f}, {high:.2f}], standard deviation "
        f"{x.std(ddof=1):.2f}"
    )


@pytest.mark.parametrize(
    ("gap", "holds"), [(0.0, True), (0.8, True), (0.95, False), (-0.8, True), (-0.95, False)]
)
def test_a_gap_is_small_if_its_whole_interval_is_within_a_deviation(
    gap: float, holds: bool
) -> None:
    # Splits deviate by 1 point, their differences by 0.1: the interval reaches 0.17 from the mean.
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20 - gap, -1.1, 0, 1.1)})
    text, found = SMALL.judge(evidence)
    assert found is holds
    low, high = gap - 0.1686, gap + 0.1686
    assert text == (f"difference {gap:.2f} points [{low:.2f}, {high:.2f}], standard deviation 1.00")


def test_a_gap_that_splits_leave_open_is_not_small() -> None:
    evidence = curves_of({"a": around(20, -1, 0, 1), "b": around(20, 1, 0, -1)})
    assert SMALL.judge(evidence) == (
        "difference 0.00 points [-3.37, 3.37], standard deviation 1.00",
        False,
    )


def test_a_gap_counts_up_to_a_round_and_where_every_split_has_a_solution() -> None:
    a = [[0.21, 0.9, 0.22, 0.9], [0.23, nan, 0.24, 0.9]]
    b = [[0.21, 0.1, 0.22, 0.1], [0.23, 0.1, 0.24, 0.1]]
    claim = SmallGap.model_validate({**SMALL.model_dump(by_alias=True), "to": 3})
    assert claim.judge(curves_of({"a": a, "b": b})) == (
        "difference 0.00 points [0.00, 0.00], standard deviation 1.41",
        True,
    )


@pytest.mark.parametrize(
    ("a", "message"),
    [
        ([[0.5, 0.4]], "no splits to test over"),
        ([[nan, nan], [nan, nan]], "cells missing"),
        ([[0.5, 0.4, 0.3]] * 2, "the two have other values of n_rounds"),
    ],
)
def test_a_gap_needs_splits_and_common_rounds(a: list[list[float]], message: str) -> None:
    with pytest.raises(Lacking, match=message):
        SMALL.judge(curves_of({"a": a, "b": [[0.5, 0.4]] * len(a)}))
