from __future__ import annotations

from collections.abc import Callable
from math import log, nan
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.registry import title_of
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.curves import CURVES, Curves
from tests.tables.contexts import context_of, loaded

CONFIG = """title: Two
repeats: 2
protocol: {view: quadboost, folds: 0, measures: [train_error, test_error]}
datasets: [monks]
algorithms:
  - name: adaboost
    label: AdaBoost
    grid: {n_rounds: {from: 1, to: 32, points: 32, scale: linear}}
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: [1, 10]}}
  - {name: lpboost, label: LPBoost, grid: {C: 1}}
tables:
  curves:
    scale: log
    panels:
      - {title: training, measures: [train_error], scale: log}
      - {title: testing, measures: [test_error], scale: -log}
"""
GRIDS = {
    "adaboost": Grid.of({"n_rounds": range(1, 33)}),
    "quadboost": Grid.of({"n_rounds": [1, 10]}),
    "lpboost": Grid.of({"C": [1.0]}),
}
Measures = dict[str, list[list[float]]]


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Experiment]:
    def load(old: str = "", new: str = "") -> Experiment:
        assert old in CONFIG
        return loaded(tmp_path, CONFIG.replace(old, new))

    return load


def curves_of(experiment: Experiment) -> Context[Curves]:
    return context_of(experiment, "curves")


def outcomes(found: dict[str, Measures]) -> Outcomes:
    """Return outcomes of two splits; an algorithm that is not given is missing."""
    records, grids = {}, {}
    for column, grid in GRIDS.items():
        for split in range(2):
            record = Record("k", "missing")
            if column in found:
                measures = {name: splits[split] for name, splits in found[column].items()}
                record = Record("k", "ok", 1, 10, measures=measures)
            records["monks", column, split] = record
            grids["monks", column, split] = (grid,)
    return Outcomes(("monks",), tuple(GRIDS), 2, records, grids)


def of_all() -> dict[str, Measures]:
    slope = [0.5 / t for t in range(1, 33)]
    return {
        "adaboost": {"train_error": [slope, slope], "test_error": [slope, [3 * e for e in slope]]},
        "quadboost": {
            "train_error": [[0.25, 0.0], [0.25, 0.0]],
            "test_error": [[0.2, nan], [0.4, 0.1]],
        },
        "lpboost": {"train_error": [[0.1], [0.3]], "test_error": [[0.2], [0.2]]},
    }


def test_a_curve_is_the_mean_over_the_splits_with_their_deviation() -> None:
    found = of_all()
    curve = outcomes(found).curve("monks", "adaboost", "test_error")
    assert curve is not None
    splits = np.array(found["adaboost"]["test_error"])
    np.testing.assert_allclose(curve.mean, splits.mean(axis=0))
    np.testing.assert_allclose(curve.sd, splits.std(axis=0, ddof=1))


def test_the_data_have_every_point_and_the_table_six_evenly_chosen(
    load: Callable[..., Experiment],
) -> None:
    table = CURVES.table(curves_of(load()), outcomes(of_all()))
    assert table.data_header[2:5] == ("n_rounds", "train_error", "train_error sd")
    assert [row[:3] for row in table.data_rows] == [
        *(("monks", "adaboost", t) for t in range(1, 33)),
        ("monks", "quadboost", 1),
        ("monks", "quadboost", 10),
        ("monks", "lpboost", ""),
    ]
    shown = [(entries[0].ours, entries[1].ours) for _, entries in table.rows]
    assert shown == [
        *(("AdaBoost", str(t)) for t in (1, 2, 4, 8, 16, 32)),
        ("QuadBoost", "1"),
        ("QuadBoost", "10"),
        ("LPBoost", "any"),
    ]
    assert table.rows[0][1][3].ours == "1.0000 ± 0.7071"


def test_on_a_linear_scale_the_chosen_values_lie_evenly(load: Callable[..., Experiment]) -> None:
    table = CURVES.table(curves_of(load("scale: log\n    panels", "panels")), outcomes(of_all()))
    shown = [entries[1].ours for _, entries in table.rows[:6]]
    assert shown == ["1", "7", "13", "20", "26", "32"]


def test_a_candidate_without_a_solution_and_an_entry_without_records_are_dashes(
    load: Callable[..., Experiment],
) -> None:
    found = of_all()
    del found["lpboost"]
    table = CURVES.table(curves_of(load()), outcomes(found))
    assert [e.ours for e in table.rows[7][1]] == ["QuadBoost", "10", "0.0000 ± 0.0000", "–"]
    assert [e.ours for e in table.rows[8][1]] == ["LPBoost", "–", "–", "–"]
    assert table.data_rows[-1][5:] == ("", "")


def drawn_panels(
    experiment: Experiment,
    found: dict[str, Measures],
    folder: Path,
    figures: list[Figure],
) -> list:
    """Draw and return the panels of the figure."""
    CURVES.draw(curves_of(experiment), outcomes(found), folder)
    return figures[-1].axes


def test_each_algorithm_is_drawn_along_its_own_values_and_level_without(
    load: Callable[..., Experiment], tmp_path: Path, figures: list[Figure]
) -> None:
    training, testing = drawn_panels(load(), of_all(), tmp_path, figures)
    lengths = [len(line.get_xdata()) for line in training.get_lines()]
    assert lengths == [32, 2, 2]
    level = training.get_lines()[2]
    np.testing.assert_allclose(level.get_ydata(), [0.2, 0.2])
    assert level.get_transform() == training.get_yaxis_transform()
    assert (training.get_xscale(), training.get_yscale()) == ("log", "log")
    assert testing.get_yscale() == "linear"
    ours = testing.get_lines()[0].get_ydata()
    np.testing.assert_allclose(ours, [-log(1.0 / t) for t in range(1, 33)])


def test_nothing_of_a_negative_logarithm_is_a_gap_and_its_band_stays_within_the_panel(
    load: Callable[..., Experiment], tmp_path: Path, figures: list[Figure]
) -> None:
    found = of_all()
    found["quadboost"]["test_error"] = [[0.4, 0.0], [0.0, 0.0]]
    _, testing = drawn_panels(load(), found, tmp_path, figures)
    first, second = testing.get_lines()[1].get_ydata()
    assert first == pytest.approx(-log(0.2))
    assert second == np.inf
    low, high = testing.get_ylim()
    assert np.isfinite([low, high]).all()
    [vertices] = [path.vertices for path in testing.collections[1].get_paths()]
    assert vertices[:, 1].min() >= low
    assert vertices[:, 1].max() == high


def test_the_same_records_give_the_same_figures(
    load: Callable[..., Experiment], tmp_path: Path
) -> None:
    experiment = load()
    for name in ("a", "b"):
        CURVES.draw(curves_of(experiment), outcomes(of_all()), tmp_path / name)
    CURVES.draw(curves_of(experiment), outcomes({}), tmp_path / "empty")
    a, b, empty = ((tmp_path / name / "curves.svg").read_bytes() for name in ("a", "b", "empty"))
    assert a == b
    assert a != empty


SOME = "{title: training, measures: [train_error], scale: log, algorithms: [lpboost, adaboost]}"


def test_a_panel_draws_only_the_algorithms_it_names_in_their_own_colours(
    load: Callable[..., Experiment], tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = load("{title: training, measures: [train_error], scale: log}", SOME)
    training, testing = drawn_panels(experiment, of_all(), tmp_path, figures)
    level, slope = training.get_lines()
    np.testing.assert_allclose(level.get_ydata(), [0.2, 0.2])
    assert len(slope.get_xdata()) == 32
    of_all_three = [line.get_color() for line in testing.get_lines()]
    assert [slope.get_color(), level.get_color()] == [of_all_three[0], of_all_three[2]]


def test_the_table_has_no_number_that_no_panel_draws(load: Callable[..., Experiment]) -> None:
    old = "{title: training, measures: [train_error], scale: log}"
    table = CURVES.table(curves_of(load(old, SOME)), outcomes(of_all()))
    rows = {(row[1], row[2]): row[3:] for row in table.data_rows}
    assert rows["quadboost", 10][:2] == ("", "")
    assert rows["quadboost", 1][2:] == (pytest.approx(0.3), pytest.approx(0.02**0.5))
    assert rows["adaboost", 1][0] == pytest.approx(0.5)


def test_an_algorithm_that_keeps_other_measures_has_a_gap_in_the_others(
    load: Callable[..., Experiment], tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = load("C: 1}}", "C: 1}, measures: [test_error]}")
    found = of_all()
    del found["lpboost"]["train_error"]
    training, testing = drawn_panels(experiment, found, tmp_path, figures)
    assert (len(training.get_lines()), len(testing.get_lines())) == (2, 3)
    table = CURVES.table(curves_of(experiment), outcomes(found))
    assert [e.ours for e in table.rows[-1][1]] == ["LPBoost", "any", "–", "0.2000 ± 0.0000"]
    assert table.data_rows[-1] == ("monks", "lpboost", "", "", "", pytest.approx(0.2), 0.0)


MARKED = SOME.replace("}", ", marks: [adaboost_rounds]}")


def marked() -> dict[str, Measures]:
    found = of_all()
    found["adaboost"]["adaboost_rounds"] = [[9.0] * 32, [11.0] * 32]
    found["lpboost"]["adaboost_rounds"] = [[nan], [nan]]
    return found


def load_marked(load: Callable[..., Experiment]) -> Experiment:
    return load("{title: training, measures: [train_error], scale: log}", MARKED)


def test_a_mark_stands_at_its_value_in_the_colour_of_its_algorithm_with_its_title(
    load: Callable[..., Experiment], tmp_path: Path, figures: list[Figure]
) -> None:
    training, testing = drawn_panels(load_marked(load), marked(), tmp_path, figures)
    _, slope, mark = training.get_lines()
    assert list(mark.get_xdata()) == [10.0, 10.0]
    assert mark.get_color() == slope.get_color()
    (words,) = training.texts
    assert words.get_text().strip() == title_of("adaboost_rounds")
    assert words.get_position()[0] == 10.0
    assert not testing.texts


def test_marks_are_columns_of_the_table(load: Callable[..., Experiment]) -> None:
    table = CURVES.table(curves_of(load_marked(load)), outcomes(marked()))
    assert table.header[-1] == title_of("adaboost_rounds")
    assert table.data_header[-2:] == ("adaboost_rounds", "adaboost_rounds sd")
    rows = {(row[1], row[2]): row[-2] for row in table.data_rows}
    assert rows["adaboost", 1] == 10.0
    assert rows["lpboost", ""] == rows["quadboost", 1] == ""
