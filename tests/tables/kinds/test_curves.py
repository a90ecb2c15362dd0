"""Measures along a hyper-parameter, and times and differences along the values of a sweep."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_mapping
from quadrepro.core.measures.names import title_of
from quadrepro.core.training.grid import Grid
from quadrepro.engine.outcomes import CellPlace, Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.sweeps import FIRST, NEITHER, SECOND, UNKNOWN, difference
from quadrepro.tables.render import number_text
from tests.make import config
from tests.tables.contexts import (
    asking_for,
    counted,
    csv_of,
    gathered,
    loaded,
    made,
    panels_of,
    table_of,
    text_rows,
)

CURVES = """title: Two
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
TRAINING = "{title: training, measures: [train_error], scale: log}"
SOME = "{title: training, measures: [train_error], scale: log, algorithms: [lpboost, adaboost]}"
MARKED = SOME.replace("}", ", marks: [adaboost_rounds]}")


def load(old: str = "", new: str = "") -> Experiment:
    assert old in CURVES
    return loaded(CURVES.replace(old, new))


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


def two_splits(
    measured: dict[str, Measures] | None = None, grids: dict[str, Grid] = GRIDS
) -> Outcomes:
    """Return outcomes of two splits, by default all; algorithms without measures are missing."""
    measured = all_measures() if measured is None else measured
    records = {}
    for column, split in product(grids, range(2)):
        record = Record("k", "missing")
        if column in measured:
            measures = {name: splits[split] for name, splits in measured[column].items()}
            record = Record("k", "ok", 1, 10, measures=measures)
        records["monks", column, split] = record
    return gathered(records, grids={place: (grids[place[1]],) for place in records})


def marked() -> dict[str, Measures]:
    measured = all_measures()
    measured["adaboost"]["adaboost_rounds"] = [[9.0] * 32, [11.0] * 32]
    measured["lpboost"]["adaboost_rounds"] = [[nan], [nan]]
    return measured


def lines(panel: Axes) -> list:
    """Return the lines of a panel without the samples of the legend."""
    return [line for line in panel.get_lines() if len(line.get_xdata())]


def test_the_data_have_every_point_and_the_table_six_evenly_chosen() -> None:
    table = table_of(load(), "curves", two_splits())
    assert table.data_header[2:5] == ("n_rounds", "train_error", "train_error sd")
    data = [("adaboost", t) for t in range(1, 33)]
    data += [("quadboost", 1), ("quadboost", 10), ("lpboost", None)]
    assert [row[:3] for row in table.data_rows] == [("monks", *place) for place in data]
    shown = [("AdaBoost", str(t)) for t in (1, 2, 4, 8, 16, 32)]
    shown += [("QuadBoost", "1"), ("QuadBoost", "10"), ("LPBoost", "any")]
    assert [entries[:2] for _, entries in text_rows(table)] == shown
    assert text_rows(table)[0][1][3] == "1.0000 ± 0.7071"
    linear = table_of(load("scale: log\n    panels", "panels"), "curves", two_splits())
    values = [entries[1] for _, entries in text_rows(linear)[:6]]
    assert values == ["1", "7", "13", "20", "26", "32"]


def test_missing_measures_are_dashes_and_marks_are_columns() -> None:
    measured = marked()
    table = table_of(load(TRAINING, MARKED), "curves", two_splits(measured))
    assert table.header[-1] == title_of("adaboost_rounds")
    rows = {(row["algorithm"], row["n_rounds"]): [*row.values()][3:] for row in csv_of(table)}
    assert rows["adaboost", "1"][::4] == ["0.5", "10.0"]
    assert rows["quadboost", "1"][:2] == ["", ""]
    assert [*map(float, rows["quadboost", "1"][2:4])] == pytest.approx([0.3, 0.02**0.5])
    assert rows["lpboost", ""][4:] == ["", ""]
    del measured["lpboost"]
    rows_to_read = text_rows(table_of(load(), "curves", two_splits(measured)))
    assert rows_to_read[7][1] == ("QuadBoost", "10", "0.0000 ± 0.0000", "–")
    assert rows_to_read[8][1] == ("LPBoost", "–", "–", "–")


def test_algorithms_are_drawn_along_their_values(figures: list[Figure]) -> None:
    training, testing = panels_of(load(), "curves", two_splits(), figures)
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


def test_a_band_is_a_deviation_wide(figures: list[Figure]) -> None:
    measured = all_measures()
    measured["quadboost"]["test_error"] = [[0.4, 0.0], [0.0, 0.0]]
    training, testing = panels_of(load(), "curves", two_splits(measured), figures)
    first, second = lines(testing)[1].get_ydata()
    assert (first, second) == (pytest.approx(-log(0.2)), np.inf)
    assert np.isfinite(testing.get_ylim()).all()
    [vertices] = [path.vertices for path in training.collections[2].get_paths()]
    ends = (vertices[:, 1].min(), vertices[:, 1].max())
    assert ends == pytest.approx((0.2 - 0.02**0.5, 0.2 + 0.02**0.5))


def test_zeros_are_drawn_on_a_linear_scale(figures: list[Figure]) -> None:
    zeros = {"adaboost": {"train_error": [[0.0] * 32] * 2, "test_error": [[0.0] * 32] * 2}}
    assert panels_of(load(), "curves", two_splits(zeros), figures)[0].get_yscale() == "linear"
    panels = panels_of(load(), "curves", two_splits({}), figures)
    assert [lines(panel) for panel in panels] == [[], []]


def test_a_mark_has_value_colour_and_title(figures: list[Figure]) -> None:
    training, testing = panels_of(load(TRAINING, MARKED), "curves", two_splits(marked()), figures)
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


def test_lines_differ_in_more_than_colour(figures: list[Figure]) -> None:
    both = ["train_error", "test_error"]
    for measures, differ in ((both[:1], "linestyle"), (both, "marker")):
        experiment = asking_for(load(), curves={"panels": [{"measures": measures}]})
        [panel] = panels_of(experiment, "curves", two_splits(), figures)
        a, b = lines(panel)[:2]
        assert getattr(a, f"get_{differ}")() != getattr(b, f"get_{differ}")()
        legend = [text.get_text() for text in figures[-1].legends[0].get_texts()]
        assert legend[3:] == ([*map(title_of, measures)] if len(measures) > 1 else [])


def test_neither_large_measures_nor_values_along_the_axis_have_exponents() -> None:
    measured = all_measures()
    measured["adaboost"]["train_error"] = [[12345.678] * 32, [12345.678] * 32]
    grids = GRIDS | {"quadboost": Grid.from_values({"n_rounds": [0.00001, 1000000]})}
    rows = text_rows(table_of(load(), "curves", two_splits(measured, grids)))
    assert rows[0][1][2].startswith("12345.7 ± 0.0")
    values = [entries[1] for name, entries in rows if entries[0] == "QuadBoost"]
    assert values == ["0.00001", "1000000"]


NOISE = {"over": "protocol.noise.deviation", "as": "noise", "values": [0, 0.5]}
ROUNDS = {"over": "grid.n_rounds", "values": [1, 10, 1000]}
COLUMNS = ("adaboost", "quadboost")


def timed(
    sweep: dict[str, Any] = ROUNDS, second: str = "quadboost", lost: CellPlace | None = None
) -> tuple[Experiment, Outcomes]:
    """Return an experiment with outcomes whose second of three times is the middle one."""
    algorithms = ["adaboost", {"name": "quadboost", "algorithm": second}]
    keys = {"algorithms": algorithms, "tables": {"times": True}}
    experiment = load_mapping(config(sweeps=[NOISE, sweep], **keys))
    records = {
        (row.title, column, split): Record("k", "ok", 1, 10, seconds=(i + 1) * seconds)
        for i, row in enumerate(experiment.config.rows)
        for column in COLUMNS
        for split, seconds in enumerate((9.0, 2.0, 1.0) if column == "adaboost" else (0.1,) * 3)
    }
    return experiment, gathered(records | ({lost: Record("k", "missing")} if lost else {}))


LOST = ("monks, noise 0.5", "adaboost", 2)


def test_entries_are_medians_over_the_splits_and_marked_as_measured() -> None:
    experiment, outcomes = timed(lost=LOST)
    table = table_of(experiment, "times", outcomes)
    assert text_rows(table) == [
        ("monks, noise 0", ("2.00", "0.100")),
        ("monks, noise 0.5", ("–", "0.200")),
        ("monks, n_rounds 1", ("6.00", "0.300")),
        ("monks, n_rounds 10", ("8.00", "0.400")),
        ("monks, n_rounds 1000", ("10.0", "0.500")),
    ]
    assert table.data_rows[0] == ("monks", "noise", 0, "adaboost", 3, 2.0)
    assert table.data_rows[2] == ("monks", "noise", 0.5, "adaboost", 0, None)
    assert {*table.timed_rows} == {row[0] for row in table.data_rows}


def test_times_have_three_significant_digits_and_no_exponent() -> None:
    experiment, outcomes = timed()
    for seconds in (1e-6, 0.0123, 123456.0):
        records = {p: replace(r, seconds=seconds) for p, r in outcomes.records.items()}
        table = table_of(experiment, "times", replace(outcomes, records=records))
        text = text_rows(table)[0][1][0]
        assert "e" not in text
        assert float(text) == pytest.approx(seconds, rel=0.005)


def test_sweeps_are_panels_and_algorithms_curves(figures: list[Figure]) -> None:
    experiment, outcomes = timed(lost=LOST)
    noise, rounds = panels_of(experiment, "times", outcomes, figures)
    assert (noise.get_xscale(), rounds.get_xscale()) == ("linear", "log")
    assert (noise.get_yscale(), rounds.get_yscale()) == ("log", "log")
    assert (noise.get_xlabel(), rounds.get_xlabel()) == ("noise", "n rounds")
    titles = [panel.get_title() for panel in (noise, rounds)]
    assert titles == ["monks: noise varied", "monks: n rounds varied"]
    assert [list(line.get_xdata()) for line in rounds.get_lines()] == [[1, 10, 1000]] * 2
    assert list(rounds.get_lines()[0].get_ydata()) == [6, 8, 10]
    # A missing median is a gap.
    assert list(noise.get_lines()[0].get_ydata()) == [2, pytest.approx(float("nan"), nan_ok=True)]


def test_algorithms_without_the_parameter_are_left_out(figures: list[Figure]) -> None:
    experiment, outcomes = timed(second="lpboost")
    noise, rounds = panels_of(experiment, "times", outcomes, figures)
    assert (len(noise.get_lines()), len(rounds.get_lines())) == (2, 1)
    assert rounds.get_lines()[0].get_label() == experiment.titles["adaboost"]


def test_values_that_are_not_numbers_are_side_by_side() -> None:
    experiment, outcomes = timed({"over": "protocol.normalise", "values": ["tanh", "none"]})
    made(experiment, "times", outcomes).draw(Path("times.svg"))
    text = Path("times.svg").read_text()
    assert "<!-- tanh -->" in text
    assert "<!-- none -->" in text


DIFFERENCES = {
    "datasets": ["monks", "titanic"],
    "sweeps": [NOISE],
    "algorithms": ["quadboost", "adaboost"],
    "tables": {"differences": ["adaboost", "quadboost"]},
}
NOISY_ERRORS = {
    ("monks, noise 0", "adaboost"): (10, 12),
    ("monks, noise 0", "quadboost"): (30, 34),
    ("monks, noise 0.5", "adaboost"): (10, 12),
    ("monks, noise 0.5", "quadboost"): (11, 13),
    ("titanic, noise 0", "adaboost"): (30, 32),
    ("titanic, noise 0", "quadboost"): (10, 14),
    ("titanic, noise 0.5", "adaboost"): (10, None),
    ("titanic, noise 0.5", "quadboost"): (10, 10),
}


def outcomes(repeats: int = 2) -> Outcomes:
    return counted({place: counts[:repeats] for place, counts in NOISY_ERRORS.items()})


@pytest.fixture
def experiment() -> Experiment:
    return load_mapping(config(**DIFFERENCES))


def test_differences_have_a_star_where_intervals_are_apart(experiment: Experiment) -> None:
    table = table_of(experiment, "differences", outcomes())
    titles = experiment.titles
    assert table.title == f"Small: risk of {titles['quadboost']} − {titles['adaboost']}"
    assert table.header == ("Data set", "noise 0", "noise 0.5")
    assert text_rows(table) == [("monks", (r"+21.0\*", "+1.0")), ("titanic", (r"−19.0\*", "–"))]
    assert table.data_rows[0][:3] == ("monks", "noise", 0)
    # Fractions, in percentage points only to read.
    expected = (0.11, 0.01 * 2**0.5, 0.32, 0.01 * 8**0.5, 0.21)
    assert table.data_rows[0][3:8] == pytest.approx(expected)
    assert [row[8] for row in table.data_rows] == ["different", "overlap", "different", None]
    assert {*map(len, table.data_rows)} == {len(table.data_header)}


def test_equal_counts_differ_by_nothing_in_another_order() -> None:
    outcomes = counted({("x", "a"): (1, 3, 9, 27), ("x", "b"): (9, 1, 27, 3)})
    *_, gap, word = difference(outcomes, "x", ("a", "b"))
    assert (word, number_text(gap, 1, percent=True)) == ("overlap", "0.0")


def test_with_one_split_all_but_equal_risks_have_a_star(experiment: Experiment) -> None:
    table = table_of(experiment, "differences", outcomes(1))
    assert text_rows(table) == [
        ("monks", (r"+20.0\*", r"+1.0\*")),
        ("titanic", (r"−20.0\*", "0.0")),
    ]
    assert "one split has no spread" in table.notes[0]


def test_squares_have_the_colour_of_the_better(
    experiment: Experiment, figures: list[Figure]
) -> None:
    [panel] = panels_of(experiment, "differences", outcomes(), figures)
    colours = [to_hex(square.get_facecolor()) for square in panel.patches]
    assert colours == [FIRST, NEITHER, SECOND, UNKNOWN]
    texts = [(text.get_text(), *text.get_position()) for text in panel.texts]
    assert texts == [("+21.0", 0, 0), ("−19.0", 0, 1)]
    # The first row is above.
    assert panel.get_ylim() == (1.5, -0.5)
    legend = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert [text.split()[0] for text in legend] == ["AdaBoost", "QuadBoost", "intervals"]
