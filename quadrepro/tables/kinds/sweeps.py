"""Changes along the values of a sweep: running times, and the risks of two algorithms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean, median, stdev

import numpy as np

from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables import figure as figures
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.render import MISSING, CsvField, Entry, number_text, significant

WIDE = 100
"""Above this ratio of the largest value to the smallest, the horizontal axis is logarithmic."""

WIDTH, HEIGHT = 3.2, 2.6
"""Inches of a panel of times."""

Times = Mapping[tuple[str, str], float | None]
"""Median seconds by row and column; None if a split is missing."""


def _make_times(context: Context[bool], outcomes: Outcomes) -> Made:
    """Make the table of running times, and their figure."""
    times = dict[tuple[str, str], float | None]()
    rows, data = defaultdict[str, list[Entry]](list), list[tuple[CsvField, ...]]()
    for row, column in product(context.config.rows, outcomes.columns):
        complete = outcomes.complete(row.title, column)
        seconds = [r.seconds for r in outcomes.cell(row.title, column)] if complete else []
        middle = times[row.title, column] = median(seconds) if seconds else None
        rows[row.title].append(Entry(None if middle is None else significant(middle, 3)))
        data.append((row.parent, row.sweep, row.value, column, len(seconds), middle))
    over = f", median over {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    note = f"Seconds of the search and the final training{over}."
    notes = note, *closing_notes(context, outcomes)
    header = ("Data set", *context.titles.values())
    columns = ("dataset", "sweep", "value", "algorithm", "splits", "seconds")
    table = context.table("running times", header, rows.items(), notes, columns, data)
    timed = tuple(dict.fromkeys(row.parent for row in context.config.rows))
    return Made(replace(table, timed_rows=timed), partial(_draw_times, context, times))


def _moved_by(context: Context[bool], sweep: str) -> list[str]:
    """Return the columns that have a sweep's hyper-parameter; all if it is over something else."""
    over = next(s.over for s in context.config.sweeps if s.word == sweep).removeprefix("grid.")
    return [
        column.name
        for column in context.experiment.columns
        if "." in over or over in {h.name for h in column.learner.hyperparameters}
    ]


def _draw_times(context: Context[bool], times: Times, path: Path) -> None:
    """Draw one panel per sweep and data set, and one curve per algorithm."""
    looks, all_rows = figures.looks_of(context.titles), context.config.rows
    datasets = list(dict.fromkeys(row.parent for row in all_rows))
    sweeps = list(dict.fromkeys(row.sweep for row in all_rows))
    size = WIDTH * len(sweeps) + 0.4, HEIGHT * len(datasets) + 0.6
    with figures.new_figure(path, *size) as figure:
        panels = figure.subplots(len(datasets), len(sweeps), squeeze=False)
        for panel, (name, sweep) in zip(panels.flat, product(datasets, sweeps), strict=True):
            rows = [row for row in all_rows if (row.parent, row.sweep) == (name, sweep)]
            values = [row.value for row in rows]
            numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            numeric = len(numbers) == len(rows)
            # Values that are not numbers are side by side under their names.
            x = numbers if numeric else [*map(str, values)]
            for column in _moved_by(context, sweep):
                y = np.array([times[row.title, column] for row in rows], dtype=float)
                panel.plot(x, y, label=context.titles[column], **looks[column])
            if numeric and 0 < WIDE * min(numbers) < max(numbers):
                panel.set_xscale("log")
            if any(times.values()):  # A coarse clock can call all of them 0.
                panel.set_yscale("log")
            word = sweep.replace("_", " ")
            panel.set_title(figures.fitted(f"{name}: {word} varied", WIDTH - 0.7))
            panel.set(xlabel=word, ylabel="seconds")


TIMES = Kind(bool, _make_times, Context.check_sweeps, "Running times along the sweeps: `true`.")

FIRST, SECOND, NEITHER, UNKNOWN = "#f0a040", "#6dbf8b", "#e6e6e6", "#ffffff"
"""Colours of a square: the first is better, the second is better, no difference, no result."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The risks of two algorithms in one row."""

    means: Sequence[float]
    sds: Sequence[float]
    """Standard deviations over the splits; 0 with one."""

    @property
    def gap(self) -> float:
        """The second mean − the first."""
        return self.means[1] - self.means[0]

    @property
    def text(self) -> str:
        """The gap in percentage points."""
        return number_text(self.gap, 1, percent=True, signed=True)

    @property
    def overlap(self) -> bool:
        """Whether the intervals mean ± standard deviation have a point in common."""
        return abs(self.gap) <= sum(self.sds) + 1e-11

    @property
    def numbers(self) -> tuple[CsvField, ...]:
        """Both means with their deviations, the difference, and whether the intervals overlap."""
        word = "overlap" if self.overlap else "different"
        return self.means[0], self.sds[0], self.means[1], self.sds[1], self.gap, word


def difference(outcomes: Outcomes, row: str, pair: Pair) -> Difference | None:
    """Return the difference of a row, or None if a split of either algorithm is missing."""
    if not all(outcomes.complete(row, column) for column in pair):
        return None
    sides = [outcomes.values(row, column) for column in pair]
    return Difference([*map(fmean, sides)], [stdev(x) if len(x) > 1 else 0.0 for x in sides])


Squares = Mapping[str, list[tuple[Row, Difference | None]]]
"""The rows of each data set, in one order for all."""


def _make_differences(context: Context[Pair], outcomes: Outcomes) -> Made:
    """Make the matrix of differences as a table and as a figure."""
    squares = defaultdict[str, list[tuple[Row, Difference | None]]](list)
    rows, data = defaultdict[str, list[Entry]](list), list[tuple[CsvField, ...]]()
    datasets = [entry.title for entry in context.config.datasets]
    for row in sorted(context.config.rows, key=lambda row: datasets.index(row.parent)):
        square = difference(outcomes, row.title, context.option)
        squares[row.parent].append((row, square))
        mark = "*" * (square is not None and not square.overlap)
        rows[row.parent].append(Entry(square.text if square else MISSING, mark=mark))
        numbers = square.numbers if square else (None,) * 6
        data.append((row.parent, row.sweep, row.value, *numbers))
    first, second = (context.titles[name] for name in context.option)
    starred = (
        f"two intervals mean ± standard deviation over {outcomes.repeats} splits have no point in "
        "common, as in the paper; that is not a test."
        if outcomes.repeats > 1
        else "two risks are not the same: one split has no spread."
    )
    meaning = f"Percentage points; above 0 {first} is better. * marks a difference where the"
    notes = f"{meaning} {starred}", *closing_notes(context, outcomes)
    line = next(iter(squares.values()))
    header = ("Data set", *(f"{row.sweep} {row.value}" for row, _ in line))
    moments = (f"{column} {kind}" for column in context.option for kind in ("mean", "sd"))
    columns = ("dataset", "sweep", "value", *moments, "difference", "verdict")
    subject = f"risk of {second} − {first}"
    table = context.table(subject, header, rows.items(), notes, columns, data)
    return Made(table, partial(_draw_squares, context, squares))


def _draw_squares(context: Context[Pair], squares: Squares, path: Path) -> None:
    """Draw the matrix, one panel per sweep (CB-Boost, Figure 3).

    The difference is shown in the squares where the two intervals do not overlap.
    """
    first, second = (context.titles[name] for name in context.option)
    sweeps = [row.sweep for row, _ in next(iter(squares.values()))]
    width = max(4.5, 0.5 * len(sweeps) + 0.08 * max(map(len, squares)) + 0.5)
    with figures.new_figure(path, width, 0.34 * len(squares) + 1.2) as figure:
        counts = Counter(sweeps)
        ratios = [*counts.values()]
        panels = figure.subplots(1, len(counts), squeeze=False, sharey=True, width_ratios=ratios)
        for sweep, panel in zip(counts, panels[0], strict=True):
            for y, line in enumerate(squares.values()):
                along = [(row, square) for row, square in line if row.sweep == sweep]
                for x, (_, square) in enumerate(along):
                    colour = UNKNOWN if square is None else NEITHER
                    if square is not None and not square.overlap:
                        colour = FIRST if square.gap > 0 else SECOND
                        panel.text(x, y, square.text, ha="center", va="center", fontsize=8)
                    panel.barh(y, 1, 1, x - 0.5, color=colour, edgecolor="white")
            panel.set(xlim=(-0.5, counts[sweep] - 0.5), ylim=(len(squares) - 0.5, -0.5))
            panel.set_xticks(range(counts[sweep]), [str(row.value) for row, _ in along])
            panel.set_yticks(range(len(squares)), list(squares))
            panel.set_xlabel(sweep.replace("_", " "))
            panel.tick_params(length=0)
            panel.spines[:].set_visible(False)
        meanings = {f"{first} is better": FIRST, f"{second} is better": SECOND}
        for text, colour in (meanings | {"intervals overlap": NEITHER}).items():
            panels[0, 0].plot([], [], "s", color=colour, markersize=8, label=text)


def _check_differences(context: Context[Pair]) -> None:
    """Refuse a config without a sweep, and columns without risks to compare."""
    for i, name in enumerate(context.option):
        context.check_column(name, i)
    for row, task in context.experiment.tasks.items():
        if task == "regression":
            raise context.error(f"{context.key} is of risks, and {row} predicts a number")
    context.check_sweeps()


DIFFERENCES = Kind(
    tuple[str, str],
    _make_differences,
    _check_differences,
    "A figure of the differences of two columns, by name, along the sweeps.",
)
