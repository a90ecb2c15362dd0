"""Computing the cells of a plan that have no record yet.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed, and the same call resumes. Several runs can share a folder:
each cell is computed by one of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from quadrepro.core.cell import Cell
from quadrepro.core.problems import StoredRows
from quadrepro.engine.keys import commit
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import NO_LIMITS, Limits, begin, overdue, run_alone, run_cell

Tasks = Iterator[tuple[Cell, Limits]]

Send = Callable[[Tasks], Generator[Record, None, None]]
"""Sends cells to workers, each when a worker is free, and yields their records."""

SECONDS_BETWEEN_LOOKS = 1.0
"""Time between two looks for records by another run."""


def compute(
    cells: Iterable[Cell],
    store: RecordStore,
    jobs: int | None,
    limits: Mapping[str, Limits] | None = None,
    send: Send | None = None,
) -> Iterator[Record]:
    """Compute cells, keep each record as it comes, and yield it.

    Parameters
    ----------
    cells : iterable of Cell
        Cells with different keys.
    store : RecordStore
        Where records are kept.
    jobs : int or None
        Number of worker processes. 1 computes in this process, unless cells are limited. None takes
        the number that `joblib.parallel_config` sets, by default all cores.
    limits : mapping of str to Limits, optional
        Limits of the cells of each experiment.
    send : callable, optional
        Sends cells to the workers of other machines.

    Yields
    ------
    Record
        The records in the order in which their cells end.

    Raises
    ------
    OSError
        If records cannot be written; no cell has been computed then.
    """
    left = {cell.key: cell for cell in largest_first(cells)}
    limits = limits or {}
    dates = {key: store.date(key) for key in left}
    send = send or partial(
        _on_this_machine, jobs=jobs, in_process=jobs == 1 and not any(limits.values())
    )
    with store.claims() as claims:

        def tasks() -> Tasks:
            for key, cell in [*left.items()]:
                if not claims.take(key):
                    continue
                if store.date(key) != dates[key]:
                    # Another run has ended the cell since.
                    claims.release(key)
                    continue
                # Workers draw fresh samples by themselves.
                ready = cell.ready() if isinstance(cell.source, StoredRows) else cell
                yield ready, limits.get(cell.experiment, NO_LIMITS)

        while left:
            n_left = len(left)
            with closing(send(tasks())) as records:
                for record in records:
                    del left[record.key]
                    record = replace(record, environment=record.environment | {"git": commit()})
                    store.put(record)
                    claims.release(record.key)
                    yield record
            for key in [key for key in left if store.date(key) != dates[key]]:
                dates[key] = store.date(key)
                if record_of_other := store.get(key):
                    del left[key]
                    yield record_of_other
            if len(left) == n_left:
                time.sleep(SECONDS_BETWEEN_LOOKS)


def largest_first(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the cells of each experiment in turn, the largest data sets first.

    So no long cell begins when all others are done, and each data set is read once or twice.
    """
    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        yield from sorted(some, key=lambda cell: cell.size, reverse=True)


def _on_this_machine(
    tasks: Tasks, jobs: int | None, in_process: bool
) -> Generator[Record, None, None]:
    """Compute cells in worker processes until all are done or a worker has died.

    The cells that were running then are computed again, each in a process of its own.
    """
    n_workers = effective_n_jobs(jobs or get_active_backend()[1] or -1)
    running: dict[str, tuple[Cell, Limits]] = {}
    with TemporaryDirectory() as folder:
        parallel = Parallel(
            # joblib has no single worker: it would compute in this process.
            1 if in_process else max(2, n_workers),
            return_as="generator_unordered",
            pre_dispatch=n_workers,
            batch_size=1,
            # Shared memory may be small, and can outlive a run.
            max_nbytes=None,
            initializer=begin,
            # A new folder makes new workers: old ones may hold former code of the user.
            initargs=(os.getpid(), folder),
        )

        def sent() -> Iterator[object]:
            for cell, limits in tasks:
                running[cell.key] = cell, limits
                yield delayed(run_cell)(cell, limits)

        try:
            for record in parallel(sent()):
                del running[record.key]
                yield record
        except BrokenProcessPool:
            again = []
            for cell, limits in [*running.values()]:
                if late := overdue(cell, limits, Path(folder)):
                    yield late
                else:
                    again.append(delayed(run_alone)(cell, limits, Path(folder)))
            alone = Parallel(n_workers, backend="threading", return_as="generator_unordered")
            yield from alone(again)
