"""Two algorithms' risks in a matrix of data sets and a sweep's values: a table and a figure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from quadrepro.config.loading import Experiment
from quadrepro.config.schema import Row
from quadrepro.report.figure import add_legend, new_figure
from quadrepro.report.kinds.risks import closing_notes
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "differences"
"""Name of the figure's files without ending."""

FIRST, SECOND, EQUIVALENT, UNKNOWN = "#f0a040", "#6dbf8b", "#8fb8de", "#eeeeee"
"""Colours of a square where the first, the second, neither is better, and without a result."""


@dataclass(frozen=True)
class Difference:
    """Risks of two algorithms in one row, in percent.

    Attributes
    ----------
    means, sds : pair of float
        Of the first and the second algorithm over the splits; no deviation with one split.
    """

    means: tuple[float, float]
    sds: tuple[float, float]

    @property
    def points(self) -> float:
        """The second mean less the first, in percent points."""
        return self.means[1] - self.means[0]

    @property
    def equivalent(self) -> bool:
        """Whether the intervals mean ± standard deviation have a point in common."""
        # Means of equal counts may differ in their last bits.
        return abs(self.points) <= sum(self.sds) + 1e-9

    @property
    def colour(self) -> str:
        """Colour of the square."""
        if self.equivalent:
            return EQUIVALENT
        return FIRST if self.points > 0 else SECOND

    @property
    def text(self) -> str:
        """The difference with its sign."""
        return f"{self.points:+z.1f}"


def difference(outcomes: Outcomes, row: str, pair: tuple[str, str]) -> Difference | None:
    """Return a row's difference, or None where a split of either is missing."""
    if not all(outcomes.complete(row, column) for column in pair):
        return None
    a, b = ([100 * risk for risk in outcomes.risks(row, column)] for column in pair)
    sds = (stdev(a), stdev(b)) if outcomes.repeats > 1 else (0.0, 0.0)
    return Difference((fmean(a), fmean(b)), sds)


def differences_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return the matrix of differences.

    Parameters
    ----------
    experiment : Experiment
        The pair, the sweeps, labels and notes.
    outcomes : Outcomes
        The records.

    Returns
    -------
    Table
        A row a data set, a column a value of a sweep; as data, a row a square.
    """
    pair, labels = _asked_for(experiment)
    rows, data = [], []
    for name, of_name in _matrix(experiment).items():
        entries = []
        for row in of_name:
            found = difference(outcomes, row.entry.title, pair)
            value = "" if row.value is None else row.value
            if found is None:
                entries.append(Entry(MISSING))
                data.append((name, row.sweep, value, *[""] * 6))
                continue
            entries.append(Entry(found.text, mark="" if found.equivalent else "*"))
            numbers = (found.means[0], found.sds[0], found.means[1], found.sds[1], found.points)
            verdict = "equivalent" if found.equivalent else "different"
            data.append((name, row.sweep, value, *numbers, verdict))
        rows.append((name, tuple(entries)))
    columns = next(iter(_matrix(experiment).values()))
    spread = f"mean ± standard deviation over {outcomes.repeats} splits"
    return Table(
        f"{experiment.config.title}: risk of {labels[1]} less that of {labels[0]}",
        ("Data set", *(f"{row.sweep} {row.value}" for row in columns)),
        tuple(rows),
        (
            f"Percent points; above 0 {labels[0]} is better. \\* marks a difference where the "
            + (
                f"two intervals {spread} have no point in common; elsewhere the two are called "
                "equivalent."
                if outcomes.repeats > 1
                else "two risks are not the same: one split has no spread."
            ),
            *closing_notes(experiment, outcomes),
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


def _asked_for(experiment: Experiment) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the pair's names and labels."""
    pair = experiment.config.tables.differences
    assert pair is not None
    labels = {a.name: a.title for a in experiment.config.algorithms}
    return pair, (labels[pair[0]], labels[pair[1]])


def _matrix(experiment: Experiment) -> dict[str, list[Row]]:
    """Return each data set's rows, in one order for all."""
    matrix: dict[str, list[Row]] = {}
    for row in experiment.config.rows:
        matrix.setdefault(row.of, []).append(row)
    return matrix


def draw_differences(experiment: Experiment, outcomes: Outcomes, folder: Path) -> None:
    """Draw the matrix as ``differences.svg`` and ``.png`` (CB-Boost, Figure 3).

    A panel a sweep. The difference stands in the squares where the two are not equivalent.

    Parameters
    ----------
    experiment : Experiment
        The pair, the sweeps, and labels.
    outcomes : Outcomes
        The records.
    folder : Path
        Where to write.
    """
    from matplotlib.lines import Line2D

    pair, labels = _asked_for(experiment)
    matrix = _matrix(experiment)
    sweeps = dict.fromkeys(row.sweep for row in experiment.config.rows)
    counts = [sum(row.sweep == sweep for row in next(iter(matrix.values()))) for sweep in sweeps]
    names = 0.08 * max(map(len, matrix)) + 0.3
    size = (max(4.5, 0.5 * sum(counts) + 0.2 * len(counts) + names), 0.34 * len(matrix) + 1.2)
    with new_figure(folder, FIGURE, *size) as figure:
        panels = figure.subplots(1, len(sweeps), squeeze=False, sharey=True, width_ratios=counts)
        for sweep, panel in zip(sweeps, panels[0], strict=True):
            squares = [[row for row in rows if row.sweep == sweep] for rows in matrix.values()]
            found = [[difference(outcomes, r.entry.title, pair) for r in rs] for rs in squares]
            _draw_panel(panel, found)
            panel.set_xticks(range(len(squares[0])), [str(row.value) for row in squares[0]])
            panel.set_yticks(range(len(matrix)), list(matrix))
            panel.set_xlabel(sweep.replace("_", " "))
        meanings = {
            f"{labels[0]} is better": FIRST,
            f"{labels[1]} is better": SECOND,
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
