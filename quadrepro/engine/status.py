"""How far an experiment is: counts of cells, and the time that the rest takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quadrepro.core.cell import Cell
from quadrepro.engine.estimates import Estimates, Forecast, forecast, recall
from quadrepro.engine.store import RecordStore


@dataclass(frozen=True)
class StatusLine:
    """How far one algorithm is."""

    algorithm: str
    """Its column."""
    n_cells: int
    n_kept: int
    n_missing: int
    """Numbers of all cells, of those with a result, and without a record."""
    failed: tuple[Cell, ...]
    """Those with a record but no result."""
    seconds: float | None
    """Estimated time of the missing ones on one core; None if nothing is known."""


@dataclass(frozen=True)
class Overview:
    """How far an experiment is."""

    lines: tuple[StatusLine, ...]
    """How far each algorithm is, in the order of the columns."""
    missing: tuple[Cell, ...]
    """The cells without a record, each content once."""
    estimates: Estimates
    """What is known of running times."""

    def forecast(self, jobs: int) -> Forecast:
        """Return how long the missing cells will take on the clock."""
        return forecast(self.missing, self.estimates, jobs)


def overview(cells: Sequence[Cell], store: RecordStore) -> Overview:
    """Return how far an experiment is, by the records that a run would find."""
    known, estimates = store.scan(), recall(store.folder)
    missing: dict[str, list[Cell]] = {cell.algorithm: [] for cell in cells}
    failed: dict[str, list[Cell]] = {name: [] for name in missing}
    kept, total = Counter[str](), Counter[str]()
    for cell in cells:
        total[cell.algorithm] += 1
        # A key takes long: it is a hash of the split. Where there are no records it is not needed.
        record = store.get(cell.key) if known and cell.key in known else None
        if record is None:
            missing[cell.algorithm].append(cell)
        elif not record.ok:
            failed[cell.algorithm].append(cell)
        else:
            kept[cell.algorithm] += 1
            estimates.learn(cell, record.took)
    lines = []
    for name, left in missing.items():
        alone = forecast(left, estimates, 1, start=0.0)
        seconds = None if alone.unknown else alone.seconds
        lines.append(
            StatusLine(name, total[name], kept[name], len(left), tuple(failed[name]), seconds)
        )
    todo = [cell for left in missing.values() for cell in left]
    once = {cell.key: cell for cell in todo}.values() if known else todo
    return Overview(tuple(lines), tuple(once), estimates)
