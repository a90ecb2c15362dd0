"""Computing the cells of a plan that have no record yet, here or on a cluster of Dask.

Only this process writes. A record is kept as soon as its cell is done, so an interruption loses
only the cells that are being computed, and the same call resumes. Several runs can share a folder:
each cell is computed by one of them.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from quadrepro.core.cell import Cell
from quadrepro.core.problems import StoredRows
from quadrepro.engine.records import PACKAGES, Record, RecordStore, commit
from quadrepro.engine.worker import NO_LIMITS, Limits, begin, overdue, run_alone, run_cell
from quadrepro.errors import ConfigError, QuadreproError

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

        while left:  # once more after each worker that died
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
                # A process that was ended for its limit has left a reason.
                if late := overdue(cell, limits, Path(folder)):
                    yield late
                else:
                    again.append(delayed(run_alone)(cell, limits, Path(folder)))
            alone = Parallel(n_workers, backend="threading", return_as="generator_unordered")
            yield from alone(again)


SECONDS_TO_CONNECT = 10
"""Time for a scheduler to answer."""

SECONDS_TO_RETURN = 60
"""Time for a worker to come back when all are lost."""

LEAST_SENT = 8
"""Minimum number of waiting cells, so that a cluster which grows with its work starts."""


class LostWorkersError(QuadreproError):
    """Workers that were lost for good; finished cells are kept."""


@contextmanager
def workers_of(scheduler: str | None) -> Iterator[Send | None]:
    """Connect to a scheduler, if one is given by its address or file, to send cells to its workers.

    Dask sends cells of a lost worker to others. A cell that has lost too many workers is computed
    once more, in a process of its own.
    """
    if scheduler is None:
        yield None
        return
    try:
        from distributed import CancelledError, Client, KilledWorker, wait
        from distributed.comm import CommClosedError
    except ImportError:
        raise ConfigError("--dask needs Dask: pip install distributed") from None
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT)
        client.get_versions(check=True, packages=[*PACKAGES])
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} cannot be used: {error}") from None

    def send(tasks: Tasks) -> Generator[Record, None, None]:
        sent: dict[Any, tuple[Cell, Limits]] = {}
        n_threads = 0
        while True:
            n_lost, n_threads = n_threads, sum(client.nthreads().values())
            for cell, limits in islice(tasks, max(LEAST_SENT, 2 * n_threads) - len(sent)):
                compute = _compute_alone if limits else run_cell
                sent[client.submit(compute, cell, limits, pure=False)] = cell, limits
            if not sent:
                return
            try:
                done = wait([*sent], SECONDS_TO_RETURN, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                if n_lost and not n_threads:
                    raise LostWorkersError("none is left") from None
                continue
            for future in done:
                task = sent.pop(future)
                try:
                    yield future.result()
                except KilledWorker:
                    sent[client.submit(_compute_alone, *task, pure=False)] = task

    # A lost scheduler is an error of ours, without its traceback.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        with client:
            yield send
    except (CancelledError, CommClosedError, LostWorkersError) as error:
        reason = str(error).partition("\n")[0]
        raise LostWorkersError(
            f"the Dask workers were lost ({reason}); run the same line again: finished cells are"
            " kept"
        ) from None


def _compute_alone(cell: Cell, limits: Limits) -> Record:
    with TemporaryDirectory() as folder:
        return run_alone(cell, limits, Path(folder))
