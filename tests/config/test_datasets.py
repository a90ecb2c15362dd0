"""A row of a table: its names, its view, and its changes to the protocol."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from quadrepro.config.datasets import DatasetEntry, merged
from quadrepro.core.protocol import Protocol
from quadrepro.data.card import load_card
from quadrepro.data.schema import Threshold


def entry(**fields: Any) -> DatasetEntry:
    return DatasetEntry.model_validate({"name": "monks", **fields})


def refused(row: DatasetEntry, protocol: Protocol) -> tuple[str, str]:
    """Return the dotted place and the message with which a row is refused."""
    with pytest.raises(PydanticCustomError) as caught:
        row.check_protocol(protocol)
    place = (caught.value.context or {})["place"]
    return ".".join(map(str, place)), caught.value.message()


PROTOCOL = Protocol(view="quadboost")


@pytest.mark.parametrize(
    ("fields", "title", "printed"),
    [
        ({}, "monks", "monks"),
        ({"as": "robots"}, "robots", "robots"),
        ({"as": "robots", "printed": "monks-1"}, "robots", "monks-1"),
        ({"printed": "monks-1"}, "monks", "monks-1"),
    ],
)
def test_a_row_is_called_by_its_own_name_else_by_the_data_sets(
    fields: dict[str, Any], title: str, printed: str
) -> None:
    row = entry(**fields)
    assert (row.title, row.printed_row) == (title, printed)


def test_an_unknown_data_set_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValidationError, match=r"unknown data set 'monk'; did you mean 'monks'\?"):
        entry(name="monk")


def test_the_view_is_the_protocols_or_the_one_named_or_the_protocols_with_changes() -> None:
    views = load_card("orange").views
    assert entry(name="orange", view="q2").resolve("q10") == views["q2"]
    assert entry(name="orange").resolve("q2") == views["q2"]
    changed = entry(name="orange", view={"exclude": ["x1"]}).resolve("q2")
    assert changed.exclude == ("x1",)
    assert changed == views["q2"].model_copy(update={"exclude": ("x1",)})


def test_labels_of_a_view_can_be_written_as_numbers() -> None:
    assert entry(view={"positive": [0]}).resolve("quadboost").positive == ("0",)
    bounded = entry(name="abalone", view={"positive": {"at_most": 9}})
    assert bounded.resolve("ebboost").positive == Threshold(at_most=9)


SAMPLE = {"sample": {"train": 20, "test": 20}}


@pytest.mark.parametrize(
    ("fields", "place", "telling"),
    [
        ({"view": "quadbost"}, "view", "no view 'quadbost'; did you mean 'quadboost'?"),
        ({"view": {"positiv": ["1"]}}, "view.positiv", "unknown key 'positiv'; did you mean"),
        ({"view": {"missing": "zero"}}, "view.missing", "'low' or 'drop', not 'zero'"),
        ({"view": {"positive": ["1", "1"]}}, "view.positive", "positive: '1' occurs 2 times"),
        (
            {"view": {"positive": {"at_most": "few"}}},
            "view.positive.at_most",
            "a number, not 'few'",
        ),
        ({"view": {"positive": ["0", "2"]}}, "view.positive.1", "no label '2'; known are 0, 1"),
        ({"view": {"exclude": ["tie"]}}, "view.exclude.0", "'tie'; did you mean 'has_tie'?"),
        ({"protocol": {"view": "q2"}}, "protocol.view", "is set by its own key, view"),
        ({"protocol": {"split": {"at_mst": 3}}}, "protocol.split.at_mst", "mean 'at_most'?"),
        ({"protocol": {"folds": "five"}}, "protocol.folds", "a whole number, not 'five'"),
        ({"protocol": {"holdout": {}}}, "protocol", "either all rows have a holdout or none"),
        ({"parameters": {"sigma": 1}}, "parameters", "only used by a fresh sample: set sample"),
        ({"protocol": SAMPLE}, "name", "monks is not drawn by rule, so no fresh sample"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_the_place(
    fields: dict[str, Any], place: str, telling: str
) -> None:
    found, message = refused(entry(**fields), PROTOCOL)
    assert found == place
    assert telling in message


def test_all_names_of_a_view_that_a_card_lacks_are_listed() -> None:
    _, message = refused(entry(view={"positive": ["2"], "exclude": ["tie"]}), PROTOCOL)
    assert "monks has no label '2'; known are 0, 1; monks has no attribute 'tie'" in message


def test_a_row_of_a_fresh_sample_can_change_the_parameters_of_its_rule() -> None:
    protocol = Protocol.model_validate({"view": "default", **SAMPLE})
    entry(name="m1", parameters={"sigma": 0}).check_protocol(protocol)
    assert refused(entry(name="m1", parameters={"sigm": 0}), protocol) == (
        "parameters",
        "the rule of m1 has no parameter 'sigm'; did you mean 'sigma'?",
    )


def test_changes_of_the_protocol_are_merged_and_the_rest_stays() -> None:
    protocol = Protocol.model_validate({"view": "quadboost", "split": {"at_most": 100}, "folds": 4})
    row = entry(protocol={"split": {"train": 0.2}, "voters": 3})
    changed = row.changed(protocol)
    assert (changed.split.train, changed.split.at_most) == (0.2, 100)
    assert (changed.folds, changed.voters) == (4, 3)
    assert entry().changed(protocol) is protocol


trees = st.recursive(
    st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8
)
mappings = st.dictionaries(st.sampled_from("abc"), trees)


def leaves(tree: Any, place: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Return everything of a tree that is not a mapping with entries, by its place."""
    if not isinstance(tree, dict) or not tree:
        return {place: tree}
    return {k: v for key, inner in tree.items() for k, v in leaves(inner, (*place, key)).items()}


@given(mappings, mappings)
def test_merged_has_every_change_and_what_no_change_replaces(
    base: dict[str, Any], changes: dict[str, Any]
) -> None:
    before = leaves(base)
    result = leaves(merged(base, changes))
    changed = {place: value for place, value in leaves(changes).items() if value != {}}
    assert changed.items() <= result.items()
    kept = {
        place: value
        for place, value in before.items()
        if not any(place[: len(c)] == c or c[: len(place)] == place for c in leaves(changes))
    }
    assert kept.items() <= result.items()
    assert leaves(base) == before
