from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from quadrepro.papers.claims.bounds import Inequality, InOrder, LowerAtEveryRound, SmallGap
from quadrepro.papers.claims.evidence import Lacking, Ours
from tests.papers.measured import curves_of


def with_measures(measures: dict[str, list[float]]) -> Ours:
    """Return evidence of one algorithm with some measures along rounds 1, 2 and so on."""
    evidence = curves_of({"a": [next(iter(measures.values()))]})
    [(place, record)] = evidence.outcomes.records.items()
    records = {place: replace(record, measures=measures)}
    return replace(evidence, outcomes=replace(evidence.outcomes, records=records))


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


def test_equal_curves_have_no_gap() -> None:
    evidence = curves_of({"a": [[0.5, 0.25]], "b": [[0.5, 0.25]]})
    claim = SmallGap(kind="k", text="t", between=("a", "b"), measure="train_error", points=0)
    assert claim.judge(evidence) == ("mean difference 0.00 points, largest 0.00", True)


@pytest.mark.parametrize(
    ("to", "points", "text", "holds"),
    [
        (None, 2, "mean difference 2.00 points, largest 3.00", True),
        (None, 1.9, "mean difference 2.00 points, largest 3.00", False),
        (2, 1.5, "mean difference 1.50 points, largest 2.00", True),
        (1.5, 1, "mean difference 1.00 points, largest 1.00", True),
    ],
)
def test_a_gap_is_a_mean_of_absolute_points_up_to_a_round(
    to: float | None, points: float, text: str, holds: bool
) -> None:
    evidence = curves_of({"a": [[0.51, 0.38, 0.33]], "b": [[0.5, 0.4, 0.3]]})
    claim = SmallGap.model_validate(
        {
            "kind": "k",
            "text": "t",
            "between": ("a", "b"),
            "measure": "train_error",
            "to": to,
            "points": points + 1e-9,
        }
    )
    assert claim.judge(evidence) == (text, holds)
