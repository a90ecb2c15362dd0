"""Margins of votes: a table, and a figure of their distributions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator, FiniteFloat, field_validator

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import nearest
from quadrepro.papers.printed import MEAN, SD
from quadrepro.stats import COVERAGE
from quadrepro.tables.figure import Look, add_legend, labels_in, looks_of, new_figure, open_frame
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.legacy import TableKind, legacy
from quadrepro.tables.table import MISSING, Table, Value, entry
from quadrepro.tables.verdicts import Verdict, Verdicts, of_further_splits

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of an entry."""
    records = outcomes.cell(row, column)
    margins = [record.margins for record in records if record.margins is not None]
    return margins if len(margins) == len(records) else []


POINTS, WIDTH = 1001, 1.4
"""Points at which a distribution is drawn, and the width of its line."""


class MarginPanel(Model):
    """The distributions of one row."""

    row: str
    """The row of the experiment."""
    title: str = ""
    """Title of the panel; by default the row."""
    algorithms: tuple[str, ...] = ()
    """Columns that are drawn, in the order of the legend; by default all."""
    limits: tuple[FiniteFloat, FiniteFloat] | None = None
    """Ends of the axis of margins; by default all margins are shown."""

    @field_validator("limits")
    @classmethod
    def _in_order(cls, limits: tuple[float, float] | None) -> tuple[float, float] | None:
        if limits is not None and any(low >= high for low, high in pairwise(limits)):
            raise ValueError("limits are the lower and the upper end of the axis")
        return limits


def _named(data: Any) -> Any:
    return {"row": data} if isinstance(data, str) else data


Panels = tuple[
    Annotated[MarginPanel, BeforeValidator(_named, json_schema_input_type=str | MarginPanel)], ...
]
"""The option: names of rows, or panels."""


def _draw_panel(panel: Axes, what: MarginPanel, outcomes: Outcomes, looks: dict[str, Look]) -> None:
    share = np.linspace(0, 1, POINTS)
    for column in what.algorithms or looks:
        if splits := margins_of_splits(outcomes, what.row, column):
            margins = np.quantile(np.concatenate(splits), share)
            panel.plot(margins, share, label=column, **looks[column].line(WIDTH))
    panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    panel.set(title=what.title or what.row, xlabel="margin", ylim=(0, 1.02), xlim=what.limits)
    open_frame(panel)


class MarginsKind(TableKind[str]):
    """Means and deviations of training margins."""

    key, option = "margins", str
    meaning = "Means and deviations of training margins, beside a printed table: its name."

    def check(self, context: Context[str]) -> None:
        """Refuse a printed table that does not hold margins."""
        context.check_printed("margins")

    def table(self, context: Context[str], outcomes: Outcomes) -> Table:
        """Return the table of means and standard deviations of the training margins."""
        printed = context.printed(context.option)
        verdicts = self.verdicts(context, outcomes)
        words: dict[tuple[str, str], str] = {}
        for v in verdicts.entries:
            if v.p_value is not None and words.get((v.row, v.column)) != "outside":
                words[v.row, v.column] = v.word
        rows, data = [], []
        for row in outcomes.rows:
            entries = []
            for c in outcomes.columns:
                splits = margins_of_splits(outcomes, row, c)
                text = MISSING
                numbers: tuple[Value, ...] = (0, None, None)
                if splits:
                    pooled = np.concatenate(splits)
                    mean, sd = float(pooled.mean()), float(pooled.std(ddof=1))
                    text, numbers = f"{mean:.2f} ± {sd:.2f}", (len(pooled), mean, sd)
                word = words.get((row, c), "")
                beside = printed.spread(row, c)
                entries.append(entry(text, beside, outside=word == "outside"))
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
                "† marks an entry whose printed mean or deviation lies outside the interval in "
                f"which that of {printed.splits} further splits falls with probability "
                f"{COVERAGE:g} (Student's t over the splits).",
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
            (
                *("dataset", "algorithm", "margins", "mean", "sd"),
                *("printed mean", "printed sd", "verdict"),
            ),
            tuple(data),
        )

    def verdicts(self, context: Context[str], outcomes: Outcomes) -> Verdicts:
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
                    entry = Verdict(row, c, quantity, text, further=printed.splits)
                    found.append((of_further_splits(entry, ours), ours))
        return Verdicts.of(
            printed.name, found, what=f"{printed.words}.", own_rows=outcomes.own_rows
        )


class MarginFigureKind(TableKind[Panels]):
    """Distributions of training margins."""

    key, option = "margin_figure", Panels
    meaning = (
        "A figure of the distributions of training margins: its rows, each with what is drawn of "
        "it."
    )
    stem = "margins"

    def check(self, context: Context[Panels]) -> None:
        """Refuse rows and columns to draw that do not exist."""
        titles = [entry.title for entry in context.config.entries]
        for i, panel in enumerate(context.option):
            if panel.row not in titles:
                message = f"there is no row {panel.row!r} to draw{nearest(panel.row, titles)}"
                raise context.error(message, i)
            for j, name in enumerate(panel.algorithms):
                context.check_column(name, i, "algorithms", j)

    def draw(self, context: Context[Panels], outcomes: Outcomes, folder: Path) -> None:
        """Draw the cumulative distributions of the training margins side by side."""
        titles, looks = context.titles, looks_of(context.titles)
        n = len(context.option)
        with new_figure(folder / f"{self.name}.svg", 3.0 * n + 0.4, 3.2) as figure:
            panels = figure.subplots(1, n, sharey=True, squeeze=False)[0]
            for panel, what in zip(panels, context.option, strict=True):
                _draw_panel(panel, what, outcomes, looks)
            panels[0].set_ylabel("cumulative frequency")
            drawn = labels_in(panels)
            add_legend(figure, {titles[n]: looks[n].line(WIDTH) for n in drawn if n in titles})


MARGINS, MARGIN_FIGURE = legacy(MarginsKind()), legacy(MarginFigureKind())
