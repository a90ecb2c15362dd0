from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.tables.printed_figure import (
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


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    found = loaded(tmp_path, CONFIG)
    vars(found)["titles"] = {"adaboost": "AdaBoost", "lpboost": "LPBoost"}
    return found


def verdict(row: str, column: str, position: float, p_value: float | None = None) -> Verdict:
    """Return a verdict whose interval is 0.2 to 0.4, with a printed number at a position."""
    printed = f"{0.3 + 0.1 * position:.3f}"
    p = p_value if p_value is not None else 0.5 if abs(position) <= 1 else 0.04
    return Verdict(row, column, "risk", printed, 0.3, 0.2, 0.4, p)


FOUND = Verdicts(
    "table1",
    (
        verdict("monks", "adaboost", -1.4),
        verdict("titanic", "adaboost", 0.5),
        verdict("titanic", "lpboost", 12, 1e-6),
        Verdict("monks", "lpboost", "risk", "0.3", reason="no result"),
    ),
)


def drawn(
    experiment: Experiment, found: list[Verdicts], folder: Path, figures: list[Figure]
) -> list[Axes]:
    draw_printed(experiment, found, folder / "verdicts.svg")
    return figures[-1].axes


def names(panel: Axes) -> list[str]:
    return [label.get_text() for label in panel.get_yticklabels()]


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
    assert names(ada) == ["monks", "titanic"]
    assert points(ada) == [
        (pytest.approx(-1.4), 0, LOOKS[OUTSIDE]["marker"]),
        (pytest.approx(0.5), 1, LOOKS[INSIDE]["marker"]),
    ]
    # What is farther out than the panel reaches is an arrow at its edge.
    [(x, y, marker)] = points(lp)
    assert (y, marker) == (1, ">")
    assert x < lp.get_xlim()[1] == WIDEST
    legend = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert legend == [INSIDE, OUTSIDE, SURELY]


def test_what_is_outside_is_labelled_with_both_numbers_and_of_many_only_the_farthest(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    ada, lp = drawn(experiment, [FOUND], tmp_path, figures)
    assert [text.get_text() for text in ada.texts] == ["0.300 (0.160)"]
    assert [text.get_text() for text in lp.texts] == ["0.300 (1.500)"]
    many = tuple(verdict(f"{i}", "adaboost", 1.2 + 0.05 * i) for i in range(LABELLED + 5))
    [panel] = drawn(experiment, [Verdicts("table1", many)], tmp_path, figures)
    assert sorted(text.xy[1] for text in panel.texts) == [*range(5, LABELLED + 5)]


def test_several_quantities_of_a_row_have_panels_of_their_own(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    margins = replace(verdict("titanic", "adaboost", 0), quantity="margin mean")
    panels = drawn(experiment, [FOUND, Verdicts("table2", (margins,))], tmp_path, figures)
    titles = ["risk\nAdaBoost", "risk\nLPBoost", "margin mean\nAdaBoost"]
    assert [panel.get_title() for panel in panels] == titles
    assert names(panels[0]) == ["monks", "titanic"]


def test_quantities_of_different_rows_share_a_panel_and_are_named_in_the_rows(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    pair = replace(verdict("adaboost", "lpboost", 0.2), quantity="probability")
    ada, lp = drawn(experiment, [FOUND, Verdicts("table2", (pair,))], tmp_path, figures)
    assert names(ada) == ["monks, risk", "titanic, risk", "AdaBoost, probability"]
    assert [y for _, y, _ in points(lp)] == [1, 2]


def test_verdicts_without_a_number_make_empty_panels(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    empty = Verdicts("table1", (Verdict("monks", "lpboost", "risk", "0.3", reason="no result"),))
    [panel] = drawn(experiment, [empty], tmp_path, figures)
    assert points(panel) == []
