"""What changes along the values of a sweep: running times, and the risks of two algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.figure import (
    Look,
    add_legend,
    labels_in,
    looks_of,
    new_figure,
    open_frame,
    plain_labels,
)
from quadrepro.tables.kinds.base import Context, closing_notes
from quadrepro.tables.kinds.legacy import TableKind, legacy
from quadrepro.tables.table import MISSING, Table, entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 100
"""Above this ratio of the largest value to the smallest, the horizontal axis is logarithmic."""


def times_of(outcomes: Outcomes, row: str, column: str) -> list[float]:
    """Return the running times of an entry in seconds."""
    if not outcomes.complete(row, column):
        return []
    return [record.seconds for record in outcomes.cell(row, column)]


def _moved_by(context: Context[bool], sweep: str) -> list[str]:
    """Return the columns that have a sweep's hyper-parameter; all if it is over something else."""
    of_sweep = {s.over.removeprefix("grid.") for s in context.config.sweeps if s.word == sweep}
    return [
        a.name
        for a in context.experiment.columns
        if any(
            "." in name or name in {h.name for h in a.learner.hyperparameters} for name in of_sweep
        )
    ]


def _draw_times(
    panel: Axes, outcomes: Outcomes, rows: Sequence[Row], looks: dict[str, Look]
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
            panel.plot(*zip(*points, strict=True), label=column, **_curve(look))
    if numeric and min(numbers) > 0 and max(numbers) > WIDE * min(numbers):
        panel.set_xscale("log")
        plain_labels(panel.xaxis)
    # A coarse clock can call all of them 0, which has no logarithm.
    if not drawn or max(drawn) > 0:
        panel.set_yscale("log")
        plain_labels(panel.yaxis)
    else:
        panel.set_ylim(bottom=0)
    open_frame(panel)


def _curve(look: Look) -> dict[str, Any]:
    return {**look.line(1.3), "marker": look.marker, "markersize": 3.5}


class TimesKind(TableKind[bool]):
    """Running times, which differ between runs."""

    key, option = "times", bool
    meaning = "Running times against what the config sweeps over: `true`."
    timed = True

    def check(self, context: Context[bool]) -> None:
        """Refuse a config without a sweep."""
        context.check_sweeps()

    def table(self, context: Context[bool], outcomes: Outcomes) -> Table:
        """Return the table of running times."""
        config = context.config
        rows, data = [], []
        for row in config.rows:
            entries = []
            for column in outcomes.columns:
                times = times_of(outcomes, row.entry.title, column)
                entries.append(entry(f"{median(times):.3g}" if times else MISSING))
                middle = median(times) if times else None
                data.append((row.of, row.sweep, row.value, column, len(times), middle))
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

    def draw(self, context: Context[bool], outcomes: Outcomes, folder: Path) -> None:
        """Draw the running times, one panel per sweep and data set and one curve per algorithm."""
        config, titles = context.config, context.titles
        looks = looks_of(titles)
        datasets = list(dict.fromkeys(row.of for row in config.rows))
        sweeps = list(dict.fromkeys(row.sweep for row in config.rows))
        size = (3.2 * len(sweeps) + 0.4, 2.6 * len(datasets) + 0.6)
        with new_figure(folder / f"{self.name}.svg", *size) as figure:
            panels = figure.subplots(len(datasets), len(sweeps), squeeze=False)
            for dataset, panels_of_row in zip(datasets, panels, strict=True):
                for sweep, panel in zip(sweeps, panels_of_row, strict=True):
                    rows = [row for row in config.rows if (row.of, row.sweep) == (dataset, sweep)]
                    moved = {name: looks[name] for name in _moved_by(context, sweep)}
                    _draw_times(panel, outcomes, rows, moved)
                    word = sweep.replace("_", " ")
                    panel.set(title=f"{dataset}: {word} varied", xlabel=word, ylabel="seconds")
            drawn = labels_in(panels.flat)
            add_legend(figure, {titles[n]: _curve(look) for n, look in looks.items() if n in drawn})


FIRST, SECOND, NEITHER, UNKNOWN = "#f0a040", "#6dbf8b", "#e6e6e6", "#ffffff"
"""Colours of a square: the first is better, the second is better, not told apart, no result."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The risks of two algorithms in one row, in percent."""

    means: tuple[float, float]  # in percent
    sds: tuple[float, float]  # 0 with one split

    @property
    def points(self) -> float:
        """The second mean less the first, in percent points."""
        return self.means[1] - self.means[0]

    @property
    def overlap(self) -> bool:
        """Whether the intervals mean ± standard deviation have a point in common."""
        return abs(self.points) <= sum(self.sds) + 1e-9

    @property
    def colour(self) -> str:
        """Colour of the square."""
        if self.overlap:
            return NEITHER
        return FIRST if self.points > 0 else SECOND

    @property
    def text(self) -> str:
        """The difference with its sign."""
        return f"{float(self.points):+z.1f}"


def difference(outcomes: Outcomes, row: str, pair: Pair) -> Difference | None:
    """Return the difference of a row, or None if a split of either algorithm is missing."""
    if not all(outcomes.complete(row, column) for column in pair):
        return None
    a, b = ([100 * risk for risk in outcomes.values(row, column)] for column in pair)
    several = outcomes.repeats > 1
    return Difference((fmean(a), fmean(b)), (stdev(a), stdev(b)) if several else (0.0, 0.0))


def _matrix(context: Context[Pair]) -> dict[str, list[Row]]:
    """Return the rows of each data set, in one order for all."""
    matrix: dict[str, list[Row]] = {}
    for row in context.config.rows:
        matrix.setdefault(row.of, []).append(row)
    return matrix


def _draw_squares(panel: Axes, found: list[list[Difference | None]]) -> None:
    from matplotlib.patches import Rectangle

    for y, of_row in enumerate(found):
        for x, square in enumerate(of_row):
            colour = UNKNOWN if square is None else square.colour
            panel.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white")
            )
            if square is not None and not square.overlap:
                text = square.text.replace("-", "−")
                panel.text(x, y, text, ha="center", va="center", fontsize=8)
    panel.set(xlim=(-0.5, len(found[0]) - 0.5), ylim=(len(found) - 0.5, -0.5))
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


class DifferencesKind(TableKind[Pair]):
    """Risks of two algorithms."""

    key, option = "differences", tuple[str, str]
    meaning = (
        "A figure of the differences of two columns against what the config sweeps over: their "
        "names."
    )

    def check(self, context: Context[Pair]) -> None:
        """Refuse a config without a sweep, and columns without risks to compare."""
        for i, name in enumerate(context.option):
            context.check_risks_of_two(name, i)
        context.check_sweeps()

    def table(self, context: Context[Pair], outcomes: Outcomes) -> Table:
        """Return the matrix of differences."""
        pair = context.option
        titles = [context.titles[name] for name in pair]
        rows, data = [], []
        for name, of_name in _matrix(context).items():
            entries = []
            for row in of_name:
                found = difference(outcomes, row.entry.title, pair)
                if found is None:
                    entries.append(entry(MISSING))
                    data.append((name, row.sweep, row.value, *[None] * 6))
                    continue
                entries.append(entry(found.text, mark="" if found.overlap else "*"))
                moments = zip(map(float, found.means), found.sds, strict=True)
                numbers = (*(n for of_one in moments for n in of_one), float(found.points))
                verdict = "not told apart" if found.overlap else "different"
                data.append((name, row.sweep, row.value, *numbers, verdict))
            rows.append((name, tuple(entries)))
        columns = next(iter(_matrix(context).values()))
        spread = f"mean ± standard deviation over {outcomes.repeats} splits"
        return Table(
            f"{context.config.title}: risk of {titles[1]} less that of {titles[0]}",
            ("Data set", *(f"{row.sweep} {row.value}" for row in columns)),
            tuple(rows),
            (
                f"Percent points; above 0 {titles[0]} is better. \\* marks a difference where the "
                + (
                    f"two intervals {spread} have no point in common; elsewhere the two are not "
                    "told apart, which no test decides."
                    if outcomes.repeats > 1
                    else "two risks are not the same: one split has no spread."
                ),
                *closing_notes(context, outcomes),
            ),
            (
                "dataset",
                "sweep",
                "value",
                *(f"{column} {kind}" for column in pair for kind in ("mean", "sd")),
                "difference",
                "verdict",
            ),
            tuple(data),
        )

    def draw(self, context: Context[Pair], outcomes: Outcomes, folder: Path) -> None:
        """Draw the matrix, one panel per sweep (CB-Boost, Figure 3).

        The difference is shown in the squares where the two algorithms are told apart.
        """
        pair, matrix = context.option, _matrix(context)
        sweeps = dict.fromkeys(row.sweep for row in context.config.rows)
        counts = [
            sum(row.sweep == sweep for row in next(iter(matrix.values()))) for sweep in sweeps
        ]
        names = 0.08 * max(map(len, matrix)) + 0.3
        size = (max(4.5, 0.5 * sum(counts) + 0.2 * len(counts) + names), 0.34 * len(matrix) + 1.2)
        with new_figure(folder / f"{self.name}.svg", *size) as figure:
            panels = figure.subplots(
                1, len(sweeps), squeeze=False, sharey=True, width_ratios=counts
            )
            for sweep, panel in zip(sweeps, panels[0], strict=True):
                squares = [[row for row in rows if row.sweep == sweep] for rows in matrix.values()]
                found = [[difference(outcomes, r.entry.title, pair) for r in rs] for rs in squares]
                _draw_squares(panel, found)
                panel.set_xticks(range(len(squares[0])), [str(row.value) for row in squares[0]])
                panel.set_yticks(range(len(matrix)), list(matrix))
                panel.set_xlabel(sweep.replace("_", " "))
            meanings = {
                f"{context.titles[pair[0]]} is better": FIRST,
                f"{context.titles[pair[1]]} is better": SECOND,
                "not told apart": NEITHER,
            }
            square = {"marker": "s", "markersize": 8, "linestyle": ""}
            add_legend(figure, {text: {"color": c, **square} for text, c in meanings.items()})


TIMES, DIFFERENCES = legacy(TimesKind()), legacy(DifferencesKind())
