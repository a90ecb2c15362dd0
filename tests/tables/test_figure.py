from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from quadrepro.config.axis import LARGEST
from quadrepro.tables.figure import COLOURS, Look, add_legend, looks_of, new_figure, plain_labels


def test_a_persons_settings_do_not_change_the_files(tmp_path: Path) -> None:
    for name, style in (("a", {}), ("b", {"lines.linewidth": 9.0, "font.size": 20.0})):
        with matplotlib.rc_context(style), new_figure(tmp_path / name, "line", 3, 2) as figure:
            figure.subplots().plot((0, 1), (0, 1))
    assert (tmp_path / "a" / "line.svg").read_bytes() == (tmp_path / "b" / "line.svg").read_bytes()


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
        add_legend(figure, {n: {"linestyle": linestyle, "marker": "o"} for n in names})
        figure.draw_without_rendering()
    [legend] = figure.legends
    assert legend.get_window_extent().width <= width * figure.dpi


def test_panels_that_are_placed_by_hand_stay_there(tmp_path: Path) -> None:
    with new_figure(tmp_path, "hand", 3, 2) as figure:
        panel = figure.add_axes((0, 0, 1, 1))
        panel.set_title("title")
    assert panel.get_position().bounds == (0, 0, 1, 1)


def test_a_figure_without_entries_has_no_legend() -> None:
    figure = Figure()
    add_legend(figure, {})
    assert figure.legends == []


def looks(n: int) -> list[Look]:
    return list(looks_of(map(str, range(n))).values())


def test_forty_dots_and_forty_lines_can_be_told_apart() -> None:
    assert len({(look.colour, look.marker) for look in looks(40)}) == 40
    assert len({(look.colour, look.style) for look in looks(40)}) == 40
    assert len({look.colour for look in looks(40)}) <= 8


def lightness(colour: str) -> float:
    """Return CIE L* of a colour."""
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    y = float(linear @ [0.2126, 0.7152, 0.0722])
    return 116 * y ** (1 / 3) - 16 if y > (6 / 29) ** 3 else y * (29 / 3) ** 3


def test_neighbours_differ_in_grey_in_marker_and_in_line_style() -> None:
    for a, b in pairwise(looks(41)):
        assert abs(lightness(a.colour) - lightness(b.colour)) > 12
        assert a.marker != b.marker
        assert a.style != b.style


def test_names_keep_their_order() -> None:
    assert [*looks_of(["b", "a"]).items()] == [*zip("ba", looks(2), strict=True)]
    assert looks(2)[0].colour == COLOURS[0]


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
