"""What is wrong with a config is named with its place and the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quadrepro.errors import ConfigError
from tests.make import fault_of, plan_of, refusal

Write = Callable[..., Path]
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
    found = [line.split(": ")[1] for line in f": {refusal(path)}".splitlines()][1:]
    starts = ("unknown key 'folds'", "repeats must", "unknown data set", "unknown algorithm")
    assert [text.startswith(start) for text, start in zip(found, starts, strict=True)] == [True] * 4
    path = small_config("- monks", "- {name: monks, view: nix}")
    text = path.read_text().replace("as: people", "view: nax").replace("lam:", "lamda:")
    path.write_text(text.replace("{n_rounds: 5}", "{n_rounds: x}"))
    assert re.findall(r"^\S*?:(\d+):", f":{refusal(path)}", re.M) == ["6", "7", "12", "15"]


ADABOOST = {"name": "adaboost", "grid": {"n_rounds": 5}}
OWN_WAY = {"name": "sklearn:SVC", "nominal": "categories"}
ROUNDS = "the validation error chooses the rounds"
OF_ROW = {"name": "monks", "grid": {"n_rounds": [3]}}
OUTER_5 = {"name": "monks", "protocol": {"split": {"outer": 5}}}
SPLIT = "protocol.split.outer"


def outer(folds: str) -> dict[str, Any]:
    return {"folds": 0, "split": {"outer": folds}}


@pytest.mark.parametrize(
    ("protocol", "row", "algorithm", "place", "telling"),
    [
        ({"inputs": "voters"}, "monks", OWN_WAY, "algorithms.0.nominal", "nominal"),
        ({"noise": {"deviation": 0.1}}, "monks", OWN_WAY, "algorithms.0.nominal", "nominal"),
        ({"holdout": {}}, "monks", "lpboost", "algorithms.0", "lpboost needs a voter matrix"),
        ({"holdout": {}}, "monks", ADABOOST, "algorithms.0.grid.n_rounds", ROUNDS),
        ({"holdout": {}}, OF_ROW, "ebboost", "datasets.0.grid.n_rounds", ROUNDS),
        ({}, "monks", "sklearn:Ridge", "datasets.0", "but sklearn:Ridge predicts a number"),
        ({}, "m1", ADABOOST, "datasets.0", "the view of m1 predicts a number, but adaboost"),
        (outer("2y3"), "monks", ADABOOST, SPLIT, "must be a number of folds of at least 2"),
        (outer("2x3"), OUTER_5, ADABOOST, f"datasets.0.{SPLIT}", "5 repeats, but 6 are asked"),
    ],
)
def test_an_algorithm_that_does_not_fit_protocol_or_row_is_refused_with_its_place(
    protocol: dict[str, Any], row: Any, algorithm: Any, place: str, telling: str
) -> None:
    protocol = {"view": "default", **protocol}
    found, message = fault_of(protocol=protocol, datasets=[row], algorithms=[algorithm])
    assert (found, telling in message) == (place, True), message


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
