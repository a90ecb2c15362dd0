"""What a protocol can say, what contradicts itself, and what goes into a cell's key."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from quadrepro.base.models import mistakes
from quadrepro.core.protocol import Holdout, HoldoutStumps, Noise, Protocol, Sample, SplitRule


def protocol(**fields: Any) -> Protocol:
    return Protocol.model_validate({"view": "paper", **fields})


@given(st.integers(4, 10**6))
def test_half_is_quadboosts_rule(n_rows: int) -> None:
    assert SplitRule().training_size(n_rows) == min(500, (n_rows + 1) // 2)


@given(st.integers(4, 10**5), st.integers(2, 10**5), st.integers(1, 999))
def test_a_share_as_written_is_rounded_up_to_whole_rows_up_to_the_cap(
    n_rows: int, at_most: int, thousandths: int
) -> None:
    share = thousandths / 1000
    uncapped = SplitRule(train=share, at_most=None).training_size(n_rows)
    assert uncapped == -(-thousandths * n_rows // 1000)
    n_train = SplitRule(train=share, at_most=at_most).training_size(n_rows)
    assert n_train == min(uncapped, at_most)


@pytest.mark.parametrize(
    ("share", "n_rows", "n_train"),
    [(0.55, 100, 55), (0.07, 100, 7), (0.14, 100, 14), (0.28, 100, 28), (0.55, 101, 56)],
)
def test_a_share_of_whole_rows_is_not_rounded_up(share: float, n_rows: int, n_train: int) -> None:
    rule = SplitRule(train=share)
    assert rule.training_size(n_rows) == rule.first_share(n_rows) == n_train


@given(st.integers(1, 10**6))
def test_all_rows_are_all_rows_whatever_the_cap(n_rows: int) -> None:
    assert SplitRule(train="all", at_most=2).training_size(n_rows) == n_rows


def test_the_sizes_of_a_sample_are_training_validation_and_test() -> None:
    assert Sample(train=3, valid=1, test=2).sizes == (3, 1, 2)
    assert Sample(train=3, test=2).sizes == (3, 0, 2)


SAMPLE = {"train": 20, "test": 30}


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"folds": 1}, ("folds",), "one fold leaves nothing to train on: give 2 or more, or 0"),
        ({"folds": -1}, ("folds",), "folds must be at least 0, not -1"),
        (
            {"normalise": "tan"},
            ("normalise",),
            "normalise must be 'tanh' or 'none', not 'tan'",
        ),
        (
            {"split": {"train": 1.0}},
            ("split", "train"),
            "train must be 'half' or 'all' or at least 2 or less than 1, not 1.0",
        ),
        ({"split": {"at_most": 1}}, ("split", "at_most"), "at_most must be at least 2, not 1"),
        ({"voters": 0}, ("voters",), "voters must be at least 1, not 0"),
        (
            {"inputs": "voters", "voters": 5},
            (),
            "inputs can be voters only if all stumps are fixed before training",
        ),
        (
            {"inputs": "voters", "folds": 0, "holdout": {}},
            (),
            "inputs can be voters only if all stumps are fixed before training",
        ),
        (
            {"noise": {"deviation": math.inf}},
            ("noise", "deviation"),
            "deviation must be a finite number, not inf",
        ),
        (
            {"noise": {"deviation": 1e10}},
            ("noise", "deviation"),
            "deviation must be at most 1000000000, not 10000000000.0",
        ),
        (
            {"noise": {"deviation": 0, "contrast": 0}},
            ("noise", "contrast"),
            "contrast must be greater than 0, not 0",
        ),
        (
            {"holdout": {"stumps": {"polarity": "one"}}},
            ("holdout", "stumps", "polarity"),
            "polarity must be 'both' or 'random', not 'one'",
        ),
        (
            {"folds": 0, "measures": ["train_error", "tain_error"]},
            ("measures", 1),
            "unknown measure 'tain_error'; did you mean 'train_error'?",
        ),
        (
            {"measures": ["train_error"]},
            (),
            "measures are kept only if nothing is chosen: set folds to 0",
        ),
        (
            {"folds": 0, "holdout": {}, "measures": ["train_error"]},
            (),
            "measures are kept only if nothing is chosen: set folds to 0",
        ),
        (
            {"sample": SAMPLE, "holdout": {}},
            (),
            "sample needs valid rows if there is a holdout, and only then",
        ),
        (
            {"sample": {**SAMPLE, "valid": 5}},
            (),
            "sample needs valid rows if there is a holdout, and only then",
        ),
        (
            {"sample": SAMPLE, "split": {"at_most": 10}},
            (),
            "a sample has its own parts: leave split out",
        ),
        (
            {"sample": SAMPLE, "folds": 11},
            (),
            "sample has 20 training rows: too few for 11 folds",
        ),
        (
            {"split": {"train": "all"}},
            (),
            "nothing can be chosen if all rows are trained on: set folds to 0",
        ),
        ({"fold": 3}, ("fold",), "unknown key 'fold'; did you mean 'folds'?"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(
    fields: dict[str, Any], place: tuple[str, ...], message: str
) -> None:
    data = {"view": "paper", **fields}
    with pytest.raises(ValidationError) as caught:
        Protocol.model_validate(data)
    assert mistakes(caught.value, data) == [(place, message)]


@pytest.mark.parametrize(
    "fields",
    [
        {"sample": SAMPLE, "folds": 10},
        {"sample": {**SAMPLE, "valid": 5}, "holdout": {}},
        {"sample": SAMPLE, "folds": 0, "split": {"train": "half", "at_most": 500}},
        {"split": {"train": "all"}, "folds": 0},
        {"folds": 0, "measures": ["train_error"]},
    ],
)
def test_what_only_looks_like_a_contradiction_is_allowed(fields: dict[str, Any]) -> None:
    assert protocol(**fields)


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({}, False),
        ({"holdout": {}}, False),
        ({"noise": {"deviation": 0}}, True),
        ({"voters": 5}, True),
        ({"sample": SAMPLE}, True),
    ],
)
def test_a_cell_draws_more_than_split_and_stumps_with_noise_voters_or_a_sample(
    fields: dict[str, Any], more: bool
) -> None:
    assert protocol(**fields).draws_more is more


def test_a_key_names_every_field_but_the_view_and_what_is_not_set() -> None:
    assert protocol().content() == {
        "split": {"train": "half", "at_most": 500},
        "normalise": "tanh",
        "stumps_per_attribute": 10,
        "folds": 5,
    }
    full = protocol(
        sample={**SAMPLE, "valid": 4},
        voters=7,
        folds=0,
        holdout={"patience": 3},
        noise={"deviation": 0.5},
    ).content()
    assert full["sample"] == {"train": 20, "valid": 4, "test": 30}
    assert full["voters"] == 7
    assert full["noise"] == {"deviation": 0.5, "contrast": 1.0}
    assert full["holdout"]["patience"] == 3
    assert "by" not in full["holdout"]
    assert full["holdout"]["stumps"] == {
        "per_round": 500,
        "redraw": True,
        "thresholds": "uniform",
        "deviations": 1.0,
        "polarity": "both",
    }
    assert protocol(folds=0, measures=["train_error"]).content()["measures"] == ["train_error"]
    assert protocol(inputs="voters").content()["inputs"] == "voters"


def test_a_key_names_the_rule_that_ends_a_run_and_the_choice_by_the_test_part() -> None:
    fields = {"lag": 20, "patience": 3, "by": "test"}
    holdout = protocol(folds=0, holdout=fields).content()["holdout"]
    assert (holdout["lag"], holdout["by"]) == (20, "test")
    assert "patience" not in holdout


def test_two_views_have_the_same_key_and_two_of_anything_else_have_not() -> None:
    base = protocol()
    assert base.model_copy(update={"view": "other"}).content() == base.content()
    others: list[dict[str, Any]] = [
        {"folds": 4},
        {"normalise": "none"},
        {"stumps_per_attribute": 9},
        {"split": SplitRule(at_most=None)},
        {"holdout": Holdout(stumps=HoldoutStumps(redraw=False))},
        {"noise": Noise(deviation=0)},
    ]
    contents = [base.model_copy(update=change).content() for change in others]
    assert all(content != base.content() for content in contents)


def test_a_key_names_the_transformer_and_its_parameters() -> None:
    stumps = protocol()
    assert "voter_set" not in stumps.content()
    assert not stumps.draws_more
    mine = protocol(voter_set={"my_module:Mine": {"depth": 3}})
    assert mine.content()["voter_set"] == {"my_module:Mine": {"depth": 3}}
    assert "stumps_per_attribute" not in mine.content()
    assert mine.draws_more


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"holdout": {}}, "a hold-out draws its own stumps"),
        ({"stumps_per_attribute": 3}, "voter_set replaces stumps: leave it out"),
        ({"inputs": "voters"}, "inputs are the values of stumps: give those of a transformer"),
    ],
)
def test_voters_that_cannot_be_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        protocol(voter_set="my_module:Mine", **fields)
