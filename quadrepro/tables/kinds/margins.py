"""Margins of votes: a table beside the printed one, and a figure of their distributions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ConfigDict, Field, FiniteFloat, model_validator

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import nearest
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.stats import COVERAGE
from quadrepro.tables.figure import add_legend, fitted, looks_of, new_figure
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.table import Table, Value, entry, mean_text
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits

POINTS = 1001
"""Points at which a distribution is drawn."""

WIDTH = 3.0
"""Inches of a panel."""


class MarginPanel(Model):
    """The distributions of one row."""

    row: str = Field(description="The row of the experiment.")
    algorithms: tuple[str, ...] = Field((), description="Columns that are drawn; by default all.")
    limits: tuple[FiniteFloat, FiniteFloat] | None = Field(
        None, description="Ends of the axis of margins; by default all margins are shown."
    )


class Margins(Model):
    """Options of margins; the name of a printed table stands for that table alone."""

    model_config = ConfigDict(json_schema_extra={"type": ["object", "string"]})

    printed: str = Field("", description="The printed table.")
    panels: tuple[MarginPanel, ...] = Field(
        (), description="The rows whose distributions are drawn, side by side."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return {"printed": data} if isinstance(data, str) else data


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of every split of an entry; none if one split lacks them."""
    records = outcomes.cell(row, column)
    margins = [record.margins for record in records if record.margins is not None]
    return margins if len(margins) == len(records) else []


Splits = Mapping[tuple[str, str], list[FloatArray]]
"""Margins of every split, by row and column."""


def _make(context: Context[Margins], outcomes: Outcomes) -> Made:
    """Make the table, verdicts on what is printed, and the figure that is asked for."""
    places = [(row, column) for row in outcomes.rows for column in outcomes.columns]
    splits = {place: margins_of_splits(outcomes, *place) for place in places}
    printed = context.printed(context.option.printed)
    verdicts = _verdicts(printed, outcomes, splits)
    draw = partial(_draw, context, splits) if context.option.panels else None
    return Made(_table(context, outcomes, splits, printed, verdicts), draw, verdicts)


def _verdicts(printed: Printed, outcomes: Outcomes, splits: Splits) -> Verdicts:
    """Return where printed means and deviations of the margins are among our splits."""
    found = []
    for (row, column), of in splits.items():
        for ending, quantity, ours in (
            (MEAN, "margin mean", [float(split.mean()) for split in of]),
            (SD, "margin sd", [float(split.std(ddof=1)) for split in of]),
        ):
            if text := printed.text(row, column + ending):
                verdict = Verdict(row, column, quantity, text, further=printed.of.n)
                found.append((of_further_splits(verdict, ours), ours))
    what = f"{printed.words}."
    return Verdicts.of(printed.name, found, what=what, own_rows=outcomes.own_rows)


def _table(
    context: Context[Margins],
    outcomes: Outcomes,
    splits: Splits,
    printed: Printed,
    verdicts: Verdicts,
) -> Table:
    words, texts = verdicts.words, dict[str, list[str]]()
    data: list[tuple[Value, ...]] = []
    for (row, column), of in splits.items():
        pooled, word = np.concatenate(of) if of else np.zeros(0), words.get((row, column), "")
        mean, sd = (float(pooled.mean()), float(pooled.std(ddof=1))) if of else (None, None)
        shown, beside = mean_text(mean, sd, 2), printed.spread(row, column)
        texts.setdefault(row, []).append(entry(shown, beside, outside=word == "outside"))
        of_print = (printed.text(row, column + ending) for ending in (MEAN, SD))
        data.append((row, column, len(pooled), mean, sd, *of_print, word))
    pooled_over = f" of all {outcomes.repeats} splits" if outcomes.repeats > 1 else ""
    in_parentheses = ", in parentheses the printed ones" if printed.cells else ""
    notes = [
        "Mean ± standard deviation of the margins of all training examples"
        f"{pooled_over}{in_parentheses}."
    ]
    if words:
        notes.append(
            "† marks an entry whose printed mean or deviation is outside the interval in which "
            f"that of {printed.of.n} further splits falls with probability {COVERAGE:g} "
            "(Student's t over the splits)."
        )
    return Table(
        f"{context.config.title}: training margins",
        ("Data set", *context.titles.values()),
        tuple((row, tuple(of_row)) for row, of_row in texts.items()),
        (*notes, *context.config.notes),
        (
            *("dataset", "algorithm", "margins", "mean", "sd"),
            *("printed mean", "printed sd", "verdict"),
        ),
        tuple(data),
    )


def _draw(context: Context[Margins], splits: Splits, path: Path) -> None:
    """Draw the cumulative distributions of the training margins side by side."""
    panels, looks = context.option.panels, looks_of(context.titles)
    share = np.linspace(0, 1, POINTS)
    with new_figure(path, WIDTH * len(panels) + 0.4, 3.2) as figure:
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for panel, what in zip(axes, panels, strict=True):
            for column in what.algorithms or looks:
                if of := splits[what.row, column]:
                    margins = np.quantile(np.concatenate(of), share)
                    form = looks[column] | {"marker": "", "label": context.titles[column]}
                    panel.plot(margins, share, **form)
            panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
            panel.set_title(fitted(what.row, WIDTH - 0.3))
            panel.set(xlabel="margin", ylim=(0, 1.02), xlim=what.limits)
        axes[0].set_ylabel("cumulative frequency")
        add_legend(figure)


def _check(context: Context[Margins]) -> None:
    """Refuse a printed table without margins, and rows and columns that do not exist."""
    context.check_printed(context.option.printed, "margins")
    titles = [entry.title for entry in context.config.entries]
    for i, panel in enumerate(context.option.panels):
        if panel.row not in titles:
            message = f"there is no row {panel.row!r} to draw{nearest(panel.row, titles)}"
            raise context.error(message, "panels", i)
        for j, name in enumerate(panel.algorithms):
            context.check_column(name, "panels", i, "algorithms", j)


MARGINS = Kind(
    "margins",
    Margins,
    "Training margins; the name of a printed table to compare with, or options.",
    _make,
    _check,
)
