"""How far an experiment is: counts of cells, and the time that the rest takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quadrepro.config.cell import Cell
from quadrepro.engine.estimates import Estimates
from quadrepro.engine.store import RecordStore

ENOUGH = 3
"""How many records of a row and column tell how long its cells take."""


@dataclass(frozen=True)
class Line:
    """How far one algorithm is.

    Attributes
    ----------
    algorithm : str
        Its column.
    n_cells, n_kept, n_missing : int
        Numbers of all cells, of those with a result, and without a record.
    failed : tuple of Cell
        Those with a record but no result.
    seconds : float or None
        Estimated time of the missing ones on one core; None if nothing is known.
    """

    algorithm: str
    n_cells: int
    n_kept: int
    n_missing: int
    failed: tuple[Cell, ...]
    seconds: float | None


def overview(cells: Sequence[Cell], store: RecordStore) -> list[Line]:
    """Return how far each algorithm of an experiment is, in the order of the columns.

    Records are counted by their names. To estimate times, `ENOUGH` of each row and column are read.
    """
    known, estimates = store.scan(), Estimates()
    missing: dict[str, list[Cell]] = {cell.algorithm: [] for cell in cells}
    failed: dict[str, list[Cell]] = {name: [] for name in missing}
    kept, total = Counter[str](), Counter[str]()
    read = Counter[tuple[str, str]]()
    for cell in cells:
        total[cell.algorithm] += 1
        ok = known.get(cell.key)
        if ok is None:
            missing[cell.algorithm].append(cell)
        elif not ok:
            failed[cell.algorithm].append(cell)
        else:
            kept[cell.algorithm] += 1
            place = cell.dataset, cell.algorithm
            if read[place] < ENOUGH and (record := store.get(cell.key)) and record.ok:
                read[place] += 1
                estimates.learn(cell, record.seconds)
    lines = []
    for name, left in missing.items():
        times = [estimates.seconds(cell) for cell in left]
        found = [seconds for seconds in times if seconds is not None]
        seconds = sum(found) if len(found) == len(times) else None
        lines.append(Line(name, total[name], kept[name], len(left), tuple(failed[name]), seconds))
    return lines
