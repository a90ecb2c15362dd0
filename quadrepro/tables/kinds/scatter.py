"""One algorithm's risks, or RMSEs, against every other one's: a table and a figure."""

from __future__ import annotations

from functools import partial
from math import ceil
from pathlib import Path

from quadrepro.engine.outcomes import Outcomes
from quadrepro.stats import order
from quadrepro.tables.figure import fitted, looks_of, new_figure
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.table import Entry, decimals, moments

ABREAST, SIZE = 4, 2.6
"""Maximum number of panels side by side, and the inches of one."""

Dot = tuple[str, float, float]
"""Data set, and the values of the algorithm and of another one on a split."""


def _dots(outcomes: Outcomes, a: str, b: str) -> list[Dot]:
    """Return one dot for every split that both algorithms have."""
    return [
        (row, x.value, y.value)
        for row in outcomes.rows
        for x, y in zip(outcomes.cell(row, a), outcomes.cell(row, b), strict=True)
        if x.ok and y.ok
    ]


def _make(context: Context[str], outcomes: Outcomes) -> Made:
    """Make the table and the figure."""
    word = "RMSE" if "regression" in context.experiment.tasks.values() else "risk"
    others = [name for name in context.titles if name != context.option]
    dots = {other: _dots(outcomes, context.option, other) for other in others}
    title, percent = context.titles[context.option], word == "risk"
    rows = []
    for other, pairs in dots.items():
        sides, gaps = [order(y, x) for _, x, y in pairs], [y - x for _, x, y in pairs]
        counts = (Entry(str(sides.count(side))) for side in (1, 0, -1))
        digits = 2 if percent else decimals(gaps)
        gap = Entry(*moments(gaps), digits=digits, percent=percent, signed=True)
        rows.append((context.titles[other], (*counts, gap)))
    note = (
        f"Above, on, below: dots by the diagonal, one per split; above it {title} has the "
        f"lower {word}. Difference: the row's {word} − {title}'s"
        f"{', in percentage points' * percent}, mean ± standard deviation over the dots."
    )
    notes = note, *closing_notes(context, outcomes)
    header = ("", "above", "on", "below", "difference")
    columns = ("algorithm", "dataset", f"{word} of {context.option}", word)
    data = ((other, *dot) for other, pairs in dots.items() for dot in pairs)
    table = context.table(f"{word}s against {title}", header, rows, notes, columns, data)
    return Made(table, partial(_draw, context, outcomes.rows, word, dots))


def _draw(
    context: Context[str], rows: tuple[str, ...], word: str, dots: dict[str, list[Dot]], path: Path
) -> None:
    """Draw one panel per algorithm; each data set has its own colour and marker."""
    values = [value for pairs in dots.values() for _, *xy in pairs for value in xy] or [0.0, 1.0]
    margin = 0.05 * (max(values) - min(values)) or 0.05
    ends = min(values) - margin, max(values) + margin
    n_rows, n_columns = ceil(len(dots) / ABREAST), min(ABREAST, len(dots))
    with new_figure(path, SIZE * n_columns + 0.6, SIZE * n_rows + 0.7) as figure:
        for i, (other, pairs) in enumerate(dots.items(), start=1):
            panel = figure.add_subplot(n_rows, n_columns, i)
            panel.plot(ends, ends, color="#999999", linewidth=0.8, zorder=0)
            for row, look in looks_of(rows).items():
                xy = [dot[1:] for dot in pairs if dot[0] == row]
                form = look | {"linestyle": "", "markersize": 4, "alpha": 0.7, "markeredgewidth": 0}
                panel.plot([x for x, _ in xy], [y for _, y in xy], label=row, **form)
            axes = (f"{word} of {context.titles[name]}" for name in (context.option, other))
            xlabel, ylabel = (fitted(text, SIZE - 0.6) for text in axes)
            panel.set(xlim=ends, ylim=ends, aspect="equal", xlabel=xlabel, ylabel=ylabel)


def _check(context: Context[str]) -> None:
    """Refuse an unknown column, one that is alone, and rows of two units."""
    context.check_column(context.option)
    if len(context.titles) == 1:
        raise context.error(f"{context.option} is the only algorithm")
    tasks = context.experiment.tasks
    numbers = [row for row, task in tasks.items() if task == "regression"]
    if 0 < len(numbers) < len(tasks):
        message = f"one scale serves all rows, and only some predict numbers: {numbers[0]}"
        raise context.error(message)


SCATTER = Kind(
    str, _make, _check, "A figure of the errors of one column, by name, against every other column."
)
