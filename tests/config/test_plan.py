"""The rows of a table, which data sets, sweeps and readings make, and its cells and their keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetItem, merged_changes
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.data.card import View, load_card
from quadrepro.data.schema import Threshold
from quadrepro.data.store import Dataset, Found
from tests.make import Write, assert_refused, cells, cells_of, config, plan_of

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


def test_changes_are_merged_at_every_level_or_replace_a_value_of_another_form() -> None:
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    changes = {"a": {"c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    expected = {"a": {"b": 1, "c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    assert merged_changes(base, changes) == expected
    assert base == {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    old = {"lam": {"values": [2, 1]}, "positive": {"at_most": 1}}
    new = {"lam": {"from": 2, "to": 1}, "positive": {"at_least": 5}}
    assert merged_changes(old, new) == new


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


def test_there_is_one_cell_a_data_set_algorithm_and_repeat(small_config: Write) -> None:
    found = cells_of(small_config(), repeats=3)
    assert len(found) == len({(c.dataset, c.algorithm, c.repeat) for c in found}) == 2 * 2 * 3
    assert len({c.key for c in found}) == len(found)
    splits = {(c.dataset, c.repeat): c.problem.split.train.tolist() for c in found}
    assert all(splits[c.dataset, c.repeat] == c.problem.split.train.tolist() for c in found)
    assert len({*map(str, splits.values())}) == 2 * 3


def test_a_key_depends_on_content_and_not_on_names(small_config: Write) -> None:
    found = cells_of(small_config())
    keys = [c.key for c in found]
    for cell in found:
        # What is not asked for is no part of it.
        assert cell.content["protocol"] == {}
        assert cell.content["draws"] == (7, cell.draws[1], 0)
        assert isinstance(cell.content["grid"], tuple)
    evidence = small_config("as: people", "as: people, view: {evidence: none, status: open}")
    assert [c.key for c in cells_of(evidence)] == keys
    renamed = small_config("name: ada", "name: other", name="renamed")
    assert [c.key for c in cells_of(renamed)] == keys
    longer = cells_of(small_config("title: Small", "title: Longer"), repeats=2)
    assert {c.key for c in longer} > set(keys)


VIEW = "view: quadboost"
CHANGES = [
    ("", ""),
    ("n_rounds: 5", "n_rounds: 6"),
    ("seed: 7", "seed: 8"),
    ("as: people", "as: people, view: {positive: ['No']}"),
    *(
        (VIEW, f"{VIEW}\n  {line}")
        for line in (
            "folds: 4",
            "folds: 0",
            "split: {train: 0.3}",
            "split: {stratify: true}",
            "split: {train: 0.3, stratify: true}",
            "split: {outer: 2, stratify: true}",
            "normalise: none",
            "choose_by: balanced_error",
            "stumps_per_attribute: 5",
            "voters: 5",
            "voters: 6",
            "noise: {deviation: 0.1}",
            "noise: {deviation: 0.2}",
            "noise: {deviation: 0.1, contrast: 0.5}",
            "noise: {deviation: 0.1, labels: 0.1}",
            "folds: 0\n  measures: [train_error]",
            "folds: 0\n  measures: [test_error]",
        )
    ),
]


def test_whatever_changes_a_result_changes_its_key(small_config: Write) -> None:
    found = (cells_of(small_config(old, new)) for old, new in CHANGES)
    keys = {[cell.key for cell in of if cell.repeat == 0][-1] for of in found}
    assert len(keys) == len(CHANGES)


def test_an_order_that_lacks_a_code_is_refused_at_the_data_sets_place(small_config: Write) -> None:
    path = small_config("as: people", "view: {order: {class: [1st, 2nd, 3rd]}}")
    assert_refused(path, "7:5", "Crew", lambda path: make_plan(load_experiment(path)).check_data())


def test_a_plan_and_its_keys_read_no_rows_but_a_check_reads_each_data_set_once(
    small_config: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def spy(found: Found, only: object = None) -> Dataset:
        read.append(found.card.name)
        return original(found)

    original = Found.load
    monkeypatch.setattr(Found, "load", spy)
    again = "as: people\n  - {name: monks, as: again, view: {positive: ['0']}}"
    path = small_config("as: people}", f"{again.replace('people', 'people}', 1)}")
    plan = make_plan(load_experiment(path, 2))
    assert len({cell.key for cell in plan.cells}) == 3 * 2 * 2
    assert not read
    plan.check_data()
    assert sorted(read) == ["monks", "titanic"]


def test_an_algorithm_may_have_nominal_attributes_in_its_own_way() -> None:
    tree = {"algorithm": "sklearn:DecisionTreeClassifier"}
    own = [{"name": way, "nominal": way, **tree} for way in ("one-hot", "ordinal", "categories")]
    found = cells(algorithms=[{"name": "as the view says", **tree}, *own])
    by_name = {cell.algorithm: cell for cell in found}
    n_columns = {name: cell.problem.X.shape[1] for name, cell in by_name.items()}
    assert n_columns == {"as the view says": 6, "one-hot": 17, "ordinal": 6, "categories": 6}
    assert len({cell.key for cell in found}) == len(found) - 1
    assert by_name["as the view says"].key == by_name["ordinal"].key
    words = [len(feature.words) for feature in by_name["categories"].problem.features]
    assert words == [3, 3, 2, 3, 4, 2]
    np.testing.assert_array_equal(by_name["one-hot"].problem.y, by_name["ordinal"].problem.y)


@pytest.mark.parametrize("inputs", ["attributes", "voters"])
def test_a_learner_on_attributes_has_one_key_for_all_voters(inputs: str) -> None:
    names = ["lpboost", "sklearn:SVC"]

    def keys(n_stumps: int) -> list[str]:
        changes = {"view": "quadboost", "inputs": inputs, "stumps_per_attribute": n_stumps}
        return [cell.key for cell in cells(algorithms=names, protocol=changes)]

    same = [a == b for a, b in zip(keys(5), keys(6), strict=True)]
    assert same == [False, inputs == "attributes"]


def test_values_are_drawn_again_for_every_split_and_belong_to_the_key() -> None:
    l2 = {"name": "quadboost-l2", "grid": {"n_rounds": [5, 10]}, "draws": 4}
    l2["draw"] = {"lam": {"log": [0.1, 10]}}
    keys = {"datasets": ["monks", "titanic"], "algorithms": [l2]}
    found, again = cells(2, **keys), cells(2, **keys)
    drawn = [cell.grids[0].axis("lam") for cell in found]
    assert len(set(drawn)) == len(found) == 4
    assert [dict(cell.content["grid"])["lam"] for cell in found] == drawn
    assert [cell.key for cell in again] == [cell.key for cell in found]


def test_a_mapping_can_hold_values_of_numpy_and_tuples() -> None:
    forest = {"name": "sklearn:RandomForestClassifier", "settings": {"n_estimators": np.int64(3)}}
    quad = {"name": "quadboost", "grid": {"n_rounds": range(1, 4), "lam": (2, 1)}}
    found = load_mapping(
        config(title="数 größe", algorithms=[forest, {**quad, "name": "quadboost-l2"}])
    )
    assert found.name == "数-größe"
    assert found.algorithms[1].axes({})["n_rounds"] == [1, 2, 3]
