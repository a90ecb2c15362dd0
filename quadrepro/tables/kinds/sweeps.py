"""Changes along the values of a sweep: running times, and the risks of two algorithms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables import figure as figures
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.render import CsvField, Entry, moments, number_text, significant

WIDE = 100
"""Above this ratio of the largest value to the smallest, the horizontal axis is logarithmic."""

WIDTH, HEIGHT = 3.2, 2.6
"""Inches of a panel of times."""

Times = Mapping[tuple[str, str], float | None]
"""Median seconds by row and column; None if a split is missing."""


def _make_times(context: Context[bool], outcomes: Outcomes) -> Made:
    """Running times along the sweeps: `true`."""
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
    columns = context.experiment.columns
    own = {c.name: {h.name for h in c.learner.hyperparameters} for c in columns}
    return [name for name, names in own.items() if "." in over or over in names]


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


TIMES = Kind(bool, _make_times, Context.check_sweeps)

FIRST, SECOND, NEITHER, UNKNOWN = "#f0a040", "#6dbf8b", "#e6e6e6", "#ffffff"
"""Colours of a square: the first is better, the second is better, no difference, no result."""

Pair = tuple[str, str]


def difference(outcomes: Outcomes, row: str, pair: Pair) -> tuple[CsvField, ...]:
    """Return both mean risks with their deviations, the second − the first, and a word.

    The word tells whether the intervals mean ± standard deviation overlap. With one split the
    deviations are 0. All are None if a split of either algorithm is missing.
    """
    if not all(outcomes.complete(row, column) for column in pair):
        return (None,) * 6
    sides = [moments(outcomes.values(row, column)) for column in pair]
    (a, sd_a), (b, sd_b) = ((mean or 0.0, sd or 0.0) for mean, sd in sides)
    overlap = abs(b - a) <= sd_a + sd_b + 1e-11
    return a, sd_a, b, sd_b, b - a, "overlap" if overlap else "different"


def _make_differences(context: Context[Pair], outcomes: Outcomes) -> Made:
    """A figure of the differences of two columns, by name, along the sweeps."""
    rows, data = defaultdict[str, list[Entry]](list), list[tuple[CsvField, ...]]()
    datasets = [entry.title for entry in context.config.datasets]
    for row in sorted(context.config.rows, key=lambda row: datasets.index(row.parent)):
        numbers = difference(outcomes, row.title, context.option)
        *_, gap, word = numbers
        form: Any = {"digits": 1, "percent": True, "signed": True}
        rows[row.parent].append(Entry(gap, mark="*" * (word == "different"), **form))
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
    # The rows of all data sets are in one order.
    along = [row for row in context.config.rows if row.parent == next(iter(rows))]
    header = ("Data set", *(f"{row.sweep} {row.value}" for row in along))
    both = (f"{column} {kind}" for column in context.option for kind in ("mean", "sd"))
    columns = ("dataset", "sweep", "value", *both, "difference", "verdict")
    subject = f"risk of {second} − {first}"
    table = context.table(subject, header, rows.items(), notes, columns, data)
    return Made(table, partial(_draw_squares, context, along, rows))


def _draw_squares(
    context: Context[Pair], along: list[Row], rows: Mapping[str, list[Entry]], path: Path
) -> None:
    """Draw the matrix, one panel per sweep (CB-Boost, Figure 3).

    The difference is shown in the squares where the two intervals do not overlap.
    """
    first, second = (context.titles[name] for name in context.option)
    width = max(4.5, 0.5 * len(along) + 0.08 * max(map(len, rows)) + 0.5)
    with figures.new_figure(path, width, 0.34 * len(rows) + 1.2) as figure:
        counts = Counter(row.sweep for row in along)
        ratios = [*counts.values()]
        panels = figure.subplots(1, len(counts), squeeze=False, sharey=True, width_ratios=ratios)
        for sweep, panel in zip(counts, panels[0], strict=True):
            places = [i for i, row in enumerate(along) if row.sweep == sweep]
            for (y, entries), (x, i) in product(enumerate(rows.values()), enumerate(places)):
                gap, colour = entries[i].value, NEITHER
                if not isinstance(gap, float):
                    colour = UNKNOWN
                elif entries[i].mark:
                    colour = FIRST if gap > 0 else SECOND
                    text = number_text(gap, 1, percent=True, signed=True)
                    panel.text(x, y, text, ha="center", va="center", fontsize=8)
                panel.barh(y, 1, 1, x - 0.5, color=colour, edgecolor="white")
            panel.set(xlim=(-0.5, counts[sweep] - 0.5), ylim=(len(rows) - 0.5, -0.5))
            panel.set_xticks(range(counts[sweep]), [str(along[i].value) for i in places])
            panel.set_yticks(range(len(rows)), list(rows))
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


DIFFERENCES = Kind(tuple[str, str], _make_differences, _check_differences)
