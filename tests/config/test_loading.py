from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pydantic_core import PydanticCustomError

from quadrepro.config.config import load_experiment
from quadrepro.config.datasets import DatasetEntry
from quadrepro.data.card import View, load_card
from tests.refusals import refusal

Write = Callable[..., Path]


def test_a_config_becomes_an_experiment_with_its_files_name(small_config: Write) -> None:
    experiment = load_experiment(small_config(name="mine"))
    config = experiment.config
    assert experiment.name == "mine"
    assert [d.title for d in config.datasets] == ["monks", "people"]
    assert [*config.titles.values()] == [
        "QuadBoost-L2 (10 stumps per attribute)",
        "AdaBoost (10 stumps per attribute)",
    ]
    assert (config.protocol.folds, config.protocol.split.at_most, config.repeats) == (5, 500, 1)


def test_axes_are_lists_numbers_or_logarithmic_scales(small_config: Write) -> None:
    first, second = load_experiment(small_config()).config.algorithms
    rng = np.random.default_rng(0)
    (grid,) = first.make_grids(rng)
    assert grid.axes == (("n_rounds", (10, 20)), ("lam", (10.0, 1.0)))
    (grid,) = second.make_grids(rng)
    assert grid.axes == (("n_rounds", (5,)),)


def test_repeats_can_be_given_from_outside(small_config: Write) -> None:
    assert load_experiment(small_config(), repeats=4).config.repeats == 4


def test_what_an_entry_says_is_a_view_of_its_own_where_the_card_has_none(
    small_config: Write,
) -> None:
    bare = load_card("monks").model_copy(update={"views": {}})
    entry = DatasetEntry(name="monks", view={"positive": ["1"], "nominal": "one-hot"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quadrepro.config.datasets.load_card", lambda name: bare)
        assert entry.resolve("quadboost") == View(positive=("1",), nominal="one-hot")
        with pytest.raises(PydanticCustomError, match="the card of monks has no view 'quadboost'"):
            DatasetEntry(name="monks").resolve("quadboost")


def test_a_view_is_the_cards_with_the_entrys_changes(small_config: Write) -> None:
    path = small_config("  - monks", "  - {name: monks, view: {positive: [0], missing: low}}")
    view = load_experiment(path).views["monks"]
    assert (view.positive, view.missing) == (("0",), "low")


VIEW = "view: quadboost"
L2 = "- name: quadboost-l2"
ADA = "- name: ada\n    algorithm: adaboost\n    grid: {n_rounds: 5}"
LAM = "{from: 10, to: 1, points: 2}"
ONE = "grid: {n_rounds: 5}"
MANY = f"n_rounds: {list(range(1, 12))}\n      lam: {{from: 10, to: 1, points: 10000}}"


@pytest.mark.parametrize(
    ("old", "new", "place", "telling"),
    [
        ("title: Small", "titel: Small", "1:1", "unknown key 'titel'; did you mean 'title'?"),
        ("title: Small\n", "", "1:1", "the key 'title' is missing"),
        ("seed: 7", "seed: -1", "2:1", "seed must be at least 0, not -1"),
        ("seed: 7", "seed: seven", "2:1", "seed must be a whole number, not 'seven'"),
        ("seed: 7", "repeats: 0", "2:1", "repeats must be at least 1, not 0"),
        (VIEW, "view: quadbost", "6:5", "the card of monks has no view 'quadbost'; did you mean"),
        (VIEW, f"{VIEW}\n  split: {{at_mst: 3}}", "5:11", "'at_mst'; did you mean 'at_most'?"),
        (
            VIEW,
            f"{VIEW}\n  normalise: tan",
            "5:3",
            "'tanh' or 'none', not 'tan'",
        ),
        ("- monks", "- monk", "6:5", "unknown data set 'monk'; did you mean 'monks'?"),
        ("as: people", "az: people", "7:21", "unknown key 'az'; known are as, grid, name, param"),
        ("as: people", "as: monks", "7:5", "duplicate data set 'monks'"),
        ("as: people", "view: {positive: [yes]}", "7:39", "no label 'yes'; did you mean 'Yes'?"),
        ("as: people", "view: 3", "7:21", "view must be the name of a view, or map its fields to"),
        ("as: people", "view: {positive: yes}", "7:28", "must be a list of labels, such as [yes],"),
        (
            "as: people",
            "view: {positive: {at_mos: 1}}",
            "7:39",
            "'at_mos'; did you mean 'at_most'?",
        ),
        ("as: people", "view: {part: train}", "7:28", "has no part 'train'; it is not divided"),
        ("as: people", "view: {positive: {at_most: 1}}", "7:28", "so positive must list labels"),
        ("as: people", "view: {positive: [Yes, No]}", "7:28", "all labels of titanic are positive"),
        (L2, "- name: quadbost-l2", "9:5", "unknown algorithm 'quadbost-l2'; did you mean"),
        ("algorithm: adaboost", "algorithm: adabost", "14:5", "unknown algorithm 'adabost'; did"),
        ("name: ada\n", "name: quadboost-l2\n", "13:5", "duplicate algorithm 'quadboost-l2'"),
        ("      lam:", "      lamda:", "12:7", "no hyper-parameter 'lamda'; did you mean 'lam'?"),
        (ONE, "grid: {n_rounds: []}", "15:12", "the list of values is empty"),
        (ONE, "grid: {n_rounds: [5.5]}", "15:12", "n_rounds takes whole numbers, not 5.5"),
        (ONE, "grid: {n_rounds: [5, 3]}", "15:12", "n_rounds must increase"),
        (ONE, "grid: {n_rounds: [-5]}", "15:12", "n_rounds must be positive"),
        (ONE, "grid: {n_rounds: five}", "15:12", "n_rounds takes numbers, not 'five'"),
        (ONE, "grid: {n_rounds: 1e400}", "15:22", "1e400 is beyond the range of"),
        (LAM, "{from: 10, to: 1, points: 10001}", "12:30", "must be at most 10000, not 10001"),
        (
            f"n_rounds: [10, 20]\n      lam: {LAM}",
            MANY,
            "10:5",
            "110,000 candidates: at most 100,000",
        ),
        ("seed: 7", "repeats: 25001", "2:1", "25001 repeats make 100,004 cells: at most 100,000"),
        (LAM, "{from: 10, to: 1}", "12:7", "give either a list of values, or all of from"),
        (LAM, "{from: 0, to: 1, points: 2}", "12:7", "from must be greater than 0"),
        (LAM, "{from: 1, to: 9, points: 2}", "12:7", "lam must decrease"),
        ("algorithm: adaboost", "algorithm: adaboost\n    settings: {tol: 1}", "15:16", "'tol'"),
        (L2, f"{L2}\n    settings: {{reweight: maybe}}", "10:16", "true or false, not 'maybe'"),
        ("datasets:\n", "datasets: []\nreadings:\n", "5:1", "datasets must list at least one"),
        ("datasets:\n", "datasets: monks\nunused:\n", "6:1", "unknown key 'unused'"),
        (ADA, "- ada", "13:5", "unknown algorithm 'ada'; the nearest of"),
        (ADA, "- ada", "13:5", "; others by import path, such as xgboost:XGBClassifier"),
        (ADA, "- 3", "13:5", "item 2 of algorithms must be a mapping of keys to values, not 3"),
    ],
)
def test_a_fault_is_named_with_its_place_and_the_nearest_valid_name(
    small_config: Write, old: str, new: str, place: str, telling: str
) -> None:
    path = small_config(old, new)
    text = f"{path}:{refusal(path)}"
    assert f"{path}:{place}: " in text
    assert telling in text
    assert all(re.match(rf"{re.escape(str(path))}:\d+:\d+: ", line) for line in text.splitlines())


@pytest.mark.parametrize(
    ("before", "added", "place", "telling"),
    [
        ("  - monks\n", "  - monk\n" * 1999, "5:1", "the table has 2,001 rows: at most 2,000"),
        ("algorithms:", "readings:\n" + "  - {nam: a}\n" * 1000, "8:1", "has 2,002 rows: at most"),
        ("title:", "absent:\n" + "  - a\n" * 2001, "1:1", "has 2,001 rows: at most"),
        (
            "algorithms:",
            f"sweeps: [{{over: grid.n_rounds, values: {[0] * 1001}}}]\n",
            "8:1",
            "has 2,002 rows: at most",
        ),
        (
            L2,
            "- adabost\n  " * 50_000,
            "1:1",
            "2 rows, 50002 algorithms and 1 repeats make 100,004 cells: at most 100,000",
        ),
    ],
)
def test_what_is_too_much_is_refused_before_any_of_it_is_checked(
    small_config: Write, before: str, added: str, place: str, telling: str
) -> None:
    message = refusal(small_config(before, f"{added}{before}"))
    assert message.startswith(f"{place}: ")
    assert telling in message
    assert "\n" not in message


def test_a_view_names_a_hundred_of_its_mistakes(small_config: Write) -> None:
    names = ", ".join(f"x{i}" for i in range(300))
    path = small_config("as: people", f"view: {{exclude: [{names}]}}")
    assert refusal(path).count("titanic has no attribute") == 100


def test_one_fault_is_one_line(edited: Write) -> None:
    path = edited({"  - {name: titanic, as: people}\n": "", "- monks": "- monk"})
    assert "\n" not in refusal(path)


def test_several_faults_are_named_at_once(small_config: Write) -> None:
    assert refusal(small_config("seed: 7", "seed: -1\nrepeats: 0")).count("\n") == 1


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n"])
def test_a_config_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    assert "a config must be a mapping" in refusal(path)


def test_the_name_of_a_config_is_utf8(small_config: Write) -> None:
    path = small_config(name=os.fsdecode(b"caf\xe9"))
    assert "the name of a config must be UTF-8" in refusal(path)
