"""Running times and differences along the values of a sweep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.sweeps import FIRST, NEITHER, SECOND, UNKNOWN, difference
from tests.tables.contexts import loaded, made, panels_of, table_of, text_rows

TIMES = """title: Two
repeats: 3
protocol: {{view: quadboost}}
datasets: [monks]
sweeps:
  - {{over: protocol.noise.deviation, as: noise, values: [0, 0.5]}}
  - {{over: {over}}}
algorithms:
  - {{name: adaboost, label: AdaBoost, grid: {{n_rounds: 5}}}}
  - {{name: quadboost, {quadboost}}}
tables: {{times: true}}
baseline: false
"""
ROUNDS = "grid.n_rounds, values: [1, 10, 1000]"
COLUMNS = ("adaboost", "quadboost")


def load(folder: Path, over: str = ROUNDS, quadboost: str = "grid: {n_rounds: 5}") -> Experiment:
    return loaded(folder, TIMES.format(over=over, quadboost=quadboost))


def timed(experiment: Experiment, missing: tuple[str, str, int] | None = None) -> Outcomes:
    """Return outcomes whose second of three times is the middle one."""
    rows = tuple(row.title for row in experiment.config.rows)
    records = {
        (row, column, split): Record("k", "ok", 1, 10, seconds=(i + 1) * seconds)
        for i, row in enumerate(rows)
        for column in COLUMNS
        for split, seconds in enumerate((9.0, 2.0, 1.0) if column == "adaboost" else (0.1,) * 3)
    }
    if missing:
        records[missing] = Record("k", "missing")
    return Outcomes(rows, COLUMNS, 3, records)


LOST = ("monks, noise 0.5", "adaboost", 2)


def test_entries_are_medians_over_the_splits_and_marked_as_measured(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    table = table_of(experiment, "times", timed(experiment, LOST))
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


@pytest.mark.parametrize("seconds", [1e-6, 0.0123, 123456.0])
def test_times_have_three_significant_digits_and_no_exponent(
    tmp_path: Path, seconds: float
) -> None:
    experiment = load(tmp_path)
    outcomes = timed(experiment)
    records = {p: replace(r, seconds=seconds) for p, r in outcomes.records.items()}
    table = table_of(experiment, "times", replace(outcomes, records=records))
    text = text_rows(table)[0][1][0]
    assert "e" not in text
    assert float(text) == pytest.approx(seconds, rel=0.005)


def test_each_sweep_has_a_panel_and_each_algorithm_a_curve(
    tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = load(tmp_path)
    noise, rounds = panels_of(experiment, "times", timed(experiment, LOST), figures)
    assert (noise.get_xscale(), rounds.get_xscale()) == ("linear", "log")
    assert (noise.get_yscale(), rounds.get_yscale()) == ("log", "log")
    assert (noise.get_xlabel(), rounds.get_xlabel()) == ("noise", "n rounds")
    titles = [panel.get_title() for panel in (noise, rounds)]
    assert titles == ["monks: noise varied", "monks: n rounds varied"]
    assert [list(line.get_xdata()) for line in rounds.get_lines()] == [[1, 10, 1000]] * 2
    assert list(rounds.get_lines()[0].get_ydata()) == [6, 8, 10]
    # A missing median is a gap.
    assert list(noise.get_lines()[0].get_ydata()) == [2, pytest.approx(float("nan"), nan_ok=True)]


def test_an_algorithm_without_a_sweeps_hyper_parameter_is_left_out_of_its_panel(
    tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = load(tmp_path, quadboost="algorithm: lpboost, grid: {C: 1}")
    noise, rounds = panels_of(experiment, "times", timed(experiment), figures)
    assert (len(noise.get_lines()), len(rounds.get_lines())) == (2, 1)
    assert rounds.get_lines()[0].get_label() == experiment.titles["adaboost"]


def test_values_that_are_not_numbers_are_side_by_side(tmp_path: Path) -> None:
    experiment = load(tmp_path, "protocol.normalise, values: [tanh, none]")
    draw = made(experiment, "times", timed(experiment)).draw
    draw(tmp_path / "times.svg")
    text = (tmp_path / "times.svg").read_text()
    assert "<!-- tanh -->" in text
    assert "<!-- none -->" in text


CONFIG = """title: Two
protocol: {view: quadboost}
datasets: [monks, titanic]
sweeps: [{over: protocol.noise.deviation, as: noise, values: [0, 0.5]}]
algorithms:
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
tables: {differences: [adaboost, quadboost]}
baseline: false
"""
ERRORS = {
    "monks, noise 0": ((10, 12), (30, 34)),
    "monks, noise 0.5": ((10, 12), (11, 13)),
    "titanic, noise 0": ((30, 32), (10, 14)),
    "titanic, noise 0.5": ((10, None), (10, 10)),
}
"""Errors of AdaBoost and of QuadBoost among 100 on two splits."""


def outcomes(repeats: int = 2) -> Outcomes:
    records = {}
    for row, pair in ERRORS.items():
        for column, counts in zip(COLUMNS, pair, strict=True):
            for split, count in enumerate(counts[:repeats]):
                missing = count is None
                record = Record("k", "missing") if missing else Record("k", "ok", count, 100)
                records[row, column, split] = record
    return Outcomes(tuple(ERRORS), ("quadboost", "adaboost"), repeats, records)


def test_entries_are_differences_with_a_star_where_intervals_do_not_overlap(
    experiment: Experiment,
) -> None:
    table = table_of(experiment, "differences", outcomes())
    titles = experiment.titles
    assert table.title == f"Two: risk of {titles['quadboost']} − {titles['adaboost']}"
    assert table.header == ("Data set", "noise 0", "noise 0.5")
    assert text_rows(table) == [("monks", (r"+21.0\*", "+1.0")), ("titanic", (r"−19.0\*", "–"))]
    assert table.data_rows[0][:3] == ("monks", "noise", 0)
    # Fractions, in percentage points only to read.
    expected = (0.11, 0.01 * 2**0.5, 0.32, 0.01 * 8**0.5, 0.21)
    assert table.data_rows[0][3:8] == pytest.approx(expected)
    assert [row[8] for row in table.data_rows] == ["different", "overlap", "different", None]


def test_equal_counts_differ_by_nothing_in_another_order() -> None:
    counts = {"a": (1, 3, 9, 27), "b": (9, 1, 27, 3)}
    records = {
        ("x", column, i): Record("k", "ok", count, 100)
        for column, column_counts in counts.items()
        for i, count in enumerate(column_counts)
    }
    square = difference(Outcomes(("x",), ("a", "b"), 4, records), "x", ("a", "b"))
    assert (square.overlap, square.text) == (True, "0.0")


def test_with_one_split_all_but_equal_risks_have_a_star(experiment: Experiment) -> None:
    table = table_of(experiment, "differences", outcomes(1))
    assert text_rows(table) == [
        ("monks", (r"+20.0\*", r"+1.0\*")),
        ("titanic", (r"−20.0\*", "0.0")),
    ]
    assert "one split has no spread" in table.notes[0]


def test_squares_have_the_colour_of_the_better_and_its_difference(
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
