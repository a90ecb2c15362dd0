"""All files of a results folder, from records and published numbers alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from quadrepro.config.dataset_entry import DatasetEntry
from quadrepro.config.loading import Experiment
from quadrepro.config.plan import Plan
from quadrepro.data.card import View
from quadrepro.engine.records import RecordStore
from quadrepro.engine.run import records_of
from quadrepro.errors import nearest
from quadrepro.papers.check import check_claims, check_printed, printed_for
from quadrepro.papers.claims.table import claims_table
from quadrepro.papers.printed import MEAN, Holds
from quadrepro.report.kinds.comparisons import comparisons_table
from quadrepro.report.kinds.curves import check_curves, curves_table, draw_curves
from quadrepro.report.kinds.differences import differences_table, draw_differences
from quadrepro.report.kinds.margins import draw_margins, margins_table
from quadrepro.report.kinds.means import percent_table
from quadrepro.report.kinds.risks import risks_table, verdicts_table
from quadrepro.report.kinds.scatter import draw_scatter, scatter_table
from quadrepro.report.kinds.times import draw_times, times_table
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.provenance import provenance
from quadrepro.report.table import Table, csv_text, write_text

CELLS_HEADER = (
    "dataset",
    "algorithm",
    "repeat",
    "status",
    "errors",
    "n_test",
    "value",
    "risk",
    "chosen",
    "seconds",
    "published",
)


TABLES: dict[str, Callable[[Experiment, Outcomes], Table]] = {
    "percent": lambda experiment, outcomes: percent_table(
        experiment, outcomes, printed_for(experiment, "percent")
    ),
    "noiseless": lambda experiment, outcomes: percent_table(
        experiment, outcomes, printed_for(experiment, "noiseless"), noiseless=True
    ),
    "margins": lambda experiment, outcomes: margins_table(
        experiment, outcomes, printed_for(experiment, "margins")
    ),
    "differences": differences_table,
    "times": times_table,
    "curves": curves_table,
    "scatter": scatter_table,
}
"""Tables by the config's key, which also names their files; the first asked for is shown."""

FIGURES: dict[str, Callable[[Experiment, Outcomes, Path], None]] = {
    "margin_figure": draw_margins,
    "differences": draw_differences,
    "times": draw_times,
    "curves": draw_curves,
    "scatter": draw_scatter,
}
"""Figures by the config's key."""


PRINTED: dict[str, Holds] = {
    "risks": "risks",
    "comparisons": "comparisons",
    "percent": "errors",
    "noiseless": "errors",
    "margins": "margins",
}
"""The config's keys of printed tables, and what those must hold."""


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that names a printed table, claims, rows or columns that there are not.

    Raises
    ------
    ConfigError
        With the place and the nearest name.
    """
    config, tables = experiment.config, experiment.config.tables
    for key, holds in PRINTED.items():
        check_printed(experiment, key, holds)
    check_claims(experiment)
    titles = [d.title for d in config.entries]
    for i, row in enumerate(tables.margin_figure):
        if row not in titles:
            message = f"there is no row {row!r} to draw{nearest(row, titles)}"
            raise experiment.error(message, "tables", "margin_figure", i)
    columns = [a.name for a in config.algorithms]
    named: list[tuple[str, tuple[str | int, ...]]] = [
        *((name, ("differences", i)) for i, name in enumerate(tables.differences or ())),
        *([(tables.scatter, ("scatter",))] if tables.scatter else []),
    ]
    for name, place in named:
        if name not in columns:
            message = f"there is no algorithm {name!r} here{nearest(name, columns)}"
            raise experiment.error(message, "tables", *place)
        if len(columns) == 1:
            message = f"{name} is the only algorithm: there is none to compare it with"
            raise experiment.error(message, "tables", *place)
    for key in ("times", "differences"):
        if getattr(tables, key) and not config.sweeps:
            message = f"{key} stand against a sweep's values: give sweeps"
            raise experiment.error(message, "tables", key)
    if tables.noiseless and not any(_has_truth(experiment, row.entry) for row in config.rows):
        message = "no row draws its sample of numbers anew: only then is its truth known"
        raise experiment.error(message, "tables", "noiseless")
    for row, view in experiment.views.items():
        if named and view.task == "regression":
            message = f"{named[0][1][0]} is of risks, and {row} predicts a number"
            raise experiment.error(message, "tables", named[0][1][0])
    check_curves(experiment)


def write_results(plan: Plan, store: RecordStore, folder: Path) -> tuple[Table, Outcomes]:
    """Write tables, figures, ``cells.csv`` and ``run.json``.

    Parameters
    ----------
    plan : Plan
        What was asked for.
    store : RecordStore
        What has been computed.
    folder : Path
        Where to write.

    Returns
    -------
    tuple of (Table, Outcomes)
        The table to show, which is the first of `TABLES` that the config asks for, or else that
        of risks; and all records in its shape.
    """
    experiment = plan.experiment
    tables = experiment.config.tables
    outcomes = Outcomes.of(plan.cells, records_of(plan.cells, store))
    printed = printed_for(experiment, "risks")
    written = {
        key: make(experiment, outcomes) for key, make in TABLES.items() if getattr(tables, key)
    }
    written["risks"] = risks_table(experiment, outcomes, printed)
    if len(outcomes.columns) > 1:
        beside = printed_for(experiment, "comparisons")
        written["comparisons"] = comparisons_table(experiment, outcomes, beside)
    if outcomes.repeats > 1 and printed.cells:
        written["verdicts"] = verdicts_table(experiment, outcomes, printed)
    for name, table in written.items():
        table.write(folder, name)
    for key, draw in FIGURES.items():
        if getattr(tables, key):
            draw(experiment, outcomes, folder)
    if tables.claims:
        claims = claims_table(experiment, outcomes)
        write_text(folder / "claims.md", claims.to_markdown())
        write_text(folder / "claims.csv", claims.to_csv())
    write_text(folder / "cells.csv", _cells(experiment, outcomes))
    text = json.dumps(provenance(plan), indent=2, ensure_ascii=False)
    write_text(folder / "run.json", text + "\n")
    return next(iter(written.values())), outcomes


def _has_truth(experiment: Experiment, entry: DatasetEntry) -> bool:
    """Return whether the targets of a row are known without their noise."""
    fresh = entry.changed(experiment.config.protocol).sample is not None
    return fresh and experiment.views[entry.title].task == "regression"


def _cells(experiment: Experiment, outcomes: Outcomes) -> str:
    risks, percent = printed_for(experiment, "risks"), printed_for(experiment, "percent")
    printed = {
        (d.title, column): risks.text(d.title, column)
        or _with_unit(percent.text(d.title, column + MEAN), experiment.views[d.title])
        for d in experiment.config.entries
        for column in outcomes.columns
    }
    rows = []
    for (row, column, repeat), record in outcomes.records.items():
        measured: tuple[str | float | int, ...] = ("",) * 6
        if record.ok:
            counted = record.rmse is None
            measured = (
                record.errors if counted else "",
                record.n_test,
                record.value,
                record.risk if counted else "",
                json.dumps(record.chosen),
                round(record.seconds, 4),
            )
        rows.append((row, column, repeat, record.status, *measured, printed[row, column]))
    return csv_text(CELLS_HEADER, tuple(rows))


def _with_unit(text: str, view: View) -> str:
    """Return a printed error with its percent sign; an RMSE has none."""
    return f"{text}%" if text and view.task == "classification" else text
