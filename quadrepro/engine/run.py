"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed, and the same call resumes.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import groupby
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky import ProcessPoolExecutor

from quadrepro.core.cell import Cell
from quadrepro.engine.keys import commit
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import NO_LIMITS, Limits, begin, ended, run_cell
from quadrepro.errors import QuadreproError

LEAST_BYTES = 2**16
"""Larger arrays are mapped into the memory of workers instead of being sent with each cell."""


class LostWorkersError(QuadreproError):
    """Workers that were lost for good; finished cells are kept."""


def compute(
    cells: Iterable[Cell],
    store: RecordStore,
    jobs: int | None,
    limits: Mapping[str, Limits] | None = None,
) -> Iterator[Record]:
    """Compute cells, keep each record as it comes, and yield it.

    Parameters
    ----------
    cells : iterable of Cell
        Cells with different keys.
    store : RecordStore
        Where records are kept.
    jobs : int or None
        Number of worker processes; -1 takes all cores, 1 computes in this process, and None leaves
        it to the backend that `joblib.parallel_config` names, such as Dask.
    limits : mapping of str to Limits, optional
        Limits of the cells of each experiment.

    Yields
    ------
    Record
        The records in the order in which their cells end.

    Raises
    ------
    LostWorkersError
        If the backend can compute no more; the same call resumes.
    """
    left = {cell.key: cell for cell in largest_first(cells)}
    while left:
        sent: list[str] = []
        try:
            for record in _parallel(jobs)(_tasks([*left.values()], sent, limits or {})):
                del left[record.key]
                yield _keep(record, store)
            if left:
                # Dask ends without an error when its client is closed.
                raise LostWorkersError("the scheduler is gone")
        except BrokenProcessPool:
            # A worker was killed: one of the cells that were sent may be the cause.
            for key in [key for key in sent if key in left]:
                yield _keep(_alone(left.pop(key), limits or {}), store)


def largest_first(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells of each experiment in turn, those of its largest data sets first.

    So no long cell begins when all others are done, and each data set is read once or twice.
    """
    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        yield from sorted(some, key=lambda cell: cell.size, reverse=True)


def _parallel(jobs: int | None) -> Parallel:
    return Parallel(
        jobs,
        return_as="generator_unordered",
        batch_size=1,
        max_nbytes=LEAST_BYTES,
        initializer=begin,
        # joblib would take the workers of a former call, which hold the user's code as it was.
        initargs=(os.getpid(), uuid.uuid4().hex),
    )


def _tasks(cells: list[Cell], sent: list[str], limits: Mapping[str, Limits]) -> Iterator[Any]:
    for cell in cells:
        sent.append(cell.key)
        yield delayed(run_cell)(cell.ready(), limits.get(cell.experiment, NO_LIMITS))


def _alone(cell: Cell, limits: Mapping[str, Limits]) -> Record:
    """Compute a cell in a worker of its own; if that dies as well, the cell has crashed."""
    executor = ProcessPoolExecutor(1, initializer=begin, initargs=(os.getpid(),))
    try:
        task = executor.submit(run_cell, cell.ready(), limits.get(cell.experiment, NO_LIMITS))
        record: Record = task.result()
        return record
    except BrokenProcessPool:
        message = "its worker process died, perhaps because the machine ran out of memory"
        return ended(cell, "crashed", message)
    finally:
        executor.shutdown(kill_workers=True)


def _keep(record: Record, store: RecordStore) -> Record:
    record = replace(record, environment=record.environment | {"git": commit()})
    store.put(record)
    return record
