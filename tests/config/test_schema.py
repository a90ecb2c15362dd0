from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from quadrepro.config.config import Experiment, load_experiment, load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoostL2
from quadrepro.errors import ConfigError
from tests.cells import cells_of
from tests.refusals import assert_refused, refusal

Write = Callable[..., Path]


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
    assert three.content["division"] == four.content["division"]
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
        ("grid.n_rounds", "[]", "9:27", "values must list at least one"),
    ],
)
def test_a_sweep_that_cannot_be_is_named_with_its_place(
    swept: Write, over: str, values: str, place: str, telling: str
) -> None:
    assert_refused(swept(f"{{over: {over}, values: {values}}}"), place, telling)


def test_a_sweep_over_a_parameter_that_an_estimator_refuses_is_named(edited: Write) -> None:
    sweeps = "sweeps:\n  - {over: grid.max_depth, values: [1, 0]}\nalgorithms:"
    tree = "algorithm: sklearn:DecisionTreeClassifier"
    path = edited({"algorithms:": sweeps, "algorithm: adaboost\n    grid: {n_rounds: 5}": tree})
    assert_refused(path, "9:40", "The 'max_depth' parameter of DecisionTreeClassifier")


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


def test_a_reading_changes_what_the_data_set_has_of_its_own(read: Write) -> None:
    own = "{name: monks, protocol: {split: {train: 0.3, at_most: 7}}}"
    row = load_experiment(read(dataset=own)).config.rows[1]
    assert (row.entry.protocol["split"]) == {"train": 0.4, "at_most": 7}


def test_a_row_or_reading_sets_what_algorithms_have_of_its_settings(read: Write) -> None:
    own = "{name: monks, settings: {reweight: true}}"
    reading = "readings: [{name: once, of: [monks], settings: {reweight: false}}]"
    cells = make_plan(load_experiment(read(reading, own))).cells
    learners = {(cell.dataset, cell.algorithm): cell.learner for cell in cells}
    assert learners["monks", "quadboost-l2"] == QuadBoostL2(reweight=True)
    assert learners["monks, once", "quadboost-l2"] == QuadBoostL2(reweight=False)
    assert learners["monks", "ada"] == learners["monks, once", "ada"] == AdaBoost()


@pytest.mark.parametrize(
    ("reading", "place", "telling"),
    [
        ("name: a, settings: {reweigh: true}", "18:12", "'reweigh'; did you mean 'reweight'?"),
        ("name: a, of: [monk]", "18:27", "unknown data set 'monk' here; did you mean 'monks'?"),
        ("name: a}, {name: a", "18:23", "duplicate reading 'a'"),
        ("name: a, protocol: {folds: 1}", "18:33", "one fold leaves nothing to train on"),
        ("name: a, view: {nominal: ordnal}", "18:29", "'ordinal' or 'one-hot', not 'ordnal'"),
        (
            "name: a}]\nsweeps: [{over: protocol.folds, values: [2]",
            "18:1",
            "a config has either sweeps or readings",
        ),
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


@pytest.mark.parametrize(
    ("row", "place", "telling"),
    [
        ("settings: {reweight: 2.5}", "6:19", "reweight must be true or false, not 2.5"),
        ("grid: {lamda: [1]}", "6:26", "hyper-parameter 'lamda'; did you mean 'lam'?"),
        ("grid: {lam: [1, 2]}", "6:26", "the values of lam must decrease"),
        ("grid: {n_rounds: ['5']}", "6:26", "n_rounds takes numbers, not '5'"),
        ("protocol: {measures: [train_error]}", "6:19", "kept only if nothing is chosen"),
    ],
)
def test_a_rows_own_values_are_checked_at_their_place(
    small_config: Write, row: str, place: str, telling: str
) -> None:
    assert_refused(small_config("- monks", f"- {{name: monks, {row}}}"), place, telling)


def test_a_row_cannot_say_the_rounds_that_a_hold_out_chooses(edited: Write) -> None:
    own = "- {name: monks, grid: {n_rounds: [3]}}"
    path = edited({"  view: quadboost\n": "  view: quadboost\n  holdout: {}\n", "- monks": own})
    head, _ = path.read_text().split("algorithms:")
    path.write_text(f"{head}algorithms:\n  - name: adaboost\n")
    assert refusal(path) == "7:26: the validation error chooses the rounds"


@pytest.mark.parametrize(
    ("protocol", "place", "telling"),
    [
        ("folds: 1", "5:3", "one fold leaves nothing to train on: give 2 or more, or 0"),
        (
            "measures: [train_error]",
            "3:1",
            "measures are kept only if nothing is chosen: set folds",
        ),
        ("folds: 0\n  measures: [train_eror]", "6:3", "'train_eror'; did you mean 'train_error'?"),
        ("voters: 0", "5:3", "voters must be at least 1, not 0"),
        ("noise: {}", "5:3", "noise must name deviation or labels"),
        ("noise: {deviation: 0, contrast: 2}", "5:25", "contrast must be at most 1, not 2"),
    ],
)
def test_a_protocol_that_cannot_be_is_named_with_its_place(
    small_config: Write, protocol: str, place: str, telling: str
) -> None:
    path = small_config("  view: quadboost\n", f"  view: quadboost\n  {protocol}\n")
    assert_refused(path, place, telling)


def columns(small_config: Write, *entries: str) -> Path:
    """Return the small config with these columns of AdaBoost."""
    path = small_config()
    head, _ = path.read_text().split("algorithms:\n")
    lines = "".join(f"  - {{{entry}, grid: {{n_rounds: 5}}}}\n" for entry in entries)
    path.write_text(f"{head}algorithms:\n{lines}baseline: false\n")
    return path


OVER = " (10 stumps per attribute)"
BAYES = {"name": "bayes", "algorithm": "sklearn:GaussianNB"}


@pytest.mark.parametrize(
    ("entries", "titles"),
    [
        (("name: adaboost",), [f"AdaBoost{OVER}"]),
        (("name: ada, algorithm: adaboost",), [f"AdaBoost{OVER}"]),
        (("name: ada, algorithm: adaboost, label: Mine",), ["Mine"]),
        (("name: adaboost", "name: quadboost"), [f"AdaBoost{OVER}", f"QuadBoost{OVER}"]),
        # Two columns of one algorithm go by their names, unless a label tells them apart.
        (
            ("name: adaboost", "name: other, algorithm: adaboost"),
            [f"adaboost{OVER}", f"other{OVER}"],
        ),
        (("name: adaboost", "name: b, algorithm: adaboost, label: B"), [f"AdaBoost{OVER}", "B"]),
        (
            (
                "name: a, algorithm: adaboost",
                "name: b, algorithm: adaboost, label: B",
                "name: c, algorithm: adaboost",
            ),
            [f"a{OVER}", "B", f"c{OVER}"],
        ),
    ],
)
def test_a_columns_title_is_its_label_or_its_algorithms_or_its_name(
    small_config: Write, entries: tuple[str, ...], titles: list[str]
) -> None:
    config = load_experiment(columns(small_config, *entries)).config
    assert [*config.titles.values()] == titles
    assert [*config.titles] == [a.name for a in config.algorithms]


@pytest.mark.parametrize(
    ("protocol", "label"),
    [
        ({"stumps_per_attribute": 1}, "1 stump per attribute"),
        ({"voters": 30}, "30 stumps"),
        ({"voter_set": "MinMaxScaler"}, "outputs of MinMaxScaler"),
        (
            {"voter_set": {"sklearn:PCA": {"n_components": 3}}, "voters": 2},
            "2 outputs of PCA, n_components 3",
        ),
        ({"holdout": {}}, "500 random stumps each round"),
        ({"holdout": {"stumps": {"per_round": 9, "redraw": False}}}, "9 random stumps"),
    ],
)
def test_a_vote_is_titled_by_what_it_votes_over_and_by_nothing_with_a_paper(
    protocol: dict[str, Any], label: str
) -> None:
    config = {
        "title": "Votes",
        "protocol": {"view": "quadboost", **protocol},
        "datasets": ["monks"],
        "algorithms": ["lpboost" if "holdout" not in protocol else "adaboost", BAYES],
        "baseline": False,
    }
    name = "AdaBoost" if "holdout" in protocol else "LPBoost"
    assert [*load_mapping(config).config.titles.values()] == [f"{name} ({label})", "GaussianNB"]
    of_paper = load_mapping({**config, "paper": "quadboost"}).config
    assert [*of_paper.titles.values()] == [name, "GaussianNB"]


def test_rows_that_vote_over_different_voters_have_no_common_name_for_them() -> None:
    fewer = {"name": "monks", "as": "few", "protocol": {"stumps_per_attribute": 2}}
    config = {
        "title": "Votes",
        "protocol": {"view": "quadboost"},
        "datasets": ["monks", fewer],
        "algorithms": ["lpboost"],
        "baseline": False,
    }
    assert load_mapping(config).config.titles == {"lpboost": "LPBoost"}


@pytest.mark.parametrize(
    ("first", "second", "place", "telling"),
    [
        (
            "algorithm: adaboost, label: X",
            "name: b, algorithm: adaboost, label: X",
            "10:36",
            "'b' both 'X'",
        ),
        (
            f"algorithm: adaboost, label: QuadBoost{OVER}",
            "name: quadboost",
            "10:5",
            f"'quadboost' both 'QuadBoost{OVER}'",
        ),
    ],
)
def test_equal_titles_are_refused_with_their_place(
    small_config: Write, first: str, second: str, place: str, telling: str
) -> None:
    path = columns(small_config, f"name: a, {first}", second)
    message = f"tables would call the columns 'a' and {telling}: give one of them another label"
    assert refusal(path) == f"{place}: {message}"


OUTER = """title: Outer
protocol: {view: quadboost, folds: 0, split: {outer: 2x3}}
datasets: [monks]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}]
"""


def test_repeats_follow_from_outer_folds(tmp_path: Path) -> None:
    path = tmp_path / "outer.yaml"
    path.write_text(OUTER)
    assert load_experiment(path).config.repeats == 6
    path.write_text(f"{OUTER}repeats: 6\n")
    assert load_experiment(path).config.repeats == 6
    own = "{name: monks, as: own, protocol: {split: {outer: 3x2}}}"
    path.write_text(OUTER.replace("[monks]", f"[monks, {own}]"))
    assert load_experiment(path).config.repeats == 6


@pytest.mark.parametrize(
    ("old", "new", "repeats", "message"),
    [
        (
            "title",
            "repeats: 5\ntitle",
            None,
            "1:1: outer: 2x3 makes 6 repeats, but 5 are asked for",
        ),
        ("title", "title", 2, "outer: 2x3 makes 6 repeats, but 2 are asked for"),
        (
            "[monks]",
            "[{name: monks, protocol: {split: {outer: 5}}}]",
            None,
            "3:26: outer: 1x5 makes 5 repeats, but 6 are asked for",
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


def with_rows(config: dict[str, Any], *rows: dict[str, Any] | str) -> dict[str, Any]:
    """Return a config without a paper, with these rows and other keys."""
    entry = {"name": "boosting", "grid": {"n_rounds": 5}}
    base = {"title": "T", "protocol": {"view": "quadboost"}, "algorithms": [entry]}
    return base | {"datasets": rows or ["monks"]} | config


NUMBERS = {"name": "concrete", "view": "rescale"}


@pytest.mark.parametrize(
    ("rows", "title", "note"),
    [
        (("monks",), "Class prior", "predicts the most frequent class of the training examples,"),
        ((NUMBERS,), "Mean", "predicts the mean of the training targets,"),
        (("monks", NUMBERS), "Class prior or mean", "predicts the most frequent class of the"),
    ],
)
def test_without_a_paper_the_last_column_is_the_baseline(
    rows: tuple[Any, ...], title: str, note: str
) -> None:
    config = load_mapping(with_rows({}, *rows)).config
    assert [*config.titles.items()] == [("boosting", "Boosting"), ("baseline", title)]
    assert config.columns[-1].note.startswith(note)
    assert config.columns[:-1] == config.algorithms


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, True),
        ({"baseline": False}, False),
        ({"paper": "quadboost"}, False),
        ({"paper": "quadboost", "baseline": True}, True),
        ({"protocol": {"view": "quadboost", "folds": 0, "measures": ["test_error"]}}, False),
        ({"algorithms": [{"name": "floor", "algorithm": "baseline"}]}, False),
        ({"algorithms": [{"name": "baseline", "algorithm": "sklearn:SVC"}]}, False),
    ],
)
def test_whether_a_config_gets_a_baseline(keys: dict[str, Any], expected: bool) -> None:
    config = load_mapping(with_rows(keys)).config
    assert (len(config.columns) > len(config.algorithms)) is expected


def test_a_label_like_that_of_the_baseline_is_refused() -> None:
    entry = {"name": "boosting", "label": "Class prior", "grid": {"n_rounds": 5}}
    with pytest.raises(ConfigError, match="give one of them another label, or set baseline: false"):
        load_mapping(with_rows({"algorithms": [entry]}))
