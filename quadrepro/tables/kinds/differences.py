"""Two algorithms' risks per data set and value of a sweep: a table and a figure."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import stdev, variance
from typing import TYPE_CHECKING

from quadrepro.config.datasets import Row
from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.captions import listed
from quadrepro.tables.figure import add_legend, new_figure
from quadrepro.tables.kinds.base import Context, Kind, closing_notes
from quadrepro.tables.table import MISSING, Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEY = "differences"
"""Key in the config, and name of the files without ending."""

FIRST, SECOND, EQUIVALENT, UNKNOWN = "#f0a040", "#6dbf8b", "#8fb8de", "#eeeeee"
"""Colours of a square: the first is better, the second is better, neither, no result."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The risks of two algorithms in one row, in percent.

    Attributes
    ----------
    means : pair of Fraction
        Means of the first and of the second algorithm over the splits.
    variances : pair of Fraction
        Their variances, with n - 1; 0 with one split.
    sds : pair of float
        Their standard deviations, to be read.
    """

    means: tuple[Fraction, Fraction]
    variances: tuple[Fraction, Fraction]
    sds: tuple[float, float]

    @property
    def points(self) -> Fraction:
        """The second mean less the first, in percent points."""
        return self.means[1] - self.means[0]

    @property
    def equivalent(self) -> bool:
        """Whether the intervals mean ± standard deviation have a point in common."""
        # |points| <= sqrt(a) + sqrt(b), squared twice: fractions know it exactly.
        a, b = self.variances
        rest = self.points**2 - a - b
        return rest <= 0 or rest**2 <= 4 * a * b

    @property
    def colour(self) -> str:
        """Colour of the square."""
        if self.equivalent:
            return EQUIVALENT
        return FIRST if self.points > 0 else SECOND

    @property
    def text(self) -> str:
        """The difference with its sign."""
        return f"{float(self.points):+z.1f}"


def difference(outcomes: Outcomes, row: str, pair: Pair) -> Difference | None:
    """Return the difference of a row, or None if a split of either algorithm is missing."""
    if not all(outcomes.complete(row, column) for column in pair):
        return None
    a, b = ([100 * risk for risk in outcomes.fractions(row, column)] for column in pair)
    means = sum(a, Fraction()) / len(a), sum(b, Fraction()) / len(b)
    if outcomes.repeats == 1:
        return Difference(means, (Fraction(), Fraction()), (0.0, 0.0))
    x, y = ([100 * risk for risk in outcomes.values(row, column)] for column in pair)
    return Difference(means, (variance(a), variance(b)), (stdev(x), stdev(y)))


def differences_table(context: Context[Pair], outcomes: Outcomes) -> Table:
    """Return the matrix of differences."""
    pair = context.option
    titles = [context.titles[name] for name in pair]
    rows, data = [], []
    for name, of_name in _matrix(context).items():
        entries = []
        for row in of_name:
            found = difference(outcomes, row.entry.title, pair)
            value = "" if row.value is None else row.value
            if found is None:
                entries.append(Entry(MISSING))
                data.append((name, row.sweep, value, *[""] * 6))
                continue
            entries.append(Entry(found.text, mark="" if found.equivalent else "*"))
            moments = zip(map(float, found.means), found.sds, strict=True)
            numbers = (*(n for of_one in moments for n in of_one), float(found.points))
            verdict = "equivalent" if found.equivalent else "different"
            data.append((name, row.sweep, value, *numbers, verdict))
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
                f"two intervals {spread} have no point in common; elsewhere the two are called "
                "equivalent."
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


def _matrix(context: Context[Pair]) -> dict[str, list[Row]]:
    """Return the rows of each data set, in one order for all."""
    matrix: dict[str, list[Row]] = {}
    for row in context.config.rows:
        matrix.setdefault(row.of, []).append(row)
    return matrix


def draw_differences(context: Context[Pair], outcomes: Outcomes, folder: Path) -> None:
    """Draw the matrix, one panel per sweep (CB-Boost, Figure 3).

    The difference stands in the squares in which the two algorithms are not equivalent.
    """
    from matplotlib.lines import Line2D

    pair, matrix = context.option, _matrix(context)
    sweeps = dict.fromkeys(row.sweep for row in context.config.rows)
    counts = [sum(row.sweep == sweep for row in next(iter(matrix.values()))) for sweep in sweeps]
    names = 0.08 * max(map(len, matrix)) + 0.3
    size = (max(4.5, 0.5 * sum(counts) + 0.2 * len(counts) + names), 0.34 * len(matrix) + 1.2)
    with new_figure(folder, KEY, *size) as figure:
        panels = figure.subplots(1, len(sweeps), squeeze=False, sharey=True, width_ratios=counts)
        for sweep, panel in zip(sweeps, panels[0], strict=True):
            squares = [[row for row in rows if row.sweep == sweep] for rows in matrix.values()]
            found = [[difference(outcomes, r.entry.title, pair) for r in rs] for rs in squares]
            _draw_panel(panel, found)
            panel.set_xticks(range(len(squares[0])), [str(row.value) for row in squares[0]])
            panel.set_yticks(range(len(matrix)), list(matrix))
            panel.set_xlabel(sweep.replace("_", " "))
        meanings = {
            f"{context.titles[pair[0]]} is better": FIRST,
            f"{context.titles[pair[1]]} is better": SECOND,
            "equivalent": EQUIVALENT,
        }
        add_legend(
            figure,
            {
                text: Line2D([], [], color=colour, marker="s", markersize=8, linestyle="")
                for text, colour in meanings.items()
            },
        )


def _draw_panel(panel: Axes, found: list[list[Difference | None]]) -> None:
    from matplotlib.patches import Rectangle

    for y, of_row in enumerate(found):
        for x, square in enumerate(of_row):
            colour = UNKNOWN if square is None else square.colour
            panel.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white")
            )
            if square is not None and not square.equivalent:
                text = square.text.replace("-", "−")
                panel.text(x, y, text, ha="center", va="center", fontsize=8)
    panel.set(xlim=(-0.5, len(found[0]) - 0.5), ylim=(len(found) - 0.5, -0.5))
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def differences_caption(context: Context[Pair], outcomes: Outcomes) -> str:
    """Return what the figure shows."""
    first, second = (context.titles[name] for name in context.option)
    sweeps = list(dict.fromkeys(row.sweep.replace("_", " ") for row in context.config.rows))
    alike = "the two risks are the same"
    if outcomes.repeats > 1:
        alike = (
            "the intervals mean ± one standard deviation of the two, over "
            f"{outcomes.repeats} {context.splits}, have a point in common"
        )
    return (
        f"{context.config.title}: risk of {second} less that of {first}. One line per data set, "
        f"one square per value of {listed(sweeps)}. A square is called equivalent if {alike}; in "
        "the others stands the difference of the mean test risks in percent points, which is "
        f"positive (orange) if {first} is better and negative (green) if {second} is."
    )


def _check(context: Context[Pair]) -> None:
    for i, name in enumerate(context.option):
        context.check_risks_of_two(name, i)
    context.check_sweeps()


DIFFERENCES = Kind(
    key=KEY,
    option=tuple[str, str],
    meaning="A figure of the differences of two columns against what the config sweeps over: their "
    "names.",
    check=_check,
    table=differences_table,
    draw=draw_differences,
    caption=differences_caption,
)
