"""The figure of printed numbers: where each lies in our interval, in the shape of its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import copysign, nan
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

TICKS = (-4, -1, 1, 4)
"""Those of these that a panel reaches are labelled."""

DENSE = 60
"""With more rows than this, rows are closer together."""

INSIDE, OUTSIDE, FARTHER = "inside", "outside", "farther out"
SURELY = "outside even if all are counted (Holm)"
"""What the legend calls a number; one that is farther out than its panel reaches is outside."""

LOOKS: dict[str, dict[str, Any]] = {
    INSIDE: {"marker": "o", "color": "#666666", "markersize": 3.0},
    OUTSIDE: {"marker": "D", "color": "#d55e00", "markersize": 4.5, "markerfacecolor": "white"},
    SURELY: {"marker": "D", "color": "#d55e00", "markersize": 4.5},
    FARTHER: {"marker": ">", "color": "#d55e00", "markersize": 5.5},
}
"""How they are drawn."""


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


@dataclass(frozen=True)
class Drawing:
    """What all panels share.

    Attributes
    ----------
    rows : dict of str to int
        Their place from above.
    edge : float
        Half-width of the panels, in half-widths of an interval.
    outside : dict of int to str
        `OUTSIDE` or `SURELY`, by id of the verdicts that are outside.
    labelled : set of int
        Ids of the verdicts beside which the numbers are written.
    """

    rows: dict[str, int]
    edge: float
    outside: dict[int, str]
    labelled: set[int]


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
    rows = [row for row in experiment.config.rows if row.entry.title in known]
    # A reading stands below its data set, without its name.
    words = [row.reading or row.entry.title for row in rows]
    off = {id(v): abs(v.position or 0) for verdicts in found for v in verdicts.outside}
    farthest = max(off.values(), default=0.0)
    outside = dict.fromkeys(off, OUTSIDE)
    outside |= {id(v): SURELY for verdicts in found for v in verdicts.surely_off}
    drawing = Drawing(
        {row.entry.title: i for i, row in enumerate(rows)},
        min(WIDEST, max(NARROWEST, 1.1 * farthest)),
        outside,
        set(sorted(off, key=lambda key: -off[key])[:LABELLED]),
    )
    dense = len(rows) > DENSE
    width = 1.5 * len(columns) + 0.07 * max(map(len, words)) + 0.3
    with new_figure(
        folder, NAME, max(5.0, width), (0.14 if dense else 0.2) * len(rows) + 1.3
    ) as figure:
        panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
        for panel, column in zip(panels, columns, strict=True):
            _draw_panel(panel, column, drawing)
        panels[0].set_yticks(range(len(rows)), words, fontsize=6 if dense else 8)
        for label, row in zip(panels[0].get_yticklabels(), rows, strict=True):
            if experiment.config.readings and not row.reading:
                label.set_fontweight("bold")
        text = "place of the printed number; −1 and 1 are the ends of our interval"
        figure.supxlabel(text, fontsize=8)
        shown = {INSIDE, OUTSIDE, *outside.values()}
        shown |= {FARTHER} if farthest > drawing.edge else set()
        looks = {text: look for text, look in LOOKS.items() if text in shown}
        add_legend(
            figure, {text: Line2D([], [], linestyle="", **look) for text, look in looks.items()}
        )


def _draw_panel(panel: Axes, column: Column, drawing: Drawing) -> None:
    edge, n_rows = drawing.edge, len(drawing.rows)
    panel.axvspan(-1, 1, color="#e4eef6", linewidth=0, zorder=0)
    panel.axvline(0, color="#9db8cc", linewidth=0.6, zorder=0)
    # All lines and all markers of a kind at once keep the files small.
    places = [y for row in range(n_rows) for y in (row, row, nan)]
    panel.plot([-edge, edge, nan] * n_rows, places, color="#eeeeee", linewidth=0.5, zorder=0)
    points: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for verdict in column.verdicts:
        if verdict.position is None:
            continue
        position, y = verdict.position, drawing.rows[verdict.row]
        kind = drawing.outside.get(id(verdict), INSIDE)
        marker = LOOKS[kind]["marker"]
        if abs(position) > edge:
            kind, marker = FARTHER, ">" if position > 0 else "<"
            position = copysign(0.96 * edge, position)
        points.setdefault((kind, marker), []).append((position, y))
        if id(verdict) in drawing.labelled:
            _label(panel, verdict, position, y)
    for (kind, marker), of_kind in points.items():
        panel.plot(*zip(*of_kind, strict=True), linestyle="", **LOOKS[kind] | {"marker": marker})
    panel.set_title(column.title, fontsize=8)
    ticks = [tick for tick in TICKS if abs(tick) < edge]
    panel.set(xlim=(-edge, edge), ylim=(n_rows - 0.5, -0.5), xticks=ticks)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)


def _label(panel: Axes, verdict: Verdict, x: float, y: int) -> None:
    """Write ours and the printed number beside a marker, towards the middle."""
    digits = len(verdict.printed.partition(".")[2])
    panel.annotate(
        f"{verdict.ours:.{digits}f} ({verdict.printed})",
        (x, y),
        xytext=(-copysign(5, x), 0),
        textcoords="offset points",
        ha="right" if x > 0 else "left",
        va="center",
        fontsize=5.5,
        in_layout=False,
    )


def _columns(experiment: Experiment, found: Sequence[Verdicts]) -> Iterator[Column]:
    """Yield the columns of all printed tables, one quantity after the other."""
    groups: list[tuple[str, list[Verdict]]] = []
    for verdicts in found:
        entries = verdicts.entries
        quantities = list(dict.fromkeys(e.quantity for e in entries))
        if len({(e.row, e.column) for e in entries}) == len(entries):
            # No entry has two of them, such as errors in some rows and RMSEs in others.
            groups.append((" or ".join(quantities), list(entries)))
        else:
            groups += [(q, [e for e in entries if e.quantity == q]) for q in quantities]
    for quantity, group in groups:
        for name, title in experiment.config.titles.items():
            if of_column := tuple(e for e in group if e.column == name):
                above = f"{quantity}\n" if len(groups) > 1 else ""
                yield Column(above + title, of_column)


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
        "the whole table; triangles point to numbers farther out than the panel reaches. "
        "Beside those that lie farthest off stand the mean of ours and, in parentheses, the "
        "printed number."
    )
