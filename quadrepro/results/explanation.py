"""Where an entry of a table comes from: its splits, choices, data, code and records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.records import RecordStore
from quadrepro.errors import ConfigError, nearest
from quadrepro.results.files import cell_row, environments
from quadrepro.results.results import Results
from quadrepro.results.run import CELLS, TOLERANCE, facts_of, inline
from quadrepro.stats import p_text

KEY_DIGITS = 12
"""Number of digits of a key that are shown."""

Row = dict[str, Any]
"""A cell as a row of ``cells.csv``."""


@dataclass(frozen=True)
class Explanation:
    """An entry of a table."""

    facts: dict[str, str]
    """What the entry is and what its results depend on, text by name."""
    splits: Sequence[tuple[str, ...]]
    """Number, result, choice, seconds and source of each split, as texts."""
    computed: list[dict[str, str]]
    """With what the results were computed, text by name; of most cells first."""
    note: str
    """Why results are not from records; empty if they are, or if there are none."""
    n_known: int
    n_results: int
    """Number of results before and after they were computed again."""
    differences: tuple[str, ...] = ()
    """Results that differ when they are computed again."""


def explain(
    plan: Plan,
    row: str,
    column: str,
    store: RecordStore,
    results: Results | None,
    recompute: bool = False,
) -> Explanation:
    """Return what is known of an entry of a table; with `recompute`, compute it again."""
    cells = cells_of(plan, row, column)
    known = _from_folder(results, cells[0]) if results else {}
    splits, records, differences, n_known, n_results = [], [], [], 0, 0
    for cell in cells:
        record = store.get(cell.key)
        of = cell_row(record) if record else known.get(cell.repeat)
        source = record.key[:KEY_DIGITS] if record else CELLS if of else ""
        n_known += of is not None and of["status"] == "ok"
        if recompute:
            from quadrepro.engine.worker import run_cell  # imports numba

            again = run_cell(cell.ready(), plan.limits)
            new = cell_row(again)
            if of and not _agree(of, new):
                before, now = (", ".join(filter(None, _texts(side)[:2])) for side in (of, new))
                where = f"{cell.dataset}, {cell.algorithm}, repeat {cell.repeat}"
                differences.append(f"{where}: {before}; computed again: {now}")
            record, of = record or again, of or new
        if record:
            records.append(record)
        splits.append((str(cell.repeat), *_texts(of), source))
        n_results += of is not None and of["status"] == "ok"
    note = ""
    if results and any(source == CELLS for *_, source in splits):
        why = "it was removed, or config, data, packages or code have changed since then"
        note = f"Without a record, results are from {results.folder / CELLS}: {why}."
    computed = environments(records) or (results.run.computed if results else [])
    facts = _facts(plan, cells[0], results)
    texts = [facts_of(of) for of in computed]
    return Explanation(facts, splits, texts, note, n_known, n_results, tuple(differences))


def cells_of(plan: Plan, row: str, column: str) -> list[Cell]:
    """Return the cells behind an entry of a table; the column is a name or a title."""
    rows = {cell.dataset: cell.dataset for cell in plan.cells}
    columns = {cell.algorithm: cell.algorithm for cell in plan.cells}
    columns |= {title: name for name, title in plan.experiment.titles.items()}
    for what, name, known in (("row", row, rows), ("column", column, columns)):
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}{nearest(name, known)}")
    return [c for c in plan.cells if (c.dataset, c.algorithm) == (row, columns[column])]


def _behind(frame: pd.DataFrame, cell: Cell) -> pd.DataFrame:
    """Return the rows of a data frame that are about the entry of a cell."""
    return frame[(frame["dataset"] == cell.dataset) & (frame["algorithm"] == cell.algorithm)]


def _from_folder(results: Results, cell: Cell) -> dict[int, Row]:
    frame = _behind(results.cells, cell).astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    return {int(of["repeat"]): of for of in rows if of["status"] != "missing"}


def _agree(a: Row, b: Row) -> bool:
    """Return whether two results of a cell are the same."""
    same = all(a[key] == b[key] for key in ("status", "errors", "n_test"))
    chosen = (a["chosen"] or {}) == (b["chosen"] or {})
    x, y = a["value"] or 0.0, b["value"] or 0.0
    return same and chosen and math.isclose(x, y, rel_tol=TOLERANCE)


def _texts(of: Row | None) -> tuple[str, str, str]:
    """Return the result of a cell, or why there is none, its choice and its seconds."""
    if of is None:
        return "not computed", "", ""
    if of["status"] != "ok":
        result = f"{of['status']}: {of['reason']}"
    elif of["errors"] is None:
        result = f"{of['value']:.6g} on {of['n_test']:g}"
    else:
        result = f"{of['value']:.4f}, {of['errors']:g} of {of['n_test']:g}"
    return result, inline(of["chosen"] or {}), f"{of['seconds'] or 0:.3g}"


def _facts(plan: Plan, cell: Cell, results: Results | None) -> dict[str, str]:
    content, experiment = cell.content, plan.experiment
    n_train, n_valid, n_test = plan.sources[cell.dataset].sizes
    valid = f"{n_valid} to validate, " if n_valid else ""
    rule = cell.protocol.sample or cell.protocol.split
    # A rule of defaults alone is shown by its share.
    asked = rule.model_dump(exclude_defaults=True) or rule.model_dump(include={"train", "at_most"})
    title = experiment.titles[cell.algorithm]
    return {
        "entry": f"{cell.dataset}, {title} of {experiment.config.title}",
        **(_of_entry(results, cell) if results else {}),
        "algorithm": f"{content['algorithm']} {inline(content['settings'])}".strip(),
        "grid": "; or ".join(map(_grid, cell.grids)) or "none",
        "data": content.get("data") or f"drawn by {content['rule']}",
        "rows": f"{n_train} to train, {valid}{n_test} to test",
        "split": inline(asked),
        "seed": f"{cell.draws[0]}, with the name {cell.draws[1]!r} and the split's number",
        "code": content["code"],
        "packages": inline(content["packages"]),
    }


def _of_entry(results: Results, cell: Cell) -> dict[str, str]:
    """Return our means and the printed numbers with their verdicts, by quantity."""
    found = {}
    errors = _behind(results.errors, cell)
    for of in errors[errors["splits"] > 0].to_dict("records"):
        deviation = f" ± {of['sd']:.4f}, mean and deviation of {of['splits']} splits"
        found[of["quantity"]] = f"{of['mean']:.4f}{deviation if of['splits'] > 1 else ''}"
    for of in _behind(results.verdicts, cell).to_dict("records"):
        interval = f"our interval {of['low']:.4g} to {of['high']:.4g} ({p_text(of['p'])})"
        judged = f"{of['printed']}, {of['verdict']}: {of['reason'] or interval}"
        found[f"printed {of['quantity']}"] = judged
    return found


def _grid(grid: Grid) -> str:
    """Return the values of each hyper-parameter, or the ends of many."""
    axes = []
    for name, values in grid.axes:
        texts = [inline(value) for value in values]
        many = f"{texts[0]} to {texts[-1]} ({len(texts)})"
        axes.append(f"{name} {' | '.join(texts) if len(texts) <= 4 else many}")
    return ", ".join(axes)
