from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.tables.captions import caption_text, listed
from tests.tables.contexts import loaded

CONFIG = """title: One
seed: 7
repeats: {repeats}
protocol: {{view: {view}, {protocol}}}
datasets: [{data}]
algorithms: [{{name: {algorithm}}}]
{more}
baseline: false
"""


def caption(
    folder: Path,
    protocol: str = "folds: 5",
    data: str = "monks",
    more: str = "",
    algorithm: str = "adaboost, grid: {n_rounds: [1, 2]}",
    view: str = "quadboost",
    repeats: int = 3,
) -> str:
    text = CONFIG.format(
        protocol=protocol,
        data=data,
        more=more,
        algorithm=algorithm,
        view=view,
        repeats=repeats,
    )
    return caption_text(loaded(folder, text).config, "Shown.")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a, b", "c"], "a, b; c"),
    ],
)
def test_words_in_a_list_can_be_told_apart(words: list[str], text: str) -> None:
    assert listed(words) == text


def test_a_caption_is_what_is_shown_and_a_paragraph_on_the_protocol(tmp_path: Path) -> None:
    assert caption(tmp_path) == (
        "Shown.\n\n"
        "In each of 3 random splits, half of the examples, at most 500, are training examples; the "
        "others are test examples. Attributes are standardised and squashed by tanh. Votes are "
        "over decision stumps, 10 per attribute. Hyper-parameters are chosen by cross-validation "
        "on the training examples, with 5 folds. Seed 7.\n"
    )


@pytest.mark.parametrize(
    ("protocol", "sentence"),
    [
        ("split: {train: 0.8, at_most: null}", "a share of 0.8 of the examples are training"),
        ("split: {train: all}, folds: 0", "All examples are both training and test examples."),
        (
            "split: {stratify: true}",
            "the others are test examples. All parts and folds have the same shares of the classes."
            " Attributes",
        ),
        (
            "split: {groups: jacket_color}",
            "In each of 3 random splits, the examples of half of the groups of jacket_color are for"
            " training, at most 500 of them; the others are test examples. No group of jacket_color"
            " is in two parts or folds. Attributes",
        ),
        (
            "split: {groups: jacket_color, stratify: true}",
            "test examples. Folds have the same shares of the classes. No group of jacket_color",
        ),
        (
            "split: {time: jacket_color}",
            "Examples are sorted by jacket_color. The last of them are 3 test parts of equal size,"
            " after training on those before it, at most the latest 500. Attributes",
        ),
        (
            "split: {outer: 3}",
            "The examples are divided at random into 3 folds. Each is tested once, after training"
            " on the others. Attributes",
        ),
        (
            "split: {leave_out: groups, groups: jacket_color}",
            "Each repeat tests the examples of one group of jacket_color, after training on all",
        ),
        (
            "split: {leave_out: rows}",
            "Each repeat tests one example, after training on all others. Attributes",
        ),
        ("split: {openml_task: 59}", "The OpenML task 59 says which examples are tested."),
        (
            "split: {column: jacket_color}",
            "The attribute jacket_color says which examples are tested. Attributes",
        ),
        ("folds: 0", "Nothing is chosen: hyper-parameters are set."),
        ("folds: 0, measures: [test_error]", "Nothing is chosen: all candidates are measured."),
        ("voters: 50", "Votes are over 50 decision stumps, drawn at random from 10 per attribute."),
        (
            "voter_set: {PCA: {n_components: 3}}",
            "Votes are over outputs of PCA, n_components 3.",
        ),
        (
            "voter_set: MinMaxScaler, voters: 5",
            "Votes are over 5 outputs of MinMaxScaler, drawn at random.",
        ),
        ("noise: {deviation: 0.2}", "Normal noise of 0.2 times its range is on each attribute."),
    ],
)
def test_each_part_of_the_protocol_is_said(tmp_path: Path, protocol: str, sentence: str) -> None:
    assert sentence in caption(tmp_path, protocol)


@pytest.mark.parametrize(
    ("holdout", "sentence"),
    [
        ("{}", "chosen by the errors on the validation examples."),
        ("{stumps: {redraw: false}}", "500 drawn once."),
        ("{by: test}", "An oracle chooses hyper-parameters by the errors on the test examples"),
    ],
)
def test_a_holdout_is_said(tmp_path: Path, holdout: str, sentence: str) -> None:
    text = caption(tmp_path, f"folds: 0, holdout: {holdout}", algorithm="adaboost")
    assert sentence in text
    assert "the others are divided into validation and test examples." in text


def test_a_fresh_sample_is_said_and_no_stumps_of_learners_without_votes(tmp_path: Path) -> None:
    text = caption(
        tmp_path,
        "folds: 0, normalise: none, sample: {train: 50, test: 100}",
        data="m1",
        view="default",
        algorithm="boosting, grid: {n_rounds: 5}",
        repeats=1,
    )
    assert text.startswith(
        "Shown.\n\nFor the only repeat, a fresh sample of 50 training and 100 test examples is "
        "drawn. Nothing is chosen"
    )
    assert "stumps" not in text
    assert "tanh" not in text


@pytest.mark.parametrize(
    ("more", "data", "sentence"),
    [
        (
            "sweeps: [{over: protocol.voters, values: [5, 9]}, {over: grid.n_rounds, values: [1]}]",
            "monks",
            "The voters and n_rounds are varied one at a time.",
        ),
        (
            "readings: [{name: raw, protocol: {normalise: none}}]",
            "monks",
            "A row named after a reading changes what its name says.",
        ),
        (
            "",
            "monks, {name: titanic, protocol: {folds: 3}}",
            "The config changes some of this for titanic.",
        ),
    ],
)
def test_what_differs_between_rows_is_said(
    tmp_path: Path, more: str, data: str, sentence: str
) -> None:
    assert sentence in caption(tmp_path, data=data, more=more)
