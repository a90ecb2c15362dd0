"""One panel of a figure of curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.measures.registry import title_of
from quadrepro.report.figure import Look, open_frame, plain_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quadrepro.report.kinds.curves import Curves, Panel
    from quadrepro.report.outcomes import Curve, Outcomes

POINTS = 200
"""A band has about this many points on each side, spread evenly over the axis."""

MARKS_APART = 0.15
"""Distance of the markers on a curve, as a share of the panel's diagonal."""

ROUNDING = 1e-9
"""Values that differ by less, relative to their size, are the same."""

LONG = 34
"""Above this number of letters, a title has two lines."""

WIDTH = 1.3
"""Width of a curve in points."""


@dataclass(frozen=True)
class Drawing:
    """What all panels of a figure share.

    Attributes
    ----------
    curves : Curves
        What the config asks for.
    outcomes : Outcomes
        The records.
    looks : dict of str to Look
        By algorithm.
    styles : dict of str to Any
        Line style by measure if a panel has several of them. If it is empty, line styles tell
        algorithms apart.
    marked : bool
        Whether curves have the markers of their algorithms.
    levels : frozenset of str
        The measures that do not depend on the axis.
    """

    curves: Curves
    outcomes: Outcomes
    looks: dict[str, Look]
    styles: dict[str, Any]
    marked: bool
    levels: frozenset[str]

    def found(self, panel: Panel, row: str) -> Iterator[tuple[str, str, Curve, tuple[Any, ...]]]:
        """Yield what a panel draws: measure, algorithm, curve and the values along it."""
        for measure, column in product(panel.measures, panel.algorithms or self.looks):
            curve = self.outcomes.curve(row, column, measure)
            values = self.outcomes.values_along(row, column, self.curves.along)
            if curve is not None and values is not None:
                yield measure, column, curve, values

    def scale(self, panel: Panel, row: str) -> str:
        """Return the scale of a panel: a linear one if no value of its curves has a logarithm."""
        if panel.scale == "log":
            means = [curve.mean for _, _, curve, _ in self.found(panel, row)]
            if means and not any((mean > 0).any() for mean in means):
                return "linear"
        return panel.scale

    def line(self, column: str, measure: str = "") -> dict[str, Any]:
        """Return how a curve or its sample in the legend is drawn."""
        look = self.looks[column]
        style = self.styles.get(measure, "-") if self.styles else look.style
        marker = {"marker": look.marker, "markersize": 3.5} if self.marked else {}
        return {"color": look.colour, "linewidth": WIDTH, "linestyle": style, **marker}

    def only_levels(self, panel: Panel) -> bool:
        """Return whether nothing in a panel depends on the axis."""
        return self.levels.issuperset(panel.measures)


def levels_of(curves: Curves, outcomes: Outcomes) -> frozenset[str]:
    """Return the measures that are the same for all candidates wherever a panel draws them."""
    constant: dict[str, bool] = {}
    for panel, row in product(curves.panels, outcomes.rows):
        for measure, column in product(panel.measures, panel.algorithms or outcomes.columns):
            curve = outcomes.curve(row, column, measure)
            # An algorithm without the hyper-parameter says nothing of what depends on it.
            if curve is not None and outcomes.values_along(row, column, curves.along):
                same = _constant(curve.mean) and _constant(curve.sd)
                constant[measure] = constant.get(measure, True) and same
    return frozenset(measure for measure, same in constant.items() if same)


def _constant(values: FloatArray) -> bool:
    """Return whether all values are the same but for rounding."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def draw_panel(panel: Axes, what: Panel, row: str, drawing: Drawing) -> None:
    """Draw the curves and marks of one row of the experiment into one panel."""
    if drawing.only_levels(what):
        _draw_dots(panel, what, row, drawing)
    else:
        _draw_curves(panel, what, row, drawing)
    # A long title would run into that of the next panel.
    between = ":\n" if len(row) + len(what.title) > LONG else ": "
    panel.set_title(between.join(word for word in (row, what.title) if word))
    open_frame(panel)


def _draw_curves(panel: Axes, what: Panel, row: str, drawing: Drawing) -> None:
    outcomes, curves, scale = drawing.outcomes, drawing.curves, drawing.scale(what, row)
    panel.set_xscale(curves.scale)
    if scale == "log":
        panel.set_yscale("log", nonpositive="mask")
    places = {column: i for i, column in enumerate(drawing.looks)}
    bands = []
    for measure, column, curve, values in drawing.found(what, row):
        level = measure in drawing.levels or not values
        x: Sequence[float] = (0, 1) if level else values
        across: Any = {"transform": panel.get_yaxis_transform()} if level else {}
        moments = (curve.mean[:1], curve.sd[:1]) if level else (curve.mean, curve.sd)
        low, line, high = (
            np.broadcast_to(_on_scale(moments[0] + n_sd * moments[1], scale), len(x))
            for n_sd in (-1, 0, 1)
        )
        marks: Any = {}
        if drawing.marked:
            # Markers of two algorithms do not lie on top of each other.
            first = MARKS_APART * places[column] / len(places)
            marks = {"markevery": (first, MARKS_APART)}
        panel.plot(x, line, **drawing.line(column, measure), **marks, **across)
        if measure in drawing.levels and np.isfinite(line[0]):
            _write_level(panel, float(line[0]), title_of(measure), drawing.looks[column].colour)
        if outcomes.repeats > 1:
            bands.append((x, low, high, drawing.looks[column].colour, across))
    for mark, column in product(what.marks, what.algorithms or drawing.looks):
        marked = outcomes.curve(row, column, mark)
        if marked is not None and np.isfinite(marked.mean[-1]):
            colour = drawing.looks[column].colour
            _draw_mark(panel, float(marked.mean[-1]), title_of(mark), colour)
    edges = np.array([y for _, low, high, *_ in bands for y in (*low, *high)])
    shown = np.isfinite(edges) & ((edges > 0) | (scale != "log"))
    panel.dataLim.update_from_data_y(edges[shown], ignore=False)
    panel.autoscale_view(scalex=False)
    ends = panel.get_ylim()
    for x, low, high, colour, across in bands:
        # A band without an end on this scale reaches to the edge of the panel.
        low, high = np.clip(low, *ends), np.clip(high, *ends)
        kept = _spread(x, "linear" if across else curves.scale)
        ys = low[kept], high[kept]
        panel.fill_between(np.take(x, kept), *ys, color=colour, alpha=0.15, linewidth=0, **across)
    panel.set_ylim(ends)
    if scale == "log":
        plain_labels(panel.yaxis)
    # The legend names the measures if there are several.
    words = title_of(what.measures[0]) if len(what.measures) == 1 else ""
    panel.set_ylabel(f"−log({words})" if scale == "-log" else words)


def _draw_dots(panel: Axes, what: Panel, row: str, drawing: Drawing) -> None:
    """Draw levels alone: one line per measure, one dot with its value per algorithm."""
    columns, scale = what.algorithms or tuple(drawing.looks), drawing.scale(what, row)
    if scale == "log":
        panel.set_xscale("log", nonpositive="mask")
    for measure, column, curve, _ in drawing.found(what, row):
        low, value, high = (
            float(_on_scale(curve.mean[:1] + n_sd * curve.sd[:1], scale)[0]) for n_sd in (-1, 0, 1)
        )
        if not np.isfinite(value):
            continue
        look = drawing.looks[column]
        y = what.measures.index(measure) + 0.7 * (
            (columns.index(column) + 0.5) / len(columns) - 0.5
        )
        if drawing.outcomes.repeats > 1:
            panel.plot((low, high), (y, y), color=look.colour, linewidth=WIDTH)
        panel.plot(value, y, color=look.colour, marker=look.marker, linestyle="", markersize=5)
        panel.annotate(
            f"{value:.3g}",
            (value, y),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    words = [title_of(measure) for measure in what.measures]
    if scale == "-log":
        words = [f"−log({word})" for word in words]
    panel.set_yticks(range(len(words)), words)
    panel.set_ylim(len(words) - 0.4, -0.6)
    panel.margins(x=0.2)
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)


def _spread(x: Sequence[float], scale: str) -> list[int]:
    """Return the places of at most `POINTS` values spread evenly over the axis, with both ends."""
    if len(x) <= POINTS:
        return list(range(len(x)))
    axis = np.log(x) if scale == "log" else np.asarray(x, dtype=float)
    wanted = np.linspace(axis[0], axis[-1], POINTS)
    return sorted({int(np.abs(axis - value).argmin()) for value in wanted})


def _write_level(panel: Axes, at: float, title: str, colour: str) -> None:
    """Write the name of a level above the right end of its line."""
    panel.annotate(
        title,
        (1, at),
        xycoords=panel.get_yaxis_transform(),
        xytext=(0, 2),
        textcoords="offset points",
        ha="right",
        fontsize="x-small",
        color=colour,
    )


def _draw_mark(panel: Axes, at: float, title: str, colour: str) -> None:
    """Draw a vertical line with its title beside its upper end."""
    panel.axvline(at, color=colour, linestyle=(0, (1, 2)), linewidth=1)
    panel.text(
        at,
        0.98,
        f"{title} ",
        transform=panel.get_xaxis_transform(),
        rotation=90,
        ha="right",
        va="top",
        fontsize="x-small",
        color=colour,
    )


def _on_scale(values: FloatArray, scale: str) -> FloatArray:
    """Return what is drawn; the negative logarithm of 0 is infinite, which leaves a gap."""
    if scale != "-log":
        return values
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.maximum(values, 0)))
