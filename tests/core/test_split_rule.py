from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from quadrepro.base.models import mistakes
from quadrepro.core.protocol import SplitRule
from quadrepro.data.schema import View


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        (
            {"time": "day", "outer": 5},
            ("outer",),
            "rows are divided either by time or by outer: give one",
        ),
        (
            {"outer": 5, "column": "fold"},
            ("column",),
            "rows are divided either by outer or by column: give one",
        ),
        (
            {"train": "all", "stratify": True},
            ("stratify",),
            "train: all divides no rows, so stratify has nothing to do",
        ),
        (
            {"train": "all", "groups": "site"},
            ("groups",),
            "train: all divides no rows, so groups has nothing to do",
        ),
        (
            {"train": "all", "outer": 3},
            ("outer",),
            "train: all divides no rows, so outer has nothing to do",
        ),
        (
            {"train": 0.8, "outer": 3},
            ("train",),
            "outer determines the training rows: leave train out",
        ),
        (
            {"at_most": 100, "outer": 5},
            ("at_most",),
            "outer determines the training rows: leave at_most out",
        ),
        (
            {"time": "day", "stratify": True},
            ("time",),
            "time alone decides which rows are trained on: leave stratify out",
        ),
        (
            {"time": "day", "groups": "site"},
            ("time",),
            "time alone decides which rows are trained on: leave groups out",
        ),
        ({"outer": "50000x3"}, ("outer",), "outer makes 150,000 repeats: at most 100,000"),
        (
            {"train": 400, "at_most": 30},
            ("at_most",),
            "train is a number of rows: leave at_most out",
        ),
        (
            {"outer": 5, "test": 3},
            ("test",),
            "outer determines the test rows: leave test out",
        ),
        (
            {"train": "all", "test": 3},
            ("test",),
            "train: all determines the test rows: leave test out",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_place(
    fields: dict[str, Any], place: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        SplitRule.model_validate(fields)
    [found] = mistakes(caught.value, fields)
    assert (found.place, found.message) == (place, message)


@pytest.mark.parametrize("outer", ["1", 1, 0, "2x1", "0x5", "x5", "5x", "5x2x2", True, 2.5, "-2"])
def test_outer_is_a_number_of_folds_or_how_often_rows_are_divided(outer: object) -> None:
    with pytest.raises(ValidationError, match=r"such as 10, or how often .* such as 5x2, not"):
        SplitRule.model_validate({"outer": outer})


@given(st.integers(1, 50), st.integers(2, 50))
def test_outer_makes_as_many_repeats_as_folds(times: int, folds: int) -> None:
    rule = SplitRule.model_validate({"outer": f"{times}x{folds}"})
    assert (rule.repeats, rule.outer_folds) == (times * folds, folds)
    assert SplitRule.model_validate({"outer": folds}) == SplitRule(outer=f"1x{folds}")
    assert (SplitRule().repeats, SplitRule().outer_folds) == (None, 0)


def test_splits_by_number_alone_need_no_rows() -> None:
    assert not SplitRule().needs_rows
    assert not SplitRule(outer="1x5").needs_rows
    for fields in ({"stratify": True}, {"groups": "a"}, {"time": "a"}, {"column": "a"}):
        assert SplitRule.model_validate(fields).needs_rows


def test_attributes_that_divide_the_rows_are_not_learned_from() -> None:
    view = View(positive=("a",), exclude=("id", "site"))
    rule = SplitRule(groups="site", column="fold")
    assert rule.without_columns(view).exclude == ("id", "site", "fold")
    assert SplitRule(groups="site").without_columns(view) is view
    assert SplitRule().without_columns(view) is view
    # A column that names both is left out once.
    assert SplitRule(groups="g", column="g").without_columns(View()).exclude == ("g",)


def test_what_is_not_used_is_not_in_the_key() -> None:
    assert SplitRule().content() == {"train": "half", "at_most": 500}
    assert SplitRule(outer="5x2").content() == {"outer": "5x2"}
    assert SplitRule(outer="5x2", at_most=None).content() == {"outer": "5x2"}
    by_group = SplitRule(groups="site", stratify=True, at_most=None)
    assert by_group.content() == {"train": "half", "stratify": True, "groups": "site"}
