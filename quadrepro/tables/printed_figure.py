"""The figure of printed numbers: where each is in our interval, in the shape of the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.config.config import Experiment
from quadrepro.tables.figure import COLOURS, add_legend, fitted, new_figure
from quadrepro.tables.verdicts import Verdict, Verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELLED = 30
"""Maximum number of entries labelled with their numbers: those farthest off."""

NARROWEST, WIDEST = 1.5, 5.0
"""The least and the largest half-width of a panel, in half-widths of an interval."""

TICKS = (-4, -1, 1, 4)
"""Those of these that a panel reaches are labelled."""

WIDTH, HEIGHT = 1.5, 0.17
"""Inches of a panel, and of a row."""

INSIDE, OUTSIDE = "inside", "outside"
SURELY = "outside even if all are counted (Holm)"
"""Names of numbers in the legend."""

LOOKS: dict[str, dict[str, Any]] = {
    INSIDE: {"marker": "o", "color": COLOURS[6], "markersize": 3.0},
    OUTSIDE: {"marker": "D", "color": COLOURS[2], "markersize": 4.5, "markerfacecolor": "white"},
    SURELY: {"marker": "D", "color": COLOURS[2], "markersize": 4.5},
}
"""Their style; one that is farther out than its panel reaches is an arrow."""


def draw_printed(experiment: Experiment, found: Sequence[Verdicts], path: Path) -> None:
    """Draw the printed numbers within our intervals, one panel per algorithm."""
    titles = experiment.titles
    entries = [v for of in found for v in of.entries]
    columns = [c for c in titles if c in {v.column for v in entries}]
    rows = [*dict.fromkeys((v.row, v.quantity) for v in entries)]
    several = len({quantity for _, quantity in rows}) > 1
    names = [titles.get(row, row) + f", {quantity}" * several for row, quantity in rows]
    off = {id(v): abs(v.position or 0) for v in entries if v.word == "outside"}
    kinds = dict.fromkeys(off, OUTSIDE) | {id(v): SURELY for of in found for v in of.surely_off}
    labelled = sorted(off, key=lambda key: -off[key])[:LABELLED]
    edge = min(WIDEST, max([NARROWEST, *(1.1 * position for position in off.values())]))
    width = WIDTH * len(columns) + 0.07 * max(map(len, names)) + 0.3
    with new_figure(path, max(5.0, width), HEIGHT * len(rows) + 1.5) as figure:
        axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
        panels = dict(zip(columns, axes, strict=True))
        for column, panel in panels.items():
            panel.axvspan(-1, 1, color="#e4eef6", linewidth=0, zorder=0)
            panel.axvline(0, color="#9db8cc", linewidth=0.6, zorder=0)
            panel.grid(axis="y", color="#eeeeee", linewidth=0.5)
            panel.set_axisbelow(True)
            panel.set_title(fitted(titles[column], WIDTH), fontsize=8)
            ticks = [tick for tick in TICKS if abs(tick) < edge]
            panel.set(xlim=(-edge, edge), ylim=(len(rows) - 0.5, -0.5), xticks=ticks)
            panel.set_yticks(range(len(rows)), names, fontsize=7)
            panel.tick_params(axis="y", length=0)
            panel.spines[["top", "right", "left"]].set_visible(False)
        # All markers of a kind at once keep the files small.
        points: dict[tuple[Axes, str, str], list[tuple[float, int]]] = {}
        for v in entries:
            if v.position is None:
                continue
            panel, y, x = panels[v.column], rows.index((v.row, v.quantity)), v.position
            kind = kinds.get(id(v), INSIDE)
            marker = LOOKS[kind]["marker"]
            if abs(x) > edge:
                x, marker = copysign(0.96 * edge, x), ">" if x > 0 else "<"
            points.setdefault((panel, kind, marker), []).append((x, y))
            if id(v) in labelled:
                _label(panel, v, x, y)
        for (panel, kind, marker), of in points.items():
            look = LOOKS[kind] | {"marker": marker, "linestyle": ""}
            panel.plot(*zip(*of, strict=True), **look)
        shown = {kinds.get(id(v), INSIDE) for v in entries}
        for kind, look in LOOKS.items():
            if kind in shown:
                axes[0].plot([], [], linestyle="", label=kind, **look)
        text = "place of the printed number; −1 and 1 are the ends of our interval"
        figure.supxlabel(text, fontsize=8)
        add_legend(figure)


def _label(panel: Axes, verdict: Verdict, x: float, y: int) -> None:
    """Write ours and the printed number next to a marker, towards the middle."""
    digits = len(verdict.printed.partition(".")[2])
    text = f"{verdict.ours:.{digits}f} ({verdict.printed})"
    form: dict[str, Any] = {"ha": "right" if x > 0 else "left", "va": "center", "fontsize": 5.5}
    towards = -copysign(5, x), 0.0
    panel.annotate(text, (x, y), towards, textcoords="offset points", in_layout=False, **form)
