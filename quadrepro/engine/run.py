"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
the cells in flight and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from quadrepro.config.plan import Cell
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.work import run_cell


class Listener(Protocol):
    """Told of every cell that is done."""

    def __call__(self, cell: Cell, record: Record) -> None:
        """Hear of one cell."""


def missing_cells(cells: Iterable[Cell], store: RecordStore) -> list[Cell]:
    """Return the cells without a successful record, each content once, longest first."""
    todo: dict[str, Cell] = {}
    for cell in cells:
        record = store.get(cell.key)
        if record is None or not record.ok:
            todo.setdefault(cell.key, cell)
    return sorted(todo.values(), key=lambda cell: -cell.seconds())


def compute(cells: Sequence[Cell], store: RecordStore, jobs: int, listener: Listener) -> None:
    """Compute cells and keep their records.

    Parameters
    ----------
    cells : sequence of Cell
        What to compute.
    store : RecordStore
        Where records are kept.
    jobs : int
        Worker processes; 1 computes in this process.
    listener : Listener
        Told of every cell after its record is kept.

    Raises
    ------
    KeyboardInterrupt
        If interrupted; all that was finished is kept.
    OSError
        If a record cannot be written.
    """
    by_key = {cell.key: cell for cell in cells}

    def keep(record: Record) -> None:
        store.put(record)
        listener(by_key.pop(record.key), record)

    try:
        for record in _records(cells, jobs):
            keep(record)
    except TerminatedWorkerError:
        # Whose fault it was is not known: what is left runs one cell a worker.
        for cell in list(by_key.values()):
            try:
                keep(next(_records([cell], 2)))
            except TerminatedWorkerError as error:
                message = f"its worker process died: {error}"
                keep(Record(cell.key, "crashed", content=cell.content, message=message))


def _records(cells: Sequence[Cell], jobs: int) -> Iterator[Record]:
    if jobs == 1:
        yield from map(run_cell, cells)
        return
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    yield from pool(delayed(run_cell)(cell) for cell in cells)


def records_of(cells: Iterable[Cell], store: RecordStore) -> list[Record]:
    """Return the record of every cell; status "missing" where there is none."""
    return [store.get(cell.key) or Record(cell.key, "missing") for cell in cells]
