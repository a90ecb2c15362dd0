"""Figures: the same bytes for everyone, with legends; and the diagram of mean ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import ceil, inf
from pathlib import Path
from unittest.mock import patch

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from quadrepro.stats import (
    Comparison,
    FriedmanTest,
    RankedMethod,
    Ranking,
    critical_difference,
    rank_methods,
)
from quadrepro.tables.figure import fitted, new_figure
from quadrepro.tables.methods import draw_ranks


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


def test_a_fitted_text_keeps_its_words_in_lines_of_limited_length() -> None:
    text = "the test error of a rather long name"
    for inches in (0.5, 1, 2.5):
        lines = fitted(text, inches).splitlines()
        assert max(map(len, lines)) <= 14 * inches
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


DEMSAR = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
"""The mean ranks of Demšar's (2006) example over 14 data sets."""


def ranking_of(
    ranks: Sequence[float],
    separated: set[tuple[int, int]],
    n_rows: int = 14,
    names: Sequence[str] = (),
) -> Ranking:
    """Return a ranking with some mean ranks, whose test separates some pairs of places."""
    names = names or [f"method {i}" for i in range(len(ranks))]
    pairs = {}
    for i, j in combinations(range(len(ranks)), 2):
        p, winner = (0.01, names[i]) if (i, j) in separated else (0.5, None)
        numbers = (names[i], names[j], winner, -1.0, -inf, inf, p, p, "test", 1, 0, 0)
        pairs[names[i], names[j]] = Comparison(*numbers)
        pairs[names[j], names[i]] = pairs[names[i], names[j]].swapped()
    methods = tuple(RankedMethod(*pair, 0.0, True) for pair in zip(names, ranks, strict=True))
    return Ranking(methods, n_rows, FriedmanTest(tuple(ranks), 0, 1, 0, 1), pairs)


def drawn(ranking: Ranking, nemenyi: bool = False) -> Figure:
    """Return the figure of a ranking; it is not written."""
    figures: list[Figure] = []
    titles = {method.name: method.name for method in ranking.methods}
    with patch.object(Figure, "savefig", lambda figure, *_, **__: figures.append(figure)):
        draw_ranks(Path("ranking.svg"), ranking, titles, nemenyi=nemenyi)
    return figures[0]


def rank_at(panel: Axes, n: int) -> Callable[[float], float]:
    """Return the function from places on the axis to ranks."""
    start, *_, end = panel.get_lines()[0].get_xdata()
    return lambda x: 1 + (n - 1) * (x - start) / (end - start)


def bars(panel: Axes) -> list[Line2D]:
    """Return the bars that join methods."""
    return [line for line in panel.get_lines() if line.get_marker() == "o"]


def test_names_have_their_mean_ranks_the_better_half_on_the_left() -> None:
    [panel] = drawn(ranking_of([*DEMSAR.values()], set(), names=[*DEMSAR])).axes
    assert [text.get_text() for text in panel.texts] == [
        *("1", "2", "3", "4"),
        *("C4.5+m+cf  1.96", "C4.5+m  2.00", "2.89  C4.5+cf", "3.14  C4.5"),
    ]
    [bar] = bars(panel)
    ranks = [rank_at(panel, 4)(x) for x in bar.get_xdata()]
    assert ranks == pytest.approx([*DEMSAR.values()])
    # Each line begins at its rank on the axis and ends next to its name.
    for line, rank in zip(panel.get_lines()[-4:], DEMSAR.values(), strict=True):
        x, y = line.get_data()
        assert (rank_at(panel, 4)(x[0]), y[0]) == (pytest.approx(rank), 0)


def test_nemenyis_bar_has_the_length_of_the_critical_difference() -> None:
    ranking = ranking_of([*DEMSAR.values()], set(), names=[*DEMSAR])
    [panel] = drawn(ranking, nemenyi=True).axes
    [bar] = [line for line in panel.get_lines() if [*line.get_ydata()] == [0.4, 0.4]]
    start, end = map(rank_at(panel, 4), bar.get_xdata())
    assert end - start == pytest.approx(critical_difference(4, 14))
    texts = [text.get_text() for text in panel.texts]
    assert "Nemenyi's critical difference 1.25" in texts
    # On few data sets no two mean ranks can be so far separated, and the bar would leave the axis.
    few = drawn(ranking_of([*DEMSAR.values()], set(), n_rows=2), nemenyi=True).axes[0]
    assert not any("critical" in text.get_text() for text in few.texts)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[float], set[tuple[int, int]]]:
    ranks = sorted(draw(st.lists(st.floats(1, 6), min_size=2, max_size=7)))
    pairs = [*combinations(range(len(ranks)), 2)]
    return ranks, set(draw(st.lists(st.sampled_from(pairs), unique=True)))


@given(rankings())
def test_methods_share_a_bar_if_they_are_alike(
    example: tuple[list[float], set[tuple[int, int]]],
) -> None:
    ranks, separated = example
    ranks = [rank + i / 100 for i, rank in enumerate(ranks)]
    [panel] = drawn(ranking_of(ranks, separated)).axes
    groups = []
    for bar in bars(panel):
        places = [rank_at(panel, len(ranks))(x) for x in bar.get_xdata()]
        groups.append({int(np.abs(np.array(ranks) - place).argmin()) for place in places})
        assert len({*bar.get_ydata()}) == 1
    joined = {pair for group in groups for pair in combinations(sorted(group), 2)}
    assert joined == {*combinations(range(len(ranks)), 2)} - separated
    heights = [bar.get_ydata()[0] for bar in bars(panel)]
    assert len({*heights}) == len(heights)


@pytest.mark.parametrize("n", [2, 3, 7, 20])
@pytest.mark.parametrize("nemenyi", [False, True])
def test_names_neither_overlap_nor_leave_the_figure(n: int, nemenyi: bool) -> None:
    rng = np.random.default_rng(n)
    scores = {f"a rather long name of method {i}": [*rng.normal(0.4 * i, 1, 60)] for i in range(n)}
    figure = drawn(rank_methods(scores), nemenyi)
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in figure.axes[0].texts]
    width, height = figure.get_size_inches() * figure.dpi
    for i, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
        assert not any(box.overlaps(other) for other in boxes[:i])
    # Bars are between the axis and the names.
    lowest = min((bar.get_ydata()[0] for bar in bars(figure.axes[0])), default=0.0)
    assert max(text.get_position()[1] for text in figure.axes[0].texts[-n:]) < lowest
    left = figure.axes[0].texts[-n:][: ceil(n / 2)]
    assert {text.get_ha() for text in left} == {"right"}
