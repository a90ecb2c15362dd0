"""The figure of printed numbers: where each lies in our interval, in the shape of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.config.config import Experiment
from quadrepro.tables.figure import COLOURS, add_legend, new_figure, write_beside
from quadrepro.tables.verdicts import Verdict, Verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELLED = 30
"""Maximum number of entries labelled with their numbers: those farthest off."""

NARROWEST, WIDEST = 1.5, 5.0
"""The least and the largest half-width of a panel, in half-widths of an interval."""

TICKS = (-4, -1, 1, 4)
"""Those of these that a panel reaches are labelled."""

DENSE = 60
"""With more rows than this, rows are closer together."""

INSIDE, OUTSIDE, FARTHER = "inside", "outside", "farther out"
SURELY = "outside even if all are counted (Holm)"
"""Names of numbers in the legend; one that is farther out than its panel reaches is outside."""

_DOT = {"linestyle": "", "color": COLOURS[2]}

LOOKS: dict[str, dict[str, Any]] = {
    INSIDE: {**_DOT, "marker": "o", "color": COLOURS[6], "markersize": 3.0},
    OUTSIDE: {**_DOT, "marker": "D", "markersize": 4.5, "markerfacecolor": "white"},
    SURELY: {**_DOT, "marker": "D", "markersize": 4.5},
    FARTHER: {**_DOT, "marker": ">", "markersize": 5.5},
}
"""Their style."""


@dataclass(frozen=True)
class PanelBlock:
    """Panels that share their rows."""

    rows: dict[str, str]  # with what stands beside each
    columns: list[tuple[str, list[Verdict]]]  # a panel each


@dataclass(frozen=True)
class BlockDrawing:
    """Shared parts of the panels of a block."""

    edge: float  # half-width of the panels, in half-widths of an interval
    outside: dict[int, str]  # `OUTSIDE` or `SURELY`, by id of a verdict
    labelled: set[int]  # ids of verdicts with their numbers


def draw_printed(experiment: Experiment, found: Sequence[Verdicts], path: Path) -> None:
    """Draw the printed numbers within our intervals into a file."""
    entries = [v for verdicts in found for v in verdicts.entries]
    off = {id(v): abs(v.position or 0) for v in entries if v.word == "outside"}
    outside = dict.fromkeys(off, OUTSIDE)
    outside |= {id(v): SURELY for verdicts in found for v in verdicts.surely_off}
    labelled = set(sorted(off, key=lambda key: -off[key])[:LABELLED])
    blocks = _blocks(experiment, found)
    names = max(len(text) for block in blocks for text in block.rows.values())
    width = 1.5 * max(len(block.columns) for block in blocks) + 0.07 * names + 0.3
    dense = sum(len(block.rows) for block in blocks) > DENSE
    heights = [0.8 + (0.14 if dense else 0.2) * len(block.rows) for block in blocks]
    shown = {INSIDE, OUTSIDE, *outside.values()}
    with new_figure(path, max(5.0, width), sum(heights) + 0.7) as figure:
        grid = figure.add_gridspec(len(blocks), 1, height_ratios=heights)
        for i, block in enumerate(blocks):
            farthest = max([off.get(id(v), 0.0) for _, vs in block.columns for v in vs])
            edge = min(WIDEST, max(NARROWEST, 1.1 * farthest))
            shown |= {FARTHER} if farthest > edge else set()
            drawing = BlockDrawing(edge, outside, labelled)
            inner = grid[i].subgridspec(1, len(block.columns))
            panels = inner.subplots(sharey=True, squeeze=False)[0]
            for panel, column in zip(panels, block.columns, strict=True):
                _draw_panel(panel, column, list(block.rows), drawing)
            panels[0].set_yticks(
                range(len(block.rows)), block.rows.values(), fontsize=6 if dense else 8
            )
            for label, (row, text) in zip(
                panels[0].get_yticklabels(), block.rows.items(), strict=True
            ):
                if experiment.config.readings and row == text:
                    label.set_fontweight("bold")
        text = "place of the printed number; −1 and 1 are the ends of our interval"
        figure.supxlabel(text, fontsize=8)
        add_legend(figure, {text: look for text, look in LOOKS.items() if text in shown})


def _blocks(experiment: Experiment, found: Sequence[Verdicts]) -> list[PanelBlock]:
    """Return one block for all tables with a row per data set, and one for each other table."""
    config = experiment.config
    groups: list[tuple[str, list[Verdict]]] = []
    for verdicts in found:
        entries = list(verdicts.entries)
        quantities = list(dict.fromkeys(e.quantity for e in entries))
        if len({(e.row, e.column) for e in entries}) == len(entries):
            # No entry has two of them, such as errors in some rows and RMSEs in others.
            groups.append((" or ".join(quantities), entries))
        else:
            groups += [(q, [e for e in entries if e.quantity == q]) for q in quantities]
    # A reading is below its data set, without its name.
    names = {row.entry.title: row.reading or row.entry.title for row in config.rows}
    blocks: list[PanelBlock] = []
    for quantity, group in groups:
        of_group = {e.row for e in group}
        columns = [
            (f"{quantity}\n{title}" if len(groups) > 1 else title, of_column)
            for name, title in experiment.titles.items()
            if (of_column := [e for e in group if e.column == name])
        ]
        if not of_group <= names.keys():
            # Such as a table of pairs of algorithms.
            rows = {e.row: experiment.titles.get(e.row, e.row) for e in group}
            blocks.append(PanelBlock(rows, columns))
        elif blocks and blocks[0].rows.keys() <= names.keys():
            rows = blocks[0].rows | dict.fromkeys(of_group, "")
            ordered = {row: text for row, text in names.items() if row in rows}
            blocks[0] = PanelBlock(ordered, blocks[0].columns + columns)
        else:
            ordered = {row: text for row, text in names.items() if row in of_group}
            blocks.insert(0, PanelBlock(ordered, columns))
    return blocks


def _draw_panel(
    panel: Axes, column: tuple[str, list[Verdict]], rows: list[str], drawing: BlockDrawing
) -> None:
    (title, verdicts), edge, n_rows = column, drawing.edge, len(rows)
    panel.axvspan(-1, 1, color="#e4eef6", linewidth=0, zorder=0)
    panel.axvline(0, color="#9db8cc", linewidth=0.6, zorder=0)
    # All lines and all markers of a kind at once keep the files small.
    places = [y for row in range(n_rows) for y in (row, row, nan)]
    panel.plot([-edge, edge, nan] * n_rows, places, color="#eeeeee", linewidth=0.5, zorder=0)
    points: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for verdict in verdicts:
        if verdict.position is None:
            continue
        position, y = verdict.position, rows.index(verdict.row)
        kind = drawing.outside.get(id(verdict), INSIDE)
        marker = LOOKS[kind]["marker"]
        if abs(position) > edge:
            kind, marker = FARTHER, ">" if position > 0 else "<"
            position = copysign(0.96 * edge, position)
        points.setdefault((kind, marker), []).append((position, y))
        if id(verdict) in drawing.labelled:
            _label(panel, verdict, position, y)
    for (kind, marker), of_kind in points.items():
        panel.plot(*zip(*of_kind, strict=True), **LOOKS[kind] | {"marker": marker})
    panel.set_title(title, fontsize=8)
    ticks = [tick for tick in TICKS if abs(tick) < edge]
    panel.set(xlim=(-edge, edge), ylim=(n_rows - 0.5, -0.5), xticks=ticks)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)


def _label(panel: Axes, verdict: Verdict, x: float, y: int) -> None:
    """Write ours and the printed number beside a marker, towards the middle."""
    digits = len(verdict.printed.partition(".")[2])
    text, away = f"{verdict.ours:.{digits}f} ({verdict.printed})", -copysign(5, x)
    side = "right" if x > 0 else "left"
    write_beside(
        panel, text, (x, y), (away, 0), ha=side, va="center", fontsize=5.5, in_layout=False
    )
