"""The rows of a table: data sets, their views and protocols, sweeps and readings."""

from __future__ import annotations

from typing import Any

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetItem, merged
from quadrepro.config.loading import load_mapping
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.data.card import View, load_card
from quadrepro.data.schema import Threshold
from tests.make import config, plan_of

ADA = {"name": "adaboost", "grid": {"n_rounds": 5}}
L2 = {"name": "quadboost-l2", "grid": {"n_rounds": [10, 20], "lam": [10, 1]}}
PEOPLE = {"name": "titanic", "as": "people"}
BOTH = {"datasets": ["monks", PEOPLE], "algorithms": [L2, ADA]}
SAMPLE = {"sample": {"train": 20, "test": 30}, "folds": 0}
OF_SAMPLE = {"protocol": {"view": "default", **SAMPLE}, "algorithms": ["boosting"]}


def entry(**fields: Any) -> DatasetItem:
    return DatasetItem.model_validate({"name": "monks", **fields})


def experiment(**changes: Any) -> Experiment:
    return load_mapping(config(**BOTH | changes))


def over(field: str, *values: Any, name: str = "") -> dict[str, Any]:
    """Return the key of a sweep."""
    return {"sweeps": [{"over": field, "values": [*values], **({"as": name} if name else {})}]}


def test_the_view_is_the_protocols_or_the_one_named_or_the_protocols_with_changes() -> None:
    views = load_card("orange").views
    assert entry(name="orange", view="q2").resolve("q10") == views["q2"]
    assert entry(name="orange").resolve("q2") == views["q2"]
    changed = entry(name="orange", view={"exclude": ["x1"]}).resolve("q2")
    assert changed == views["q2"].model_copy(update={"exclude": ("x1",)})
    assert entry(view={"positive": [0]}).resolve("quadboost").positive == ("0",)
    bounded = entry(name="abalone", view={"positive": {"at_most": 9}})
    assert bounded.resolve("ebboost").positive == Threshold(at_most=9)


def test_changes_are_a_view_of_their_own_where_the_card_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = load_card("monks").model_copy(update={"views": {}})
    monkeypatch.setattr("quadrepro.config.datasets.load_card", lambda *_: bare)
    view = entry(view={"positive": ["1"], "nominal": "one-hot"}).resolve("quadboost")
    assert view == View(positive=("1",), nominal="one-hot")


def test_changes_are_merged_at_every_level_or_replace_a_value_of_another_form() -> (
    None
):
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    changes = {"a": {"c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    expected = {"a": {"b": 1, "c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    assert merged(base, changes) == expected
    assert base == {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    old = {"lam": {"values": [2, 1]}, "positive": {"at_most": 1}}
    new = {"lam": {"from": 2, "to": 1}, "positive": {"at_least": 5}}
    assert merged(old, new) == new


def test_a_sweep_makes_a_row_of_every_data_set_and_value() -> None:
    noise = over("protocol.noise.deviation", 0, 0.5, name="noise")
    rows = experiment(**noise).config.rows
    assert [(row.title, row.parent, row.sweep, row.value) for row in rows] == [
        (f"{row}, noise {value}", row, "noise", value)
        for row in ("monks", "people")
        for value in (0, 0.5)
    ]
    assert [row.item.printed or row.title for row in rows] == ["monks"] * 2 + ["people"] * 2
    assert entry(**{"as": "robots", "printed": "monks-1"}).printed_names[0] == "monks-1"
    protocols = [cell.protocol for cell in plan_of(**BOTH | noise).cells]
    assert [of.noise.deviation for of in protocols if of.noise] == [0, 0, 0.5, 0.5] * 2


def test_sweeps_stand_one_after_the_other_and_do_not_mix() -> None:
    first, second = over("protocol.voters", 5), over("grid.n_rounds", 3, 4)
    rows = experiment(sweeps=first["sweeps"] + second["sweeps"]).config.rows
    swept_over = [(row.parent, row.sweep, row.value) for row in rows]
    assert swept_over[:2] == [("monks", "voters", 5), ("people", "voters", 5)]
    assert swept_over[2:] == [
        (row, "n_rounds", value) for row in ("monks", "people") for value in (3, 4)
    ]
    assert "voters" not in rows[2].item.protocol


def test_the_rows_of_a_sweep_share_the_split_but_not_the_key() -> None:
    three, four = plan_of(**over("grid.n_rounds", 3, 4)).cells
    for cell, value in ((three, 3), (four, 4)):
        assert cell.grids[0].axes == (("n_rounds", (value,)),)
    assert three.content["draws"] == four.content["draws"]
    assert three.key != four.key


def test_a_sweep_keeps_what_a_row_says_otherwise() -> None:
    own = {**PEOPLE, "protocol": {"split": {"at_most": 100}}, "grid": {"lam": [7]}}
    keys = {**BOTH, "datasets": ["monks", own], **over("protocol.folds", 3, 4)}
    *_, cell, _ = plan_of(**keys).cells
    assert (cell.protocol.folds, cell.protocol.split.at_most) == (4, 100)
    assert cell.grids[0].axis("lam") == (7.0,)


def test_a_sweep_can_go_over_the_parameters_of_a_sample() -> None:
    rows = {"datasets": ["m1", {"name": "m2", "parameters": {"sigma": 9}}]}
    cells = plan_of(**OF_SAMPLE, **rows, **over("parameters.sigma", 0, 0.5)).cells
    assert [(cell.dataset, cell.content["parameters"]["sigma"]) for cell in cells] == [
        (f"{row}, sigma {sigma}", sigma) for row in ("m1", "m2") for sigma in (0, 0.5)
    ]


def test_every_data_set_has_a_row_for_each_of_its_readings() -> None:
    hold_out = {"name": "by a hold-out", "of": ["monks"], "protocol": {"split": {"train": 0.4}}}
    some = {"name": "some rows", "view": {"sample_rows": 99}}
    protocol = {"view": "quadboost", "stumps_per_attribute": 3}
    found = experiment(readings=[hold_out, some], protocol=protocol)
    rows = found.config.rows
    assert [(row.title, row.parent, row.reading) for row in rows] == [
        ("monks", "monks", ""),
        ("monks, by a hold-out", "monks", "by a hold-out"),
        ("monks, some rows", "monks", "some rows"),
        ("people", "people", ""),
        ("people, some rows", "people", "some rows"),
    ]
    assert [row.item.printed or row.title for row in rows] == ["monks"] * 3 + ["people"] * 2
    changed = rows[1].item.changed(found.config.protocol)
    assert (changed.split.train, changed.stumps_per_attribute) == (0.4, 3)
    assert rows[4].item.resolve("quadboost").sample_rows == 99


def test_a_row_or_reading_sets_what_algorithms_have_of_its_settings() -> None:
    own = {"name": "monks", "settings": {"reweight": True}}
    once = {"name": "once", "of": ["monks"], "settings": {"reweight": False}}
    cells = plan_of(datasets=[own], readings=[once], algorithms=[L2, ADA]).cells
    learners = {(cell.dataset, cell.algorithm): cell.learner for cell in cells}
    assert learners["monks", "quadboost-l2"] == QuadBoost("l2", reweight=True)
    assert learners["monks, once", "quadboost-l2"] == QuadBoost("l2", reweight=False)
    assert learners["monks", "adaboost"] == learners["monks, once", "adaboost"] == AdaBoost()
