"""What is wrong with a config is named with its place and the nearest valid name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from tests.make import assert_refused, cells_of, refusal

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
        ("title: Small\n", "", "1:1", "the key 'title' is missing"),
        ("seed: 7", "seed: -1", "2:1", "seed must be at least 0, not -1"),
        ("seed: 7", "folds: 3", "2:1", "unknown key 'folds'; write it below protocol"),
        ("seed: 7", "metrics: [auk]", "2:11", "unknown metric 'auk'; did you mean 'auc'?"),
        ("seed: 7", "metrics: [auc]\nheadline: auk", "3:1", "did you mean 'auc'?"),
        ("seed: 7", "repeats: 25001", "2:1", "25001 repeats make 100,004 cells: at most 100,000"),
        (VIEW, f"{VIEW}\n  split: {{at_mst: 3}}", "5:11", "'at_mst'; did you mean 'at_most'?"),
        (VIEW, f"{VIEW}\n  folds: 1", "5:3", "one fold leaves nothing to train on"),
        (VIEW, f"{VIEW}\n  voter_set: StandardScalar", "5:3", "did you mean 'StandardScaler'?"),
        ("- monks", "- monk", "6:5", "unknown data set 'monk'; did you mean 'monks'?"),
        ("- monks", "- wines.csv", "6:5", "with `quadrepro init wines.csv --target COLUMN`"),
        (VIEW, "view: quadbost", "6:5", "the card of monks has no view 'quadbost'; did you mean"),
        (VIEW, "view: mine", "6:5", "take another one by {name: monks, view: "),
        ("as: people", "as: monks", "7:5", "duplicate row 'monks'"),
        ("as: people", "view: nix", "7:21", "the card of titanic has no view 'nix'"),
        ("as: people", "view: 3", "7:21", "view must be text or a mapping"),
        ("as: people", "view: {positive: {at_mos: 1}}", "7:39", "did you mean 'at_most'?"),
        ("as: people", "protocol: {view: q2}", "7:32", "the view of a row is set by its own key"),
        ("as: people", "protocol: {holdout: {}}", "7:21", "either all rows have a holdout or"),
        ("as: people", "protocol: {split: {time: aeg}}", "7:40", "did you mean 'age'?"),
        ("as: people", "settings: {reweigh: 1}", "7:21", "setting 'reweigh'; did you mean"),
        ("as: people", "settings: {reweight: 2.5}", "7:21", "true or false, not 2.5"),
        ("as: people", "grid: {lamda: [1]}", "7:28", "hyper-parameter 'lamda'; did you mean"),
        ("as: people", "grid: {lam: [1, 2]}", "7:28", "the values of lam must decrease"),
        ("as: people", "parameters: {sigma: 1}", "7:21", "only used by a fresh sample: set sam"),
        ("as: people", "protocol: {measures: [massart]}", "7:21", "kept only if nothing is chosen"),
        (L2, "- name: quadbost-l2", "9:5", "unknown algorithm 'quadbost-l2'; did you mean"),
        (ADA, "- ada", "13:5", "; others by import path, such as xgboost:XGBClassifier"),
        ("name: ada\n", "name: quadboost-l2\n", "13:5", "duplicate algorithm 'quadboost-l2'"),
        ("      lam:", "      lamda:", "12:7", "no hyper-parameter 'lamda'; did you mean 'lam'?"),
        (LAM, "{from: 1, to: 9, points: 2}", "12:7", "lam must decrease"),
        (ONE, "grid: {n_rounds: [5.5]}", "15:12", "n_rounds takes whole numbers, not 5.5"),
        (ONE, "draw: {n_rounds: {log: [1, 9]}}", "15:12", "whole numbers: draw integers"),
        (ONE, "draw: {n_rounds: {integers: [0, 5]}}", "15:12", "positive and finite, not 0"),
        (ONE, f"{ONE}\n    draw: {{n_rounds: [5]}}", "16:12", "n_rounds has another value"),
        (L2, f"{L2}\n    settings: {{reweight: maybe}}", "10:16", "true or false, not 'maybe'"),
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


def test_faults_of_keys_names_and_values_are_told_together(small_config: Write) -> None:
    path = small_config("seed: 7", "sede: 7\nfolds: 3\nrepeats: 0")
    path.write_text(path.read_text().replace("- monks", "- monk").replace("adaboost", "adabost"))
    assert [line.split(": ")[1] for line in f": {refusal(path)}".splitlines()][1:] == [
        "unknown key 'folds'; write it below protocol",
        "repeats must be at least 1, not 0",
        "unknown data set 'monk'; did you mean 'monks'?",
        "unknown algorithm 'adabost'; did you mean 'adaboost'?; others by import path, such as"
        " xgboost:XGBClassifier",
    ]


def test_faults_of_every_row_and_column_are_told_together(small_config: Write) -> None:
    path = small_config("- monks", "- {name: monks, view: nix}")
    text = path.read_text().replace("as: people", "view: nax").replace("lam:", "lamda:")
    path.write_text(text.replace("{n_rounds: 5}", "{n_rounds: x}"))
    assert re.findall(r"^\S*?:(\d+):", f":{refusal(path)}", re.M) == ["6", "7", "12", "15"]


@pytest.mark.parametrize("line", ["inputs: voters", "noise: {deviation: 0.1}"])
def test_categories_are_refused_where_attributes_are_changed(edited: Write, line: str) -> None:
    own = "algorithm: sklearn:SVC\n    nominal: categories"
    changes = {OF_ADA: own, f"{VIEW}\n": f"{VIEW}\n  {line}\n"}
    assert_refused(edited(changes), "16:5", "nominal")


def test_the_rounds_that_a_hold_out_chooses_cannot_be_given(edited: Write) -> None:
    changes = {f"{VIEW}\n": f"{VIEW}\n  holdout: {{}}\n", L2: "- name: lpboost"}
    changes["grid:\n      n_rounds: [10, 20]\n      lam: {from: 10, to: 1, points: 2}"] = "note: x"
    assert_refused(edited(changes), "10:5", "lpboost needs a voter matrix")
    changes[L2] = "- name: adaboost"
    assert_refused(edited(changes), "14:12", "the validation error chooses the rounds")
    changes |= {f"{ADA}\n": "- ebboost\n", "- monks": "- {name: monks, grid: {n_rounds: [3]}}"}
    assert_refused(edited(changes), "7:26", "the validation error chooses the rounds")


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n"])
def test_a_config_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    assert refusal(path) == "1:1: a config must be a mapping of keys to values"


OUTER = """title: Outer
protocol: {view: quadboost, folds: 0, split: {outer: 2x3}}
datasets: [monks]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}]
"""


def test_repeats_follow_from_outer_folds(tmp_path: Path) -> None:
    path = tmp_path / "outer.yaml"
    for text in (OUTER, f"{OUTER}repeats: 6\n"):
        path.write_text(text)
        assert load_experiment(path).config.repeats == 6


@pytest.mark.parametrize(
    ("old", "new", "repeats", "message"),
    [
        ("title", "repeats: 5\ntitle", None, "3:47: outer: 2x3 makes 6 repeats, but 5 are asked"),
        ("title", "title", 2, "outer: 2x3 makes 6 repeats, but 2 are asked for"),
        (
            "[monks]",
            "[{name: monks, protocol: {split: {outer: 5}}}]",
            None,
            "3:45: outer: 1x5 makes 5 repeats, but 6 are asked for",
        ),
        ("2x3", "2y3", None, "outer must be a number of folds of 2 or more"),
    ],
)
def test_other_numbers_of_repeats_than_of_outer_folds_are_refused(
    tmp_path: Path, old: str, new: str, repeats: int | None, message: str
) -> None:
    path = tmp_path / "outer.yaml"
    path.write_text(OUTER.replace(old, new))
    assert message in refusal(path, partial(load_experiment, repeats=repeats))


def test_a_learner_of_another_task_is_refused(edited: Write) -> None:
    ridge = edited({OF_ADA: "algorithm: sklearn:Ridge"})
    message = "monks has classes, but sklearn:Ridge predicts a number"
    assert_refused(ridge, "6:5", message, cells_of)
    number = edited({"- monks": "- m1"})
    assert_refused(number, "6:5", "the view of m1 predicts a number, but quadboost-l2", cells_of)
