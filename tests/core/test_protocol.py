"""What a protocol can say, what contradicts itself, and what goes into a cell's key."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from quadrepro.base.models import mistakes
from quadrepro.core.protocol import Protocol, SplitRule

SAMPLE, STUMPS = {"train": 20, "test": 30}, "stumps_per_attribute"


def protocol(**fields: Any) -> Protocol:
    return Protocol.model_validate({"view": "paper", **fields})


@given(st.integers(4, 10**5), st.integers(2, 10**5), st.integers(1, 999))
def test_a_share_as_written_is_rounded_up_to_whole_rows_up_to_the_cap(
    n_rows: int, at_most: int, thousandths: int
) -> None:
    share = thousandths / 1000
    uncapped = SplitRule(train=share, at_most=None).training_size(n_rows)
    assert uncapped == -(-thousandths * n_rows // 1000)
    n_train = SplitRule(train=share, at_most=at_most).training_size(n_rows)
    assert n_train == min(uncapped, at_most)
    assert SplitRule().training_size(n_rows) == min(500, (n_rows + 1) // 2)
    assert SplitRule(train="all").training_size(n_rows) == n_rows
    assert SplitRule(train=at_most).training_size(n_rows) == min(at_most, n_rows)


@given(st.integers(1, 50), st.integers(2, 50))
def test_outer_makes_as_many_repeats_as_folds(times: int, folds: int) -> None:
    rule = SplitRule.model_validate({"outer": f"{times}x{folds}"})
    assert (rule.repeats, rule.outer_folds) == (times * folds, folds)
    assert SplitRule.model_validate({"outer": folds}) == SplitRule(outer=f"1x{folds}")
    assert (SplitRule().repeats, SplitRule().outer_folds) == (None, 0)
    # Splits by number alone need no rows.
    assert (SplitRule().needs_rows, rule.needs_rows) == (False, False)
    for by_row in ({"stratify": True}, {"groups": "a"}, {"time": "a"}, {"column": "a"}):
        assert SplitRule.model_validate(by_row).needs_rows
    assert SplitRule(openml_task=7).needs_rows


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"outer": 1}, "outer", "outer must be a number of folds of at least 2, such as 10, or"),
        ({"time": "day", "outer": 5}, "outer", "outer cannot be combined with time: leave one of"),
        ({"outer": 5, "column": "fold"}, "column", "column cannot be combined with outer"),
        ({"column": "fold", "openml_task": 5}, "openml_task", "openml_task cannot be combined wit"),
        ({"openml_task": 5, "test": 9}, "test", "test cannot be combined with openml_task"),
        ({"train": "all", "stratify": True}, "stratify", "stratify cannot be combined with train:"),
        ({"train": "all", "outer": 3}, "outer", "outer cannot be combined with train: all"),
        ({"train": 0.8, "outer": 3}, "train", "train cannot be combined with outer"),
        ({"train": 400, "at_most": 30}, "at_most", "at_most cannot be combined with a number for"),
        ({"time": "day", "groups": "site"}, "groups", "groups cannot be combined with time"),
        ({"groups": "site", "test": 3}, "test", "test cannot be combined with groups"),
        ({"groups": "site", "train": 5}, "groups", "groups cannot be combined with a number for"),
    ],
)
def test_a_rule_of_which_a_part_has_no_effect_is_refused(
    fields: dict[str, Any], place: str, message: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        SplitRule.model_validate(fields)
    [found] = mistakes(caught.value, fields)
    assert found.place == (place,)
    assert found.message.startswith(message)


@pytest.mark.parametrize("outer", [0, "2x1", "0x5", "x5", "5x", "5x2x2", True, 2.5, "-2"])
def test_outer_is_a_number_of_folds_with_or_without_repeats(outer: object) -> None:
    with pytest.raises(ValidationError, match=r"such as 10, or repeats x folds, such as 5x2, not"):
        SplitRule.model_validate({"outer": outer})


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"folds": 1}, ("folds",), "one fold leaves nothing to train on: give 2 or more, or 0"),
        ({"fold": 3}, ("fold",), "unknown key 'fold'; did you mean 'folds'?"),
        ({"split": {"train": 1.0}}, ("split", "train"), "train must be 'half' or 'all' or at leas"),
        ({"noise": {"deviation": math.inf}}, ("noise", "deviation"), "deviation must be a finite"),
        (
            {"folds": 0, "measures": ["tain_error"]},
            ("measures", 0),
            "unknown measure 'tain_error'; ",
        ),
        ({"choose_by": "balanced_error", "folds": 0}, ("choose_by",), "nothing is chosen with fol"),
        ({"measures": ["train_error"]}, (), "measures are kept only if nothing is chosen: set fol"),
        ({"sample": SAMPLE, "holdout": {}}, (), "sample needs valid rows if there is a holdout, a"),
        ({"sample": {**SAMPLE, "valid": 5}}, (), "sample needs valid rows if there is a holdout"),
        ({"sample": SAMPLE | {"train": 1}}, ("sample", "train"), "train must be at least 2, not 1"),
        ({"sample": SAMPLE, "folds": 21}, (), "20 training rows are too few for 21 folds"),
        ({"split": {"train": "all"}}, (), "nothing can be chosen if all rows are trained on: set"),
        *(
            (given, (*other.split("."),), f"{other} cannot be combined with {key}: leave one of th")
            for key, other, given in [
                ("inputs", "voters", {"inputs": "voters", "voters": 5}),
                ("inputs", "holdout", {"inputs": "voters", "folds": 0, "holdout": {}}),
                ("measures", "holdout", {"holdout": {}, "measures": ["train_error"]}),
                ("sample", "split", {"sample": SAMPLE, "split": {"at_most": 10}}),
                ("voter_set", "holdout", {"voter_set": "a:B", "holdout": {}}),
                ("voter_set", STUMPS, {"voter_set": "a:B", STUMPS: 3}),
                ("holdout", STUMPS, {"holdout": {}, STUMPS: 3}),
                ("holdout", "split.outer", {"holdout": {}, "split": {"outer": 2}}),
                ("holdout", "split.time", {"holdout": {}, "split": {"time": "a"}}),
            ]
        ),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(
    fields: dict[str, Any], place: tuple[str, ...], message: str
) -> None:
    data = {"view": "paper", **fields}
    with pytest.raises(ValidationError) as caught:
        Protocol.model_validate(data)
    [found] = mistakes(caught.value, data)
    assert found.place == place
    assert found.message.startswith(message)


def test_what_only_looks_like_a_contradiction_is_allowed() -> None:
    for fields in (
        {"sample": SAMPLE, "folds": 10},
        {"sample": {**SAMPLE, "valid": 5}, "holdout": {}},
        {"sample": SAMPLE, "folds": 0, "split": {"train": "half", "at_most": 500}},
        {"split": {"train": "all"}, "folds": 0},
        {"split": {"outer": 5, "at_most": None, "time": None}},
        {"folds": 0, "measures": ["train_error"]},
    ):
        assert protocol(**fields)


def test_the_content_is_what_differs_from_the_defaults_but_for_the_view() -> None:
    assert protocol().content() == protocol(split={"train": "half"}, folds=5).content() == {}
    fields: dict[str, Any] = {
        "split": {"at_most": None},
        "sample": None,
        "normalise": "none",
        "folds": 0,
        "holdout": {"patience": 3, "stumps": {"redraw": False}},
        "noise": {"deviation": 0.5},
    }
    given = {key: value for key, value in fields.items() if value is not None}
    assert protocol(**fields).content() == given
    assert protocol(noise={}).content() != protocol().content() != protocol(holdout={}).content()
    fresh = protocol(sample={**SAMPLE, "for_each": "row"})
    assert fresh.content() == {"sample": SAMPLE}
