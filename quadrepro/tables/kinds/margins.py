"""Margins of votes: a table with the printed ones, and a figure of their distributions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import ConfigDict, FiniteFloat

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import nearest
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.stats import COVERAGE, Repeats
from quadrepro.tables.figure import fitted, looks_of, new_figure
from quadrepro.tables.judge import PrintedNumber, Verdicts, judge
from quadrepro.tables.kinds import Context, Kind, Made
from quadrepro.tables.render import CsvField, Entry

POINTS = 1001
"""Points at which a distribution is drawn."""

WIDTH = 3.0
"""Inches of a panel."""

FIELDS = "dataset", "algorithm", "margins", "mean", "sd", "printed mean", "printed sd", "verdict"

QUANTITIES = ("margin mean", "margin sd")
"""Names of the two printed numbers of an entry."""


class MarginPanel(Model):
    """The distributions of one row."""

    row: str
    """The row of the experiment."""
    algorithms: tuple[str, ...] = ()
    """Columns that are drawn; by default all."""
    limits: tuple[FiniteFloat, FiniteFloat] | None = None
    """Ends of the axis of margins; by default all margins are shown."""


class Margins(Model):
    """Options of margins; the name of a printed table means that table alone."""

    short = "printed"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "string"]})

    printed: str = ""
    """The printed table."""
    panels: tuple[MarginPanel, ...] = ()
    """The rows whose distributions are drawn, side by side."""


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of every split of an entry; none if one split lacks them."""
    records = outcomes.cell(row, column)
    margins = [record.margins for record in records if record.margins is not None]
    return margins if len(margins) == len(records) else []


Splits = Mapping[tuple[str, str], list[FloatArray]]
"""Margins of every split, by row and column."""


def _make(context: Context[Margins], outcomes: Outcomes) -> Made:
    """Training margins; the name of a printed table to compare with, or options."""
    places = [(row, column) for row in outcomes.rows for column in outcomes.columns]
    splits = {place: margins_of_splits(outcomes, *place) for place in places}
    printed = context.printed(context.option.printed)
    verdicts = _verdicts(printed, outcomes, splits)
    rows, data = defaultdict[str, list[Entry]](list), list[tuple[CsvField, ...]]()
    outside = verdicts.outside_places
    for (row, column), margins in splits.items():
        pooled = np.concatenate(margins) if margins else np.zeros(0)
        mean, sd = (float(pooled.mean()), float(pooled.std(ddof=1))) if margins else (None, None)
        texts = printed.text(row, column + MEAN), printed.text(row, column + SD)
        off, sd_off = ((row, column, quantity) in outside for quantity in QUANTITIES)
        rows[row].append(Entry(mean, sd, *texts, outside=off, spread_outside=sd_off, digits=2))
        word = verdicts.words.get((row, column), "")
        data.append((row, column, len(pooled), mean, sd, *texts, word))
    pooled_over = f" of all {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    in_parentheses = ", in parentheses the printed ones" if printed.cells else ""
    start = "Mean ± standard deviation of the margins of all training examples"
    notes = [f"{start}{pooled_over}{in_parentheses}."]
    if verdicts.judged:
        notes.append(
            "† marks a printed mean or deviation outside the interval in which the one of "
            f"{printed.sample.n} further splits lies with probability {COVERAGE:g} (Student's t "
            "over the splits)."
        )
    header, notes = ("Data set", *context.titles.values()), [*notes, *context.config.notes]
    table = context.table("training margins", header, rows.items(), notes, FIELDS, data)
    return Made(table, partial(_draw, context, splits) if context.option.panels else None, verdicts)


def _verdicts(printed: Printed, outcomes: Outcomes, splits: Splits) -> Verdicts:
    """Return where printed means and deviations of the margins are among our splits."""
    verdicts = []
    for (row, column), margins in splits.items():
        means = [float(split.mean()) for split in margins]
        sds = [float(split.std(ddof=1)) for split in margins]
        for ending, quantity, ours in zip((MEAN, SD), QUANTITIES, (means, sds), strict=True):
            if text := printed.text(row, column + ending):
                number = PrintedNumber(text, printed.sample)
                verdicts.append(judge(number, Repeats(tuple(ours))).at(row, column, quantity))
    return Verdicts(printed.name, tuple(verdicts), f"{printed.description}.", outcomes.own_rows)


def _draw(context: Context[Margins], splits: Splits, path: Path) -> None:
    """Draw the cumulative distributions of the training margins side by side."""
    panels, looks = context.option.panels, looks_of(context.titles)
    share = np.linspace(0, 1, POINTS)
    with new_figure(path, WIDTH * len(panels) + 0.4, 3.2) as figure:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for panel, option in zip(axes, panels, strict=True):
            for column in option.algorithms or looks:
                if margins := splits[option.row, column]:
                    form = looks[column] | {"marker": "", "label": context.titles[column]}
                    panel.plot(np.quantile(np.concatenate(margins), share), share, **form)
            panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
            panel.set_title(fitted(option.row, WIDTH - 0.3))
            panel.set(xlabel="margin", ylim=(0, 1.02), xlim=option.limits)
        axes[0].set_ylabel("cumulative frequency")


def _check(context: Context[Margins]) -> None:
    """Refuse a printed table without margins, and rows and columns that do not exist."""
    context.check_printed(context.option.printed, "margins")
    titles = [row.title for row in context.config.rows]
    for i, panel in enumerate(context.option.panels):
        if panel.row not in titles:
            message = f"unknown row {panel.row!r}{nearest(panel.row, titles)}"
            raise context.error(message, "panels", i)
        for j, name in enumerate(panel.algorithms):
            context.check_column(name, "panels", i, "algorithms", j)


MARGINS = Kind(Margins, _make, _check)
