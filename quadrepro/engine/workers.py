"""Worker processes on this machine: one that dies or takes too long harms only its own cell.

A worker ignores Ctrl-C, which is its parent's to handle, and ends with its parent, however that
ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, TimeoutError, wait
from itertools import islice

from joblib.externals.loky.backend import get_context
from pebble import ProcessExpired, ProcessPool

from quadrepro.config.cell import Cell
from quadrepro.engine.limits import Limits
from quadrepro.engine.parts import apart, joined
from quadrepro.engine.records import Record
from quadrepro.engine.shared_arrays import Places, SharedArrays, fetch
from quadrepro.engine.signals import held_back
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
        # Workers of this kind do not import the user's script again, so it needs no guard.
        pool = ProcessPool(
            jobs, initializer=_begin, initargs=[os.getpid()], context=get_context("loky")
        )
        running: dict[Future[Record], Cell] = {}
        try:
            while True:
                for cell in islice(rest, jobs * (1 + WAITING) - len(running)):
                    blob, arrays = apart(cell)
                    args = [blob, shared.places(arrays), limits.memory]
                    future = pool.schedule(_run, args, timeout=limits.seconds)
                    # Keeps the examples here, as the worker may map them.
                    running[future] = cell
                if not running:
                    break
                done, _ = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    yield _record(future, running.pop(future), limits)
                let_through()
            pool.close()
        finally:
            # Without what is still running, if the loop was left early.
            pool.stop()
            pool.join()


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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
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
