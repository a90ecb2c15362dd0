"""Measures along a hyper-parameter."""

from __future__ import annotations

from collections.abc import Callable
from math import log, nan
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.core.measures.names import title_of
from quadrepro.core.training.grid import Grid
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError
from quadrepro.tables.kinds import check_tables
from tests.tables.contexts import asking_for, csv_of, loaded, panels_of, table_of, text_rows

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
    "adaboost": Grid.from_values({"n_rounds": range(1, 33)}),
    "quadboost": Grid.from_values({"n_rounds": [1, 10]}),
    "lpboost": Grid.from_values({"C": [1.0]}),
}
Measures = dict[str, list[list[float]]]
Load = Callable[..., Experiment]
TRAINING = "{title: training, measures: [train_error], scale: log}"
SOME = "{title: training, measures: [train_error], scale: log, algorithms: [lpboost, adaboost]}"
MARKED = SOME.replace("}", ", marks: [adaboost_rounds]}")


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(old: str = "", new: str = "") -> Experiment:
        assert old in CONFIG
        return loaded(tmp_path, CONFIG.replace(old, new))

    return load


def outcomes(measured: dict[str, Measures], grids: dict[str, Grid] = GRIDS) -> Outcomes:
    """Return outcomes of two splits; algorithms without measures are missing."""
    records, cell_grids = {}, {}
    for column, grid in grids.items():
        for split in range(2):
            record = Record("k", "missing")
            if column in measured:
                measures = {name: splits[split] for name, splits in measured[column].items()}
                record = Record("k", "ok", 1, 10, measures=measures)
            records["monks", column, split] = record
            cell_grids["monks", column, split] = (grid,)
    return Outcomes(("monks",), tuple(grids), 2, records, cell_grids)


def all_measures() -> dict[str, Measures]:
    slope = [0.5 / t for t in range(1, 33)]
    return {
        "adaboost": {"train_error": [slope, slope], "test_error": [slope, [3 * e for e in slope]]},
        "quadboost": {
            "train_error": [[0.25, 0.0], [0.25, 0.0]],
            "test_error": [[0.2, nan], [0.4, 0.1]],
        },
        "lpboost": {"train_error": [[0.1], [0.3]], "test_error": [[0.2], [0.2]]},
    }


def marked() -> dict[str, Measures]:
    measured = all_measures()
    measured["adaboost"]["adaboost_rounds"] = [[9.0] * 32, [11.0] * 32]
    measured["lpboost"]["adaboost_rounds"] = [[nan], [nan]]
    return measured


def lines(panel: Axes) -> list:
    """Return the lines of a panel without the samples of the legend."""
    return [line for line in panel.get_lines() if len(line.get_xdata())]


def test_the_data_have_every_point_and_the_table_six_evenly_chosen(load: Load) -> None:
    table = table_of(load(), "curves", outcomes(all_measures()))
    assert table.data_header[2:5] == ("n_rounds", "train_error", "train_error sd")
    assert [row[:3] for row in table.data_rows] == [
        *(("monks", "adaboost", t) for t in range(1, 33)),
        ("monks", "quadboost", 1),
        ("monks", "quadboost", 10),
        ("monks", "lpboost", None),
    ]
    assert [entries[:2] for _, entries in text_rows(table)] == [
        *(("AdaBoost", str(t)) for t in (1, 2, 4, 8, 16, 32)),
        ("QuadBoost", "1"),
        ("QuadBoost", "10"),
        ("LPBoost", "any"),
    ]
    assert text_rows(table)[0][1][3] == "1.0000 ± 0.7071"
    linear = table_of(load("scale: log\n    panels", "panels"), "curves", outcomes(all_measures()))
    values = [entries[1] for _, entries in text_rows(linear)[:6]]
    assert values == ["1", "7", "13", "20", "26", "32"]


def test_missing_measures_are_dashes_and_marks_are_columns(load: Load) -> None:
    measured = marked()
    table = table_of(load(TRAINING, MARKED), "curves", outcomes(measured))
    assert table.header[-1] == title_of("adaboost_rounds")
    rows = {(row["algorithm"], row["n_rounds"]): [*row.values()][3:] for row in csv_of(table)}
    assert rows["adaboost", "1"][::4] == ["0.5", "10.0"]
    assert rows["quadboost", "1"][:2] == ["", ""]
    assert [*map(float, rows["quadboost", "1"][2:4])] == pytest.approx([0.3, 0.02**0.5])
    assert rows["lpboost", ""][4:] == ["", ""]
    del measured["lpboost"]
    rows_to_read = text_rows(table_of(load(), "curves", outcomes(measured)))
    assert rows_to_read[7][1] == ("QuadBoost", "10", "0.0000 ± 0.0000", "–")
    assert rows_to_read[8][1] == ("LPBoost", "–", "–", "–")


def test_each_algorithm_is_drawn_along_its_own_values_and_level_without(
    load: Load, figures: list[Figure]
) -> None:
    training, testing = panels_of(load(), "curves", outcomes(all_measures()), figures)
    assert [len(line.get_xdata()) for line in lines(training)] == [32, 2, 2]
    level = lines(training)[2]
    np.testing.assert_allclose(level.get_ydata(), [0.2, 0.2])
    assert level.get_transform() == training.get_yaxis_transform()
    assert (training.get_xscale(), training.get_yscale()) == ("log", "log")
    assert testing.get_yscale() == "linear"
    np.testing.assert_allclose(lines(testing)[0].get_ydata(), [-log(1.0 / t) for t in range(1, 33)])
    assert (training.get_title(), testing.get_title()) == ("monks: training", "monks: testing")
    assert training.get_ylabel() == title_of("train_error")
    assert testing.get_ylabel() == f"−log({title_of('test_error')})"
    assert training.get_xlabel() == "number of rounds T"
    legend = [text.get_text() for text in figures[-1].legends[0].get_texts()]
    assert legend == ["AdaBoost", "QuadBoost", "LPBoost"]


def test_a_band_is_a_deviation_wide_and_ends_where_nothing_is_left(
    load: Load, figures: list[Figure]
) -> None:
    measured = all_measures()
    measured["quadboost"]["test_error"] = [[0.4, 0.0], [0.0, 0.0]]
    training, testing = panels_of(load(), "curves", outcomes(measured), figures)
    first, second = lines(testing)[1].get_ydata()
    assert (first, second) == (pytest.approx(-log(0.2)), np.inf)
    assert np.isfinite(testing.get_ylim()).all()
    [vertices] = [path.vertices for path in training.collections[2].get_paths()]
    np.testing.assert_allclose(
        [vertices[:, 1].min(), vertices[:, 1].max()], 0.2 + np.array([-1, 1]) * 0.02**0.5
    )


def test_zeros_are_drawn_on_a_linear_scale_and_panels_without_records_are_empty(
    load: Load, figures: list[Figure]
) -> None:
    zeros = {"adaboost": {"train_error": [[0.0] * 32] * 2, "test_error": [[0.0] * 32] * 2}}
    assert panels_of(load(), "curves", outcomes(zeros), figures)[0].get_yscale() == "linear"
    panels = panels_of(load(), "curves", outcomes({}), figures)
    assert [lines(panel) for panel in panels] == [[], []]


def test_a_mark_is_at_its_value_in_the_colour_of_its_algorithm_with_its_title(
    load: Load, figures: list[Figure]
) -> None:
    training, testing = panels_of(load(TRAINING, MARKED), "curves", outcomes(marked()), figures)
    level, slope, mark = lines(training)
    # The panel draws only the algorithms that it names, in their own colours.
    colours = [line.get_color() for line in lines(testing)]
    assert [slope.get_color(), level.get_color()] == [colours[0], colours[2]]
    assert list(mark.get_xdata()) == [10.0, 10.0]
    assert mark.get_color() == slope.get_color()
    [words] = training.texts
    assert words.get_text().strip() == title_of("adaboost_rounds")
    assert words.get_position()[0] == 10.0
    assert not testing.texts


@pytest.mark.parametrize(
    ("measures", "differ"),
    [(["train_error"], "linestyle"), (["train_error", "test_error"], "marker")],
)
def test_lines_of_two_algorithms_differ_in_more_than_colour(
    load: Load, figures: list[Figure], measures: list[str], differ: str
) -> None:
    experiment = asking_for(load(), curves={"panels": [{"measures": measures}]})
    [panel] = panels_of(experiment, "curves", outcomes(all_measures()), figures)
    a, b = lines(panel)[:2]
    assert getattr(a, f"get_{differ}")() != getattr(b, f"get_{differ}")()
    legend = [text.get_text() for text in figures[-1].legends[0].get_texts()]
    assert legend[3:] == ([*map(title_of, measures)] if len(measures) > 1 else [])


def test_a_column_that_draws_its_values_has_no_curve(load: Load) -> None:
    drawn = "{name: quadboost, label: QuadBoost, draw: {n_rounds: {integers: [1, 9]}}}"
    experiment = load("{name: quadboost, label: QuadBoost, grid: {n_rounds: [1, 10]}}", drawn)
    with pytest.raises(ConfigError, match="quadboost draws its values, and curves need a grid"):
        check_tables(experiment)


def test_large_measures_have_one_decimal_and_none_has_an_exponent(load: Load) -> None:
    measured = all_measures()
    measured["adaboost"]["train_error"] = [[12345.678] * 32, [12345.678] * 32]
    entries = text_rows(table_of(load(), "curves", outcomes(measured)))[0][1]
    assert entries[2].startswith("12345.7 ± 0.0")


def test_values_along_the_axis_have_no_exponents(load: Load) -> None:
    grids = GRIDS | {"quadboost": Grid.from_values({"n_rounds": [0.00001, 1000000]})}
    table = table_of(load(), "curves", outcomes(all_measures(), grids))
    values = [entries[1] for _, entries in text_rows(table) if entries[0] == "QuadBoost"]
    assert values == ["0.00001", "1000000"]
