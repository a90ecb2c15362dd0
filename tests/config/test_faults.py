"""What is wrong with a config is named with its place and the nearest valid name."""

from __future__ import annotations

import re
from math import nan
from pathlib import Path
from typing import Any

import pytest

from quadrepro.errors import ConfigError
from tests.make import Write, fault_of, plan_of, refusal

VIEW = "view: quadboost"
L2 = "- name: quadboost-l2"
ADA = "- name: ada\n    algorithm: adaboost\n    grid: {n_rounds: 5}"
OF_ADA = "algorithm: adaboost\n    grid: {n_rounds: 5}"
LAM = "{from: 10, to: 1, points: 2}"
ONE = "grid: {n_rounds: 5}"
SVC = "algorithm: sklearn:SVC\n    "
PIPELINE = "pipeline: [StandardScaler, SVC]\n    "
WRONG_C = "The 'C' parameter of SVC must be a float in the range (0.0, inf]. Got "


@pytest.mark.parametrize(
    ("old", "new", "place", "telling"),
    [
        ("title: Small", "titel: Small", "1:1", "unknown key 'titel'; did you mean 'title'?"),
        ("title: Small\n", "", "1:1", "title is missing"),
        ("seed: 7", "folds: 3", "2:1", "unknown key 'folds'; write it below protocol"),
        ("seed: 7", "metrics: [auk]", "2:11", "unknown metric 'auk'; did you mean 'auc'?"),
        ("seed: 7", "metrics: [auc]\nheadline: auk", "3:1", "did you mean 'auc'?"),
        (VIEW, f"{VIEW}\n  folds: 1", "5:3", "one fold leaves nothing to train on"),
        (VIEW, f"{VIEW}\n  voter_set: StandardScalar", "5:3", "did you mean 'StandardScaler'?"),
        ("- monks", "- monk", "6:5", "unknown data set 'monk'; did you mean 'monks'?"),
        ("- monks", "- wines.csv", "6:5", "with `quadrepro init wines.csv --target COLUMN`"),
        (VIEW, "view: quadbost", "6:5", "the card of monks has no view 'quadbost'; did you mean"),
        (VIEW, "view: mine", "6:5", "no view 'mine'; known are quadboost"),
        ("as: people", "as: monks", "7:5", "duplicate row 'monks'"),
        ("as: people", "view: nix", "7:21", "the card of titanic has no view 'nix'"),
        ("as: people", "view: 3", "7:21", "view must be a valid string or a mapping"),
        ("as: people", "protocol: {view: q2}", "7:32", "the view of a row is set by its own key"),
        ("as: people", "protocol: {holdout: {}}", "7:21", "either all rows have a holdout or"),
        ("as: people", "protocol: {split: {time: aeg}}", "7:40", "did you mean 'age'?"),
        ("as: people", "settings: {reweigh: 1}", "7:21", "setting 'reweigh'; did you mean"),
        ("as: people", "settings: {reweight: 2.5}", "7:21", "a valid boolean, not 2.5"),
        ("as: people", "grid: {lamda: [1]}", "7:28", "hyper-parameter 'lamda'; did you mean"),
        ("as: people", "grid: {lam: [1, 2]}", "7:28", "the values of lam must decrease"),
        ("as: people", "parameters: {sigma: 1}", "7:21", "only used by a fresh sample: set sam"),
        ("as: people", "protocol: {measures: [massart]}", "7:21", "kept only if nothing is chosen"),
        (L2, "- name: quadbost-l2", "9:5", "unknown algorithm 'quadbost-l2'; did you mean"),
        ("algorithm: adaboost", "algorithm: AdaBoost", "14:5", "did you mean 'adaboost'?"),
        (ADA, "- ada", "13:5", "; others by import path, such as xgboost:XGBClassifier"),
        ("name: ada\n", "name: quadboost-l2\n", "13:5", "duplicate algorithm 'quadboost-l2'"),
        ("      lam:", "      lamda:", "12:7", "no hyper-parameter 'lamda'; did you mean 'lam'?"),
        (LAM, "{from: 1, to: 9, points: 2}", "12:7", "lam must decrease"),
        (ONE, "grid: {n_rounds: [5.5]}", "15:12", "n_rounds takes whole numbers, not 5.5"),
        (ONE, "draw: {n_rounds: {log: [1, 9]}}", "15:12", "whole numbers: draw integers"),
        (ONE, "draw: {n_rounds: {integers: [0, 5]}}", "15:12", "positive and finite, not 0"),
        (ONE, f"{ONE}\n    draw: {{n_rounds: [5]}}", "16:12", "n_rounds has another value"),
        (ONE, f"{ONE}\n    nominal: categories", "16:5", "which the view makes: leave out nominal"),
        (ONE, f"{ONE}\n    missing: keep", "16:5", "which the view makes: leave out missing"),
        (ONE, "pipeline: [SVC]", "15:5", "either an algorithm or a pipeline"),
        (OF_ADA, f"{PIPELINE}grid: {{svc__c: 1}}", "15:12", "'svc__c'; did you mean 'svc__C'?"),
        (OF_ADA, f"{SVC}settings: {{gama: 1}}", "15:16", "'gama'; did you mean"),
        (OF_ADA, f"{SVC}settings: {{C: -1}}", "15:5", f"{WRONG_C}-1 instead."),
        (OF_ADA, f"{SVC}settings: {{C: 2}}\n    grid: {{C: [1]}}", "16:12", "C has another value"),
    ],
)
def test_a_fault_is_named_with_its_place_and_the_nearest_valid_name(
    small_config: Write, old: str, new: str, place: str, telling: str
) -> None:
    path = small_config(old, new)
    lines = f"{path}:{refusal(path)}".splitlines()
    assert any(line.startswith(f"{path}:{place}: ") and telling in line for line in lines)
    assert all(re.match(rf"{re.escape(str(path))}:\d+:\d+: ", line) for line in lines)


def test_all_faults_are_told_together(small_config: Write) -> None:
    path = small_config("seed: 7", "sede: 7\nfolds: 3\nrepeats: 0")
    path.write_text(path.read_text().replace("- monks", "- monk").replace("adaboost", "adabost"))
    faults = [line.split(": ")[1] for line in f": {refusal(path)}".splitlines()][1:]
    starts = ("unknown key 'folds'", "repeats must", "unknown data set", "unknown algorithm")
    assert [text.startswith(start) for text, start in zip(faults, starts, strict=True)] == [
        True
    ] * 4
    path = small_config("- monks", "- {name: monks, view: nix}")
    text = path.read_text().replace("as: people", "view: nax").replace("lam:", "lamda:")
    path.write_text(text.replace("{n_rounds: 5}", "{n_rounds: x}"))
    assert re.findall(r"^\S*?:(\d+):", f":{refusal(path)}", re.M) == ["6", "7", "12", "15"]


def test_names_that_occur_twice_are_told_with_other_faults(small_config: Write) -> None:
    path = small_config("seed: 7", "seed: 7\nmetrics: [auc, auc]\nheadline: f1")
    text = path.read_text().replace("name: ada\n", "name: quadboost-l2\n").replace("lam:", "lamda:")
    path.write_text(text.replace("as: people", "as: monks, view: nix"))
    message = refusal(path)
    for telling in ("algorithm 'quadboost-l2'", "metric 'auc'", "row 'monks'"):
        assert f": duplicate {telling}" in message
    for telling in ("'f1' is not listed", "the card of titanic has no view", "'lamda'; did you"):
        assert telling in message


ADABOOST = {"name": "adaboost", "grid": {"n_rounds": 5}}
QUADBOOST = {"name": "quadboost-l2", "grid": {"n_rounds": [10, 20], "lam": [10, 1]}}
BOTH = {
    "datasets": ["monks", {"name": "titanic", "as": "people"}],
    "algorithms": [QUADBOOST, ADABOOST],
}
SAMPLE = {"sample": {"train": 20, "test": 30}, "folds": 0}
OF_SAMPLE = {"protocol": {"view": "default", **SAMPLE}, "algorithms": ["boosting"]}


def over(field: str, *values: Any) -> dict[str, Any]:
    """Return the key of a sweep."""
    return {"sweeps": [{"over": field, "values": [*values]}]}


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
    fault_place, message = fault_of(**keys)
    assert (fault_place, telling in message) == (place, True), message


SVC_ITSELF = {"name": "sklearn:SVC"}
OWN_WAY = SVC_ITSELF | {"nominal": "categories"}
RIDGE = {"name": "sklearn:Ridge"}
LINEAR_SVM = {"name": "svm", "algorithm": "sklearn:LinearSVC", "grid": {"C": [1, 2]}}
ROUNDS = "the validation error of the hold-out chooses n_rounds: leave it out of the grid"
OF_ROW = {"name": "monks", "grid": {"n_rounds": [3]}}
OUTER_5 = {"name": "monks", "protocol": {"split": {"outer": 5}}}
SPLIT = "protocol.split.outer"
OF_NUMBERS = "the view of m1 predicts a number, but test_error measures classes: use train_mse or"
NO_VOTERS = "sklearn:SVC has no voters, which the measure voters needs: give it others"
EVERY = "adaboost_exponential_bound needs every round: give n_rounds as 1, 2, 3 ..., all else one"
NO_PROBABILITIES = "has no probabilities, which choose_by: "
OWN_MEASURE = SVC_ITSELF | {"measures": ["voters"]}
ROWS_MEASURE = {"name": "monks", "protocol": {"measures": ["voters"]}}
ROWS_GRID = {"name": "monks", "grid": {"n_rounds": [1, 10]}}


def outer(folds: str) -> dict[str, Any]:
    return {"folds": 0, "split": {"outer": folds}}


def measured(*names: str) -> dict[str, Any]:
    return {"folds": 0, "measures": [*names]}


def of_rounds(values: Any) -> dict[str, Any]:
    return {**ADABOOST, "grid": {"n_rounds": values}, "measures": ["adaboost_exponential_bound"]}


@pytest.mark.parametrize(
    ("protocol", "row", "algorithm", "place", "telling"),
    [
        ({"inputs": "voters"}, "monks", OWN_WAY, "algorithms.0.nominal", "nominal"),
        ({"noise": {"deviation": 0.1}}, "monks", OWN_WAY, "algorithms.0.nominal", "nominal"),
        ({"holdout": {}}, "monks", "lpboost", "algorithms.0", "lpboost needs a voter matrix"),
        ({"holdout": {}}, "monks", ADABOOST, "algorithms.0.grid.n_rounds", ROUNDS),
        ({"holdout": {}}, OF_ROW, "ebboost", "datasets.0.grid.n_rounds", ROUNDS),
        ({}, "monks", RIDGE, "datasets.0", "but sklearn:Ridge predicts a number"),
        ({}, "m1", ADABOOST, "datasets.0", "the view of m1 predicts a number, but adaboost"),
        ({}, "pima", RIDGE, "datasets.0", "pima has classes, but sklearn:Ridge predicts a number"),
        (outer("2y3"), "monks", ADABOOST, SPLIT, "must be a number of folds of at least 2"),
        (outer("2x3"), OUTER_5, ADABOOST, f"datasets.0.{SPLIT}", "5 repeats, but 6 are asked"),
        (measured("train_mse", "test_error"), "m1", RIDGE, "datasets.0", OF_NUMBERS),
        (measured(), "m1", RIDGE | {"measures": ["test_error"]}, "datasets.0", OF_NUMBERS),
        (measured("train_error"), "wine", ADABOOST, "datasets.0", "wine has more than two classes"),
        (measured("voters"), "monks", SVC_ITSELF, "algorithms.0", NO_VOTERS),
        (measured("train_error"), "monks", OWN_MEASURE, "algorithms.0.measures", NO_VOTERS),
        (measured(), ROWS_MEASURE, SVC_ITSELF, "datasets.0", NO_VOTERS),
        (measured(), "monks", of_rounds([1, 2, 4]), "algorithms.0.measures", EVERY),
        (measured(), "monks", of_rounds([2, 3]), "algorithms.0.measures", EVERY),
        (measured(), ROWS_GRID, of_rounds([1, 2, 3]), "datasets.0", EVERY),
        ({"choose_by": "log_loss"}, "monks", "quadboost-l2", "algorithms.0", NO_PROBABILITIES),
        ({"choose_by": "brier"}, "monks", LINEAR_SVM, "algorithms.0.algorithm", NO_PROBABILITIES),
        ({"choose_by": "acu"}, "monks", ADABOOST, "protocol.choose_by", "did you mean 'auc'?"),
    ],
)
def test_an_algorithm_that_does_not_fit_protocol_or_row_is_refused_with_its_place(
    protocol: dict[str, Any], row: Any, algorithm: Any, place: str, telling: str
) -> None:
    keys = {"protocol": {"view": "default", **protocol}, "datasets": [row]}
    fault_place, message = fault_of(**keys, algorithms=[algorithm])
    assert (fault_place, telling in message) == (place, True), message


LINEAR = {"from": 1, "to": 9, "points": 9, "scale": "linear"}


@pytest.mark.parametrize(
    ("protocol", "row", "algorithm"),
    [
        (measured(), "monks", of_rounds(LINEAR)),
        (measured(), {"name": "monks", "grid": {"n_rounds": [1, 2]}}, of_rounds([1, 2, 3])),
        ({"choose_by": "auc"}, "monks", "quadboost-l2"),
        ({"choose_by": "auc"}, "monks", LINEAR_SVM),
        ({"choose_by": "log_loss"}, "monks", LINEAR_SVM | {"grid": {}}),
        ({"choose_by": "neg_log_loss"}, "monks", {**ADABOOST, "grid": {"n_rounds": [5]}}),
    ],
)
def test_an_algorithm_with_all_that_measures_and_choice_need_is_taken(
    protocol: dict[str, Any], row: Any, algorithm: Any
) -> None:
    keys = {"protocol": {"view": "default", **protocol}, "datasets": [row]}
    assert plan_of(**keys, algorithms=[algorithm]).cells


def named(name: str) -> dict[str, Any]:
    return {**ADABOOST, "name": name, "algorithm": "adaboost", "label": "X"}


ESTIMATORS = ", but quadrepro:AdaBoostClassifier"


@pytest.mark.parametrize(
    ("algorithms", "telling"),
    [
        ([ADABOOST | {"settings": {"class_weight": 1}}], f"setting 'class_weight'{ESTIMATORS}"),
        ([ADABOOST | {"grid": {"class_weight": 1}}], f"hyper-parameter 'class_weight'{ESTIMATORS}"),
        ([ADABOOST | {"settings": {"n_rounds": 5}}], "setting 'n_rounds': give n_rounds in grid"),
        ([named("a"), named("b")], "duplicate title 'X'"),
    ],
)
def test_a_setting_of_the_estimator_alone_or_a_title_of_two_columns_is_refused(
    algorithms: list[dict[str, Any]], telling: str
) -> None:
    place, message = fault_of(algorithms=algorithms)
    assert place.startswith("algorithms")
    assert telling in message


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n"])
def test_a_config_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    assert refusal(path).startswith("1:1: the document must be a mapping of keys to values")


def test_repeats_follow_from_outer_folds() -> None:
    keys = {"protocol": {"view": "quadboost", **outer("2x3")}}
    for repeats in ({}, {"repeats": 6}):
        assert plan_of(**keys, **repeats).experiment.config.repeats == 6
    message = "outer: 2x3 makes 6 repeats, but 5 are asked for"
    assert message in fault_of(**keys, repeats=5)[1]
    with pytest.raises(ConfigError, match="makes 6 repeats, but 2 are asked for"):
        plan_of(2, **keys)


def test_an_algorithm_fits_the_protocol_of_every_value_of_a_sweep() -> None:
    sweep = {"over": "protocol.noise.deviation", "values": [0, 0.3]}
    protocol = {"view": "default", "noise": {"deviation": 0}}
    place, message = fault_of(protocol=protocol, sweeps=[sweep], algorithms=[OWN_WAY])
    assert (place, "nominal needs attributes as they are" in message) == ("algorithms.0.nominal", 1)
