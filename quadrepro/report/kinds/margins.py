"""Training margins pooled over the splits: a table of moments, and their distributions drawn."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.report.figure import LINES, add_legend, new_figure, open_frame
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "margins"
"""Name of the figure's files without ending."""

POINTS = 1001
"""Points at which a distribution is drawn."""


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of an entry.

    Returns
    -------
    list of ndarray of shape (n_train,)
        One a split; empty unless every split was computed and has margins.
    """
    records = outcomes.cell(row, column)
    if not all(record.ok and record.margins for record in records):
        return []
    return [record.training_margins() for record in records]


def margins_table(experiment: Experiment, outcomes: Outcomes, printed: Printed) -> Table:
    """Return the table of means and standard deviations of the training margins.

    Parameters
    ----------
    experiment : Experiment
        Labels and notes.
    outcomes : Outcomes
        The records.
    printed : Printed
        The printed table, its rows under the titles of ours.

    Returns
    -------
    Table
        A row a data set; as data, a row an entry.
    """
    rows, data = [], []
    for row in outcomes.rows:
        entries = []
        for c in outcomes.columns:
            splits = margins_of_splits(outcomes, row, c)
            text = MISSING
            numbers: tuple[float | str, ...] = (0, "", "")
            if splits:
                pooled = np.concatenate(splits)
                mean, sd = float(pooled.mean()), float(pooled.std(ddof=1))
                text, numbers = f"{mean:.2f} ± {sd:.2f}", (len(pooled), mean, sd)
            entries.append(Entry(text, printed.spread(row, c + MEAN, c + SD)))
            data.append((row, c, *numbers, printed.text(row, c + MEAN), printed.text(row, c + SD)))
        rows.append((row, tuple(entries)))
    pools = "all training examples"
    if outcomes.repeats > 1:
        pools += f" of all {outcomes.repeats} splits"
    beside = ", in parentheses the printed ones" if printed.cells else ""
    return Table(
        f"{experiment.config.title}: training margins",
        ("Data set", *(a.title for a in experiment.config.algorithms)),
        tuple(rows),
        (
            f"Mean ± standard deviation of the margins of {pools}{beside}.",
            *experiment.config.notes,
        ),
        ("dataset", "algorithm", "margins", "mean", "sd", "printed mean", "printed sd"),
        tuple(data),
    )


def draw_margins(experiment: Experiment, outcomes: Outcomes, folder: Path) -> None:
    """Draw cumulative distributions of the training margins as ``margins.svg`` and ``.png``.

    Parameters
    ----------
    experiment : Experiment
        Labels, and the data sets to draw, one panel each.
    outcomes : Outcomes
        The records.
    folder : Path
        Where to write.
    """
    labels = {a.name: a.title for a in experiment.config.algorithms}
    rows = experiment.config.tables.margin_figure
    with new_figure(folder, FIGURE, 3.0 * len(rows) + 0.4, 3.2) as figure:
        panels = figure.subplots(1, len(rows), sharey=True, squeeze=False)[0]
        for panel, row in zip(panels, rows, strict=True):
            _draw_panel(panel, outcomes, row, labels)
        panels[0].set_ylabel("cumulative share of examples")
        lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
        add_legend(figure, {label: lines[label] for label in labels.values() if label in lines})


def _draw_panel(panel: Axes, outcomes: Outcomes, row: str, labels: dict[str, str]) -> None:
    share = np.linspace(0, 1, POINTS)
    for (colour, style), (column, label) in zip(cycle(LINES), labels.items(), strict=False):
        splits = margins_of_splits(outcomes, row, column)
        if splits:
            margins = np.quantile(np.concatenate(splits), share)
            panel.plot(margins, share, color=colour, linestyle=style, label=label, linewidth=1.4)
    panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    panel.set(title=row, xlabel="margin", ylim=(-0.01, 1.02))
    open_frame(panel)
