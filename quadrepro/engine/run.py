"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed. What computes is imported by `compute` alone, so that a plan
and its tables need none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from quadrepro.config.cell import Cell, make_ready
from quadrepro.engine.estimates import Estimates, longest_first
from quadrepro.engine.records import Record, RecordStore


class Listener(Protocol):
    """Is called with every cell that is done."""

    def __call__(self, cell: Cell, record: Record) -> None:
        """Take note of one cell and its record."""


def missing_cells(
    cells: Iterable[Cell], store: RecordStore, estimates: Estimates | None = None
) -> list[Cell]:
    """Return the cells without a successful record, each content once.

    Parameters
    ----------
    cells : iterable of Cell
        Cells of a plan.
    store : RecordStore
        What has been computed.
    estimates : Estimates, optional
        Learns the running times of the cells that have a record.
    """
    todo: dict[str, Cell] = {}
    for cell in cells:
        record = store.get(cell.key)
        if record is None or not record.ok:
            todo.setdefault(cell.key, cell)
        elif estimates is not None:
            estimates.learn(cell, record.seconds)
    return list(todo.values())


def compute(
    cells: Sequence[Cell],
    store: RecordStore,
    jobs: int,
    listener: Listener,
    estimates: Estimates | None = None,
) -> None:
    """Compute cells and keep their records, the longest cells first.

    Parameters
    ----------
    cells : sequence of Cell
        What to compute.
    store : RecordStore
        Where records are kept.
    jobs : int
        Worker processes; 1 computes in this process.
    listener : Listener
        Called with every cell after its record is kept.
    estimates : Estimates, optional
        Running times known so far; learns those of the cells that are computed.

    Raises
    ------
    KeyboardInterrupt
        If interrupted; all that was finished is kept.
    OSError
        If a record cannot be written.
    """
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    from quadrepro.kernels.compiling import warm

    estimates = Estimates() if estimates is None else estimates
    by_key = {cell.key: cell for cell in cells}

    def keep(record: Record) -> None:
        store.put(record)
        cell = by_key.pop(record.key)
        if record.ok:
            estimates.learn(cell, record.seconds)
        listener(cell, record)

    # Compiled once here, not by every worker.
    warm(name for cell in cells for name in cell.learner.kernels)
    try:
        for record in _records(make_ready(longest_first(cells, estimates), cells), jobs):
            keep(record)
    except TerminatedWorkerError:
        # Which cell did it is not known: the rest run one at a time, each in a worker of its own.
        for cell in list(by_key.values()):
            try:
                keep(next(_records([cell.ready()], 2)))
            except TerminatedWorkerError as error:
                message = f"its worker process died: {error}"
                keep(Record(cell.key, "crashed", content=cell.content, message=message))


def _records(cells: Iterable[Cell], jobs: int) -> Iterator[Record]:
    from joblib import Parallel, delayed

    from quadrepro.engine.work import run_cell

    if jobs == 1:
        yield from map(run_cell, cells)
        return
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    yield from pool(delayed(run_cell)(cell) for cell in cells)


def records_of(cells: Iterable[Cell], store: RecordStore) -> list[Record]:
    """Return the record of every cell, with status "missing" if there is none."""
    return [store.get(cell.key) or Record(cell.key, "missing") for cell in cells]
