"""How far an experiment is: counts of cells, and the time that the rest takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quadrepro.config.cell import Cell
from quadrepro.engine.estimates import Estimates
from quadrepro.engine.records import Record
from quadrepro.engine.store import RecordStore


@dataclass(frozen=True)
class Line:
    """How far one algorithm is.

    Attributes
    ----------
    algorithm : str
        Its column.
    n_cells, n_kept, n_failed, n_missing : int
        Numbers of all cells, of those with a result, with a failure, and without a record.
    seconds : float or None
        Estimated time of the missing ones on one core; None if nothing is known.
    """

    algorithm: str
    n_cells: int
    n_kept: int
    n_failed: int
    n_missing: int
    seconds: float | None


def overview(cells: Sequence[Cell], store: RecordStore) -> list[Line]:
    """Return how far each algorithm of an experiment is, in the order of the columns."""
    estimates, missing = Estimates(), []
    kept, failed, total = Counter[str](), Counter[str](), Counter[str]()
    for cell in cells:
        total[cell.algorithm] += 1
        record = store.get(cell.key)
        if record is None:
            missing.append(cell)
        elif record.ok:
            kept[cell.algorithm] += 1
            estimates.learn(cell, record.seconds)
        else:
            failed[cell.algorithm] += 1
    lines = []
    for name, n_cells in total.items():
        seconds = [estimates.seconds(cell) for cell in missing if cell.algorithm == name]
        known = [value for value in seconds if value is not None]
        total_seconds = sum(known) if len(known) == len(seconds) else None
        lines.append(Line(name, n_cells, kept[name], failed[name], len(seconds), total_seconds))
    return lines


def failures(cells: Sequence[Cell], store: RecordStore) -> list[tuple[Cell, Record]]:
    """Return the cells that have a record but no result, with their records."""
    found = ((cell, store.get(cell.key)) for cell in cells)
    return [(cell, record) for cell, record in found if record is not None and not record.ok]
