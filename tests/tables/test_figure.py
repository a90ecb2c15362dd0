"""Figures: the same bytes for everyone, with legends and diagrams."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quadrepro.tables.critical_difference import alike, draw_critical_difference
from quadrepro.tables.figure import (
    add_legend,
    new_figure,
)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_persons_settings_do_not_change_the_files(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / name / f"line.{ending}" for name in ("a", "b")]
    for path, style in zip(paths, ({}, {"lines.linewidth": 9.0, "font.size": 20.0}), strict=True):
        with matplotlib.rc_context(style):
            with new_figure(path, 3, 2) as figure:
                figure.subplots().plot((0, 1), (0, 1))
            assert matplotlib.rcParams["font.size"] == style.get("font.size", 10)
    a, b = (path.read_bytes() for path in paths)
    assert a == b
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    assert a.startswith(starts[ending])


def test_names_are_no_formulas_and_their_controls_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "names.svg"
    with new_figure(path, 3, 2) as figure:
        figure.subplots().set_title("$x_1$ and \x1b")
    assert r"<!-- $x_1$ and \x1b -->" in path.read_text()


def test_a_legend_has_each_label_of_all_panels_once_in_their_order() -> None:
    figure = Figure()
    a, b = figure.subplots(1, 2)
    for panel, names in ((a, "xy"), (b, "zyx")):
        for name in names:
            panel.plot([0, 1], [0, 1], label=name)
    add_legend(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "y", "z"]
    empty = Figure()
    add_legend(empty)
    assert empty.legends == []


DEMSAR = (["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"], [1.964, 2.0, 2.893, 3.143], 1.25)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12).map(sorted), st.integers(1, 30))
def test_methods_share_a_group_if_and_only_if_they_are_less_than_critical_apart(
    ranks: list[int], critical: int
) -> None:
    groups = alike(ranks, critical)
    for i in range(len(ranks)):
        for j in range(i):
            together = any(first <= j and i <= last for first, last in groups)
            assert together == (ranks[i] - ranks[j] < critical)
    assert len({last for _, last in groups}) == len({first for first, _ in groups}) == len(groups)


def drawn(titles: list[str], ranks: list[float], critical: float) -> tuple[Any, list[str]]:
    return SimpleNamespace(mean_ranks=ranks, critical_difference=critical), titles


def test_demsars_diagram(figures: list[Figure], tmp_path: Path) -> None:
    draw_critical_difference(tmp_path / "ranking.svg", *drawn(*DEMSAR))
    [panel] = figures[0].axes
    assert [text.get_text() for text in panel.texts] == [
        *("1", "2", "3", "4", "CD 1.25"),
        *("C4.5+m+cf  1.96", "C4.5+m  2.00", "2.89  C4.5+cf", "3.14  C4.5"),
    ]
    [bar] = [line for line in panel.get_lines() if line.get_linewidth() > 3]
    tick = {int(t.get_text()): t.get_position()[0] for t in panel.texts[:4]}
    ends = bar.get_xdata()
    # The one group runs from the best to the worst.
    assert np.interp(1.964, [1, 4], [tick[1], tick[4]]) == pytest.approx(min(ends) + 0.04)
    assert np.interp(3.143, [1, 4], [tick[1], tick[4]]) == pytest.approx(max(ends) - 0.04)


@pytest.mark.parametrize("n", [2, 3, 7, 30])
def test_names_neither_overlap_nor_leave_the_figure(
    n: int, figures: list[Figure], tmp_path: Path
) -> None:
    titles = [f"a rather long name of method {i}" for i in range(n)]
    ranks = [1 + 0.9 * i for i in range(n)]
    draw_critical_difference(tmp_path / "ranking.svg", *drawn(titles, ranks, 1.4))
    figure = figures[0]
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in figure.axes[0].texts]
    width, height = figure.get_size_inches() * figure.dpi
    for i, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
        assert not any(box.overlaps(other) for other in boxes[:i])
