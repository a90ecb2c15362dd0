"""What a card or a config can say of columns, targets and views, and what it cannot."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from quadrepro.data.schema import Attribute, Threshold, View, series


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("p1..p3", ["p1", "p2", "p3"]),
        ("a08..a11", ["a08", "a09", "a10", "a11"]),
        ("attribute_9..attribute_10", ["attribute_9", "attribute_10"]),
        ("p3..p1", []),
        ("p1..q3", ["p1..q3"]),
        ("a..b", ["a..b"]),
        ("size", ["size"]),
        ("p1..p1000000000", ["p1..p1000000000"]),
        ("1.." * 1_000_000, ["1.." * 1_000_000]),
    ],
)
def test_a_series_stands_for_its_names(name: str, names: list[str]) -> None:
    assert list(series(name)) == names


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"positive": []}, "positive must list at least one label"),
        ({"positive": ["a"], "negative": ["a"]}, "label 'a' is both positive and negative"),
        ({"negative": ["a"]}, "negative lists labels, so positive must also list labels"),
        ({"positive": ["a", "a"]}, "positive: 'a' occurs 2 times"),
        ({"positive": ["a"], "labels": ["a", "b"]}, "labels stay classes only if the view has no"),
        ({"labels": ["a"]}, "labels must list at least two labels"),
        ({"labels": ["a", "a"]}, "labels: 'a' occurs 2 times"),
        ({"positive": {}}, "give either at_most or at_least"),
        ({"positive": {"at_most": 1, "at_least": 2}}, "give either at_most or at_least"),
    ],
)
def test_a_view_that_contradicts_itself_is_refused(fields: dict[str, object], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        View.model_validate(fields)


def test_numbers_of_a_config_are_labels_as_written() -> None:
    assert View.model_validate({"positive": [4], "negative": [9]}).positive == ("4",)
    assert View.model_validate({"positive": {"at_most": 9}}).positive == Threshold(at_most=9)
    assert View.model_validate({"labels": [4, 9]}).labels == ("4", "9")


def test_the_labels_that_are_kept_are_those_of_both_signs_or_of_the_classes() -> None:
    assert View(positive=("a",), negative=("b",)).kept_labels == ("a", "b")
    assert View(labels=("a", "b")).kept_labels == ("a", "b")
    assert View(positive=("a",)).kept_labels == View().kept_labels == ()


def test_numeric_attributes_have_ranges_and_nominal_ones_codes() -> None:
    with pytest.raises(ValidationError, match="size is numeric, so it cannot have codes"):
        Attribute(name="size", kind="numeric", codes=("1",))
    with pytest.raises(ValidationError, match="colour is nominal, so it cannot have a range"):
        Attribute(name="colour", kind="nominal", range=(0, 1))
