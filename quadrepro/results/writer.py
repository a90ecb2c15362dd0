"""All files of a results folder, from records and printed numbers alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from quadrepro.base.files import configs_folder, write_text
from quadrepro.config.config import Experiment
from quadrepro.config.plan import Plan
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record, RecordStore
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.results import CELLS_HEADER, MEASURED, Results
from quadrepro.results.run import CELLS, MANIFEST, RUN, SCORE, Manifest, Run, TableFacts, read_json
from quadrepro.tables.conclusion import best_column, conclusion, paper_conclusion
from quadrepro.tables.judge import score_text
from quadrepro.tables.kinds import Context, make_tables
from quadrepro.tables.render import Table, csv_text, write_table

FigureFormat = Literal["svg", "pdf"]
"""Formats that figures can be written in."""


def write_results(
    plan: Plan, store: RecordStore, out: Path, figures: FigureFormat = "svg"
) -> Results:
    """Write all files of the folder of an experiment; cells without a result are dashes."""
    experiment, folder = plan.experiment, out / plan.experiment.name
    refuse_other_config(experiment, out)
    before = _written_before(folder)
    records, own_rows = store.records_of(plan.cells), experiment.config.own_rows
    outcomes = Outcomes.from_records(plan.cells, records, own_rows)
    context, run = Context(experiment, "", ""), provenance(plan, outcomes.records.values())
    every, tables = make_tables(experiment, outcomes), dict[str, Table]()
    verdicts = [m.verdicts for m in every.values() if m.verdicts.entries]
    sentence = conclusion(context, outcomes) or paper_conclusion(experiment, every)
    best, file = best_column(context, outcomes), _config_file(experiment, folder)
    run = run.model_copy(update={"conclusion": sentence, "best": best, "file": file})
    for name, made in every.items():
        # The conclusion is below the first table alone.
        below = [run.conclusion] if run.conclusion and not tables else []
        tables[name] = replace(made.table, notes=(*made.table.notes, *below))
        write_table(tables[name], folder, name)
        if made.draw:
            made.draw(folder / f"{name}.{figures}")
    facts = {name: TableFacts(title=t.title, timed_rows=t.timed_rows) for name, t in tables.items()}
    drawn = tuple(f"{name}.{figures}" for name, made in every.items() if made.draw)
    percent = tuple(v.printed for v in verdicts if v.percent)
    manifest = Manifest(tables=facts, figures=drawn, percent=percent)
    texts = {
        CELLS: _cells_text(outcomes, [*context.by_metrics(outcomes).values()]),
        RUN: run.model_dump_json(indent=2, exclude_defaults=True) + "\n",
        MANIFEST: manifest.model_dump_json(indent=2, exclude_defaults=True) + "\n",
    }
    if verdicts:
        texts[SCORE] = score_text(verdicts)
    for name, text in texts.items():
        write_text(folder / name, text)
    for name in before - manifest.files - texts.keys():
        (folder / name).unlink(missing_ok=True)
    return Results(folder, plan, outcomes, tables).read()


def refuse_other_config(experiment: Experiment, out: Path) -> None:
    """Refuse a folder that has the results of another config of the same name."""
    folder, path = out / experiment.name, experiment.source.path
    try:
        other = folder / (read_json(folder / RUN, Run).file or "no file")
    except (DataError, ConfigError):
        return
    if other.is_file() and path.is_file() and not other.samefile(path):
        raise ConfigError(
            f"{folder} has the results of {other.resolve()}, another config of this name: give"
            " another folder with --out, or rename one of them"
        )


def _config_file(experiment: Experiment, folder: Path) -> str:
    """Return the path from a folder to the user's own config, or an empty text."""
    path = experiment.source.path.resolve()
    own = path.is_file() and path.parent != configs_folder().resolve()
    return Path(os.path.relpath(path, folder.resolve())).as_posix() if own else ""


def _written_before(folder: Path) -> set[str]:
    """Return the files that an earlier run has written."""
    try:
        return Results(folder).manifest.files | {SCORE}
    except (ConfigError, DataError):
        return set()


def provenance(plan: Plan, records: Iterable[Record]) -> Run:
    """Return config, data, and the packages and machines of the cells."""
    one, computed = plan.experiment, tuple(environments(records))
    data = {row: source.card.content_hash for row, source in plan.datasets.items()}
    about: Any = {"config": one.content, "titles": one.titles, "seed": one.config.seed}
    return Run(experiment=one.name, data=data, computed=computed, **about)


def environments(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return the packages and machines of the cells, the most frequent ones first."""
    by_environment: dict[str, list[Record]] = {}
    for record in records:
        if record.environment:
            text = json.dumps(record.environment, sort_keys=True)
            by_environment.setdefault(text, []).append(record)
    groups = sorted(by_environment.values(), key=lambda group: (-len(group), group[0].key))
    dates = [sorted(record.date for record in group) for group in groups]
    return [
        {"cells": len(ends), "first": ends[0], "last": ends[-1], **group[0].environment}
        for group, ends in zip(groups, dates, strict=True)
    ]


def cell_row(record: Record) -> dict[str, Any]:
    """Return a record as a row of ``cells.csv``; None is an empty field."""
    result: tuple[Any, ...] = (None,) * 5
    if record.ok:
        errors = record.errors if record.rmse is None else None
        result = errors, record.n_test, record.value, record.chosen, round(record.seconds, 4)
    return dict(zip(MEASURED, (record.status, *result, record.reason), strict=True))


def _cells_text(outcomes: Outcomes, by_metric: Sequence[Outcomes]) -> str:
    rows = []
    for cell, record in outcomes.records.items():
        row = cell_row(record)
        row["chosen"] = json.dumps(row["chosen"]) if record.ok else None
        rows.append((*cell, *row.values(), *(judged.measured.get(cell) for judged in by_metric)))
    names = [judged.metric.name for judged in by_metric if judged.metric]
    return csv_text((*CELLS_HEADER, *names), rows)
