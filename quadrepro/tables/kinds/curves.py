"""Measures along a hyper-parameter: a table and a figure of curves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, cycle, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from quadrepro.base.models import Model
from quadrepro.core.measures.names import title_of
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import nearest
from quadrepro.papers.claims.claim import Curve, Lacking, Ours
from quadrepro.tables import figure as figures
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.render import MISSING, CsvField, Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 6
"""The table for reading shows a curve at this many values of the hyper-parameter."""

ANY = "any"
"""The value of a hyper-parameter that an algorithm does not have."""

POINTS = 200
"""A band has about this many points on each side, spread evenly over the axis."""

EACH_MARKED = 8
"""Up to this number of points, each point of a curve has a marker."""

MARKS_APART = 0.15
"""Distance of the markers on a curve, as a share of the panel's diagonal."""

WIDTH, HEIGHT, LABELS = 3.4, 2.6, 0.7
"""Inches of a panel, and of them the labels of an axis."""


class Panel(Model):
    """One picture in a figure of curves."""

    title: str = ""
    """Title of the picture."""
    measures: tuple[str, ...] = Field(min_length=1)
    """Measures of the protocol, each in a line style of its own."""
    algorithms: tuple[str, ...] = ()
    """Columns that are drawn; by default all."""
    marks: tuple[str, ...] = ()
    """Measures on the horizontal axis, drawn as vertical lines."""
    scale: Literal["linear", "log", "-log"] = "linear"
    """Scale of the vertical axis; -log is the negative logarithm."""


class Curves(Model):
    """A figure of measures along the candidates, one curve per algorithm and measure."""

    along: str = "n_rounds"
    """Hyper-parameter of the horizontal axis."""
    scale: Literal["linear", "log"] = "linear"
    """Scale of the horizontal axis."""
    panels: tuple[Panel, ...] = Field(min_length=1)
    """Pictures side by side, one row of them per data set."""

    def measures(self, column: str = "") -> list[str]:
        """Return the measures that panels draw, of one column or of all, and then their marks."""
        panels = [p for p in self.panels if not column or column in (p.algorithms or (column,))]
        measures = [m for p in panels for m in p.measures] + [m for p in panels for m in p.marks]
        return [*dict.fromkeys(measures)]


def _evenly(values: Sequence[float], scale: str, most: int) -> list[int]:
    """Return the places of values spread evenly over a scale, with the first and the last."""
    if len(values) <= most:
        return list(range(max(1, len(values))))
    axis = np.log(values) if scale == "log" else np.asarray(values, dtype=float)
    targets = np.linspace(axis[0], axis[-1], most)
    return sorted({int(np.abs(axis - value).argmin()) for value in targets})


def _plain(value: float) -> str:
    """Return a value along the axis, without the digits of its rounding errors."""
    return np.format_float_positional(float(f"{value:.6g}"), trim="-")


def _table(drawing: Drawing) -> Table:
    """Return the measures at some values of the hyper-parameter; in the CSV, at all of them."""
    context, outcomes, several = drawing.context, drawing.outcomes, drawing.outcomes.repeats > 1
    along, measures = context.option.along, context.option.measures()
    rows, data = list[tuple[str, tuple[Entry, ...]]](), list[tuple[CsvField, ...]]()
    for row, (name, title) in product(outcomes.rows, context.titles.items()):
        curves = [drawing.curve_map.get((row, name, measure)) for measure in measures]
        values = next((curve.x for curve in curves if curve), None)
        if values is None:
            rows.append((row, (Entry(title), *[Entry(MISSING)] * (1 + len(measures)))))
            continue
        missing = np.full(len(values) or 1, np.nan)
        moments = [(curve.mean, curve.sd) if curve else (missing, missing) for curve in curves]
        places = _evenly(values, context.option.scale, SHOWN)
        for i, value in enumerate(values or (None,)):
            numbers = [(float(mean[i]), float(sd[i]) if several else None) for mean, sd in moments]
            fields = chain.from_iterable(pair[: 1 + several] for pair in numbers)
            data.append((row, name, value, *fields))
            if i in places:
                text = ANY if value is None else _plain(value)
                entries = (Entry(x, sd, digits=1 if abs(x) >= 10 else 4) for x, sd in numbers)
                rows.append((row, (Entry(title), Entry(text), *entries)))
    splits = f", mean ± standard deviation over {outcomes.repeats} splits" * several
    note = f"At some values of {along}{splits}; the CSV file has all. {MISSING}: no solution, or "
    notes = f"{note}no result.", *closing_notes(context, outcomes)
    header = ("Data set", "Algorithm", along, *map(title_of, measures))
    columns = (m + ending for m in measures for ending in ("", " sd")[: 1 + several])
    data_header = ("dataset", "algorithm", along, *columns)
    return context.table("curves", header, rows, notes, data_header, data)


@dataclass(frozen=True)
class Drawing:
    """A figure of curves.

    Algorithms differ in colour and line style, or in colour and marker where line styles show the
    measures of a panel. With several splits, a band of one standard deviation surrounds
    each mean. An algorithm that does not have the hyper-parameter is a level line.
    """

    context: Context[Curves]
    outcomes: Outcomes

    @cached_property
    def looks(self) -> dict[str, dict[str, Any]]:
        """Options of the line of each algorithm."""
        return figures.looks_of(self.context.titles)

    @cached_property
    def curve_map(self) -> dict[tuple[str, str, str], Curve]:
        """Curves by row, column and measure."""
        ours, curve_map = Ours(self.outcomes.rows, {}, self.outcomes), {}
        for row, column in product(self.outcomes.rows, self.context.titles):
            for measure in self.context.option.measures(column):
                with suppress(Lacking):
                    curve = ours.curve(row, column, measure, self.context.option.along)
                    curve_map[row, column, measure] = curve
        return curve_map

    @cached_property
    def styles(self) -> dict[str, Any]:
        """Line style of each measure that shares a panel."""
        several = [panel for panel in self.context.option.panels if len(panel.measures) > 1]
        measures = dict.fromkeys(m for panel in several for m in panel.measures)
        return dict(zip(measures, cycle(figures.STYLES), strict=False))

    @cached_property
    def marked(self) -> bool:
        """Whether curves have markers."""
        panels = self.context.option.panels
        if self.styles and any(len(p.algorithms or self.looks) > 1 for p in panels):
            return True
        return any(1 < len(curve.x) <= EACH_MARKED for curve in self.curve_map.values())

    def draw(self, path: Path) -> None:
        """Draw the figure, one row of panels per data set."""
        curves, rows = self.context.option, self.outcomes.rows
        algorithms = self.context.experiment.algorithms
        hyperparameters = (h for column in algorithms for h in column.learner.hyperparameters)
        meaning = next(h.meaning for h in hyperparameters if h.name == curves.along)
        size = WIDTH * len(curves.panels) + 0.4, HEIGHT * len(rows) + 0.6
        with figures.new_figure(path, *size) as figure:
            panels = figure.subplots(len(rows), len(curves.panels), sharex="col", squeeze=False)
            for panel, (row, option) in zip(panels.flat, product(rows, curves.panels), strict=True):
                self._draw_panel(panel, option, row)
            for panel in panels[-1]:
                panel.set_xlabel(meaning)
            for name, title in self.context.titles.items():
                panels[0, 0].plot([], [], label=title, **self._line(name))
            for measure, style in self.styles.items():
                label = title_of(measure)
                panels[0, 0].plot([], [], label=label, color="#888888", linestyle=style)

    def _line(self, column: str, measure: str = "") -> dict[str, Any]:
        """Return the options of a curve, or of its sample in the legend."""
        options = self.looks[column] | ({} if self.marked else {"marker": ""})
        return options | {"linestyle": self.styles.get(measure, "-")} if self.styles else options

    def _draw_panel(self, panel: Axes, option: Panel, row: str) -> None:
        """Draw the curves and the marks of a panel."""
        columns = option.algorithms or self.looks
        places = [(row, column, m) for m, column in product(option.measures, columns)]
        drawn = {place: self.curve_map[place] for place in places if place in self.curve_map}
        panel.set_xscale(self.context.option.scale)
        if option.scale == "log" and any((curve.mean > 0).any() for curve in drawn.values()):
            panel.set_yscale("log")
        for (_, column, measure), curve in drawn.items():
            self._draw_curve(panel, curve, option.scale, column, measure)
        if len(option.measures) == 1:
            word = title_of(option.measures[0])
            label = f"−log({word})" if option.scale == "-log" else word
            panel.set_ylabel(figures.fitted(label, HEIGHT - LABELS))
        for mark, column in product(option.marks, columns):
            mark_curve = self.curve_map.get((row, column, mark))
            if mark_curve is not None and np.isfinite(mark_curve.mean[-1]):
                _draw_mark(panel, mark_curve.mean[-1], title_of(mark), self.looks[column]["color"])
        title = ": ".join(filter(None, (row, option.title)))
        panel.set_title(figures.fitted(title, WIDTH - LABELS))

    def _draw_curve(self, panel: Axes, curve: Curve, scale: str, column: str, measure: str) -> None:
        x, x_scale, form = curve.x, self.context.option.scale, dict[str, Any]()
        if not x:
            x, x_scale, form = (0, 1), "linear", {"transform": panel.get_yaxis_transform()}
        ends = [curve.mean + n * curve.sd for n in (-1, 0, 1)]
        if scale == "-log":
            with np.errstate(divide="ignore"):
                ends = [-np.log(np.maximum(end, 0)) for end in ends]
        low, mean, high = (np.broadcast_to(end, len(x)) for end in ends)
        options = self._line(column, measure) | form
        if self.marked and (not curve.x or len(x) > EACH_MARKED):
            # Markers of two algorithms are not on top of each other.
            place = [*self.looks].index(column)
            options["markevery"] = (MARKS_APART * place / len(self.looks), MARKS_APART)
        panel.plot(x, mean, **options)
        if self.outcomes.repeats > 1:
            kept = _evenly(x, x_scale, POINTS)
            form |= {"color": self.looks[column]["color"], "alpha": 0.15, "linewidth": 0}
            where = np.isfinite(low[kept])
            panel.fill_between(np.take(x, kept), low[kept], high[kept], where=where, **form)


def _draw_mark(panel: Axes, x: float, title: str, colour: str) -> None:
    """Draw a vertical line with its title next to its upper end."""
    panel.axvline(x, color=colour, linestyle=(0, (1, 2)), linewidth=1)
    form: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "top", "fontsize": "x-small"}
    across = panel.get_xaxis_transform()
    panel.text(x, 0.98, f"{title} ", transform=across, color=colour, **form)


def _make(context: Context[Curves], outcomes: Outcomes) -> Made:
    """A figure of measures along the rounds or another hyper-parameter."""
    drawing = Drawing(context, outcomes)
    return Made(_table(drawing), drawing.draw)


def _check(context: Context[Curves]) -> None:
    """Refuse measures that are not kept, and values that do not make one curve."""
    config, curves, columns = context.config, context.option, context.experiment.algorithms
    for i, panel in enumerate(curves.panels):
        for j, name in enumerate(panel.algorithms):
            context.check_column(name, "panels", i, "algorithms", j)
    for protocol in context.experiment.protocols.values():
        kept = {c.name: {*c.measures(protocol)} for c in columns}
        if not any(kept.values()):
            message = "curves need measures: name them in protocol.measures, with folds at 0"
            raise context.error(message)
        for i, panel in enumerate(curves.panels):
            in_panel = set().union(*(kept.get(name, ()) for name in panel.algorithms or kept))
            for key, names in (("measures", panel.measures), ("marks", panel.marks)):
                for j, measure in enumerate(names):
                    if measure not in in_panel:
                        hint = nearest(measure, in_panel)
                        message = f"the protocol keeps no measure {measure!r}{hint}"
                        raise context.error(message, "panels", i, key, j)
    named = {name for column in columns for name in column.grid}
    if curves.along not in named:
        message = f"no algorithm has values of {curves.along!r}{nearest(curves.along, named)}"
        raise context.error(message, "along")
    least = 0.0 if curves.scale == "log" else -np.inf
    for column, row in product(columns, config.rows):
        if column.item.draw:
            raise context.error(f"{column.name} draws its values, and curves need a grid")
        axes = column.axes(row.item.grid)
        for value in axes.pop(curves.along, ()):
            if isinstance(value, bool | str | None) or value <= least:
                message = f"this axis cannot show {value!r} of {column.name}"
                raise context.error(message, "along")
        for name, values in axes.items():
            if len(values) > 1:
                message = f"{column.name} has {len(values)} values of {name}, and curves along "
                raise context.error(f"{message}{curves.along} need one")


CURVES = Kind(Curves, _make, _check)
