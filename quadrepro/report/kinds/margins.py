"""Training margins pooled over the splits: a table of moments, and a figure of distributions."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.errors import nearest
from quadrepro.papers.printed import MEAN, SD
from quadrepro.report.figure import LINES, add_legend, new_figure, open_frame
from quadrepro.report.kinds.base import Context, Kind
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table, VerdictWord
from quadrepro.report.verdicts import Verdict, Verdicts, of_further_splits
from quadrepro.stats import COVERAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILES = "margins"
"""Name of the table's and the figure's files without ending."""

POINTS = 1001
"""Points at which a distribution is drawn."""


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of an entry.

    Returns
    -------
    list of ndarray of shape (n_train,)
        One per split; empty unless every split was computed and kept its margins.
    """
    records = outcomes.cell(row, column)
    if not all(record.ok and record.margins for record in records):
        return []
    return [record.training_margins() for record in records]


def margins_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the table of means and standard deviations of the training margins.

    Returns
    -------
    Table
        One row per data set; in the CSV, one per entry.
    """
    printed = context.printed(context.option)
    verdicts = margin_verdicts(context, outcomes)
    words: dict[tuple[str, str], VerdictWord] = {}
    for v in verdicts.judged:
        if words.get((v.row, v.column)) != "outside":
            words[v.row, v.column] = v.word
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
            word = words.get((row, c), "")
            mark = "†" if word == "outside" else ""
            beside = printed.spread(row, c + MEAN, c + SD)
            entries.append(Entry(text, beside, mark=mark, verdict=word))
            texts = (printed.text(row, c + MEAN), printed.text(row, c + SD))
            data.append((row, c, *numbers, *texts, word))
        rows.append((row, tuple(entries)))
    pools = "all training examples"
    if outcomes.repeats > 1:
        pools += f" of all {outcomes.repeats} splits"
    beside = ", in parentheses the printed ones" if printed.cells else ""
    judged: tuple[str, ...] = ()
    if words:
        judged = (
            "† marks an entry whose printed mean or deviation lies outside the interval in which "
            f"that of {printed.splits} further splits falls with probability {COVERAGE:g} "
            "(Student's t over the splits).",
        )
    return Table(
        f"{context.config.title}: training margins",
        ("Data set", *context.titles.values()),
        tuple(rows),
        (
            f"Mean ± standard deviation of the margins of {pools}{beside}.",
            *judged,
            *context.config.notes,
        ),
        ("dataset", "algorithm", "margins", "mean", "sd", "printed mean", "printed sd", "verdict"),
        tuple(data),
    )


def margin_verdicts(context: Context[str], outcomes: Outcomes) -> Verdicts:
    """Return where printed means and deviations of the margins lie among our splits."""
    printed = context.printed(context.option)
    found: list[tuple[Verdict, list[float]]] = []
    for row in outcomes.rows:
        for c in outcomes.columns:
            splits = margins_of_splits(outcomes, row, c)
            for ending, quantity, ours in (
                (MEAN, "margin mean", [float(s.mean()) for s in splits]),
                (SD, "margin sd", [float(s.std(ddof=1)) for s in splits]),
            ):
                if not (text := printed.text(row, c + ending)):
                    continue
                entry = Verdict(row, c, quantity, text)
                if printed.splits is None:
                    found.append((replace(entry, reason="printed without a number of splits"), []))
                    continue
                rounding = printed.rounding(row, c + ending)
                judged = of_further_splits(entry, ours, rounding, further=printed.splits)
                found.append((judged, ours))
    return Verdicts.of(printed.name, found, printed.splits or 1)


def check_rows(context: Context[tuple[str, ...]]) -> None:
    """Refuse rows to draw that do not exist."""
    titles = [entry.title for entry in context.config.entries]
    for i, row in enumerate(context.option):
        if row not in titles:
            raise context.error(f"there is no row {row!r} to draw{nearest(row, titles)}", i)


def draw_margins(context: Context[tuple[str, ...]], outcomes: Outcomes, folder: Path) -> None:
    """Draw the cumulative distributions of the training margins, one panel per row asked for."""
    rows, titles = context.option, context.titles
    with new_figure(folder, FILES, 3.0 * len(rows) + 0.4, 3.2) as figure:
        panels = figure.subplots(1, len(rows), sharey=True, squeeze=False)[0]
        for panel, row in zip(panels, rows, strict=True):
            _draw_panel(panel, outcomes, row, titles)
        panels[0].set_ylabel("cumulative share of examples")
        lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
        add_legend(figure, {title: lines[title] for title in titles.values() if title in lines})


def _draw_panel(panel: Axes, outcomes: Outcomes, row: str, titles: dict[str, str]) -> None:
    share = np.linspace(0, 1, POINTS)
    for (colour, style), (column, title) in zip(cycle(LINES), titles.items(), strict=False):
        splits = margins_of_splits(outcomes, row, column)
        if splits:
            margins = np.quantile(np.concatenate(splits), share)
            panel.plot(margins, share, color=colour, linestyle=style, label=title, linewidth=1.4)
    panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    panel.set(title=row, xlabel="margin", ylim=(-0.01, 1.02))
    open_frame(panel)


MARGINS = Kind(
    key=FILES,
    option=str,
    check=lambda context: context.check_printed("margins"),
    table=margins_table,
    verdicts=margin_verdicts,
)

MARGIN_FIGURE = Kind(
    key="margin_figure", option=tuple[str, ...], stem=FILES, check=check_rows, draw=draw_margins
)
