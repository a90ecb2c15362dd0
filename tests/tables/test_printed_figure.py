from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.tables.printed_figure import (
    FARTHER,
    INSIDE,
    LABELLED,
    LOOKS,
    OUTSIDE,
    SURELY,
    WIDEST,
    draw_printed,
)
from quadrepro.tables.verdicts import Verdict, Verdicts
from tests.tables.contexts import loaded

CONFIG = """title: One
repeats: 4
protocol: {view: quadboost}
datasets: [monks, titanic, wine]
algorithms:
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
  - {name: lpboost, label: LPBoost, grid: {C: 1}}
baseline: false
"""


def verdict(row: str, column: str, position: float, p_value: float | None = None) -> Verdict:
    """Return a verdict whose interval is 0.2 to 0.4, with a printed number at a position."""
    printed = f"{0.3 + 0.1 * position:.3f}"
    p = p_value if p_value is not None else 0.5 if abs(position) <= 1 else 0.04
    return Verdict(row, column, "risk", printed, 0.3, 0.2, 0.4, p)


FOUND = Verdicts(
    "table1",
    (
        verdict("titanic", "adaboost", 0.5),
        verdict("monks", "adaboost", -1.4),
        verdict("titanic", "lpboost", 12, 1e-6),
        Verdict("monks", "lpboost", "risk", "0.3", reason="no result"),
    ),
)


def drawn(
    experiment: Experiment, found: list[Verdicts], folder: Path, figures: list[Figure]
) -> list[Axes]:
    draw_printed(experiment, found, folder)
    return figures[-1].axes


def points(panel: Axes) -> list[tuple[float, float, str]]:
    """Return where the markers are, from above."""
    lines = [line for line in panel.get_lines() if line.get_linestyle() == "None"]
    found = [(x, y, line.get_marker()) for line in lines for x, y in line.get_xydata()]
    return sorted(found, key=lambda point: point[1])


def test_a_panel_per_algorithm_has_a_marker_per_row_that_tells_outside_by_shape(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    ada, lp = drawn(experiment, [FOUND], tmp_path, figures)
    assert (ada.get_title(), lp.get_title()) == ("AdaBoost", "LPBoost")
    # In the order of the config, without the row for which nothing is printed.
    assert [label.get_text() for label in ada.get_yticklabels()] == ["monks", "titanic"]
    assert points(ada) == [
        (pytest.approx(-1.4), 0, LOOKS[OUTSIDE]["marker"]),
        (pytest.approx(0.5), 1, LOOKS[INSIDE]["marker"]),
    ]
    [(x, y, marker)] = points(lp)
    assert (y, marker) == (1, LOOKS[FARTHER]["marker"])
    assert x < lp.get_xlim()[1] == WIDEST
    assert LOOKS[INSIDE]["marker"] != LOOKS[OUTSIDE]["marker"]
    assert "markerfacecolor" in LOOKS[OUTSIDE].keys() - LOOKS[SURELY].keys()


def test_what_is_outside_is_labelled_with_both_numbers_and_what_is_inside_is_not(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    ada, lp = drawn(experiment, [FOUND], tmp_path, figures)
    assert [text.get_text() for text in ada.texts] == ["0.300 (0.160)"]
    assert [text.get_text() for text in lp.texts] == ["0.300 (1.500)"]


def test_of_many_only_the_farthest_are_labelled(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    entries = tuple(
        replace(verdict("monks", "adaboost", 1.2 + 0.05 * i), quantity=str(i))
        for i in range(LABELLED + 5)
    )
    panels = drawn(experiment, [Verdicts("table1", entries)], tmp_path, figures)
    assert [len(panel.texts) for panel in panels] == [0] * 5 + [1] * LABELLED


def test_quantities_of_several_tables_stand_side_by_side(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    margins = replace(verdict("wine", "adaboost", 0), quantity="margin mean")
    found = [FOUND, Verdicts("table2", (margins,))]
    panels = drawn(experiment, found, tmp_path, figures)
    titles = ["risk\nAdaBoost", "risk\nLPBoost", "margin mean\nAdaBoost"]
    assert [panel.get_title() for panel in panels] == titles
    assert len(panels[0].get_yticklabels()) == 3


def test_quantities_of_different_rows_share_a_panel(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    other = replace(verdict("wine", "adaboost", 0), quantity="RMSE")
    found = [Verdicts("table1", (*FOUND.entries, other))]
    ada, _ = drawn(experiment, found, tmp_path, figures)
    assert ada.get_title() == "AdaBoost"
    assert [y for _, y, _ in points(ada)] == [0, 1, 2]


def test_readings_stand_below_their_data_set_without_its_name(
    tmp_path: Path, figures: list[Figure]
) -> None:
    found = Verdicts("t", (verdict("wine", "adaboost", 0), verdict("wine, raw", "adaboost", 2)))
    readings = "readings: [{name: raw, protocol: {normalise: none}}]\n"
    [panel] = drawn(loaded(tmp_path, CONFIG + readings), [found], tmp_path, figures)
    labels = panel.get_yticklabels()
    assert [label.get_text() for label in labels] == ["wine", "raw"]
    assert [label.get_fontweight() for label in labels] == ["bold", "normal"]
    assert [(x, y) for x, y, _ in points(panel)] == [
        (pytest.approx(0, abs=1e-9), 0),
        (pytest.approx(2), 1),
    ]


def test_a_table_of_pairs_of_algorithms_has_rows_of_its_own_below(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    pair = replace(verdict("adaboost", "lpboost", 0.2), quantity="probability")
    panels = drawn(experiment, [Verdicts("t2", (pair,)), FOUND], tmp_path, figures)
    titles = ["risk\nAdaBoost", "risk\nLPBoost", "probability\nLPBoost"]
    assert [panel.get_title() for panel in panels] == titles
    rows = [[label.get_text() for label in panel.get_yticklabels()] for panel in panels]
    assert rows[0] == ["monks", "titanic"]
    assert rows[2] == ["AdaBoost"]
    assert points(panels[2]) == [(pytest.approx(0.2), 0, LOOKS[INSIDE]["marker"])]


def test_the_same_verdicts_give_the_same_files_and_none_an_empty_one(
    experiment: Experiment, tmp_path: Path
) -> None:
    empty = Verdicts("table1", (Verdict("monks", "lpboost", "risk", "0.3", reason="no result"),))
    for name, found in (("a", FOUND), ("b", FOUND), ("empty", empty)):
        draw_printed(experiment, [found], tmp_path / name)
    a, b, none = ((tmp_path / name / "printed.svg").read_bytes() for name in ("a", "b", "empty"))
    assert a == b
    assert a != none
