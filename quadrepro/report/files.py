"""All files of a results folder, from records and published numbers alone."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from quadrepro.engine.records import RecordStore
from quadrepro.engine.run import records_of
from quadrepro.engine.work import versions
from quadrepro.errors import ConfigError, nearest
from quadrepro.experiment.loading import Experiment
from quadrepro.experiment.plan import Plan
from quadrepro.report.claims import CLAIMS, claims_table
from quadrepro.report.comparisons import comparisons_table
from quadrepro.report.margins import draw_margins, margins_table
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.percent import MEAN, percent_table
from quadrepro.report.published import read_published
from quadrepro.report.risks import risks_table, verdicts_table
from quadrepro.report.table import Table, csv_text, write_text

CELLS_HEADER = (
    "dataset",
    "algorithm",
    "repeat",
    "status",
    "errors",
    "n_test",
    "risk",
    "chosen",
    "seconds",
    "published",
)


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that names a printed table, claims or rows that there are not.

    Raises
    ------
    ConfigError
        With the place and the nearest name.
    """
    tables = experiment.config.tables
    for key in ("risks", "comparisons", "percent", "margins"):
        try:
            read_published(getattr(tables, key))
        except ConfigError as error:
            raise experiment.error(str(error), "tables", key) from None
    if tables.claims and tables.claims not in CLAIMS:
        message = f"there are no claims {tables.claims!r}{nearest(tables.claims, CLAIMS)}"
        raise experiment.error(message, "tables", "claims")
    titles = [d.title for d in experiment.config.entries]
    for i, row in enumerate(tables.margin_figure):
        if row not in titles:
            message = f"there is no row {row!r} to draw{nearest(row, titles)}"
            raise experiment.error(message, "tables", "margin_figure", i)


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
        The table to show, which is that of percentages or margins where the config has one and
        else that of risks; and all records in its shape.
    """
    experiment = plan.experiment
    tables = experiment.config.tables
    outcomes = Outcomes.of(plan.cells, records_of(plan.cells, store))
    titles = {d.title: d.printed_row for d in experiment.config.entries}
    printed = read_published(tables.risks)
    shown = risks_table(experiment, outcomes, printed)
    shown.write(folder, "risks")
    comparisons_table(experiment, outcomes, read_published(tables.comparisons)).write(
        folder, "comparisons"
    )
    if outcomes.repeats > 1 and printed.cells:
        verdicts_table(experiment, outcomes, printed).write(folder, "verdicts")
    if tables.margins:
        printed_margins = read_published(tables.margins).under(titles)
        shown = margins_table(experiment, outcomes, printed_margins)
        shown.write(folder, "margins")
    if tables.percent:
        printed_percent = read_published(tables.percent).under(titles)
        shown = percent_table(experiment, outcomes, printed_percent)
        shown.write(folder, "percent")
    if tables.margin_figure:
        draw_margins(experiment, outcomes, tables.margin_figure, folder)
    if tables.claims:
        claims = claims_table(experiment, outcomes, printed)
        write_text(folder / "claims.md", claims.to_markdown())
    write_text(folder / "cells.csv", _cells(experiment, outcomes))
    text = json.dumps(_provenance(plan), indent=2, ensure_ascii=False)
    write_text(folder / "run.json", text + "\n")
    return shown, outcomes


def _cells(experiment: Experiment, outcomes: Outcomes) -> str:
    tables = experiment.config.tables
    risks, percent = read_published(tables.risks), read_published(tables.percent)
    printed = {
        (d.title, column): risks.text(d.name, column)
        or _percent(percent.text(d.printed_row, column + MEAN))
        for d in experiment.config.entries
        for column in outcomes.columns
    }
    rows = []
    for (row, column, repeat), record in outcomes.records.items():
        measured: tuple[str | float | int, ...] = ("", "", "", "", "")
        if record.ok:
            measured = (
                record.errors,
                record.n_test,
                record.risk,
                json.dumps(record.chosen),
                round(record.seconds, 4),
            )
        rows.append((row, column, repeat, record.status, *measured, printed[row, column]))
    return csv_text(CELLS_HEADER, tuple(rows))


def _percent(text: str) -> str:
    return f"{text}%" if text else ""


def _provenance(plan: Plan) -> dict[str, Any]:
    config = plan.experiment.config
    return {
        "experiment": plan.experiment.name,
        "config": config.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        "seed": config.seed,
        "data": {row: d.content_hash for row, d in plan.datasets.items()},
        "versions": versions(),
        "platform": {
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
        "blas_threads": 1,
        "git": _git(),
    }


def _git() -> dict[str, Any]:
    """Return the commit this package was run from, empty outside a checkout.

    Dirty means that code, configs or cards differ from the commit; results do not count.
    """
    package = Path(__file__).resolve().parents[1]
    parts = [package.name, "configs", "datasets", "constraints.txt"]

    def ask(*words: str) -> str:
        command = ["git", "-C", str(package.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        ask("ls-files", "--error-unmatch", f"{package.name}/__init__.py")
        commit = ask("rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(ask("status", "--porcelain", "--", *parts))}
    except (OSError, subprocess.CalledProcessError):
        return {}
