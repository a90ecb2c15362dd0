"""The rows of a table: data sets, their views and protocols, sweeps and readings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.datasets import DatasetEntry, merged
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.data.card import View, load_card
from quadrepro.data.schema import Threshold
from quadrepro.errors import ConfigError
from tests.make import assert_refused, cells_of

Write = Callable[..., Path]


def entry(**fields: Any) -> DatasetEntry:
    return DatasetEntry.model_validate({"name": "monks", **fields})


def test_the_view_is_the_protocols_or_the_one_named_or_the_protocols_with_changes() -> None:
    views = load_card("orange").views
    assert entry(name="orange", view="q2").resolve("q10") == views["q2"]
    assert entry(name="orange").resolve("q2") == views["q2"]
    changed = entry(name="orange", view={"exclude": ["x1"]}).resolve("q2")
    assert changed == views["q2"].model_copy(update={"exclude": ("x1",)})
    assert entry(view={"positive": [0]}).resolve("quadboost").positive == ("0",)
    bounded = entry(name="abalone", view={"positive": {"at_most": 9}})
    assert bounded.resolve("ebboost").positive == Threshold(at_most=9)


def test_changes_are_a_view_of_their_own_where_the_card_has_none() -> None:
    bare = load_card("monks").model_copy(update={"views": {}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quadrepro.config.datasets.load_card", lambda name: bare)
        view = entry(view={"positive": ["1"], "nominal": "one-hot"}).resolve("quadboost")
    assert view == View(positive=("1",), nominal="one-hot")


SAMPLE = {"sample": {"train": 20, "test": 20}}


def of_numbers(**protocol: Any) -> dict[str, Any]:
    return {"name": "concrete", "view": "rescale", "protocol": protocol}


@pytest.mark.parametrize(
    ("fields", "place", "telling"),
    [
        ({"view": {"missing": "zero"}}, "['view']['missing']", "'low' or 'drop', not 'zero'"),
        ({"view": {"positive": ["1", "1"]}}, "['view']['positive']", "'1' occurs 2 times"),
        ({"view": {"positive": ["0", "2"]}}, "['view']['positive'][1]", "no label '2'; known are"),
        ({"view": {"exclude": ["tie"]}}, "['view']['exclude'][0]", "did you mean 'has_tie'?"),
        ({"protocol": {"folds": "five"}}, "['protocol']['folds']", "a whole number, not 'five'"),
        ({"protocol": SAMPLE}, "['name']", "monks is not drawn by rule, so no fresh sample"),
        (of_numbers(split={"stratify": True}), "['protocol']['split']['stratify']", "no classes"),
        (of_numbers(noise={"labels": 0.1}), "['protocol']['noise']['labels']", "no classes"),
        (of_numbers(choose_by="balanced_error"), "['protocol']['choose_by']", "no classes"),
        (
            {"view": {"sample_rows": 99}, "protocol": {"split": {"outer": 5}}},
            "['view']['sample_rows']",
            "rows that are drawn again for every repeat cannot be divided once for all",
        ),
        (
            {"view": {"positive": ["2"], "exclude": ["tie"]}},
            "['view']['positive'][0]",
            "monks has no label '2'; known are 0, 1; monks has no attribute 'tie'",
        ),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_the_place(
    fields: dict[str, Any], place: str, telling: str
) -> None:
    config = {"title": "T", "protocol": {"view": "quadboost"}, "algorithms": ["boosting"]}
    with pytest.raises(ConfigError) as caught:
        load_mapping({**config, "datasets": [{"name": "monks", **fields}]})
    assert str(caught.value).startswith(f"config['datasets'][0]{place}: ")
    assert telling in str(caught.value)


def test_changes_are_merged_at_every_level() -> None:
    base = {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}
    changes = {"a": {"c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    expected = {"a": {"b": 1, "c": {"d": 5}, "h": 6}, "e": 7, "g": {"i": 8}}
    assert merged(base, changes) == expected
    assert base == {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}, "g": 4}


@pytest.fixture
def swept(small_config: Write) -> Callable[..., Path]:
    """Return a function that writes the small config with sweeps."""

    def write(*sweeps: str) -> Path:
        lines = "".join(f"  - {sweep}\n" for sweep in sweeps)
        return small_config("algorithms:\n", f"sweeps:\n{lines}algorithms:\n")

    return write


def titles(experiment: Experiment) -> list[str]:
    return [row.entry.title for row in experiment.config.rows]


def test_a_sweep_makes_a_row_of_every_data_set_and_value(swept: Write) -> None:
    path = swept("{over: protocol.noise.deviation, values: [0, 0.5], as: noise}")
    experiment = load_experiment(path)
    assert titles(experiment) == [
        f"{row}, noise {noise}" for row in ("monks", "people") for noise in ("0", "0.5")
    ]
    rows = experiment.config.rows
    assert [(row.of, row.sweep, row.value) for row in rows[1:3]] == [
        ("monks", "noise", 0.5),
        ("people", "noise", 0),
    ]
    assert [row.entry.printed_row for row in rows] == ["monks"] * 2 + ["people"] * 2
    assert entry(**{"as": "robots", "printed": "monks-1"}).printed_row == "monks-1"
    cells = make_plan(experiment).cells
    noises = [c.protocol.noise.deviation for c in cells if c.protocol.noise is not None]
    assert noises == [0, 0, 0.5, 0.5] * 2


def test_sweeps_stand_one_after_the_other_and_do_not_mix(swept: Write) -> None:
    path = swept("{over: protocol.voters, values: [5]}", "{over: grid.n_rounds, values: [3, 4]}")
    rows = load_experiment(path).config.rows
    swept_over = [(row.of, row.sweep, row.value) for row in rows]
    assert swept_over[:2] == [("monks", "voters", 5), ("people", "voters", 5)]
    assert swept_over[2:] == [
        (row, "n_rounds", value) for row in ("monks", "people") for value in (3, 4)
    ]
    assert "voters" not in rows[2].entry.protocol


def test_the_rows_of_a_sweep_share_the_split_but_not_the_key(swept: Write) -> None:
    path = swept("{over: grid.n_rounds, values: [3, 4]}")
    three, four, *_ = [c for c in cells_of(path) if c.algorithm == "ada"]
    assert [cell.grids[0].axes for cell in (three, four)] == [
        (("n_rounds", (value,)),) for value in (3, 4)
    ]
    assert three.content["draws"] == four.content["draws"]
    assert three.key != four.key


def test_a_sweep_keeps_what_a_row_says_otherwise(swept: Write) -> None:
    path = swept("{over: protocol.folds, values: [3, 4]}")
    own = "as: people, protocol: {split: {at_most: 100}}, grid: {lam: [7]}"
    path.write_text(path.read_text().replace("as: people", own))
    experiment = load_experiment(path)
    changed = experiment.config.rows[-1].entry.changed(experiment.config.protocol)
    assert (changed.folds, changed.split.at_most) == (4, 100)
    assert make_plan(experiment).cells[-2].grids[0].axis("lam") == (7.0,)


DRAWN = """title: Drawn
protocol:
  view: default
  sample: {train: 20, test: 30}
  folds: 0
datasets: [m1, {name: m2, parameters: {sigma: 9}}]
sweeps: [SWEEP]
algorithms: [{name: boosting, grid: {n_rounds: 5}}]
baseline: false
"""


def drawn(folder: Path, sweep: str) -> Path:
    path = folder / "drawn.yaml"
    path.write_text(DRAWN.replace("SWEEP", sweep))
    return path


def test_a_sweep_can_go_over_the_parameters_of_a_sample(tmp_path: Path) -> None:
    path = drawn(tmp_path, "{over: parameters.sigma, values: [0, 0.5]}")
    cells = cells_of(path)
    assert [(cell.dataset, cell.content["parameters"]["sigma"]) for cell in cells] == [
        (f"{row}, sigma {sigma}", sigma) for row in ("m1", "m2") for sigma in (0, 0.5)
    ]


@pytest.mark.parametrize(
    ("over", "values", "place", "telling"),
    [
        ("sigm", "[0]", "7:43", "the rule of m1 has no parameter 'sigm'; did you mean 'sigma'?"),
        ("low", "[-1]", "7:42", "the rule of m2 has no parameter 'low'; known are sigma"),
        ("sigma", "[0, much]", "7:47", "sigma must be a number, not 'much'"),
    ],
)
def test_a_parameter_that_there_is_not_is_named_at_the_sweeps_value(
    tmp_path: Path, over: str, values: str, place: str, telling: str
) -> None:
    path = drawn(tmp_path, f"{{over: parameters.{over}, values: {values}}}")
    assert_refused(path, place, telling)


@pytest.mark.parametrize(
    ("over", "values", "place", "telling"),
    [
        ("protocol.noise.deviaton", "[0]", "9:46", "'deviaton'; did you mean 'deviation'?"),
        ("protocol.noise.deviation", "[0, -1]", "9:50", "deviation must be at least 0, not -1"),
        ("protocol.folds", "[3, 1]", "9:40", "one fold leaves nothing to train on"),
        ("protocol.voters", "[5, 6, 5]", "9:44", "duplicate row 'monks, voters 5'"),
        ("protocol.view", "[quadboost]", "9:36", "the view of a row is set by its own key, view"),
        ("protocol.holdout.patience", "[3]", "9:48", "either all rows have a holdout or none"),
        ("grid.n_round", "[3]", "9:35", "no algorithm here has a hyper-parameter 'n_round'; did"),
        ("grid.n_rounds", "[3, 4.5]", "9:39", "n_rounds takes whole numbers, not 4.5"),
        ("grid.n_rounds", "[3, x]", "9:39", "n_rounds takes numbers, not 'x'"),
        ("view.missing", "[low]", "9:6", "a field of protocol, grid or parameters, as grid.n_"),
        ("grid", "[3]", "9:6", "a field of protocol, grid or parameters, as grid.n_rounds"),
        ("grid.n_rounds", "[]", "9:27", "values must have a length of at least 1"),
    ],
)
def test_a_sweep_that_cannot_be_is_named_with_its_place(
    swept: Write, over: str, values: str, place: str, telling: str
) -> None:
    assert_refused(swept(f"{{over: {over}, values: {values}}}"), place, telling)


READINGS = """readings:
  - {name: by a hold-out, of: [monks], protocol: {split: {train: 0.4}}}
  - {name: some rows, view: {sample_rows: 99}}
"""


@pytest.fixture
def read(small_config: Write) -> Write:
    """Return a function that writes the small config with readings and two data sets."""

    def read(readings: str = READINGS, dataset: str = "monks") -> Path:
        path = small_config("  - monks", f"  - {dataset}\n  - titanic")
        path.write_text(path.read_text() + readings)
        return path

    return read


def test_every_data_set_has_a_row_for_each_of_its_readings(read: Write) -> None:
    config = load_experiment(read()).config
    assert [(row.entry.title, row.of, row.reading) for row in config.rows] == [
        ("monks", "monks", ""),
        ("monks, by a hold-out", "monks", "by a hold-out"),
        ("monks, some rows", "monks", "some rows"),
        ("titanic", "titanic", ""),
        ("titanic, some rows", "titanic", "some rows"),
        ("people", "people", ""),
        ("people, some rows", "people", "some rows"),
    ]
    assert [row.entry.printed_row for row in config.rows[:4]] == ["monks"] * 3 + ["titanic"]
    assert config.rows[1].entry.changed(config.protocol).split.train == 0.4
    assert config.rows[4].entry.resolve("quadboost").sample_rows == 99


def test_a_row_or_reading_sets_what_algorithms_have_of_its_settings(read: Write) -> None:
    own = "{name: monks, settings: {reweight: true}}"
    reading = "readings: [{name: once, of: [monks], settings: {reweight: false}}]"
    cells = make_plan(load_experiment(read(reading, own))).cells
    learners = {(cell.dataset, cell.algorithm): cell.learner for cell in cells}
    assert learners["monks", "quadboost-l2"] == QuadBoost("l2", reweight=True)
    assert learners["monks, once", "quadboost-l2"] == QuadBoost("l2", reweight=False)
    assert learners["monks", "ada"] == learners["monks, once", "ada"] == AdaBoost()


@pytest.mark.parametrize(
    ("reading", "place", "telling"),
    [
        ("name: a, settings: {reweigh: true}", "18:22", "'reweigh'; did you mean 'reweight'?"),
        ("name: a, of: [monk]", "18:27", "unknown data set 'monk' here; did you mean 'monks'?"),
        ("name: a}, {name: a", "18:23", "duplicate row 'monks, a'"),
        ("name: a, protocol: {folds: 1}", "18:33", "one fold leaves nothing to train on"),
        ("name: a, view: {nominal: ordnal}", "18:29", "not 'ordnal'"),
        ("name: a}]\nsweeps: [{over: protocol.folds, values: [2]", "18:1", "either sweeps or"),
    ],
)
def test_a_reading_that_cannot_be_is_named_with_its_place(
    read: Write, reading: str, place: str, telling: str
) -> None:
    assert_refused(read(f"readings: [{{{reading}}}]"), place, telling)


def test_a_reading_cannot_change_a_view_that_is_taken_by_name(read: Write) -> None:
    named = "{name: monks, view: quadboost}"
    path = read("readings: [{name: a, view: {sample_rows: 9}}]", named)
    assert_refused(path, "18:12", "monks takes its view by name: name the view of the reading")
