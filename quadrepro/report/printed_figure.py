"""The figure of printed numbers: where each lies in our interval, in the shape of its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.config.loading import Experiment
from quadrepro.report.captions import listed
from quadrepro.report.figure import add_legend, new_figure
from quadrepro.report.verdicts import Verdict, Verdicts
from quadrepro.stats import COVERAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "printed"
"""Name of its files without ending."""

LABELLED = 30
"""The numbers of at most so many entries are written beside them: those that lie farthest off."""

NARROWEST, WIDEST = 1.5, 5.0
"""The least and the largest half-width of a panel, in half-widths of an interval."""

DENSE = 60
"""With more rows than this, rows are closer together."""

INSIDE: dict[str, Any] = {"marker": "o", "color": "#666666", "markersize": 3.0}
OUTSIDE: dict[str, Any] = {
    "marker": "D",
    "color": "#d55e00",
    "markersize": 4.5,
    "markerfacecolor": "white",
}
SURELY: dict[str, Any] = {"marker": "D", "color": "#d55e00", "markersize": 4.5}
BEYOND: dict[str, Any] = {"marker": ">", "color": "#d55e00", "markersize": 5.5}
"""How a number is drawn that is inside, outside, outside even if all are counted; and one of these
two that lies farther out than its panel reaches."""


@dataclass(frozen=True)
class Column:
    """A quantity of one algorithm in a printed table: one panel.

    Attributes
    ----------
    title : str
        What stands above it.
    verdicts : tuple of Verdict
        Of all rows for which something is printed.
    """

    title: str
    verdicts: tuple[Verdict, ...]


def draw_printed(experiment: Experiment, found: Sequence[Verdicts], folder: Path) -> None:
    """Draw where the printed numbers lie in our intervals to ``printed.svg`` and ``printed.png``.

    Parameters
    ----------
    experiment : Experiment
        The config.
    found : sequence of Verdicts
        One per printed table, at least one.
    folder : Path
        Where the files are written.
    """
    from matplotlib.lines import Line2D

    columns = list(_columns(experiment, found))
    known = {verdict.row for column in columns for verdict in column.verdicts}
    rows = [entry.title for entry in experiment.config.entries if entry.title in known]
    off = {id(v): abs(v.position or 0) for verdicts in found for v in verdicts.outside}
    edge = min(WIDEST, max(NARROWEST, 1.1 * max(off.values(), default=0.0)))
    surely = {id(v) for verdicts in found for v in verdicts.surely_off}
    labelled = set(sorted(off, key=lambda key: -off[key])[:LABELLED])
    height = (0.14 if len(rows) > DENSE else 0.2) * len(rows) + 1.3
    names = 0.07 * max(map(len, rows)) + 0.3
    with new_figure(folder, NAME, max(5.0, 1.35 * len(columns) + names), height) as figure:
        panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
        for panel, column in zip(panels, columns, strict=True):
            panel.axvspan(-1, 1, color="#e4eef6", linewidth=0, zorder=0)
            panel.axvline(0, color="#9db8cc", linewidth=0.6, zorder=0)
            for verdict in column.verdicts:
                if verdict.position is None:
                    continue
                key = id(verdict)
                look = SURELY if key in surely else OUTSIDE if key in off else INSIDE
                _draw(panel, rows.index(verdict.row), verdict, look, edge, key in labelled)
            panel.set_title(column.title, fontsize=8)
            panel.set(xlim=(-edge, edge), ylim=(len(rows) - 0.5, -0.5), xticks=(-1, 0, 1))
            panel.tick_params(axis="y", length=0)
            panel.grid(axis="y", color="#eeeeee", linewidth=0.5)
            panel.set_axisbelow(True)
            panel.spines[["top", "right", "left"]].set_visible(False)
        panels[0].set_yticks(range(len(rows)), rows, fontsize=6 if len(rows) > DENSE else 8)
        figure.supxlabel(
            "place of the printed number; −1 and 1 are the ends of our interval", fontsize=8
        )
        looks = {"inside": INSIDE, "outside": OUTSIDE}
        if surely:
            looks["outside even if all are counted (Holm)"] = SURELY
        if any(x > edge for x in off.values()):
            looks["farther out"] = BEYOND
        add_legend(
            figure, {text: Line2D([], [], linestyle="", **look) for text, look in looks.items()}
        )


def _draw(
    panel: Axes, y: int, verdict: Verdict, look: dict[str, Any], edge: float, label: bool
) -> None:
    position = verdict.position or 0.0
    side = 1 if position > 0 else -1
    x = position
    if abs(position) > edge:
        look = look | {"marker": ">" if side > 0 else "<", "markersize": 5.5}
        x = side * 0.96 * edge
    panel.plot(x, y, linestyle="", **look)
    if label:
        digits = len(verdict.printed.partition(".")[2]) + 1
        panel.annotate(
            f"{verdict.printed}, ours {verdict.ours:.{digits}f}",
            (x, y),
            xytext=(-5 * side, 0),
            textcoords="offset points",
            ha="right" if side > 0 else "left",
            va="center",
            fontsize=5.5,
        )


def _columns(experiment: Experiment, found: Sequence[Verdicts]) -> Iterator[Column]:
    """Yield the columns of all printed tables, one quantity after the other."""
    several = len({(v.printed, e.quantity) for v in found for e in v.entries}) > 1
    for verdicts in found:
        for quantity in dict.fromkeys(e.quantity for e in verdicts.entries):
            for name, title in experiment.config.titles.items():
                place = quantity, name
                entries = tuple(e for e in verdicts.entries if (e.quantity, e.column) == place)
                if entries:
                    yield Column(f"{quantity}\n{title}" if several else title, entries)


def printed_caption(experiment: Experiment, found: Sequence[Verdicts]) -> str:
    """Return what the figure shows."""
    names = [verdicts.printed for verdicts in found]
    n = sum(len(verdicts.judged) for verdicts in found)
    n_outside = sum(len(verdicts.outside) for verdicts in found)
    splits = experiment.config.repeats
    return (
        f"{experiment.config.title}: {n} printed numbers against ours, {n_outside} of them outside "
        f"our intervals. Printed: {listed(names)}. One line per row of the table and one panel per "
        "algorithm and quantity. A dot is a printed number: "
        "0 is the middle of the interval in which it lies with probability "
        f"{COVERAGE:g} if it stems from splits like our {splits}, −1 and 1 are the ends of that "
        "interval (shaded). Diamonds are outside, filled ones even after Holm's correction over "
        "the whole table; triangles point to numbers farther out than the panel reaches. The "
        "printed number and the mean of ours stand beside those that lie farthest off."
    )
