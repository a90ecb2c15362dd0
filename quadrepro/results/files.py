"""All files of a results folder, from records and printed numbers alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from quadrepro.base.files import write_text
from quadrepro.config.plan import Plan
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record, RecordStore
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import (
    CELLS,
    RUN,
    CellsFile,
    Environment,
    FigureFiles,
    Manifest,
    Run,
    TableFiles,
    read_folder,
)
from quadrepro.tables.conclusion import conclusion
from quadrepro.tables.kinds.base import Context, Made, by_metrics
from quadrepro.tables.made import make_tables
from quadrepro.tables.table import ENDINGS, LABEL, Table, Value, csv_text
from quadrepro.tables.verdicts import score_text

CELLS_HEADER = (
    *("dataset", "algorithm", "repeat", "status"),
    *("errors", "n_test", "value", "chosen", "seconds", "reason"),
)
"""Columns of the table of cells; those of the metrics that the config asks for follow."""

FigureFormat = Literal["svg", "pdf"]
"""Formats of figures, by the endings of their files."""

SCORE = "score.csv"
"""Name of the file with the verdicts on each printed table as a whole."""

TIMED_COLUMNS = ("seconds",)
"""Those of them that hold measured times."""


def make_manifest(made: Mapping[str, Made], score: bool, figures: FigureFormat = "svg") -> Manifest:
    """Return which files `write_results` writes, and what in them is measured."""
    return Manifest(
        tables={
            name: TableFiles(
                key=name,
                title=of.table.title,
                files=tuple(name + ending for ending in ENDINGS),
                timed=of.timed,
                timed_rows=of.table.timed_rows,
            )
            for name, of in made.items()
            if of.table is not None
        },
        figures={
            name: FigureFiles(key=name, files=(f"{name}.{figures}",), timed=of.timed)
            for name, of in made.items()
            if of.draw is not None
        },
        cells=CellsFile(file=CELLS, timed_columns=TIMED_COLUMNS),
        score=SCORE if score else "",
    )


def write_results(
    plan: Plan,
    store: RecordStore,
    folder: Path,
    allow_missing: bool = False,
    figures: FigureFormat = "svg",
) -> tuple[dict[str, Table], Outcomes]:
    """Write tables, figures, ``cells.csv``, ``tables.json`` and ``run.json``."""
    experiment = plan.experiment
    before = _read_before(folder)
    outcomes = Outcomes.of(
        plan.cells,
        store.of(plan.cells),
        allow_missing,
        experiment.config.own_rows,
    )
    summary = conclusion(Context(experiment, "", ""), outcomes)
    made = make_tables(experiment, outcomes)
    notes = [*filter(None, (summary, mixture(outcomes.records.values())))]
    tables: dict[str, Table] = {}
    for name, of in made.items():
        if of.table is not None:
            of_first = notes if not tables else notes[1:] if summary else notes
            tables[name] = replace(of.table, notes=(*of.table.notes, *of_first))
            tables[name].write(folder, name)
        if of.draw is not None:
            of.draw(folder / f"{name}.{figures}")
    verdicts = [of.verdicts for of in made.values() if of.verdicts and of.verdicts.entries]
    by_metric = by_metrics(Context(experiment, "", ""), outcomes)
    write_text(folder / CELLS, _cells(outcomes, by_metric))
    if verdicts:
        write_text(folder / SCORE, score_text(verdicts))
    manifest = make_manifest(made, bool(verdicts), figures)
    manifest.write(folder)
    for name in before - set(manifest.files):
        (folder / name).unlink(missing_ok=True)
    run = provenance(plan, outcomes.records.values()).model_dump(exclude_unset=True)
    if summary:
        run["conclusion"] = summary
    write_text(folder / RUN, json.dumps(run, indent=2, ensure_ascii=False) + "\n")
    return tables, outcomes


def _read_before(folder: Path) -> set[str]:
    """Return the files that an earlier run of the config has written."""
    try:
        return {*read_folder(folder).manifest.files}
    except (ConfigError, DataError):
        return set()


def provenance(plan: Plan, records: Iterable[Record]) -> Run:
    """Return config, data, and with what the cells were computed."""
    config = plan.experiment.config
    return Run(
        experiment=plan.experiment.name,
        config=plan.experiment.content,
        titles=plan.experiment.titles,
        seed=config.seed,
        data={row: d.content_hash for row, d in plan.datasets.items()},
        blas_threads=1,
        computed=tuple(environments(records)),
    )


def environments(records: Iterable[Record]) -> list[Environment]:
    """Return with what the cells were computed, the environment of most cells first."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.environment:
            found.setdefault(json.dumps(record.environment, sort_keys=True), []).append(record)
    groups = sorted(found.values(), key=lambda group: (-len(group), group[0].key))
    return [
        Environment.model_validate(
            {
                "cells": len(group),
                "first": min(record.date for record in group),
                "last": max(record.date for record in group),
                **group[0].environment,
            }
        )
        for group in groups
    ]


def mixture(records: Iterable[Record]) -> str:
    """Return in a sentence what a reader of a table must know of how its cells were computed."""
    computed = environments(records)
    alike = {json.dumps([e.versions, e.processor.model_dump()], sort_keys=True) for e in computed}
    sentences = []
    if len(alike) > 1:
        sentences.append(
            f"Cells were computed with {len(alike)} sets of packages or processors, which"
            " run.json lists."
        )
    if dirty := sum(e.cells or 0 for e in computed if e.git.dirty):
        sentences.append(f"{dirty} cells were computed by code that was not committed.")
    return LABEL + " ".join(sentences) if sentences else ""


def _cells(outcomes: Outcomes, by_metric: Sequence[Outcomes]) -> str:
    rows = []
    for cell, record in outcomes.records.items():
        row, column, repeat = cell
        measured: tuple[Value, ...] = (None,) * 5
        if record.ok:
            measured = (
                record.errors if record.rmse is None else None,
                record.n_test,
                record.value,
                json.dumps(record.chosen),
                round(record.seconds, 4),
            )
        metrics = (of.measured.get(cell) for of in by_metric)
        rows.append((row, column, repeat, record.status, *measured, record.reason, *metrics))
    names = [of.metric.name for of in by_metric if of.metric]
    return csv_text((*CELLS_HEADER, *names), rows)
