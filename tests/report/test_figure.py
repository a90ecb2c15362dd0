from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from quadrepro.config.axis import LARGEST
from quadrepro.report.figure import COLOURS, add_legend, colours_of, new_figure, plain_labels


def test_a_persons_settings_do_not_change_the_files(tmp_path: Path) -> None:
    for name, style in (("a", {}), ("b", {"lines.linewidth": 9.0, "font.size": 20.0})):
        with matplotlib.rc_context(style), new_figure(tmp_path / name, "line", 3, 2) as figure:
            figure.subplots().plot((0, 1), (0, 1))
    for file in ("line.svg", "line.png"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_settings_are_as_before_after_a_figure(tmp_path: Path) -> None:
    with matplotlib.rc_context({"font.size": 20.0}):
        with new_figure(tmp_path, "line", 3, 2):
            assert matplotlib.rcParams["font.size"] == 9
        assert matplotlib.rcParams["font.size"] == 20


@pytest.mark.parametrize("width", [2.0, 4.0, 8.0])
@pytest.mark.parametrize("linestyle", ["-", ""])
def test_a_legend_is_no_wider_than_its_figure(width: float, linestyle: str) -> None:
    names = ("AdaBoost", "Random Forests", "CB-Boost", "Bagging", "MinCq", "mnist0v9")
    with matplotlib.rc_context({"font.size": 9}):
        figure = Figure(figsize=(width, 3.0), layout="constrained")
        figure.subplots()
        add_legend(figure, {n: Line2D([], [], linestyle=linestyle, marker="o") for n in names})
        figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_window_extent().width <= width * figure.dpi


def test_a_figure_without_entries_has_no_legend() -> None:
    figure = Figure()
    add_legend(figure, {})
    assert figure.legends == []


def test_colours_repeat_if_there_are_more_names() -> None:
    names = [str(i) for i in range(len(COLOURS) + 1)]
    found = colours_of(names)
    assert list(found) == names
    assert len(set(found.values())) == len(COLOURS)
    assert found[names[0]] == found[names[-1]]


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


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_largest_values_of_a_config_can_be_drawn(tmp_path: Path, scale: str) -> None:
    for low in (1 / LARGEST, LARGEST / 2):
        with new_figure(tmp_path, "large", 3, 3) as figure:
            panel = figure.subplots()
            panel.plot([low, LARGEST], [low, LARGEST])
            panel.set(xscale=scale, yscale=scale)
            if scale == "log":
                plain_labels(panel.xaxis)
    assert (tmp_path / "large.svg").stat().st_size > 0
