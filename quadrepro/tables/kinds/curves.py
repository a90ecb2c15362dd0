"""Measures along a hyper-parameter: a table and a figure of curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray
from quadrepro.core.measures.registry import title_of
from quadrepro.engine.outcomes import MeanCurve, Outcomes
from quadrepro.errors import nearest
from quadrepro.tables.figure import (
    STYLES,
    Look,
    add_legend,
    looks_of,
    new_figure,
    open_frame,
    plain_labels,
    write_beside,
)
from quadrepro.tables.kinds.base import Context, closing_notes
from quadrepro.tables.kinds.legacy import TableKind, legacy
from quadrepro.tables.notes import listed
from quadrepro.tables.table import MISSING, Table, entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 200
"""A band has about this many points on each side, spread evenly over the axis."""

EACH_MARKED = 8
"""Up to this number of points, each point of a curve has a marker."""

MARKS_APART = 0.15
"""Distance of the markers on a curve, as a share of the panel's diagonal."""

ROUNDING = 1e-9
"""Values that differ by less, relative to their size, are the same."""

LONG = 34
"""Above this number of letters, a title or the label of an axis has two lines."""

WIDTH = 1.3
"""Width of a curve in points."""


@dataclass(frozen=True)
class CurvesDrawing:
    """What all panels of a figure share."""

    curves: Curves
    outcomes: Outcomes
    looks: dict[str, Look]
    styles: dict[str, Any]  # by measure, if a panel has several
    marked: bool  # with the markers of algorithms
    levels: frozenset[str]  # measures that do not depend on the axis

    def found(
        self, panel: Panel, row: str
    ) -> Iterator[tuple[str, str, MeanCurve, tuple[Any, ...]]]:
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
        return {**look.line(WIDTH), "linestyle": style, **marker}

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


def draw_panel(panel: Axes, what: Panel, row: str, drawing: CurvesDrawing) -> None:
    """Draw the curves and marks of one row of the experiment into one panel."""
    if drawing.only_levels(what):
        _draw_dots(panel, what, row, drawing)
    else:
        _draw_curves(panel, what, row, drawing)
    # A long title would run into that of the next panel.
    between = ":\n" if len(row) + len(what.title) > LONG else ": "
    panel.set_title(between.join(word for word in (row, what.title) if word))
    open_frame(panel)


def _draw_curves(panel: Axes, what: Panel, row: str, drawing: CurvesDrawing) -> None:
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
        if drawing.marked and (level or len(x) > EACH_MARKED):
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
        kept = _evenly(x, "linear" if across else curves.scale, POINTS)
        ys = low[kept], high[kept]
        panel.fill_between(np.take(x, kept), *ys, color=colour, alpha=0.15, linewidth=0, **across)
    panel.set_ylim(ends)
    if scale == "log":
        plain_labels(panel.yaxis)
    words = listed([title_of(measure) for measure in what.measures])
    panel.set_ylabel(fill(f"−log({words})" if scale == "-log" else words, LONG))


def _draw_dots(panel: Axes, what: Panel, row: str, drawing: CurvesDrawing) -> None:
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
        panel.plot(value, y, **look.dot(), markersize=5)
        write_beside(panel, f"{value:.3g}", (value, y), (0, 4), ha="center", fontsize="small")
    words = [title_of(measure) for measure in what.measures]
    if scale == "-log":
        words = [f"−log({word})" for word in words]
    panel.set_yticks(range(len(words)), words)
    panel.set_ylim(len(words) - 0.4, -0.6)
    panel.margins(x=0.2)
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)


def _evenly(values: Sequence[float], scale: str, most: int) -> list[int]:
    """Return the places of values spread evenly over a scale, with the first and the last."""
    if len(values) <= most:
        return list(range(max(1, len(values))))
    axis = np.log(values) if scale == "log" else np.asarray(values, dtype=float)
    wanted = np.linspace(axis[0], axis[-1], most)
    return sorted({int(np.abs(axis - value).argmin()) for value in wanted})


def _write_level(panel: Axes, at: float, title: str, colour: str) -> None:
    """Write the name of a level above the right end of its line."""
    across = panel.get_yaxis_transform()
    form = {"ha": "right", "fontsize": "x-small", "color": colour}
    write_beside(panel, title, (1, at), (0, 2), xycoords=across, **form)


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


SHOWN = 6
"""The table for reading shows a curve at this many values of the hyper-parameter."""

ANY = "any"
"""Stands for the value of a hyper-parameter that an algorithm does not have."""


class Panel(Model):
    """One picture in a figure of curves."""

    title: str = ""
    """Its title."""
    measures: tuple[str, ...] = Field(min_length=1)
    """What is drawn, each in a line style of its own; names of the protocol's measures."""
    algorithms: tuple[str, ...] = ()
    """Columns whose curves are drawn; by default all."""
    marks: tuple[str, ...] = ()
    """Measures that are values of the horizontal axis, the same for all candidates: a vertical line
    stands at each, in the colour of its algorithm."""
    scale: Literal["linear", "log", "-log"] = "linear"
    """Of the vertical axis; -log shows the negative logarithm of the measure."""


class Curves(Model):
    """A figure of measures along the candidates, one curve per algorithm and measure."""

    along: str = "n_rounds"
    """Hyper-parameter of the horizontal axis."""
    scale: Literal["linear", "log"] = "linear"
    """Of the horizontal axis."""
    panels: tuple[Panel, ...] = Field(min_length=1)
    """Side by side; there is one row of them per data set."""


def _measures(curves: Curves) -> tuple[str, ...]:
    """Return all measures in the order of the panels."""
    return tuple(dict.fromkeys(m for panel in curves.panels for m in panel.measures))


def _marks(curves: Curves) -> tuple[str, ...]:
    """Return all marks in the order of the panels."""
    return tuple(m for panel in curves.panels for m in panel.marks)


def _measures_of(curves: Curves, algorithm: str) -> set[str]:
    """Return the measures that some panel draws of an algorithm, as curves or marks."""
    panels = [p for p in curves.panels if not p.algorithms or algorithm in p.algorithms]
    return {measure for panel in panels for measure in (*panel.measures, *panel.marks)}


def _text(curve: MeanCurve | None, i: int, repeats: int) -> str:
    if curve is None or np.isnan(curve.mean[i]):
        return MISSING
    digits = 1 if abs(curve.mean[i]) >= 10 else 4
    spread = f" ± {curve.sd[i]:.{digits}f}" if repeats > 1 else ""
    return f"{curve.mean[i]:.{digits}f}{spread}"


def _numbers(curve: MeanCurve | None, i: int, repeats: int) -> list[float | str]:
    if curve is None:
        return [""] * min(repeats, 2)
    numbers = [curve.mean[i], curve.sd[i]] if repeats > 1 else [curve.mean[i]]
    return ["" if np.isnan(number) else float(number) for number in numbers]


def _meaning(context: Context[Curves], along: str) -> str:
    known = (h for a in context.experiment.algorithms for h in a.learner.hyperparameters)
    return next(h.meaning for h in known if h.name == along)


class CurvesKind(TableKind[Curves]):
    """Measures along a hyper-parameter."""

    key, option = "curves", Curves
    meaning = "A figure of measures along the rounds or another hyper-parameter."

    def check(self, context: Context[Curves]) -> None:
        """Refuse measures that are not kept, and values that do not make one curve."""
        config, curves = context.config, context.option
        columns = {algorithm.name: algorithm for algorithm in config.algorithms}
        for i, panel in enumerate(curves.panels):
            for j, name in enumerate(panel.algorithms):
                context.check_column(name, "panels", i, "algorithms", j)
        for row in config.rows:
            of_protocol = row.entry.changed(config.protocol).measures
            kept = {name: set(column.measures or of_protocol) for name, column in columns.items()}
            if not any(kept.values()):
                message = "curves need measures: name them in protocol.measures, with folds at 0"
                raise context.error(message)
            for i, panel in enumerate(curves.panels):
                of_panel = set().union(*(kept[name] for name in panel.algorithms or columns))
                for key, names in (("measures", panel.measures), ("marks", panel.marks)):
                    for j, measure in enumerate(names):
                        if measure not in of_panel:
                            hint = nearest(measure, of_panel)
                            message = f"the protocol keeps no measure {measure!r}{hint}"
                            raise context.error(message, "panels", i, key, j)
        algorithms = context.experiment.algorithms
        named = {name for algorithm in algorithms for name in algorithm.grid}
        if curves.along not in named:
            message = f"no algorithm has values of {curves.along!r}{nearest(curves.along, named)}"
            raise context.error(message, "along")
        for algorithm in algorithms:
            for row in config.rows:
                if drawn := [key for key in algorithm.entry.draw if key not in row.entry.grid]:
                    message = f"{algorithm.name} draws {drawn[0]}, and curves need values of a grid"
                    raise context.error(message)
                (grid,) = algorithm.make_grids(np.random.default_rng(), row.entry.grid)
                for name, values in grid.axes:
                    if name != curves.along and len(values) > 1:
                        message = (
                            f"{algorithm.name} has {len(values)} values of {name}, and curves "
                            f"along {curves.along} need one"
                        )
                        raise context.error(message)

    def table(self, context: Context[Curves], outcomes: Outcomes) -> Table:
        """Return the measures at some values of the hyper-parameter; in the CSV, at all of them."""
        curves = context.option
        measures = tuple(dict.fromkeys((*_measures(curves), *_marks(curves))))
        rows: list[tuple[str, tuple[str, ...]]] = []
        data: list[tuple[str | float, ...]] = []
        for row in outcomes.rows:
            for name, title in context.titles.items():
                drawn = _measures_of(curves, name)
                values = outcomes.values_along(row, name, curves.along)
                of_measure = [
                    outcomes.curve(row, name, m) if m in drawn else None for m in measures
                ]
                if values is None or not any(of_measure):
                    entries = (title, MISSING, *(MISSING for _ in measures))
                    rows.append((row, tuple(map(entry, entries))))
                    continue
                for i in _evenly(values, curves.scale, SHOWN):
                    value = f"{values[i]:g}" if values else ANY
                    texts = [_text(curve, i, outcomes.repeats) for curve in of_measure]
                    rows.append((row, tuple(map(entry, (title, value, *texts)))))
                every: tuple[float | str, ...] = values or ("",)
                for i, shown in enumerate(every):
                    numbers = [n for c in of_measure for n in _numbers(c, i, outcomes.repeats)]
                    data.append((row, name, shown, *numbers))
        splits = f", mean ± standard deviation over {outcomes.repeats} splits"
        kinds = ("", " sd") if outcomes.repeats > 1 else ("",)
        return Table(
            f"{context.config.title}: curves",
            ("Data set", "Algorithm", curves.along, *map(title_of, measures)),
            tuple(rows),
            (
                f"At some values of {curves.along}{splits if outcomes.repeats > 1 else ''}; "
                f"the CSV file has all. {MISSING} where there is no solution or no result.",
                *closing_notes(context, outcomes),
            ),
            ("dataset", "algorithm", curves.along, *(m + kind for m in measures for kind in kinds)),
            tuple(data),
        )

    def draw(self, context: Context[Curves], outcomes: Outcomes, folder: Path) -> None:
        """Draw the curves, one row of panels per data set.

        Colours tell algorithms apart, together with line styles, or with markers where line styles
        tell the measures of a panel apart. With several splits, a band of one standard deviation
        lies around each mean. An algorithm that does not have the hyper-parameter and a measure
        that does not depend on it are level lines; a panel of nothing else has dots and no such
        axis. Marks are dotted lines with their title.
        """
        curves, titles = context.option, context.titles
        levels = levels_of(curves, outcomes)
        along = [panel for panel in curves.panels if not levels.issuperset(panel.measures)]
        styles: dict[str, Any] = {}
        if any(len(panel.measures) > 1 for panel in along):
            named = dict.fromkeys(m for panel in along for m in panel.measures)
            styles = dict(zip(named, cycle(STYLES), strict=False))
        marked = bool(styles) and any(len(panel.algorithms or titles) > 1 for panel in along)
        lengths = {
            len(outcomes.values_along(row, name, curves.along) or ())
            for row, name in product(outcomes.rows, titles)
        }
        marked |= any(1 < length <= EACH_MARKED for length in lengths)
        drawing = CurvesDrawing(curves, outcomes, looks_of(titles), styles, marked, levels)
        n_rows, n_columns = len(outcomes.rows), len(curves.panels)
        with new_figure(
            folder / f"{self.name}.svg", 3.4 * n_columns + 0.4, 2.6 * n_rows + 0.6
        ) as figure:
            panels = figure.subplots(n_rows, n_columns, sharex="col", squeeze=False)
            for row, of_row in zip(outcomes.rows, panels, strict=True):
                for panel, what in zip(of_row, curves.panels, strict=True):
                    draw_panel(panel, what, row, drawing)
            for panel, what in zip(panels[-1], curves.panels, strict=True):
                if drawing.only_levels(what):
                    panel.set_xlabel("value")
                    continue
                panel.set_xlabel(_meaning(context, curves.along))
                if curves.scale == "log":
                    plain_labels(panel.xaxis)
            samples = {title: drawing.line(name) for name, title in titles.items()}
            for measure, style in styles.items():
                samples[title_of(measure)] = {"color": "#888888", "linestyle": style}
            add_legend(figure, samples)


CURVES = legacy(CurvesKind())
