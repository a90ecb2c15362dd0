"""The workers of a Dask scheduler, on any number of machines."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quadrepro.core.cell import Cell
from quadrepro.engine.dispatch import Send, Tasks
from quadrepro.engine.keys import PACKAGES
from quadrepro.engine.records import Record
from quadrepro.engine.worker import Limits, run_alone, run_cell
from quadrepro.errors import ConfigError, QuadreproError

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
