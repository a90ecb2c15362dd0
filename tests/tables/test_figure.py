"""Figures: the same bytes for everyone, with legends."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest

from quadrepro.tables.figure import fitted, new_figure


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_settings_of_a_user_do_not_change_the_files(tmp_path: Path, ending: str) -> None:
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


def test_names_are_not_formulas_and_their_controls_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "names.svg"
    with new_figure(path, 3, 2) as figure:
        figure.subplots().set_title("$x_1$ and \x1b")
    assert r"<!-- $x_1$ and \x1b -->" in path.read_text()


def test_a_legend_has_each_label_of_all_panels_once_in_their_order(tmp_path: Path) -> None:
    with new_figure(tmp_path / "labels.svg", 3, 2) as figure:
        a, b = figure.subplots(1, 2)
        for panel, names in ((a, "xy"), (b, "zyx")):
            for name in names:
                panel.plot([0, 1], [0, 1], label=name)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["x", "y", "z"]
    with new_figure(tmp_path / "empty.svg", 3, 2) as empty:
        empty.subplots()
    assert empty.legends == []


@pytest.mark.parametrize("inches", [0.5, 1, 2.5])
def test_a_fitted_text_keeps_its_words_in_lines_of_limited_length(inches: float) -> None:
    text = "the test error of a rather long name"
    lines = fitted(text, inches).splitlines()
    assert max(map(len, lines)) <= max(1, 14 * inches)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
