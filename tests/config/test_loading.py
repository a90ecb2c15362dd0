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
from quadrepro.errors import ConfigError

Write = Callable[..., Path]


def test_a_config_becomes_an_experiment_with_its_files_name(small_config: Write) -> None:
    experiment = load_experiment(small_config(name="mine"))
    config = experiment.config
    assert experiment.name == "mine"
    assert [d.title for d in config.datasets] == ["monks", "people"]
    assert [*config.titles.values()] == ["QuadBoost-L2", "AdaBoost"]
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


def test_an_entry_can_name_a_view_of_its_card(small_config: Write) -> None:
    path = small_config("  - monks", "  - {name: orange, as: o, view: q2}")
    assert load_experiment(path).views["o"] == load_card("orange").views["q2"]


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


FAULTS = [
    ("title: Small", "titel: Small", "1:1: unknown key 'titel'; did you mean 'title'?"),
    ("title: Small\n", "", "the key 'title' is missing"),
    ("seed: 7", "seed: -1", "2:1: seed must be at least 0, not -1"),
    ("seed: 7", "seed: seven", "2:1: seed must be a whole number, not 'seven'"),
    ("seed: 7", "repeats: 0", "2:1: repeats must be at least 1, not 0"),
    (
        "  view: quadboost",
        "  view: quadbost",
        "6:5: the card of monks has no view 'quadbost'; did you mean 'quadboost'?",
    ),
    ("  view: quadboost", "  view: quadboost\n  folds: 1", "5:3: one fold leaves nothing to train"),
    (
        "  view: quadboost",
        "  view: quadboost\n  split: {at_mst: 3}",
        "5:11: unknown key 'at_mst'; did you mean 'at_most'?",
    ),
    (
        "  view: quadboost",
        "  view: quadboost\n  normalise: tan",
        "5:3: normalise must be 'tanh' or 'none', not 'tan'",
    ),
    ("- monks", "- monk", "6:5: unknown data set 'monk'; did you mean 'monks'?"),
    (
        "as: people",
        "az: people",
        "7:21: unknown key 'az'; known are as, grid, name, parameters, printed",
    ),
    (
        "as: people",
        "protocol: {fold: 3}",
        "7:32: unknown key 'fold'; did you mean 'folds'?",
    ),
    ("as: people", "protocol: {holdout: {}}", "7:21: either all rows have a holdout or none"),
    ("as: people", "as: monks", "7:5: duplicate data set 'monks'"),
    (
        "as: people",
        "view: {positive: [yes]}",
        "7:39: titanic has no label 'yes'; did you mean 'Yes'?",
    ),
    ("as: people", "view: {positiv: [Yes]}", "7:28: unknown key 'positiv'; did you mean"),
    (
        "as: people",
        "view: {missing: zero}",
        "7:28: missing must be 'mean', 'low' or 'drop', not 'zero'",
    ),
    ("as: people", "view: quadbost", "7:21: the card of titanic has no view 'quadbost'; did you"),
    ("as: people", "view: 3", "7:21: view must be the name of a view, or map its fields to"),
    (
        "as: people",
        "view: {positive: yes}",
        "7:28: positive must be a list of labels, such as [yes], or",
    ),
    (
        "as: people",
        "view: {positive: {at_mos: 1}}",
        "7:39: unknown key 'at_mos'; did you mean 'at_most'?",
    ),
    ("as: people", "view: {part: train}", "titanic has no part 'train'; it is not divided"),
    ("as: people", "view: {positive: {at_most: 1}}", "is a label, so positive must list labels"),
    ("as: people", "view: {positive: [Yes, No]}", "all labels of titanic are positive"),
    ("- name: quadboost-l2", "- name: quadbost-l2", "9:5: unknown algorithm 'quadbost-l2'; did"),
    ("algorithm: adaboost", "algorithm: adabost", "14:5: unknown algorithm 'adabost'; did you"),
    ("name: ada\n", "name: quadboost-l2\n", "13:5: duplicate algorithm 'quadboost-l2'"),
    ("      lam:", "      lamda:", "12:7: quadboost-l2 has no hyper-parameter 'lamda'; did you"),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: []}", "15:12: the list of values is empty"),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: [5.5]}", "n_rounds takes whole numbers, not 5.5"),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: [5, 3]}", "n_rounds must increase"),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: [-5]}", "n_rounds must be positive"),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: five}", "15:12: "),
    ("grid: {n_rounds: 5}", "grid: {n_rounds: 1e400}", "15:22: 1e400 is beyond the range of"),
    (
        "{from: 10, to: 1, points: 2}",
        "{from: 10, to: 1, points: 10001}",
        "12:30: points must be at most 10000, not 10001",
    ),
    (
        "n_rounds: [10, 20]\n      lam: {from: 10, to: 1, points: 2}",
        f"n_rounds: {list(range(1, 12))}\n      lam: {{from: 10, to: 1, points: 10000}}",
        "10:5: quadboost-l2 has 110,000 candidates: at most 100,000",
    ),
    (
        "algorithms:",
        f"sweeps: [{{over: protocol.stumps_per_attribute, values: {[2] * 1001}}}]\nalgorithms:",
        "8:1: the table has 2,002 rows: at most 2,000",
    ),
    (
        "seed: 7",
        "repeats: 25001",
        "2:1: 2 rows, 2 algorithms and 25001 repeats make 100,004 cells: at most 100,000",
    ),
    (
        "{from: 10, to: 1, points: 2}",
        "{from: 10, to: 1}",
        "give either a list of values, or all of from",
    ),
    (
        "{from: 10, to: 1, points: 2}",
        "{from: 0, to: 1, points: 2}",
        "12:7: from must be greater than 0",
    ),
    ("{from: 10, to: 1, points: 2}", "{from: 1, to: 9, points: 2}", "lam must decrease"),
    ("algorithm: adaboost", "algorithm: adaboost\n    settings: {tol: 1}", "no setting 'tol'"),
    (
        "- name: quadboost-l2",
        "- name: quadboost-l2\n    settings: {reweight: maybe}",
        "10:16: reweight must be true or false, not 'maybe'",
    ),
    (
        "datasets:\n  - monks\n  - {name: titanic, as: people}\n",
        "datasets: []\n",
        "5:1: datasets must list at least one",
    ),
    ("datasets:\n", "datasets: monks\nunused:\n", "unknown key 'unused'"),
    (
        "- name: ada\n    algorithm: adaboost\n    grid: {n_rounds: 5}",
        "- ada",
        "13:5: unknown algorithm 'ada'; the nearest of",
    ),
    (
        "- name: ada\n    algorithm: adaboost\n    grid: {n_rounds: 5}",
        "- 3",
        "13:5: item 2 of algorithms must be a mapping of keys to values, not 3",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_a_fault_is_named_with_its_place_and_the_nearest_valid_name(
    small_config: Write, old: str, new: str, message: str
) -> None:
    path = small_config(old, new)
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    text = str(caught.value)
    assert message in text
    assert all(re.match(rf"{re.escape(str(path))}:\d+:\d+: ", line) for line in text.splitlines())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - monks\n", "  - monk\n" * 2000, "5:1: the table has 2,001 rows: at most 2,000"),
        (
            "algorithms:",
            f"sweeps: [{{over: grid.n_rounds, values: {[0] * 1001}}}]\nalgorithms:",
            "8:1: the table has 2,002 rows: at most 2,000",
        ),
        (
            "algorithms:",
            "readings:\n" + "  - {nam: a}\n" * 1000 + "algorithms:",
            "8:1: the table has 2,002 rows: at most 2,000",
        ),
        (
            "algorithms:\n",
            "algorithms:\n" + "  - adabost\n" * 50_000,
            "1:1: 2 rows, 50002 algorithms and 1 repeats make 100,004 cells: at most 100,000",
        ),
        (
            "seed: 7\n",
            "seed: 7\nabsent:\n" + "  - a\n" * 2001,
            "3:1: the table has 2,001 rows: at most 2,000",
        ),
    ],
)
def test_what_is_too_much_is_refused_before_any_of_it_is_checked(
    small_config: Write, old: str, new: str, message: str
) -> None:
    path = small_config(old, new)
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert str(caught.value) == f"{path}:{message}"


def test_a_view_names_a_hundred_of_its_mistakes(small_config: Write) -> None:
    names = ", ".join(f"x{i}" for i in range(300))
    path = small_config("as: people", f"view: {{exclude: [{names}]}}")
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert str(caught.value).count("titanic has no attribute") == 100


def test_one_fault_is_one_line(small_config: Write) -> None:
    path = small_config("  - {name: titanic, as: people}\n", "")
    path.write_text(path.read_text().replace("- monks", "- monk"))
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert len(str(caught.value).splitlines()) == 1


def test_several_faults_are_named_at_once(small_config: Write) -> None:
    path = small_config("seed: 7", "seed: -1\nrepeats: 0")
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("text", ["", "- a\n", "just words\n"])
def test_a_config_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="a config must be a mapping"):
        load_experiment(path)


def test_the_name_of_a_config_is_utf8(small_config: Write) -> None:
    path = small_config(name=os.fsdecode(b"caf\xe9"))
    with pytest.raises(ConfigError, match=r"the name of a config must be UTF-8"):
        load_experiment(path)
