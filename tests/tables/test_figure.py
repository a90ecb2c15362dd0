from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure

from quadrepro.tables.figure import (
    add_legend,
    fitted,
    new_figure,
    plain_labels,
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


@pytest.mark.parametrize("width", [2.0, 4.0, 8.0])
@pytest.mark.parametrize("linestyle", ["-", ""])
def test_a_legend_is_no_wider_than_its_figure(width: float, linestyle: str) -> None:
    names = ("AdaBoost", "Random Forests", "CB-Boost", "MinCq", "a name that is longer than others")
    with matplotlib.rc_context({"font.size": 9}):
        figure = Figure(figsize=(width, 3.0), layout="constrained")
        panel = figure.subplots()
        for name in names:
            panel.plot([0], [0], linestyle=linestyle, marker="o", label=name)
        add_legend(figure)
        figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_window_extent().width <= width * figure.dpi


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


@pytest.mark.parametrize("title", ["Random forest of stumps " * 3, "RANDOMFOREST" * 5])
def test_fitted_titles_of_neighbours_do_not_collide(title: str, tmp_path: Path) -> None:
    with new_figure(tmp_path / "titles.png", 6, 3) as figure:
        panels = figure.subplots(1, 2)
        for panel in panels:
            panel.set_title(fitted(title, 2.3))
    left, right = (panel.title.get_window_extent() for panel in panels)
    assert left.x1 < right.x0
    assert left.x0 >= 0


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((0.21, 0.58), {"0.3", "0.4", "0.5"}),
        ((0.015, 0.4), {"0.02", "0.05", "0.1", "0.2"}),
        ((0.0015, 400), {"0.01", "0.1", "1", "10", "100"}),
    ],
)
def test_a_logarithmic_axis_has_labels_in_plain_numbers(
    ends: tuple[float, float], labels: set[str]
) -> None:
    panel = Figure(figsize=(3, 3)).subplots()
    panel.set(yscale="log", ylim=ends)
    plain_labels(panel.yaxis)
    ticks = [*panel.yaxis.get_major_ticks(), *panel.yaxis.get_minor_ticks()]
    panel.figure.draw_without_rendering()
    shown = {t.label1.get_text() for t in ticks if ends[0] <= t.get_loc() <= ends[1]}
    assert labels <= shown
    assert all(re.fullmatch(r"[\d.]*", text) for text in shown)
