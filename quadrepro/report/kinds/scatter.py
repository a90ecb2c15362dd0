"""One algorithm's risks against those of each other, a dot a split: a table and a figure."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from quadrepro.config.loading import Experiment
from quadrepro.report.figure import COLOURS, add_legend, colours_of, new_figure, open_frame
from quadrepro.report.kinds.comparisons import signs
from quadrepro.report.kinds.risks import closing_notes
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table

FIGURE = "scatter"
"""Name of the figure's files without ending."""

MARKERS = ("o", "s", "^", "D", "v")
"""Signs of data sets: the next where the colours begin anew."""

ABREAST = 4
"""So many panels stand side by side at most."""


def dots(outcomes: Outcomes, row: str, a: str, b: str) -> list[tuple[float, float]]:
    """Return the risks of two algorithms on a data set, one pair a split that both have."""
    pairs = zip(outcomes.cell(row, a), outcomes.cell(row, b), strict=True)
    return [(x.risk, y.risk) for x, y in pairs if x.ok and y.ok]


def scatter_table(experiment: Experiment, outcomes: Outcomes) -> Table:
    """Return where the dots lie, algorithm by algorithm.

    Parameters
    ----------
    experiment : Experiment
        The algorithm of the horizontal axis, labels and notes.
    outcomes : Outcomes
        The records.

    Returns
    -------
    Table
        A row an algorithm; as data, a row a dot.
    """
    name, labels = experiment.config.tables.scatter, _labels(experiment)
    rows, data = [], []
    for other in _others(experiment):
        of_rows = {row: dots(outcomes, row, name, other) for row in outcomes.rows}
        data += [(other, row, x, y) for row, of_row in of_rows.items() for x, y in of_row]
        differences = [100 * (y - x) for of_row in of_rows.values() for x, y in of_row]
        counts = (
            sum(d > 0 for d in differences),
            sum(d == 0 for d in differences),
            sum(d < 0 for d in differences),
        )
        test = signs(outcomes, name, other)
        texts = [
            *map(str, counts),
            _moments(differences),
            MISSING if test is None else f"{test.wins}, {test.losses}, {test.ties}",
            MISSING if test is None else f"{test.p_value:.3f}",
        ]
        rows.append((labels[other], tuple(map(Entry, texts))))
    return Table(
        f"{experiment.config.title}: risks against those of {labels[name]}",
        ("", "above", "on", "below", "difference", "wins, losses, ties", "p"),
        tuple(rows),
        (
            f"Above, on, below: dots by the diagonal, one a split; above it {labels[name]} has "
            f"the lower risk. Difference: the row's risk less that of {labels[name]} in percent "
            "points, mean ± standard deviation over the dots.",
            f"Wins, losses and ties of {labels[name]} by mean risk, one a data set, and the "
            "p-value of the two-tailed sign test, ties ignored.",
            *closing_notes(experiment, outcomes),
        ),
        ("algorithm", "dataset", f"risk of {name}", "risk"),
        tuple(data),
    )


def _labels(experiment: Experiment) -> dict[str, str]:
    return {a.name: a.title for a in experiment.config.algorithms}


def _others(experiment: Experiment) -> list[str]:
    return [name for name in _labels(experiment) if name != experiment.config.tables.scatter]


def _moments(differences: list[float]) -> str:
    if not differences:
        return MISSING
    spread = f" ± {stdev(differences):.2f}" if len(differences) > 1 else ""
    return f"{fmean(differences):+z.2f}{spread}"


def draw_scatter(experiment: Experiment, outcomes: Outcomes, folder: Path) -> None:
    """Draw the dots as ``scatter.svg`` and ``.png`` (CB-Boost, Figure 4).

    A panel an algorithm, a colour and sign a data set.

    Parameters
    ----------
    experiment : Experiment
        The algorithm of the horizontal axis, and labels.
    outcomes : Outcomes
        The records.
    folder : Path
        Where to write.
    """
    from matplotlib.lines import Line2D

    name, labels, others = (
        experiment.config.tables.scatter,
        _labels(experiment),
        _others(experiment),
    )
    looks: dict[str, Any] = {
        row: {"color": colour, "marker": MARKERS[i // len(COLOURS) % len(MARKERS)]}
        for i, (row, colour) in enumerate(colours_of(outcomes.rows).items())
    }
    top = 1.05 * max((r.risk for r in outcomes.records.values() if r.ok), default=1.0) or 1.0
    n_rows, n_columns = ceil(len(others) / ABREAST), min(ABREAST, len(others))
    with new_figure(folder, FIGURE, 2.6 * n_columns + 0.6, 2.6 * n_rows + 0.7) as figure:
        panels = figure.subplots(n_rows, n_columns, squeeze=False)
        for panel in panels.flat[len(others) :]:
            panel.remove()
        for panel, other in zip(panels.flat, others, strict=False):
            panel.plot((0, top), (0, top), color="#999999", linewidth=0.8, zorder=0)
            for row, look in looks.items():
                xy = np.reshape(dots(outcomes, row, name, other), (-1, 2))
                panel.plot(*xy.T, linestyle="", markersize=4, alpha=0.7, markeredgewidth=0, **look)
            panel.set(xlim=(0, top), ylim=(0, top), aspect="equal")
            panel.set(xlabel=f"risk of {labels[name]}", ylabel=f"risk of {labels[other]}")
            open_frame(panel)
        add_legend(
            figure, {row: Line2D([], [], linestyle="", **look) for row, look in looks.items()}
        )
