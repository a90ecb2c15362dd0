"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed. What computes is imported by `compute` alone, so that a plan
and its tables need none of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby

from quadrepro.core.cell import Cell, make_ready
from quadrepro.engine.keys import utc_now
from quadrepro.engine.process import Limits
from quadrepro.engine.records import Record, Status
from quadrepro.engine.store import RecordStore

Backend = Callable[[Iterable[Cell]], Generator[Record, None, None]]
"""Computes cells and yields their records in any order; asks for cells when it can take more."""


Listener = Callable[[Cell, Record], None]
"""Is called with every cell that is done, and its record."""


def missing_cells(
    cells: Iterable[Cell],
    store: RecordStore,
    retry: Collection[Status] = (),
) -> list[Cell]:
    """Return the cells without a record, each content once."""
    todo: dict[str, Cell] = {}
    for cell in cells:
        record = store.get(cell.key)
        if record is None or record.status in retry:
            todo.setdefault(cell.key, cell)
    return list(todo.values())


def largest_first(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells of each experiment in turn, those of its largest data sets first.

    So no long cell begins when all others are done, and few data sets are in memory.
    """
    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        yield from sorted(some, key=lambda cell: cell.size, reverse=True)


@dataclass(frozen=True)
class StatusLine:
    """Progress of one algorithm."""

    algorithm: str
    """Its column."""
    n_kept: int
    """Number of its cells with a result."""
    missing: tuple[Cell, ...]
    """Those without a record."""
    failed: tuple[Cell, ...]
    """Those with a record but no result."""

    @property
    def n_cells(self) -> int:
        """Number of its cells."""
        return self.n_kept + len(self.missing) + len(self.failed)


def overview(cells: Sequence[Cell], store: RecordStore) -> list[StatusLine]:
    """Return how far each algorithm is, in the order of the columns, as a run would find it."""
    known = store.scan()
    kept = Counter[str]()
    missing: dict[str, list[Cell]] = {cell.algorithm: [] for cell in cells}
    failed: dict[str, list[Cell]] = {name: [] for name in missing}
    for cell in cells:
        # A key takes long: it is a hash of the split. Where there are no records it is not needed.
        record = store.get(cell.key) if known and cell.key in known else None
        if record is None:
            missing[cell.algorithm].append(cell)
        elif not record.ok:
            failed[cell.algorithm].append(cell)
        else:
            kept[cell.algorithm] += 1
    return [
        StatusLine(name, kept[name], tuple(left), tuple(failed[name]))
        for name, left in missing.items()
    ]


def compute(
    cells: Sequence[Cell],
    store: RecordStore,
    backend: Backend,
    listener: Listener,
    sent: Callable[[Cell], None] = lambda cell: None,
) -> None:
    """Compute cells and keep their records, those of the largest data sets first."""
    by_key = {cell.key: cell for cell in cells}

    def in_order() -> Iterator[Cell]:
        for cell in largest_first(cells):
            sent(cell)
            yield cell

    with closing(backend(make_ready(in_order(), cells))) as records:
        for record in records:
            store.put(record if record.date else replace(record, date=utc_now()))
            listener(by_key[record.key], record)


def local(jobs: int, limits: Limits | None = None) -> Backend:
    """Return what computes cells on this machine."""
    limits = Limits() if limits is None else limits

    def compute_locally(cells: Iterable[Cell]) -> Generator[Record, None, None]:
        if jobs:
            from quadrepro.engine.workers import run_in_workers

            yield from run_in_workers(cells, jobs, limits)
        else:
            from quadrepro.engine.workers import run_cell

            yield from (run_cell(cell, limits.memory) for cell in cells)

    return compute_locally


def records_of(cells: Iterable[Cell], store: RecordStore) -> list[Record]:
    """Return the record of every cell, with status "missing" if there is none."""
    return [store.get(cell.key) or Record(cell.key, "missing") for cell in cells]
