"""The rows of a table: data sets, their views and protocols, sweeps and readings."""

from __future__ import annotations

from math import nan
from typing import Any

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetItem, merged
from quadrepro.config.loading import load_mapping
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.data.card import View, load_card
from quadrepro.data.schema import Threshold
from tests.make import config, fault_of, plan_of

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


def test_changes_are_merged_at_every_level() -> None:
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    changes = {"a": {"c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    expected = {"a": {"b": 1, "c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    assert merged(base, changes) == expected
    assert base == {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}


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


def of_row(name: str = "monks", **fields: Any) -> dict[str, Any]:
    return {"datasets": [{"name": name, **fields}]}


def of_number(**protocol: Any) -> dict[str, Any]:
    return of_row("concrete", view="rescale", protocol=protocol) | {"algorithms": ["boosting"]}


def of_sample(field: str, *values: Any) -> dict[str, Any]:
    return {**OF_SAMPLE, "datasets": ["m1", "m2"], **over(f"parameters.{field}", *values)}


def reading(**fields: Any) -> dict[str, Any]:
    return {"readings": [{"name": "a", **fields}]}


VALUES, FIELD = "sweeps.0.values", "a field of protocol, grid or parameters, as grid.n_rounds"
REPEATED = of_row(view={"sample_rows": 99}, protocol={"split": {"outer": 5}})
TWO_FAULTS = of_row(view={"positive": ["2"], "exclude": ["tie"]})
OF_TWO_FAULTS = "monks has no label '2'; known are 0, 1; monks has no attribute 'tie'"
BY_NAME = of_row(view="quadboost") | reading(view={"sample_rows": 9})
NOISE = "protocol.noise"


@pytest.mark.parametrize(
    ("keys", "place", "telling"),
    [
        (of_row(view={"missing": "zero"}), "datasets.0.view.missing", "or 'drop', not 'zero'"),
        (of_row(view={"positive": ["1", "1"]}), "datasets.0.view.positive", "'1' occurs 2 times"),
        (of_row(view={"positive": ["0", "2"]}), "datasets.0.view.positive.1", "known are"),
        (of_row(view={"exclude": ["tie"]}), "datasets.0.view.exclude.0", "did you mean 'has_tie'?"),
        (TWO_FAULTS, "datasets.0.view.positive.0", OF_TWO_FAULTS),
        (of_row(protocol={"folds": "five"}), "datasets.0.protocol.folds", "integer, not 'five'"),
        (of_row(protocol={"voter_set": "SVC"}), "datasets.0.protocol.voter_set", "SVC is not one"),
        (of_row(protocol=SAMPLE), "datasets.0.name", "is not drawn by rule, so no fresh sample"),
        (OF_SAMPLE | of_row("m1", parameters={"sigm": 0}), "datasets.0.parameters", "'sigm'"),
        (of_row("m1", parameters={"sigma": nan}), "datasets.0.parameters.sigma", "finite number"),
        (of_number(split={"stratify": True}), "datasets.0.protocol.split.stratify", "no classes"),
        (of_number(noise={"labels": 0.1}), "datasets.0.protocol.noise.labels", "no classes"),
        (of_number(choose_by="balanced_error"), "datasets.0.protocol.choose_by", "here numbers"),
        (REPEATED, "datasets.0.view.sample_rows", "cannot be divided once for all"),
        (over(f"{NOISE}.deviaton", 0), f"{VALUES}.0", "did you mean 'deviation'?"),
        (over(f"{NOISE}.deviation", 0, -1), f"{VALUES}.1", "must be at least 0, not -1"),
        (over("protocol.folds", 3, 1), f"{VALUES}.1", "one fold leaves nothing to train on"),
        (over("protocol.voters", 5, 6, 5), f"{VALUES}.2", "duplicate row 'monks, voters 5'"),
        (over("protocol.view", "quadboost"), f"{VALUES}.0", "is set by its own key, view"),
        (BOTH | over("protocol.holdout.patience", 3), f"{VALUES}.0", "either all rows have a"),
        (over("grid.n_round", 3), f"{VALUES}.0", "no algorithm here has a hyper-parameter"),
        (over("grid.n_rounds", 3, 4.5), f"{VALUES}.1", "n_rounds takes whole numbers, not 4.5"),
        (over("grid.n_rounds", 3, "x"), f"{VALUES}.1", "n_rounds takes numbers, not 'x'"),
        (over("grid.n_rounds"), VALUES, "values must have a length of at least 1"),
        (over("view.missing", "low"), "sweeps.0.over", FIELD),
        (over("grid", 3), "sweeps.0.over", FIELD),
        (of_sample("sigm", 0), f"{VALUES}.0", "no parameter 'sigm'; did you mean 'sigma'?"),
        (of_sample("low", -1), f"{VALUES}.0", "of m2 has no parameter 'low'; known are sigma"),
        (of_sample("sigma", 0, "much"), f"{VALUES}.1", "sigma must be a valid number, not 'much'"),
        (
            BOTH | reading(settings={"reweigh": 1}),
            "readings.0.settings",
            "did you mean 'reweight'?",
        ),
        (reading(of=["monk"]), "readings.0.of.0", "'monk' here; did you mean 'monks'?"),
        ({"readings": [{"name": "a"}] * 2}, "readings.1", "duplicate row 'monks, a'"),
        (reading(protocol={"folds": 1}), "readings.0.protocol.folds", "nothing to train on"),
        (reading(view={"nominal": "ordnal"}), "readings.0.view.nominal", "not 'ordnal'"),
        (reading() | over("protocol.folds", 2), "readings", "either sweeps or"),
        (BY_NAME, "readings.0", "takes its view by name: name the view of the reading"),
    ],
)
def test_a_row_a_sweep_or_a_reading_that_cannot_be_is_refused_with_its_place(
    keys: dict[str, Any], place: str, telling: str
) -> None:
    found, message = fault_of(**keys)
    assert (found, telling in message) == (place, True), message


def test_a_value_of_another_form_replaces_the_former_one() -> None:
    old = {"lam": {"values": [2, 1]}, "deep": {"a": 1, "b": 2}, "positive": {"at_most": 1}}
    new = {"lam": {"from": 2, "to": 1}, "deep": {"b": 3}, "positive": {"at_least": 5}}
    assert merged(old, new) == {**new, "deep": {"a": 1, "b": 3}}
