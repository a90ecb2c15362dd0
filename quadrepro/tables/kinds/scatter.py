"""One algorithm's risks against those of every other one: a table and a figure of dots.

Where numbers are predicted, these are RMSEs.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from pathlib import Path
from statistics import fmean, stdev
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import order, rounded_p, sign_test
from quadrepro.tables.figure import add_legend, looks_of, new_figure, open_frame, write_beside
from quadrepro.tables.kinds.base import Context, closing_notes
from quadrepro.tables.kinds.comparisons import signs
from quadrepro.tables.kinds.legacy import TableKind, legacy
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.ranked import compare_splits, splits_of
from quadrepro.tables.table import MISSING, Table, entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ABREAST = 4
"""At most this many panels stand side by side."""

LABELLED = 20
"""Up to this number of data sets have labels at their dots, without a paper; more have a legend."""

LETTER, LINE = 4.2, 8.0
"""Points that a letter of a label takes, and a line of labels."""

WIDE = 5.0
"""Points that a letter of the text at an axis takes."""


def dots(outcomes: Outcomes, row: str, a: str, b: str) -> list[tuple[float, float]]:
    """Return the risks or RMSEs of two algorithms, one pair per split that both have."""
    pairs = zip(outcomes.cell(row, a), outcomes.cell(row, b), strict=True)
    return [(x.value, y.value) for x, y in pairs if x.ok and y.ok]


def _word(context: Context[str]) -> str:
    return "RMSE" if "regression" in context.experiment.tasks.values() else "risk"


def _others(context: Context[str]) -> list[str]:
    return [name for name in context.titles if name != context.option]


def _moments(differences: list[float], digits: int) -> str:
    if not differences:
        return MISSING
    spread = f" ± {stdev(differences):.{digits}f}" if len(differences) > 1 else ""
    return f"{fmean(differences):+z.{digits}f}{spread}"


def _labelled(context: Context[str], outcomes: Outcomes) -> bool:
    return not context.config.paper and 1 < len(outcomes.rows) <= LABELLED


def _write_labels(
    panel: Axes,
    looks: dict[str, dict[str, Any]],
    middles: dict[str, FloatArray],
    points: float,
) -> None:
    """Write each name beside its place, above those in its way; points are those of a unit."""
    taken: list[tuple[float, float, float]] = []
    for name, middle in sorted(middles.items(), key=lambda item: (item[1][1], item[0])):
        x, y = points * middle
        # Near the right edge, a name is on the other side.
        width = LETTER * len(name)
        left = x - 6 - width if x + 6 + width > points * panel.get_xlim()[1] else x + 6
        low = y
        while any(left < r and left + width > o and abs(low - b) < LINE for o, r, b in taken):
            low += LINE / 4
        taken.append((left, left + width, low))
        line = {"arrowstyle": "-", "color": looks[name]["color"], "linewidth": 0.8, "shrinkB": 0}
        form: dict[str, Any] = {"va": "center", "fontsize": "x-small", "arrowprops": line}
        write_beside(panel, name, (middle[0], middle[1]), (left - x, low - y), **form)


class ScatterKind(TableKind[str]):
    """Risks of one algorithm against those of every other one."""

    key, option = "scatter", str
    describes_figure = True
    meaning = (
        "A figure of the risks, or RMSEs, of one column against those of each other: its name."
    )

    def check(self, context: Context[str]) -> None:
        """Refuse an unknown column, and rows of two units."""
        context.check_one_of_two(context.option)
        tasks = context.experiment.tasks
        numbers = [row for row, task in tasks.items() if task == "regression"]
        if 0 < len(numbers) < len(tasks):
            raise context.error(
                f"one scale serves all rows, and only some predict numbers: {numbers[0]}"
            )

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return where the dots lie."""
        name, titles, word = context.option, context.titles, _word(context)
        unit, digits, points = (100, 2, " in percent points") if word == "risk" else (1, 4, "")
        rows, data = [], []
        tested, note = outcomes.tested(), own_rows_note(context.config)
        alone = len(tested.rows) == 1
        splits = splits_of(tested) if alone else []
        found = compare_splits(splits[0], rope=0.0) if splits else {}
        on_splits = {
            (a, b): replace(sign_test(splits[0].risks[a], splits[0].risks[b]), p_value=of.p_value)
            for (a, b), of in found.items()
        }
        for other in _others(context):
            of_rows = {row: dots(outcomes, row, name, other) for row in outcomes.rows}
            data += [(other, row, x, y) for row, of_row in of_rows.items() for x, y in of_row]
            pairs = [pair for of_row in of_rows.values() for pair in of_row]
            differences = [unit * (y - x) for x, y in pairs]
            orders = [order(y, x) for x, y in pairs]
            counts = (orders.count(side) for side in (1, 0, -1))
            test = on_splits.get((name, other)) if alone else signs(tested, name, other)
            texts = [
                *map(str, counts),
                _moments(differences, digits),
                MISSING if test is None else f"{test.wins}, {test.losses}, {test.ties}",
                MISSING if test is None else rounded_p(test.p_value),
            ]
            rows.append((titles[other], tuple(map(entry, texts))))
        return Table(
            f"{context.config.title}: {word}s against those of {titles[name]}",
            ("", "above", "on", "below", "difference", "wins, losses, ties", "p"),
            tuple(rows),
            (
                f"Above, on, below: dots by the diagonal, one per split; above it {titles[name]} "
                f"has the lower {word}. Difference: the row's {word} less that of "
                f"{titles[name]}{points}, mean ± standard deviation over the dots.",
                f"Wins, losses and ties of {titles[name]} by "
                + (
                    f"{word}, one per split, and the p-value of the corrected resampled t-test."
                    if alone
                    else f"mean {word}, one per data set, and the p-value of the two-tailed sign "
                    "test, ties ignored."
                ),
                *([note] if note and tested.rows else []),
                *closing_notes(context, outcomes),
            ),
            ("algorithm", "dataset", f"{word} of {name}", word),
            tuple(data),
        )

    def draw(self, context: Context[str], outcomes: Outcomes, folder: Path) -> None:
        """Draw the dots, one panel per algorithm (CB-Boost, Figure 4).

        Each data set has its own colour and marker, and without a paper a label if they are few.
        """
        name, titles, others = context.option, context.titles, _others(context)
        word = _word(context)
        looks = {row: look.dot() for row, look in looks_of(outcomes.rows).items()}
        values = [r.value for r in outcomes.records.values() if r.ok]
        low, top = 0.0, 1.05 * max(values, default=1.0) or 1.0
        labelled = _labelled(context, outcomes)
        if not context.config.paper and values and min(values) < max(values):
            margin = 0.05 * (max(values) - min(values))
            low, top = min(values) - margin, max(values) + margin
        n_rows, n_columns = ceil(len(others) / ABREAST), min(ABREAST, len(others))
        size, legend = (3.6, 0.0) if labelled else (2.6, 0.7)
        shape = size * n_columns + 0.6, size * n_rows + legend
        with new_figure(folder / f"{self.name}.svg", *shape) as figure:
            panels = figure.subplots(n_rows, n_columns, squeeze=False)
            for panel in panels.flat[len(others) :]:
                panel.remove()
            for panel, other in zip(panels.flat, others, strict=False):
                panel.plot((low, top), (low, top), color="#999999", linewidth=0.8, zorder=0)
                middles = {}
                for row, look in looks.items():
                    xy = np.reshape(dots(outcomes, row, name, other), (-1, 2))
                    panel.plot(*xy.T, markersize=4, alpha=0.7, markeredgewidth=0, **look)
                    if labelled and len(xy):
                        middles[row] = xy.mean(axis=0)
                panel.set(xlim=(low, top), ylim=(low, top), aspect="equal")
                _write_labels(panel, looks, middles, 60 * size / (top - low))
                x, y = (
                    fill(f"{word} of {titles[n]}", int(60 * size / WIDE)) for n in (name, other)
                )
                panel.set(xlabel=x, ylabel=y)
                open_frame(panel)
            if not labelled:
                add_legend(figure, looks)


SCATTER = legacy(ScatterKind())
