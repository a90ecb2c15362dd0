"""All files of a results folder, from records and printed numbers alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from quadrepro.base.files import write_text
from quadrepro.config.config import Experiment
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
from quadrepro.tables.kinds.ranking import conclusion
from quadrepro.tables.requests import Request, find_verdicts, metric_columns, requested, written
from quadrepro.tables.table import LABEL, Table, Value, csv_text
from quadrepro.tables.verdicts import score_text

CELLS_HEADER = (
    *("dataset", "algorithm", "repeat", "status"),
    *("errors", "n_test", "value", "risk", "chosen", "seconds"),
    *("published", "reason"),
)
"""Columns of the table of cells; those of the metrics that the config asks for follow."""

SCORE = "score.csv"
"""Name of the file with the verdicts on each printed table as a whole."""

TIMED_COLUMNS = ("seconds",)
"""Those of them that hold measured times."""


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that asks for tables or figures that cannot be made."""
    for kind, context in requested(experiment):
        kind.check(context)


def make_tables(
    requests: Iterable[Request], outcomes: Outcomes, summary: str = ""
) -> dict[str, Table]:
    """Return the tables of an experiment that are asked for, by name, with its `conclusion`."""
    note = mixture(outcomes.records.values())
    tables: dict[str, Table] = {}
    for kind, context in requests:
        if kind.makes_table:
            table = kind.table(context, outcomes)
            notes = [summary if kind.sums_up or not tables else "", note]
            tables[kind.name] = replace(table, notes=(*table.notes, *filter(None, notes)))
    return tables


def make_manifest(
    requests: Iterable[Request], tables: Mapping[str, Table], score: bool
) -> Manifest:
    """Return which files `write_results` writes, and what in them is measured."""
    kinds = [request.kind for request in requests]
    return Manifest(
        tables={
            kind.name: TableFiles(
                key=kind.key,
                title=tables[kind.name].title,
                files=tuple(kind.name + ending for ending in kind.endings),
                timed=kind.timed,
                timed_rows=tables[kind.name].timed_rows,
            )
            for kind in kinds
            if kind.makes_table
        },
        figures={
            kind.name: FigureFiles(
                key=kind.key,
                files=(f"{kind.name}.svg",),
                timed=kind.timed,
            )
            for kind in kinds
            if kind.makes_figure
        },
        cells=CellsFile(file=CELLS, timed_columns=TIMED_COLUMNS),
        score=SCORE if score else "",
    )


def write_results(
    plan: Plan, store: RecordStore, folder: Path, allow_missing: bool = False
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
    verdicts = find_verdicts(experiment, outcomes)
    requests = written(experiment, verdicts)
    summary = conclusion(requests[0].context, outcomes)
    tables = make_tables(requests, outcomes, summary)
    for kind, context in requests:
        if kind.makes_table:
            tables[kind.name].write(folder, kind.name, kind.endings)
        if kind.makes_figure:
            kind.draw(context, outcomes, folder)
    by_metric = metric_columns(experiment, outcomes)
    write_text(folder / CELLS, _cells(requests, outcomes, by_metric))
    if verdicts:
        write_text(folder / SCORE, score_text(verdicts))
    manifest = make_manifest(requests, tables, bool(verdicts))
    manifest.write(folder)
    for name in before - set(manifest.files):
        (folder / name).unlink(missing_ok=True)
    run = provenance(plan, outcomes.records.values()).model_dump(exclude_unset=True)
    if summary:
        run["conclusion"] = summary
    write_text(folder / RUN, json.dumps(run, indent=2, ensure_ascii=False) + "\n")
    return _shown_first(requests, tables), outcomes


def _shown_first(requests: Sequence[Request], tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables, first one with printed numbers, or that is more than a figure."""
    printed = (n for n, t in tables.items() if any(e.printed for _, row in t.rows for e in row))
    made = (kind.name for kind, _ in requests if kind.makes_table and not kind.describes_figure)
    return {name: tables[name] for name in (*printed, *made, *tables)}


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


def _cells(
    requests: Sequence[Request], outcomes: Outcomes, by_metric: Mapping[str, Outcomes]
) -> str:
    printed: dict[tuple[str, str], str] = {}
    for kind, context in requests:
        found = kind.published(context)
        printed |= {place: text for place, text in found.items() if text}
    rows = []
    for cell, record in outcomes.records.items():
        row, column, repeat = cell
        measured: tuple[Value, ...] = (None,) * 6
        if record.ok:
            counted = record.rmse is None
            measured = (
                record.errors if counted else None,
                record.n_test,
                record.value,
                record.risk if counted else None,
                json.dumps(record.chosen),
                round(record.seconds, 4),
            )
        published = printed.get((row, column), "")
        place = row, column, repeat, record.status
        metrics = (of.measured.get(cell) for of in by_metric.values())
        rows.append((*place, *measured, published, record.reason, *metrics))
    return csv_text((*CELLS_HEADER, *by_metric), rows)
