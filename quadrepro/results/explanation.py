"""Where an entry of a table comes from: its splits, choices, data, code and records."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quadrepro.base.resources import RECORDS
from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.core.learners.grid import Grid
from quadrepro.engine.keys import environment
from quadrepro.engine.records import Record, RecordStore
from quadrepro.errors import ConfigError, nearest
from quadrepro.results.compare import TOLERANCE
from quadrepro.results.files import environments, provenance
from quadrepro.results.folder import CELLS, CellRow, Folder
from quadrepro.results.pages.entries import GridEntry, make_grid
from quadrepro.results.pages.page import facts_of

SHOWN_VALUES = 4
"""Largest number of values of a hyper-parameter that are all shown."""

KEY_DIGITS = 12
"""Number of digits of a key that are shown."""


@dataclass(frozen=True)
class SplitResult:
    """A cell and its result, from its record or from ``cells.csv``; None if there is none."""

    cell: Cell
    row: CellRow | None
    record: Record | None

    @property
    def source(self) -> str:
        """The first digits of the record's key, or the file with the result."""
        if self.record:
            return self.record.key[:KEY_DIGITS]
        return CELLS if self.row else ""

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.row is not None and self.row.value is not None


@dataclass(frozen=True)
class Explanation:
    """An entry of a table: its splits, and the results folder if there is one."""

    plan: Plan
    folder: Folder | None
    splits: list[SplitResult]

    @property
    def entry(self) -> GridEntry:
        """The entry as pages show it: our mean, the printed number and its verdict."""
        row, column = _place(self.splits[0].cell)
        known = make_grid(self.folder).entries if self.folder else {}
        entry = known.get((row, column), GridEntry(row, column, (), percent=False))
        return replace(entry, cells=tuple(split.row for split in self.splits if split.row))

    @property
    def facts(self) -> dict[str, str]:
        """What the entry is and what its results depend on, text by name."""
        cell, config, entry = self.splits[0].cell, self.plan.experiment.config, self.entry
        content = cell.content
        n_train, n_valid, n_test = self.plan.sources[cell.dataset].sizes
        valid = f"{n_valid} to validate, " if n_valid else ""
        titles, rule = self.plan.experiment.titles, cell.protocol.sample or cell.protocol.split
        # A rule of defaults alone is shown by its share.
        asked = rule.model_dump(exclude_defaults=True) or rule.model_dump(
            include={"train", "at_most"}
        )
        return {
            "entry": f"{cell.dataset}, {titles[cell.algorithm]} of {config.title}",
            entry.unit: _mean(entry),
            "printed": _printed(entry),
            "algorithm": f"{content['algorithm']} {_inline(content['settings'])}".strip(),
            "grid": "; or ".join(map(_axes, cell.grids)),
            "data": content.get("data") or f"drawn by {content['rule']}",
            "rows": f"{n_train} to train, {valid}{n_test} to test",
            "split": _inline(asked),
            "seed": f"{cell.draws[0]}, with the name {cell.draws[1]!r} and the split's number",
            "code": content["code"],
            "packages": _inline(content["packages"]),
        }

    @property
    def computed(self) -> list[dict[str, str]]:
        """With what the results were computed, text by name; of most cells first."""
        found = environments(split.record for split in self.splits if split.record)
        if not found and self.folder:
            found = list(self.folder.run.computed)
        return [facts_of(environment) for environment in found]

    @property
    def note(self) -> str:
        """Why some results are not from records; empty if all are, or if nothing is known."""
        if self.folder is None or all(split.record or not split.row for split in self.splits):
            return ""
        path = self.folder.path
        shown = f"results are from {path / CELLS}"
        if not (path.parent / RECORDS).is_dir():
            return f"There are no records in {path.parent / RECORDS}: {shown}."
        what = changed(self.plan, self.folder)
        return f"Without a record, {shown}: {what} has changed since then."

    def recomputed(self) -> tuple[Explanation, list[str]]:
        """Return the explanation with results for all cells, and what differs from those known."""
        # What computes is slow to import.
        from quadrepro.engine.worker import run_cell

        splits, differences = [], []
        for split in self.splits:
            record = run_cell(split.cell.ready())
            again = row_of(split.cell, record)
            if split.row is None:
                splits.append(SplitResult(split.cell, again, record))
                continue
            splits.append(split)
            if not agree(split.row, again):
                sides = f"{_in_full(split.row)}; computed again: {_in_full(again)}"
                differences.append(f"{split.cell.name}: {sides}")
        return replace(self, splits=splits), differences


def explain(
    plan: Plan, row: str, column: str, store: RecordStore, folder: Folder | None
) -> Explanation:
    """Return what is known of an entry of a table."""
    cells = cells_of(plan, row, column)
    in_file = folder.cells.get(_place(cells[0]), []) if folder else []
    known = {found.repeat: found for found in in_file if found.status != "missing"}
    splits = []
    for cell in cells:
        record = store.get(cell.key)
        found = row_of(cell, record) if record else known.get(str(cell.repeat))
        splits.append(SplitResult(cell, found, record))
    return Explanation(plan, folder, splits)


def cells_of(plan: Plan, row: str, column: str) -> list[Cell]:
    """Return the cells behind an entry of a table; the column is a name or a title."""
    rows = {cell.dataset: cell.dataset for cell in plan.cells}
    columns = {cell.algorithm: cell.algorithm for cell in plan.cells}
    columns |= {title: name for name, title in plan.experiment.titles.items()}
    for what, name, known in (("row", row, rows), ("column", column, columns)):
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}{nearest(name, known)}")
    column = columns[column]
    return [cell for cell in plan.cells if _place(cell) == (row, column)]


def changed(plan: Plan, folder: Folder) -> str:
    """Return what is no longer as it was when a results folder was written."""
    now, before = provenance(plan, ()), folder.run
    if now.config != before.config:
        return "the config"
    if now.data != before.data:
        return "the data"
    if environment()["versions"] not in [one.versions for one in before.computed]:
        return "a package"
    own = ", ".join(plan.experiment.code)
    return f"the code ({own}, or quadrepro's)" if own else "the code"


def row_of(cell: Cell, record: Record) -> CellRow:
    """Return a record as ``cells.csv`` has it."""
    return CellRow.model_construct(
        dataset=cell.dataset,
        algorithm=cell.algorithm,
        repeat=str(cell.repeat),
        status=record.status,
        errors=record.errors if record.ok and record.rmse is None else None,
        n_test=record.n_test if record.ok else None,
        value=record.value if record.ok else None,
        chosen=record.chosen,
        seconds=record.seconds,
        reason=record.reason,
    )


def agree(a: CellRow, b: CellRow) -> bool:
    """Return whether two results of a cell are the same."""
    if (a.status, a.errors, a.n_test, a.chosen) != (b.status, b.errors, b.n_test, b.chosen):
        return False
    return a.value == b.value or math.isclose(a.value or 0, b.value or 0, rel_tol=TOLERANCE)


def result_text(row: CellRow | None) -> str:
    """Return the result of a cell, or why there is none."""
    if row is None:
        return "not computed"
    if row.value is None:
        return f"{row.status}: {row.reason}"
    if row.errors is None:
        return f"{row.value:.6g} on {row.n_test}"
    return f"{row.value:.4f}, {row.errors} of {row.n_test}"


def chosen_text(row: CellRow | None) -> str:
    """Return the chosen hyper-parameters of a cell."""
    return _inline(row.chosen) if row else ""


def _place(cell: Cell) -> tuple[str, str]:
    return cell.dataset, cell.algorithm


def _mean(entry: GridEntry) -> str:
    n = len(entry.values)
    if n < 2:
        return entry.text
    return f"{entry.text} ± {entry.spread}, mean and deviation of {n} splits"


def _printed(entry: GridEntry) -> str:
    """Return the printed number, and where it is among ours as far as that is judged."""
    verdict = entry.verdict
    if verdict is None:
        judged = ", not judged: there is one split" if len(entry.cells) == 1 else ""
        return f"{entry.printed}{judged}" if entry.printed else ""
    if verdict.low is None or verdict.high is None or verdict.p_value is None:
        return f"{entry.printed}, not comparable: {verdict.reason}"
    interval = f"{verdict.low:.4g} to {verdict.high:.4g}"
    return f"{entry.printed}, {verdict.word} our interval {interval} (p {verdict.p_value:.2g})"


def _in_full(row: CellRow) -> str:
    return ", ".join(filter(None, (result_text(row), chosen_text(row))))


def _axes(grid: Grid) -> str:
    return ", ".join(f"{name} {_values(values)}" for name, values in grid.axes)


def _values(values: Sequence[Any]) -> str:
    if len(values) <= SHOWN_VALUES:
        return " | ".join(map(_word, values))
    return f"{_word(values[0])} to {_word(values[-1])} ({len(values)} values)"


def _inline(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_word(value)}" for name, value in values.items())


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
