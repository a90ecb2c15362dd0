"""Workers of a Dask scheduler, on any number of machines.

Workers come and go: the cells of one that is lost are computed by others. If the scheduler is lost,
this machine computes the rest. The examples of a problem are sent once, and Dask sends them again
to where they are needed. Only the parent writes records.
"""

from __future__ import annotations

import contextlib
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from joblib import parallel_config
from numpy.typing import NDArray

from quadrepro.base.code import code_hash, versions
from quadrepro.base.types import FloatArray, NumberArray
from quadrepro.core.cell import Cell
from quadrepro.engine.keys import made_by
from quadrepro.engine.process import Limits, held_back
from quadrepro.engine.records import Record
from quadrepro.engine.run import Backend, local
from quadrepro.engine.workers import apart, joined, run_cell
from quadrepro.errors import ConfigError

SECONDS_TO_CONNECT = 10
"""Seconds that a scheduler may take to answer, also one that is restarted during a run."""

SECONDS_BETWEEN_LOOKS = 0.01
"""Seconds between checks for signals and finished cells."""

SECONDS_BETWEEN_COUNTS = 1.0
"""Seconds between counts of workers, and for the scheduler to answer."""

COUNTS_UNTIL_LOST = 30
"""Number of counts in a row without an answer after which the scheduler is lost."""

CELLS_A_THREAD = 2
"""Number of cells sent per thread of a worker."""

COMPARED = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "daqp")
"""Packages that workers must have in the parent's versions."""

Versions = Mapping[str, str]
"""Code and packages of a process."""

AnyArray = NDArray[Any]


def connect(scheduler: str) -> Any:
    """Return a client of a scheduler whose workers have the code and packages of this process."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise ConfigError(
            "--backend dask needs Dask: install it with pip install 'quadrepro[dask]'"
        ) from None
    # Examples are part of a graph: the scheduler can send them again if a worker is lost.
    dask.config.set({"distributed.admin.large-graph-warning-threshold": sys.maxsize})
    where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        client = Client(**where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        _check_all(client)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} cannot be reached: {error}") from None
    return client


def on_dask(client: Any, limits: Limits, jobs: int, tell: Callable[[str], None]) -> Backend:
    """Return what computes cells on the workers of a Dask scheduler."""
    if limits.seconds is not None:
        raise ConfigError("a limit on the time of a cell needs the workers of --backend local")

    def compute_on_dask(cells: Iterable[Cell]) -> Generator[Record, None, None]:
        left = yield from _OnWorkers(client, iter(cells), limits.memory, tell).records()
        if left is not None:
            tell("the Dask scheduler was lost: this machine computes the remaining cells")
            yield from local(jobs, limits)(left)

    return compute_on_dask


class _OnWorkers:
    """Cells that the workers of a scheduler compute."""

    def __init__(
        self, client: Any, cells: Iterator[Cell], memory: int | None, tell: Callable[[str], None]
    ) -> None:
        self._client, self._rest, self._memory, self._tell = client, cells, memory, tell
        self._running: dict[Any, Cell] = {}
        self._again = deque[Cell]()
        # Dask gives up a cell that was on several workers that were lost. As another cell on these
        # may be the cause, it is sent once more, alone.
        self._suspected = deque[Cell]()
        self._alone: set[str] = set()
        self._examples: dict[int, Any] = {}
        self._n_threads = 1
        self._counted = 0.0
        self._unanswered = 0

    def records(self) -> Generator[Record, None, Iterator[Cell] | None]:
        """Yield the records of cells, and return those left if the scheduler was lost."""
        with held_back() as let_through:
            try:
                while not self._is_lost():
                    self._count_threads()
                    if self._client.status == "running":
                        self._send_more()
                        if not self._running and not self._again:
                            return None
                    for future in [future for future in self._running if future.done()]:
                        yield from self._take(future)
                    let_through()
                    time.sleep(SECONDS_BETWEEN_LOOKS)
            finally:
                for future in (*self._running, *self._examples.values()):
                    future.release()
        return chain(self._running.values(), self._again, self._suspected, self._rest)

    def _is_lost(self) -> bool:
        return self._client.status == "closed" or self._unanswered >= COUNTS_UNTIL_LOST

    def _count_threads(self) -> None:
        """Ask from time to time how many threads the workers have, which come and go."""
        if time.monotonic() - self._counted < SECONDS_BETWEEN_COUNTS:
            return
        before = self._n_threads
        self._unanswered += 1
        # The client has no scheduler while it closes.
        with contextlib.suppress(OSError, AttributeError):
            asked = self._client.scheduler.ncores
            found = self._client.sync(asked, callback_timeout=SECONDS_BETWEEN_COUNTS)
            self._n_threads, self._unanswered = sum(found.values()), 0
        self._counted = time.monotonic()
        if before and not self._n_threads:
            self._tell("no Dask worker is connected: cells wait until one is")

    def _send_more(self) -> None:
        for _ in range(len(self._running), CELLS_A_THREAD * max(1, self._n_threads)):
            cell = self._again.popleft() if self._again else next(self._rest, None)
            if cell is None:
                break
            self._send(cell)
        if not self._running and self._suspected:
            cell = self._suspected.popleft()
            self._alone.add(cell.key)
            self._send(cell)

    def _send(self, cell: Cell) -> None:
        blob, arrays = apart(cell)
        try:
            examples = [None if array is None else self._on_workers(array) for array in arrays]
            args = blob, *examples, self._memory, _made_with()
            self._running[self._client.submit(_run, *args, pure=False)] = cell
        except Exception:
            if self._client.status == "running":
                raise
            self._again.append(cell)

    def _on_workers(self, array: AnyArray) -> Any:
        """Return the future of an array, which is sent once as long as this process keeps it."""
        key = id(array)
        if key not in self._examples:
            weakref.finalize(array, self._examples.pop, key, None)
        elif self._examples[key].status not in ("cancelled", "error"):
            return self._examples[key]
        # A task rather than scattered data: the scheduler can repeat it if its worker is lost.
        self._examples[key] = self._client.submit(_same, array, pure=False)
        return self._examples[key]

    def _take(self, future: Any) -> Iterator[Record]:
        """Yield the record of a cell that is done, unless it has to be sent again."""
        from distributed import CancelledError, KilledWorker

        cell = self._running[future]
        if future.status == "error":
            if not isinstance(error := future.exception(), KilledWorker):
                _check_all(self._client)
                raise ConfigError(f"a Dask worker cannot compute {cell.name}: {error!r}")
            if cell.key in self._alone:
                message = "the Dask workers that computed it were lost"
                yield Record(cell.key, "crashed", content=cell.content, message=message)
            else:
                self._suspected.append(cell)
        elif future.cancelled():
            self._again.append(cell)
        else:
            try:
                found = future.result(timeout=SECONDS_BETWEEN_COUNTS)
            except (OSError, CancelledError):
                # A worker or the scheduler is just being lost: the future will tell.
                return
            if not isinstance(found, Record):
                _check(*found)
            yield found
        del self._running[future]


def _check_all(client: Any) -> None:
    """Refuse workers that have other code or packages than this process."""
    for worker, theirs in client.run(_made_with, on_error="return").items():
        if isinstance(theirs, dict):
            _check(worker, theirs, _made_with())
        elif not isinstance(theirs, OSError):  # of a worker that was just lost
            raise ConfigError(f"worker {worker} cannot use quadrepro: {theirs!r}")


def _check(worker: str, theirs: Versions, ours: Versions) -> None:
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise ConfigError(
                f"worker {worker} has {name} {theirs.get(name)}, but this process has {value}:"
                " install the same on both and run again; finished cells are kept"
            )


def _made_with() -> Versions:
    packages = {name: version for name, version in versions().items() if name in COMPARED}
    return {"code": code_hash(), **packages}


def _same(array: AnyArray) -> AnyArray:
    return array


def _run(
    blob: bytes,
    X: NumberArray,
    y: FloatArray,
    truth: FloatArray | None,
    memory: int | None,
    ours: Versions,
) -> Record | tuple[str, Versions, Versions]:
    """Compute a cell, or return what this worker has and what it should have."""
    # A worker may have joined after the others were checked, and what a cell needs beside.
    if (theirs := _made_with()) == ours:
        cell = joined(blob, (X, y, truth))
        planned, here = cell.content, made_by(cell)
        theirs = {"code": here["code"], **here["packages"]}
        ours = {"code": planned["code"], **planned["packages"]}
        if theirs == ours:
            # An estimator would otherwise give its own work to the scheduler.
            with parallel_config(backend="sequential"):
                return run_cell(cell, memory)
    from distributed import get_worker

    return get_worker().address, theirs, ours
