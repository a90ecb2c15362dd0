"""Measures that do not depend on the axis: levels among curves, and panels of dots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.registry import title_of
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.curves import CURVES, EACH_MARKED, POINTS, Curves, levels_of
from tests.tables.contexts import context_of, loaded

CONFIG = """title: Two
repeats: 2
protocol: {{view: quadboost, folds: 0, measures: [train_error, test_error, massart]}}
datasets: [monks, titanic]
algorithms:
  - {{name: adaboost, label: AdaBoost, grid: {{n_rounds: [1, 2, 4]}}}}
  - {{name: quadboost, label: QuadBoost, grid: {{n_rounds: [1, 2, 4]}}}}
tables:
  curves: {{scale: log, panels: [{}]}}
"""
ROWS, COLUMNS = ("monks", "titanic"), ("adaboost", "quadboost")
SLOPE, FLAT = [0.3, 0.2, 0.1], [0.25, 0.25, 0.25 + 1e-16]
Values = dict[str, list[float]]


def context(folder: Path, panels: str) -> Context[Curves]:
    return context_of(loaded(folder, CONFIG.format(panels)), "curves")


def outcomes(values: Values, titanic: Values | None = None, grid: Any = (1, 2, 4)) -> Outcomes:
    """Return outcomes of two splits, the second 0.1 above the first."""
    records, grids = {}, {}
    for row in ROWS:
        of_row = values if row == "monks" else titanic or values
        for column in COLUMNS:
            for split in range(2):
                measures = {m: [v + 0.1 * split for v in vs] for m, vs in of_row.items()}
                records[row, column, split] = Record("k", "ok", 1, 10, measures=measures)
                grids[row, column, split] = (Grid.of({"n_rounds": grid}),)
    return Outcomes(ROWS, COLUMNS, 2, records, grids)


def drawn(of: Context[Curves], found: Outcomes, folder: Path, figures: list[Figure]) -> list[Axes]:
    CURVES.draw(of, found, folder)
    return figures[-1].axes


ALONE = "{measures: [train_error]}, {measures: [massart, test_error]}"


@pytest.mark.parametrize(
    ("titanic", "levels"),
    [(FLAT, {"massart"}), ([0.25, 0.25, 0.2500001], set())],
)
def test_a_measure_is_a_level_if_no_row_and_no_algorithm_moves_it(
    tmp_path: Path, titanic: list[float], levels: set[str]
) -> None:
    curves = context(tmp_path, ALONE).option
    flat = {"train_error": SLOPE, "test_error": SLOPE, "massart": FLAT}
    assert levels_of(curves, outcomes(flat, flat | {"massart": titanic})) == levels
    nothing = {(r, c, s): Record("k", "missing") for r in ROWS for c in COLUMNS for s in range(2)}
    assert levels_of(curves, Outcomes(ROWS, COLUMNS, 2, nothing)) == set()


def test_a_panel_of_levels_has_a_dot_with_its_value_per_measure_and_no_axis_of_rounds(
    tmp_path: Path, figures: list[Figure]
) -> None:
    found = outcomes({"train_error": SLOPE, "test_error": [0.5] * 3, "massart": FLAT})
    panels = drawn(context(tmp_path, ALONE), found, tmp_path, figures)
    curves, dots = panels[2:]
    assert (curves.get_xlabel(), dots.get_xlabel()) == ("number of rounds T", "value")
    assert (curves.get_xscale(), dots.get_xscale()) == ("log", "linear")
    assert [t.get_text() for t in dots.get_yticklabels()] == [
        title_of("massart"),
        title_of("test_error"),
    ]
    marked = [line for line in dots.get_lines() if line.get_marker() not in ("", "None", None)]
    values = [np.asarray(line.get_xdata()).item() for line in marked]
    np.testing.assert_allclose(values, [0.3, 0.3, 0.55, 0.55])
    assert [t.get_text() for t in dots.texts] == ["0.3", "0.3", "0.55", "0.55"]
    # With two splits, a bar of one standard deviation is behind each dot.
    bar = dots.get_lines()[0].get_xdata()
    np.testing.assert_allclose(bar, 0.3 + np.array([-1, 1]) * np.std([0, 0.1], ddof=1))
    assert len({line.get_color() for line in marked}) == len(COLUMNS)


def test_a_level_among_curves_is_a_line_from_edge_to_edge_with_its_name(
    tmp_path: Path, figures: list[Figure]
) -> None:
    found = outcomes({"train_error": SLOPE, "massart": FLAT})
    of = context(tmp_path, "{measures: [train_error, massart], algorithms: [adaboost]}")
    [panel, _] = drawn(of, found, tmp_path, figures)
    slope, level = panel.get_lines()
    assert list(slope.get_xdata()) == [1, 2, 4]
    assert list(level.get_xdata()) == [0, 1]
    assert level.get_transform() == panel.get_yaxis_transform()
    assert [text.get_text() for text in panel.texts] == [title_of("massart")]


def test_lines_of_two_algorithms_differ_in_more_than_colour(
    tmp_path: Path, figures: list[Figure]
) -> None:
    found = outcomes({"train_error": SLOPE, "test_error": SLOPE})
    for panels, differ in (
        ("{measures: [train_error]}", "linestyle"),
        ("{measures: [train_error, test_error]}", "marker"),
    ):
        first = drawn(context(tmp_path, panels), found, tmp_path, figures)[0]
        a, b = first.get_lines()[:2]
        assert getattr(a, f"get_{differ}")() != getattr(b, f"get_{differ}")()


def test_a_band_of_many_points_is_thinned_and_keeps_its_ends(
    tmp_path: Path, figures: list[Figure]
) -> None:
    n = 5 * POINTS
    found = outcomes({"train_error": [1 / t for t in range(1, n + 1)]}, grid=range(1, n + 1))
    panel = drawn(context(tmp_path, "{measures: [train_error]}"), found, tmp_path, figures)[0]
    assert len(panel.get_lines()[0].get_xdata()) == n
    [outline] = [path.vertices for path in panel.collections[0].get_paths()]
    assert len(outline) < 2 * POINTS + 10
    assert (outline[:, 0].min(), outline[:, 0].max()) == (1, n)


def test_a_long_title_has_two_lines(tmp_path: Path, figures: list[Figure]) -> None:
    titles = ("short", "a title that is as long as the panel")
    panels = ", ".join(f"{{title: {title}, measures: [train_error]}}" for title in titles)
    found = outcomes({"train_error": SLOPE})
    first, second, *_ = drawn(context(tmp_path, panels), found, tmp_path, figures)
    assert (first.get_title(), second.get_title()) == ("monks: short", f"monks:\n{titles[1]}")


def test_every_panel_names_what_its_vertical_axis_shows(
    tmp_path: Path, figures: list[Figure]
) -> None:
    panels = "{measures: [train_error, test_error]}, {measures: [test_error], scale: -log}"
    values: Values = {"train_error": SLOPE, "test_error": SLOPE}
    both, logarithm, *_ = drawn(context(tmp_path, panels), outcomes(values), tmp_path, figures)
    train, test = title_of("train_error"), title_of("test_error")
    assert both.get_ylabel().replace("\n", " ") == f"{train} and {test}"
    assert logarithm.get_ylabel() == f"−log({test})"


@pytest.mark.parametrize("n", [EACH_MARKED, EACH_MARKED + 1])
def test_a_curve_of_few_points_has_a_marker_at_each(
    tmp_path: Path, figures: list[Figure], n: int
) -> None:
    slope = [0.5 - 0.01 * i for i in range(n)]
    of = context(tmp_path, "{measures: [train_error]}")
    found = outcomes({"train_error": slope}, grid=tuple(range(1, n + 1)))
    panel, *_ = drawn(of, found, tmp_path, figures)
    for line in panel.get_lines():
        assert (line.get_marker() not in ("", "None", None)) == (n <= EACH_MARKED)
        assert line.get_markevery() is None
