from __future__ import annotations

import numpy as np
import pytest

from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.data.store import Dataset, Found
from tests.make import Write, assert_refused, cells, cells_of, config


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
