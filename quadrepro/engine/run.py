"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed. Several runs may share a folder of records: each claims the
cells that it computes. What computes is imported by `compute` alone, so that a plan and its tables
need none of it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from quadrepro.core.cell import Cell, make_ready
from quadrepro.engine.estimates import Estimates, Forecast, forecast, longest_first, recall
from quadrepro.engine.keys import utc_now
from quadrepro.engine.process import Limits
from quadrepro.engine.records import Record, Status
from quadrepro.engine.store import CLAIMS, RecordStore, Reservations

SECONDS_BETWEEN_LOOKS = 0.5
"""Seconds between looks for cells that others compute."""

Backend = Callable[[Iterable[Cell]], Generator[Record, None, None]]
"""Computes cells and yields their records in any order; asks for cells when it can take more."""


Listener = Callable[[Cell, Record], None]
"""Is called with every cell that is done, and its record."""


def missing_cells(
    cells: Iterable[Cell],
    store: RecordStore,
    estimates: Estimates | None = None,
    retry: Collection[Status] = (),
) -> list[Cell]:
    """Return the cells without a record, each content once."""
    todo: dict[str, Cell] = {}
    for cell in cells:
        record = store.get(cell.key)
        if record is None or record.status in retry:
            todo.setdefault(cell.key, cell)
        elif estimates is not None and record.ok:
            estimates.learn(cell, record.took)
    return list(todo.values())


@dataclass(frozen=True)
class StatusLine:
    """Progress of one algorithm."""

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
    """Progress of an experiment."""

    lines: tuple[StatusLine, ...]
    """Progress of each algorithm, in the order of the columns."""
    missing: tuple[Cell, ...]
    """The cells without a record, each content once."""
    estimates: Estimates
    """Known running times."""

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


def compute(
    cells: Sequence[Cell],
    store: RecordStore,
    backend: Backend,
    listener: Listener,
    estimates: Estimates | None = None,
    sent: Callable[[Cell], None] = lambda cell: None,
) -> None:
    """Compute cells and keep their records, the longest cells first."""
    run = _Run(store, listener, Estimates() if estimates is None else estimates, sent)
    try:
        waiting = run.compute(cells, backend)
        while waiting:
            before = len(waiting)
            waiting = run.compute(waiting, backend)
            if len(waiting) == before:
                time.sleep(SECONDS_BETWEEN_LOOKS)
    finally:
        run.claims.release_all()
        run.measured.keep(store.folder)


@dataclass
class _Run:
    """One process's part in computing some cells."""

    store: RecordStore
    listener: Listener
    estimates: Estimates
    sent: Callable[[Cell], None]
    began: str = field(default_factory=utc_now)
    measured: Estimates = field(default_factory=Estimates)

    def __post_init__(self) -> None:
        self.claims = Reservations(self.store.folder / CLAIMS)

    def compute(self, cells: Sequence[Cell], backend: Backend) -> list[Cell]:
        """Compute all cells that no other process has, and return those that one has."""
        waiting: list[Cell] = []
        taken: dict[str, Cell] = {}

        def mine() -> Iterator[Cell]:
            for cell in longest_first(cells, self.estimates):
                if not self.claims.take(cell):
                    waiting.append(cell)
                elif record := self._done(cell):
                    self.claims.release(cell.key)
                    self._tell(cell, record)
                else:
                    taken[cell.key] = cell
                    self.sent(cell)
                    yield cell

        with closing(backend(make_ready(mine(), cells))) as records:
            for record in records:
                cell = taken.pop(record.key)
                self.store.put(record if record.date else replace(record, date=utc_now()))
                self.claims.release(cell.key)
                if record.ok:
                    self.measured.learn(cell, record.took)
                self._tell(cell, record)
        return waiting

    def _done(self, cell: Cell) -> Record | None:
        """Return the record of a cell that another process has computed in the meantime."""
        record = self.store.get(cell.key)
        return record if record is not None and (record.ok or record.date >= self.began) else None

    def _tell(self, cell: Cell, record: Record) -> None:
        if record.ok:
            self.estimates.learn(cell, record.took)
        self.listener(cell, record)


def local(jobs: int, limits: Limits | None = None) -> Backend:
    """Return what computes cells on this machine."""
    limits = Limits() if limits is None else limits

    def compute_locally(cells: Iterable[Cell]) -> Generator[Record, None, None]:
        if jobs:
            from quadrepro.engine.workers import run_in_workers

            yield from run_in_workers(cells, jobs, limits)
        else:
            from quadrepro.engine.workers import run_timed

            yield from (run_timed(cell, limits.memory) for cell in cells)

    return compute_locally


def records_of(cells: Iterable[Cell], store: RecordStore) -> list[Record]:
    """Return the record of every cell, with status "missing" if there is none."""
    return [store.get(cell.key) or Record(cell.key, "missing") for cell in cells]
