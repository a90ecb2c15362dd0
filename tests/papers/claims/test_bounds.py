from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest

from quadrepro.papers.claims.bounds import Inequality, InOrder
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
    with pytest.raises(Lacking, match="no candidate has a solution"):
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
