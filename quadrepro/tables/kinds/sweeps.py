"""What changes along the values of a sweep: running times, and the risks of two algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean, median, stdev

import numpy as np

from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables import figure as figures
from quadrepro.tables.kinds.base import Context, Kind, Made, closing_notes
from quadrepro.tables.table import MISSING, Table, Value, entry

WIDE = 100
"""Above this ratio of the largest value to the smallest, the horizontal axis is logarithmic."""

WIDTH, HEIGHT = 3.2, 2.6
"""Inches of a panel of times."""

Times = Mapping[tuple[str, str], float | None]
"""Median seconds by row and column; None if a split is missing."""


def _make_times(context: Context[bool], outcomes: Outcomes) -> Made:
    """Make the table of running times, and their figure."""
    times: dict[tuple[str, str], float | None] = {}
    rows, data = [], list[tuple[Value, ...]]()
    for row in context.config.rows:
        title, texts = row.entry.title, []
        for column in outcomes.columns:
            complete = outcomes.complete(title, column)
            of = [record.seconds for record in outcomes.cell(title, column)] if complete else []
            middle = times[title, column] = median(of) if of else None
            texts.append(entry(MISSING if middle is None else f"{middle:.3g}"))
            data.append((row.of, row.sweep, row.value, column, len(of), middle))
        rows.append((title, tuple(texts)))
    over = f", median over {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    table = Table(
        f"{context.config.title}: running times",
        ("Data set", *context.titles.values()),
        tuple(rows),
        (
            f"Seconds of the search and the final training{over}.",
            *closing_notes(context, outcomes),
        ),
        ("dataset", "sweep", "value", "algorithm", "splits", "seconds"),
        tuple(data),
        timed_rows=tuple(dict.fromkeys(row.of for row in context.config.rows)),
    )
    return Made(table, partial(_draw_times, context, times))


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
    datasets = list(dict.fromkeys(row.of for row in all_rows))
    sweeps = list(dict.fromkeys(row.sweep for row in all_rows))
    size = WIDTH * len(sweeps) + 0.4, HEIGHT * len(datasets) + 0.6
    with figures.new_figure(path, *size) as figure:
        panels = figure.subplots(len(datasets), len(sweeps), squeeze=False)
        for panel, (of, sweep) in zip(panels.flat, product(datasets, sweeps), strict=True):
            rows = [row for row in all_rows if (row.of, row.sweep) == (of, sweep)]
            values = [row.value for row in rows]
            numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            numeric = len(numbers) == len(rows)
            # Values that are not numbers are side by side under their names.
            x = numbers if numeric else [*map(str, values)]
            for column in _moved_by(context, sweep):
                y = np.array([times[row.entry.title, column] for row in rows], dtype=float)
                panel.plot(x, y, label=context.titles[column], **looks[column])
            if numeric and 0 < WIDE * min(numbers) < max(numbers):
                panel.set_xscale("log")
                figures.plain_labels(panel.xaxis)
            if any(times.values()):  # A coarse clock can call all of them 0.
                panel.set_yscale("log")
                figures.plain_labels(panel.yaxis)
            word = sweep.replace("_", " ")
            panel.set_title(figures.fitted(f"{of}: {word} varied", WIDTH - 0.7))
            panel.set(xlabel=word, ylabel="seconds")
        figures.add_legend(figure)


TIMES = Kind(
    "times",
    bool,
    "Running times along the sweeps: `true`.",
    _make_times,
    Context.check_sweeps,
)

FIRST, SECOND, NEITHER, UNKNOWN = "#f0a040", "#6dbf8b", "#e6e6e6", "#ffffff"
"""Colours of a square: the first is better, the second is better, not told apart, no result."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The risks of two algorithms in one row, in percent."""

    means: Sequence[float]
    sds: Sequence[float]
    """Standard deviations over the splits; 0 with one."""

    @property
    def points(self) -> float:
        """The second mean less the first, in percent points."""
        return self.means[1] - self.means[0]

    @property
    def overlap(self) -> bool:
        """Whether the intervals mean ± standard deviation have a point in common."""
        return abs(self.points) <= sum(self.sds) + 1e-9

    @property
    def numbers(self) -> tuple[Value, ...]:
        """Both means with their deviations, the difference, and whether they are told apart."""
        word = "not told apart" if self.overlap else "different"
        return self.means[0], self.sds[0], self.means[1], self.sds[1], self.points, word


def difference(outcomes: Outcomes, row: str, pair: Pair) -> Difference | None:
    """Return the difference of a row, or None if a split of either algorithm is missing."""
    if not all(outcomes.complete(row, column) for column in pair):
        return None
    sides = [[100 * risk for risk in outcomes.values(row, column)] for column in pair]
    return Difference([*map(fmean, sides)], [stdev(x) if len(x) > 1 else 0.0 for x in sides])


Squares = Mapping[str, list[tuple[Row, Difference | None]]]
"""The rows of each data set, in one order for all."""


def _make_differences(context: Context[Pair], outcomes: Outcomes) -> Made:
    """Make the matrix of differences as a table and as a figure."""
    squares: dict[str, list[tuple[Row, Difference | None]]] = {}
    for row in context.config.rows:
        found = difference(outcomes, row.entry.title, context.option)
        squares.setdefault(row.of, []).append((row, found))
    first, second = (context.titles[name] for name in context.option)
    rows, data = [], list[tuple[Value, ...]]()
    for name, of_name in squares.items():
        texts = []
        for row, found in of_name:
            text = found and entry(f"{found.points:+z.1f}", mark="*" * (not found.overlap))
            texts.append(text or MISSING)
            numbers = found.numbers if found else (None,) * 6
            data.append((name, row.sweep, row.value, *numbers))
        rows.append((name, tuple(texts)))
    starred = (
        f"two intervals mean ± standard deviation over {outcomes.repeats} splits have no point in "
        "common; elsewhere the two are not told apart, which no test decides."
        if outcomes.repeats > 1
        else "two risks are not the same: one split has no spread."
    )
    meaning = f"Percent points; above 0 {first} is better. \\* marks a difference where the"
    table = Table(
        f"{context.config.title}: risk of {second} less that of {first}",
        ("Data set", *(f"{row.sweep} {row.value}" for row, _ in next(iter(squares.values())))),
        tuple(rows),
        (f"{meaning} {starred}", *closing_notes(context, outcomes)),
        (
            *("dataset", "sweep", "value"),
            *(f"{column} {kind}" for column in context.option for kind in ("mean", "sd")),
            *("difference", "verdict"),
        ),
        tuple(data),
    )
    return Made(table, partial(_draw_squares, context, squares))


def _draw_squares(context: Context[Pair], squares: Squares, path: Path) -> None:
    """Draw the matrix, one panel per sweep (CB-Boost, Figure 3).

    The difference is shown in the squares where the two algorithms are told apart.
    """
    first, second = (context.titles[name] for name in context.option)
    sweeps = [row.sweep for row, _ in next(iter(squares.values()))]
    width = max(4.5, 0.5 * len(sweeps) + 0.08 * max(map(len, squares)) + 0.5)
    with figures.new_figure(path, width, 0.34 * len(squares) + 1.2) as figure:
        counts = Counter(sweeps)
        ratios = [*counts.values()]
        panels = figure.subplots(1, len(counts), squeeze=False, sharey=True, width_ratios=ratios)
        for sweep, panel in zip(counts, panels[0], strict=True):
            for y, of_row in enumerate(squares.values()):
                of_sweep = [(row, found) for row, found in of_row if row.sweep == sweep]
                for x, (_, found) in enumerate(of_sweep):
                    colour = UNKNOWN if found is None else NEITHER
                    if found is not None and not found.overlap:
                        colour = FIRST if found.points > 0 else SECOND
                        text = f"{found.points:+z.1f}".replace("-", "−")
                        panel.text(x, y, text, ha="center", va="center", fontsize=8)
                    panel.barh(y, 1, 1, x - 0.5, color=colour, edgecolor="white")
            panel.set(xlim=(-0.5, counts[sweep] - 0.5), ylim=(len(squares) - 0.5, -0.5))
            panel.set_xticks(range(counts[sweep]), [str(row.value) for row, _ in of_sweep])
            panel.set_yticks(range(len(squares)), list(squares))
            panel.set_xlabel(sweep.replace("_", " "))
            panel.tick_params(length=0)
            panel.spines[:].set_visible(False)
        meanings = {f"{first} is better": FIRST, f"{second} is better": SECOND}
        for text, colour in (meanings | {"not told apart": NEITHER}).items():
            panels[0, 0].plot([], [], "s", color=colour, markersize=8, label=text)
        figures.add_legend(figure)


def _check_differences(context: Context[Pair]) -> None:
    """Refuse a config without a sweep, and columns without risks to compare."""
    for i, name in enumerate(context.option):
        context.check_column(name, i)
    for row, task in context.experiment.tasks.items():
        if task == "regression":
            raise context.error(f"{context.key} is of risks, and {row} predicts a number")
    context.check_sweeps()


DIFFERENCES = Kind(
    "differences",
    tuple[str, str],
    "A figure of the differences of two columns, by name, along the sweeps.",
    _make_differences,
    _check_differences,
)
