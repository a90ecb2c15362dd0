"""Worker processes on this machine: one that dies or takes too long harms only its own cell.

A worker leaves signals that end a run to its parent, from the moment it starts, and ends with its
parent, however that ends. So a cell is lost to such a signal together with the run, and not as one
whose worker died. Nothing that workers share has a name in the system, so nothing of it is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, TimeoutError, wait
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any

from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.externals.loky.backend.context import LokyContext
from pebble import CONSTS, ProcessExpired, ProcessPool

from quadrepro.config.cell import Cell
from quadrepro.engine.limits import Limits
from quadrepro.engine.parts import apart, joined
from quadrepro.engine.records import Record
from quadrepro.engine.shared_arrays import Places, SharedArrays, fetch
from quadrepro.engine.signals import ENDING, blocked, held_back
from quadrepro.engine.timing import run_timed

WAITING = 1
"""How many cells per worker are sent before the worker asks for them."""

SECONDS_BETWEEN_LOOKS = 0.1
"""How often signals are let through while no cell is done."""


def run_in_workers(cells: Iterable[Cell], jobs: int, limits: Limits) -> Iterator[Record]:
    """Compute cells in worker processes.

    Parameters
    ----------
    cells : iterable of Cell
        What to compute; asked for as workers become free.
    jobs : int
        Number of workers.
    limits : Limits
        What a cell may use.

    Yields
    ------
    Record
        In the order in which cells end. The status is "timeout" for a cell that took too long, and
        "crashed" for one whose worker died.
    """
    with held_back() as let_through, SharedArrays() as shared:
        rest = iter(cells)
        pool = _pool(jobs)
        running: dict[Future[Record], Cell] = {}
        try:
            while True:
                for cell in islice(rest, jobs * (1 + WAITING) - len(running)):
                    blob, arrays = apart(cell)
                    args = [blob, shared.places(arrays), limits.memory]
                    with blocked():
                        # The first one starts workers, and the thread that replaces them.
                        future = pool.schedule(_run, args, timeout=limits.seconds)
                    # Keeps the examples here, as the worker may map them.
                    running[future] = cell
                if not running:
                    break
                done, _ = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    record = _record(future, running.pop(future), limits)
                    if not record.ok:
                        # What dies while the run is ended was not tried.
                        let_through()
                    yield record
                let_through()
            pool.close()
        finally:
            # Without what is still running, if the loop was left early.
            pool.stop()
            pool.join()


def _pool(jobs: int) -> ProcessPool:
    # Workers of this kind do not import the user's script again, so it needs no guard.
    context = LokyContext()
    if sys.platform != "win32":
        context.RLock = partial(_Lock, context)
        # Either would let signals through again if it was started with the first worker.
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    # How long to wait for a worker that was asked to end: they ignore that signal.
    CONSTS.term_timeout = 0
    return ProcessPool(jobs, initializer=_begin, initargs=[os.getpid()], context=context)


class _Lock:
    """A recursive lock without a name in the system: who has read the byte in a pipe has it."""

    def __init__(self, context: Any) -> None:
        self._reader, self._writer = context.Pipe(duplex=False)
        os.set_blocking(self._reader.fileno(), False)
        self._depth = 1
        self.release()

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock, and return False if another process keeps it for `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self._depth:
            with contextlib.suppress(BlockingIOError):
                os.read(self._reader.fileno(), 1)
                break
            left = None if end is None else max(0.0, end - time.monotonic())
            if not block or not self._reader.poll(left):
                return False
        self._depth += 1
        return True

    def release(self) -> None:
        """Give the lock to another process, once for each time that it was taken."""
        self._depth -= 1
        if not self._depth:
            os.write(self._writer.fileno(), b"0")


def _record(future: Future[Record], cell: Cell, limits: Limits) -> Record:
    try:
        return future.result()
    except TimeoutError:
        message = f"it took more than {limits.seconds:g} s"
        return Record(cell.key, "timeout", content=cell.content, message=message)
    except ProcessExpired as error:
        message = f"its worker process {_end(error.exitcode)}"
        return Record(cell.key, "crashed", content=cell.content, message=message)
    except CancelledError:
        message = "its worker process could not be started again"
        return Record(cell.key, "crashed", content=cell.content, message=message)


def _end(code: int) -> str:
    """Return in words how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
    hint = ": perhaps the machine ran out of memory" if name == "SIGKILL" else ""
    return f"was ended by signal {name}{hint}"


def _run(blob: bytes, places: Places, memory: int | None) -> Record:
    return run_timed(joined(blob, fetch(places)), memory)


def _begin(parent: int) -> None:
    """Make this worker end with its parent, and leave signals of the terminal to it."""
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    # Elsewhere, or if the parent died before.
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
