"""The origin of an entry of a table: its splits, choices, data, code and records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.core.training.grid import Grid
from quadrepro.engine.records import RecordStore
from quadrepro.errors import ConfigError, nearest
from quadrepro.results.results import Results
from quadrepro.results.run import CELLS, TOLERANCE, facts_of, inline
from quadrepro.results.writer import cell_row, environments
from quadrepro.stats import p_text
from quadrepro.tables.render import significant

KEY_DIGITS = 12
"""Number of digits of a key that are shown."""

Row = dict[str, Any]
"""A cell as a row of ``cells.csv``."""


@dataclass(frozen=True)
class Explanation:
    """An entry of a table."""

    facts: dict[str, str]
    """The entry and everything that its results depend on, text by name."""
    splits: Sequence[tuple[str, ...]]
    """Number, result, choice, seconds and source of each split, as texts."""
    computed: list[dict[str, str]]
    """Packages and machines of the results, text by name; the most frequent ones first."""
    note: str
    """Why results are not from records; empty if they are, or if there are none."""
    n_before: int
    n_results: int
    """Number of results before and after they were computed again."""
    differences: tuple[str, ...] = ()
    """Results that differ when they are computed again."""


def explain(
    plan: Plan, row: str, column: str, store: RecordStore, results: Results | None, recompute: bool
) -> Explanation:
    """Return the origin of an entry of a table; with `recompute`, compute it again."""
    cells = cells_of(plan, row, column)
    in_folder = _in_folder(results, cells[0]) if results else {}
    splits, records, differences, n_before, n_results = [], [], [], 0, 0
    for cell in cells:
        record = store.get(cell.key)
        result = cell_row(record) if record else in_folder.get(cell.repeat)
        source = record.key[:KEY_DIGITS] if record else CELLS if result else ""
        n_before += _has_result(result)
        if recompute:
            from quadrepro.engine.worker import run_cell  # imports numba

            again = run_cell(cell.ready(), plan.limits)
            new = cell_row(again)
            if result and not _agree(result, new):
                before, now = (", ".join(filter(None, _texts(x)[:2])) for x in (result, new))
                place = f"{cell.dataset}, {cell.algorithm}, repeat {cell.repeat}"
                differences.append(f"{place}: {before}; computed again: {now}")
            record, result = record or again, result or new
        records += [record] if record else []
        splits.append((str(cell.repeat), *_texts(result), source))
        n_results += _has_result(result)
    note = ""
    if results and any(source == CELLS for *_, source in splits):
        why = "it was removed, or config, data, packages or code have changed since then"
        note = f"Without a record, results are from {results.folder / CELLS}: {why}."
    computed = environments(records) or (results.run.computed if results else [])
    facts, texts = _facts(plan, cells[0], results), [*map(facts_of, computed)]
    return Explanation(facts, splits, texts, note, n_before, n_results, tuple(differences))


def _has_result(row: Row | None) -> bool:
    return row is not None and row["status"] == "ok"


def cells_of(plan: Plan, row: str, column: str) -> list[Cell]:
    """Return the cells behind an entry of a table; the column is a name or a title."""
    rows = {cell.dataset: cell.dataset for cell in plan.cells}
    columns = {cell.algorithm: cell.algorithm for cell in plan.cells}
    columns |= {title: name for name, title in plan.experiment.titles.items()}
    for kind, name, names in (("row", row, rows), ("column", column, columns)):
        if name not in names:
            raise ConfigError(f"unknown {kind} {name!r}{nearest(name, names)}")
    return [c for c in plan.cells if (c.dataset, c.algorithm) == (row, columns[column])]


def _behind(frame: pd.DataFrame, cell: Cell) -> pd.DataFrame:
    """Return the rows of a data frame that are about the entry of a cell."""
    return frame[(frame["dataset"] == cell.dataset) & (frame["algorithm"] == cell.algorithm)]


def _in_folder(results: Results, cell: Cell) -> dict[int, Row]:
    frame = _behind(results.cells, cell).astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    return {int(r["repeat"]): r for r in rows if r["status"] != "missing"}


def _agree(a: Row, b: Row) -> bool:
    """Return whether two results of a cell are the same."""
    same = all(a[key] == b[key] for key in ("status", "errors", "n_test"))
    chosen = (a["chosen"] or {}) == (b["chosen"] or {})
    x, y = a["value"] or 0.0, b["value"] or 0.0
    return same and chosen and math.isclose(x, y, rel_tol=TOLERANCE)


def _texts(row: Row | None) -> tuple[str, str, str]:
    """Return the result of a cell, or the reason for none, its choice and its seconds."""
    if row is None:
        return "not computed", "", ""
    if row["status"] != "ok":
        result = f"{row['status']}: {row['reason']}"
    elif row["errors"] is None:
        result = f"{row['value']:.6g} on {row['n_test']:g}"
    else:
        result = f"{row['value']:.4f}, {row['errors']:g} of {row['n_test']:g}"
    return result, inline(row["chosen"] or {}), f"{row['seconds'] or 0:.3g}"


def _facts(plan: Plan, cell: Cell, results: Results | None) -> dict[str, str]:
    content, experiment = cell.content, plan.experiment
    n_train, n_valid, n_test = plan.sources[cell.dataset].sizes
    valid = f"{n_valid} to validate, " if n_valid else ""
    rule = cell.protocol.sample or cell.protocol.split
    # A rule of defaults alone is shown by its share.
    split = rule.model_dump(exclude_defaults=True) or rule.model_dump(include={"train", "at_most"})
    title = experiment.titles[cell.algorithm]
    return {
        "entry": f"{cell.dataset}, {title} of {experiment.config.title}",
        **(_numbers(results, cell) if results else {}),
        "algorithm": f"{content['algorithm']} {inline(content['settings'])}".strip(),
        "grid": "; or ".join(map(_grid, cell.grids)) or "none",
        "data": content.get("data") or f"drawn by {content['rule']}",
        "rows": f"{n_train} to train, {valid}{n_test} to test",
        "split": inline(split),
        "seed": f"{cell.draws[0]}, with the name {cell.draws[1]!r} and the split's number",
        "code": content["code"],
        "packages": inline(content["packages"]),
    }


def _numbers(results: Results, cell: Cell) -> dict[str, str]:
    """Return our means and the printed numbers with their verdicts, by quantity."""
    texts = {}
    errors = _behind(results.errors, cell)
    for row in errors[errors["splits"] > 0].to_dict("records"):
        deviation = f" ± {row['sd']:.4f}, mean and deviation of {row['splits']} splits"
        texts[row["quantity"]] = f"{row['mean']:.4f}{deviation if row['splits'] > 1 else ''}"
    for row in _behind(results.verdicts, cell).to_dict("records"):
        interval = f"our interval {significant(row['low'])} to {significant(row['high'])}"
        reason = row["reason"] or f"{interval} ({p_text(row['p'])})"
        texts[f"printed {row['quantity']}"] = f"{row['printed']}, {row['verdict']}: {reason}"
    return texts


def _grid(grid: Grid) -> str:
    """Return the values of each hyper-parameter, or the ends of many."""
    axes = []
    for name, values in grid.axes:
        texts = [inline(value) for value in values]
        ends = f"{texts[0]} to {texts[-1]} ({len(texts)})"
        axes.append(f"{name} {' | '.join(texts) if len(texts) <= 4 else ends}")
    return ", ".join(axes)
