"""Where an entry of a table comes from: its splits, choices, data, code and records."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError, nearest
from quadrepro.results.compare import TOLERANCE
from quadrepro.results.files import environments, provenance
from quadrepro.results.results import Results
from quadrepro.results.run import CELLS, facts_of, inline

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
    """Results that are others when they are computed again."""


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
    splits, records, differences, found, n_known = [], [], [], [], 0
    for cell in cells:
        record = store.get(cell.key)
        of = _from_record(record) if record else known.get(cell.repeat)
        source = record.key[:KEY_DIGITS] if record else CELLS if of else ""
        n_known += of is not None and of["status"] == "ok"
        if recompute:
            again = run_cell(cell.ready())
            if of and not _agree(of, _from_record(again)):
                texts = _result(of), _result(_from_record(again))
                differences.append(f"{cell.name}: {texts[0]}; computed again: {texts[1]}")
            record, of = record or again, of or _from_record(again)
        records += [record] if record else []
        found += [of] if of and of["status"] == "ok" else []
        chosen, seconds = (
            (inline(of["chosen"] or {}), f"{of['seconds'] or 0:.3g}") if of else ("", "")
        )
        splits.append((str(cell.repeat), _result(of), chosen, seconds, source))
    note = ""
    if results and any(source == CELLS for *_, source in splits):
        note = (
            f"Without records, results are from {results.folder / CELLS}: {_changed(plan, results)}"
        )
    environment = environments(records) or (results.run.computed if results else [])
    facts = {**_ours(found), **_printed(results, cells[0]), **_facts(plan, cells[0])}
    computed = [facts_of(of) for of in environment]
    return Explanation(facts, splits, computed, note, n_known, len(found), tuple(differences))


def cells_of(plan: Plan, row: str, column: str) -> list[Cell]:
    """Return the cells behind an entry of a table; the column is a name or a title."""
    rows = {cell.dataset: cell.dataset for cell in plan.cells}
    columns = {cell.algorithm: cell.algorithm for cell in plan.cells}
    columns |= {title: name for name, title in plan.experiment.titles.items()}
    for what, name, known in (("row", row, rows), ("column", column, columns)):
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}{nearest(name, known)}")
    return [c for c in plan.cells if (c.dataset, c.algorithm) == (row, columns[column])]


def _from_folder(results: Results, cell: Cell) -> dict[int, Row]:
    frame = results.cells
    same = (frame["dataset"] == cell.dataset) & (frame["algorithm"] == cell.algorithm)
    frame = frame[same & (frame["status"] != "missing")].astype(object)
    return {int(of["repeat"]): of for of in frame.where(frame.notna(), None).to_dict("records")}


def _from_record(record: Record) -> Row:
    counted = record.ok and record.rmse is None
    return {
        "status": record.status,
        "errors": record.errors if counted else None,
        "n_test": record.n_test if record.ok else None,
        "value": record.value if record.ok else None,
        "chosen": record.chosen,
        "seconds": record.seconds,
        "reason": record.reason,
    }


def _agree(a: Row, b: Row) -> bool:
    """Return whether two results of a cell are the same."""
    same = all(a[key] == b[key] for key in ("status", "errors", "n_test"))
    chosen = (a["chosen"] or {}) == (b["chosen"] or {})
    x, y = a["value"] or 0.0, b["value"] or 0.0
    return same and chosen and math.isclose(x, y, rel_tol=TOLERANCE)


def _result(of: Row | None) -> str:
    """Return the result of a cell, or why there is none."""
    if of is None:
        return "not computed"
    if of["status"] != "ok":
        return f"{of['status']}: {of['reason']}"
    if of["errors"] is None:
        return f"{of['value']:.6g} on {of['n_test']:g}"
    return f"{of['value']:.4f}, {of['errors']:g} of {of['n_test']:g}"


def _changed(plan: Plan, results: Results) -> str:
    """Return what is no longer as it was when a results folder was written."""
    now, before = provenance(plan, ()), results.run
    if now.config != before.config:
        return "the config has changed."
    return "the data have changed." if now.data != before.data else "there are none of this code."


def _ours(found: Sequence[Row]) -> dict[str, str]:
    values = [of["value"] for of in found]
    if not values:
        return {}
    spread = f" ± {stdev(values):.4f}" if len(values) > 1 else ""
    return {"ours": f"{fmean(values):.4f}{spread}, mean of {len(values)} splits"}


def _printed(results: Results | None, cell: Cell) -> dict[str, str]:
    if results is None:
        return {}
    frame = results.verdicts
    frame = frame[(frame["dataset"] == cell.dataset) & (frame["algorithm"] == cell.algorithm)]
    return {
        f"printed {of['quantity']}": f"{of['printed']}, {of['verdict']}"
        + (f": {of['reason']}" if of["reason"] else f" ({of['low']:.4g} to {of['high']:.4g})")
        for of in frame.to_dict("records")
    }


def _facts(plan: Plan, cell: Cell) -> dict[str, str]:
    content, experiment = cell.content, plan.experiment
    n_train, n_valid, n_test = plan.sources[cell.dataset].sizes
    rule = cell.protocol.sample or cell.protocol.split
    # A rule of defaults alone is shown by its share.
    asked = rule.model_dump(exclude_defaults=True) or rule.model_dump(include={"train", "at_most"})
    title = experiment.titles[cell.algorithm]
    return {
        "entry": f"{cell.dataset}, {title} of {experiment.config.title}",
        "algorithm": f"{content['algorithm']} {inline(content['settings'])}".strip(),
        "grid": "; or ".join(
            ", ".join(f"{name} {_values(values)}" for name, values in grid.axes)
            for grid in cell.grids
        ),
        "data": content.get("data") or f"drawn by {content['rule']}",
        "rows": f"{n_train} to train, {n_valid} to validate, {n_test} to test",
        "split": inline(asked),
        "seed": f"{cell.draws[0]}, with the name {cell.draws[1]!r} and the split's number",
        "code": content["code"],
        "packages": inline(content["packages"]),
    }


def _values(values: Sequence[Any]) -> str:
    """Return the values of a hyper-parameter, or the ends of many."""
    texts = [of if isinstance(of, str) else json.dumps(of, ensure_ascii=False) for of in values]
    many = f"{texts[0]} to {texts[-1]} ({len(texts)} values)"
    return " | ".join(texts) if len(texts) <= 4 else many
