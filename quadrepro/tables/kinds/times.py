"""Running times against what a config sweeps over: a table and a figure.

All of it is measured, so it differs between runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from pydantic import Field

from quadrepro.base.models import Model
from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.captions import listed
from quadrepro.tables.figure import Look, add_legend, looks_of, new_figure, open_frame, plain_labels
from quadrepro.tables.kinds.base import Context, Kind, closing_notes
from quadrepro.tables.table import MISSING, Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEY = "times"
"""Key in the config, and name of the files without ending."""

WIDE = 100
"""Above this ratio of the largest value to the smallest, the horizontal axis is logarithmic."""


class Times(Model):
    """Running times with a second figure of some of them.

    Attributes
    ----------
    close_up : tuple of str
        Columns that a second row of panels shows alone, on a linear scale.
    """

    close_up: tuple[str, ...] = Field(min_length=1)


def check_times(context: Context[bool | Times]) -> None:
    """Refuse a config without a sweep, and columns that do not exist."""
    context.check_sweeps()
    for i, name in enumerate(_close_up(context)):
        context.check_column(name, "close_up", i)


def _close_up(context: Context[bool | Times]) -> tuple[str, ...]:
    return context.option.close_up if isinstance(context.option, Times) else ()


def times_of(outcomes: Outcomes, row: str, column: str) -> list[float]:
    """Return the running times of an entry in seconds."""
    if not outcomes.complete(row, column):
        return []
    return [record.seconds for record in outcomes.cell(row, column)]


def times_table(context: Context[bool | Times], outcomes: Outcomes) -> Table:
    """Return the table of running times."""
    config = context.config
    rows, data = [], []
    for row in config.rows:
        entries = []
        for column in outcomes.columns:
            times = times_of(outcomes, row.entry.title, column)
            entries.append(Entry(f"{median(times):.3g}" if times else MISSING))
            middle = median(times) if times else ""
            value = "" if row.value is None else row.value
            data.append((row.of, row.sweep, value, column, len(times), middle))
        rows.append((row.entry.title, tuple(entries)))
    over = f", median over {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    return Table(
        f"{config.title}: running times",
        ("Data set", *context.titles.values()),
        tuple(rows),
        (
            f"Seconds of the search and the final training{over}.",
            *closing_notes(context, outcomes),
        ),
        ("dataset", "sweep", "value", "algorithm", "splits", "seconds"),
        tuple(data),
    )


def draw_times(context: Context[bool | Times], outcomes: Outcomes, folder: Path) -> None:
    """Draw the running times, one panel per sweep and data set and one curve per algorithm.

    Those of a close-up are drawn once more below, on a linear scale.
    """
    config, titles = context.config, context.titles
    looks = looks_of(titles)
    datasets = list(dict.fromkeys(row.of for row in config.rows))
    sweeps = list(dict.fromkeys(row.sweep for row in config.rows))
    near = {name: looks[name] for name in _close_up(context)}
    # Per row of panels: the data set, its curves and their scale.
    shown = [(name, *of) for name in datasets for of in ((looks, "log"), (near, "linear")) if of[0]]
    size = (3.2 * len(sweeps) + 0.4, 2.6 * len(shown) + 0.6)
    with new_figure(folder, KEY, *size) as figure:
        panels = figure.subplots(len(shown), len(sweeps), squeeze=False)
        for (dataset, of_row, scale), panels_of_row in zip(shown, panels, strict=True):
            for sweep, panel in zip(sweeps, panels_of_row, strict=True):
                rows = [row for row in config.rows if (row.of, row.sweep) == (dataset, sweep)]
                moved = {name: of_row[name] for name in of_row if name in _moved_by(context, sweep)}
                _draw_panel(panel, outcomes, rows, moved, scale)
                panel.set(title=dataset, xlabel=sweep.replace("_", " "))
            panels_of_row[0].set_ylabel("seconds")
        lines = {line.get_label(): line for panel in panels.flat for line in panel.get_lines()}
        add_legend(figure, {titles[name]: lines[name] for name in titles if name in lines})


def _moved_by(context: Context[bool | Times], sweep: str) -> list[str]:
    """Return the columns that have a sweep's hyper-parameter; all if it is over something else."""
    of_sweep = {s.over.removeprefix("grid.") for s in context.config.sweeps if s.word == sweep}
    return [
        a.name
        for a in context.config.columns
        if any(
            "." in name or name in {h.name for h in a.make().hyperparameters} for name in of_sweep
        )
    ]


def _draw_panel(
    panel: Axes, outcomes: Outcomes, rows: Sequence[Row], looks: dict[str, Look], scale: str
) -> None:
    numbers = [v for row in rows if isinstance(v := row.value, int | float) and v is not bool(v)]
    numeric = len(numbers) == len(rows)
    drawn: list[float] = []
    for column, look in looks.items():
        points = []
        for row in rows:
            if times := times_of(outcomes, row.entry.title, column):
                # Values that are not numbers stand side by side under their names.
                points.append((row.value if numeric else str(row.value), median(times)))
        if points:
            drawn += [seconds for _, seconds in points]
            panel.plot(
                *zip(*points, strict=True),
                color=look.colour,
                marker=look.marker,
                linestyle=look.style,
                markersize=3.5,
                linewidth=1.3,
                label=column,
            )
    if numeric and min(numbers) > 0 and max(numbers) > WIDE * min(numbers):
        panel.set_xscale("log")
        plain_labels(panel.xaxis)
    # A coarse clock can call all of them 0, which has no logarithm.
    if scale == "log" and (not drawn or max(drawn) > 0):
        panel.set_yscale("log")
        plain_labels(panel.yaxis)
    else:
        panel.set_ylim(bottom=0)
    open_frame(panel)


def times_caption(context: Context[bool | Times], outcomes: Outcomes) -> str:
    """Return what the figure shows."""
    config = context.config
    sweeps = list(dict.fromkeys(row.sweep for row in config.rows))
    over = f", median over {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    near = [context.titles[name] for name in _close_up(context)]
    below = f"The panels below show {listed(near)} alone, on a linear scale. " if near else ""
    return (
        f"{config.title}: running time against {listed(sweeps)}. Vertical axis: seconds of the "
        f"search and the final training{over}, on a logarithmic scale. One row of panels per data "
        f"set and one panel for each of {listed(sweeps)}; colour, marker and line style tell "
        f"{listed(list(context.titles.values()))} apart. {below}An algorithm that does not have "
        "the hyper-parameter of a panel is left out there. The times are measured: other "
        "computers and other runs give others."
    )


TIMES = Kind(
    key=KEY,
    option=bool | Times,
    meaning="Running times against what the config sweeps over: `true`, or also a figure of some "
    "columns.",
    check=check_times,
    table=times_table,
    draw=draw_times,
    caption=times_caption,
    timed=True,
)
