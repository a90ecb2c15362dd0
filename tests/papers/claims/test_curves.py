from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.curves import (
    BelowLevel,
    HigherOnAverage,
    LowerAtEnd,
    LowestAtEnd,
    SameAtEnd,
    Slope,
)
from quadrepro.papers.claims.evidence import Lacking, Ours
from tests.papers.measured import curves_of


def judged(kind: Any, evidence: Ours, **keys: Any) -> Judgement:
    fields = {"kind": "k", "text": "t", "measure": "train_error", **keys}
    found = kind.model_validate(fields).judge(evidence)
    assert isinstance(found, Judgement)
    return found


def test_only_the_named_rounds_count_for_the_average() -> None:
    evidence = curves_of(
        {"a": [[0.9, 0.25, 0.5, 0]], "b": [[0, 0.25, 0.25, 0.9]], "c": [[0, 0.5, 0.25, 0.9]]}
    )
    keys: dict[str, Any] = {"of": "a", "from": 2, "to": 3}
    assert judged(HigherOnAverage, evidence, than=["b"], **keys) == (
        "mean training error over rounds 2 to 3: A 37.50%, B 25.00%",
        True,
    )
    assert not judged(HigherOnAverage, evidence, than=["b", "c"], **keys).holds
    with pytest.raises(Lacking, match="no rounds from 5 to 9"):
        judged(HigherOnAverage, evidence, of="a", than=["b"], **{"from": 5, "to": 9})


def test_rounds_are_values_and_not_places() -> None:
    evidence = curves_of({"a": [[0.9, 0.2]], "b": [[0.1, 0.8]]}, rounds=(10, 50))
    keys: dict[str, Any] = {"of": "a", "than": ["b"], "from": 1, "to": 20}
    assert judged(HigherOnAverage, evidence, **keys) == (
        "mean training error over rounds 1 to 20: A 90.00%, B 10.00%",
        True,
    )


def test_the_lowest_end_may_be_shared_and_a_level_is_an_end() -> None:
    evidence = curves_of({"a": [[0.9, 0.2]], "b": [[0.1, 0.3]], "c": [[0.2]]})
    text = "training error at the end: A 20.00%, B 30.00%, C 20.00%"
    assert judged(LowestAtEnd, evidence, of="a") == (text, True)
    assert judged(LowestAtEnd, evidence, of="b") == (text, False)
    assert judged(LowestAtEnd, evidence, of="b", among=["a"]) == (
        "training error at the end: A 20.00%, B 30.00%",
        False,
    )


def test_the_end_is_that_of_the_mean_over_the_splits() -> None:
    evidence = curves_of({"a": [[0.9, 0.0], [0.9, 0.6]], "b": [[0.1, 0.2], [0.1, 0.2]]})
    assert judged(LowestAtEnd, evidence, of="b") == (
        "training error at the end: A 30.00%, B 20.00%",
        True,
    )


def test_a_lower_end_is_lower_on_every_row() -> None:
    evidence = curves_of({"a": [[0.9, 0.2]], "b": [[0.1, 0.3]]}, rows=("x", "y"), rounds=(1, 100))
    text = "{} after 100 rounds 0.2 against 0.3 on x, 0.2 against 0.3 on y"
    assert judged(LowerAtEnd, evidence, of="a", than="b") == (text.format("training error"), True)
    found = judged(LowerAtEnd, evidence, of="a", than="b", called="loss")
    assert found == (text.format("loss"), True)
    assert not judged(LowerAtEnd, evidence, of="b", than="a").holds
    assert not judged(LowerAtEnd, evidence, of="a", than="a").holds


@pytest.mark.parametrize(("shift", "holds"), [(2.0, True), (2.1, False)])
def test_ends_are_the_same_within_one_deviation_of_each(shift: float, holds: bool) -> None:
    # Deviations are 1 each, with n.
    a, b = [[9.0, 4.0], [9.0, 6.0]], [[9.0, 4.0 + shift], [9.0, 6.0 + shift]]
    evidence = curves_of({"a": a, "b": b}, measure="voters")
    found = judged(SameAtEnd, evidence, between=["a", "b"], measure="voters")
    assert found == (f"voters at the end: A 5.0 ± 1.0, B {5 + shift:.1f} ± 1.0", holds)


@pytest.mark.parametrize(("first", "holds"), [(1, False), (2, True)])
def test_curves_stay_below_the_level_from_a_round_on(first: int, holds: bool) -> None:
    evidence = curves_of({"a": [[0.9, 0.2]], "b": [[0.1, 0.3]], "c": [[0.3]]})
    text, found = judged(BelowLevel, evidence, of=["a", "b"], than="c", **{"from": first})
    assert found is holds
    assert text.endswith("B at most 30.00%; C 30.00%")
    with pytest.raises(Lacking, match="no rounds from 3 on"):
        judged(BelowLevel, evidence, of=["a"], than="c", **{"from": 3})


def test_what_is_no_error_is_no_percentage() -> None:
    evidence = curves_of({"a": [[0.5, 1234.5]], "b": [[2.0]]}, measure="voters")
    found = judged(BelowLevel, evidence, of=["a"], than="b", measure="voters", **{"from": 1})
    assert found == ("A at most 1234; B 2", False)


@pytest.mark.parametrize(("exponent", "holds"), [(1.0, True), (1.5, True), (0.99, False)])
def test_a_slope_is_the_exponent_of_a_power(exponent: float, holds: bool) -> None:
    values = (np.arange(1.0, 21.0) ** -exponent).tolist()
    evidence = curves_of({"a": [values]}, measure="train_mse")
    found = judged(Slope, evidence, of="a", at_most=-1 + 1e-9, measure="train_mse")
    assert found == (f"slope {-exponent:.2f} on r1", holds)


def test_a_slope_leaves_out_first_rounds_and_what_is_rounding_or_zero() -> None:
    rounds = np.arange(1.0, 21.0)
    values = rounds**-1.0
    values[:4], values[15:] = 7.0, 0.0
    evidence = curves_of({"a": [values.tolist()]}, measure="train_mse")
    keys = {"of": "a", "at_most": -1 + 1e-9, "measure": "train_mse", "from": 5}
    assert judged(Slope, evidence, **keys) == ("slope -1.00 on r1", True)
    values[12:15] = 0.01
    evidence = curves_of({"a": [values.tolist()]}, measure="train_mse")
    assert judged(Slope, evidence, **keys).text != "slope -1.00 on r1"
    assert judged(Slope, evidence, **keys, floor=0.02) == ("slope -1.00 on r1", True)
    with pytest.raises(Lacking, match="too few rounds from 15 on"):
        judged(Slope, evidence, **{**keys, "from": 15})
    with pytest.raises(Lacking, match="too few rounds from 5 on"):
        judged(Slope, curves_of({"a": [[0.5]]}, measure="train_mse"), **keys)


def test_every_row_must_be_steep_enough() -> None:
    evidence = curves_of({"a": [[1.0, 0.5]]}, measure="train_mse", rows=("x", "y"))
    found = judged(Slope, evidence, of="a", at_most=-1 + 1e-9, measure="train_mse")
    assert found == ("slope -1.00 on x, -1.00 on y", True)
