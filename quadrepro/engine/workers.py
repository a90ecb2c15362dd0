"""Workers on this machine: what one does with a cell, what it is sent, and how it is ended.

A worker writes nothing and reads nothing but its cell. An exception in a cell becomes a failed
record, so that the other cells go on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, TimeoutError, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain, islice
from multiprocessing import resource_tracker
from pathlib import Path
from typing import IO, Any, Self, cast

import cloudpickle
import numpy as np
from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.externals.loky.backend.context import LokyContext
from numpy.typing import NDArray
from pebble import CONSTS, ProcessExpired, ProcessPool
from threadpoolctl import ThreadpoolController

from quadrepro.base.code import place_of_user
from quadrepro.base.types import FloatArray, NumberArray
from quadrepro.core.cell import Cell, CellResult, compute, rmse
from quadrepro.core.compiling import warm
from quadrepro.engine.keys import environment, made_by, utc_now
from quadrepro.engine.process import ENDING, Limits, at_most, blocked, held_back
from quadrepro.engine.records import Record, pack_codes, pack_margins, pack_numbers, pack_scores


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return what controls the libraries with threads; a new module may bring another one."""
    return ThreadpoolController()


def run_cell(cell: Cell, memory: int | None = None) -> Record:
    """Compute a cell."""
    try:
        planned = {name: cell.content[name] for name in ("code", "packages")}
        if (here := made_by(cell)) != planned:
            message = "the worker's code or packages differ from the plan's"
            return _failed(cell, f"{message}: {here}, but the plan {planned}")
        if memory is not None:
            warm(cell.learner.kernels)
        # One BLAS thread, also without workers: workers share the cores, and sums stay the same.
        with _libraries(len(sys.modules)).limit(limits=1), at_most(memory):
            return _record(cell, compute(cell))
    except MemoryError:
        most = "" if memory is None else f": it may use {memory / 1e9:g} GB"
        return _failed(cell, f"out of memory{most}\n{traceback.format_exc()}")
    except (Exception, SystemExit) as error:
        return _failed(cell, traceback.format_exc().rstrip() + place_of_user(error))


def _failed(cell: Cell, message: str) -> Record:
    return Record(
        cell.key,
        "failed",
        date=utc_now(),
        environment=environment(),
        content=cell.content,
        message=message,
    )


def _record(cell: Cell, result: CellResult) -> Record:
    choice, margins = result.choice, result.choice.fitted.margins
    return Record(
        cell.key,
        "ok",
        **_outcome(cell, result),
        n_test=len(result.actual),
        chosen=choice.fitted.candidate,
        margins="" if margins is None else pack_margins(margins),
        measures=result.measures,
        seconds=result.seconds,
        date=utc_now(),
        environment=environment(),
        content=cell.content,
    )


def _outcome(cell: Cell, result: CellResult) -> dict[str, Any]:
    """Return the fields of a record on its test examples."""
    choice, actual, classes = result.choice, result.actual, cell.problem.classes
    outputs = choice.fitted.outputs
    if not classes:
        return {
            "rmse": rmse(outputs.predicted, actual),
            "cv_errors": choice.loss,
            "actual": pack_numbers(actual),
            "predicted": pack_numbers(outputs.predicted),
        }
    scores, probabilities = outputs.scores, outputs.probabilities
    return {
        "errors": int((outputs.predicted != actual).sum()),
        "cv_errors": int(choice.loss),
        "classes": classes,
        "actual": pack_codes(actual, len(classes)),
        "predicted": pack_codes(outputs.predicted, len(classes)),
        "scores": "" if scores is None else pack_scores(scores),
        "probabilities": "" if probabilities is None else pack_scores(probabilities),
    }


Arrays = tuple[NumberArray, FloatArray, FloatArray | None]
"""Attributes, targets, and the targets without noise if they are known."""


def apart(cell: Cell) -> tuple[bytes, Arrays]:
    """Return a ready cell without its examples, serialised, and its examples."""
    problem = cell.problem
    empty = replace(problem, X=problem.X[:0], y=problem.y[:0], truth=None)
    return cloudpickle.dumps(replace(cell, source=empty)), (problem.X, problem.y, problem.truth)


def joined(blob: bytes, arrays: Arrays) -> Cell:
    """Return the cell of which `apart` returned the parts."""
    cell: Cell = cloudpickle.loads(blob)
    X, y, truth = arrays
    return replace(cell, source=replace(cell.problem, X=X, y=y, truth=truth))


AnyArray = NDArray[Any]

LEAST_BYTES = 2**16
"""Smaller arrays are copied, which takes no longer than mapping them."""


Places = tuple[AnyArray | Path | None, ...]
"""Arrays, or the files that hold them."""


def fetch(places: Places) -> Arrays:
    """Return the arrays at some places; those that are mapped cannot be written to."""
    found = (
        np.asarray(np.load(place, mmap_mode="r")) if isinstance(place, Path) else place
        for place in places
    )
    return cast(Arrays, tuple(found))


class SharedArrays:
    """The arrays that this process shares with its workers, as long as it keeps them itself.

    An array is shared when it is asked for again: what one cell alone has is sent with it.
    """

    def __init__(self) -> None:
        self._seen: dict[int, weakref.ref[AnyArray]] = {}
        self._files: dict[int, tuple[Path, IO[bytes]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for key in list(self._seen):
            self._forget(key)

    def places(self, arrays: Arrays) -> Places:
        """Return for each array where it is found, or the array itself if it is not shared."""
        return tuple(None if array is None else self._place(array) for array in arrays)

    def _place(self, array: AnyArray) -> AnyArray | Path:
        in_order = array.flags.c_contiguous or array.flags.f_contiguous
        if array.nbytes < LEAST_BYTES or not in_order or not _can_share():
            return array
        key = id(array)
        if key not in self._seen:
            self._seen[key] = weakref.ref(array, lambda _: self._forget(key))
            return array
        if key not in self._files:
            try:
                self._files[key] = _in_memory(array)
            except OSError:  # too many open files, or too little memory
                return array
        return self._files[key][0]

    def _forget(self, key: int) -> None:
        self._seen.pop(key, None)
        if held := self._files.pop(key, None):
            # The memory is given back as soon as no worker maps it.
            held[1].close()


@cache
def _can_share() -> bool:
    """Return whether memory can be made that other processes find."""
    return hasattr(os, "memfd_create") and os.path.isdir(f"/proc/{os.getpid()}/fd")


def _in_memory(array: AnyArray) -> tuple[Path, IO[bytes]]:
    """Return where other processes find what an array holds, and the open file that keeps it."""
    file = os.fdopen(os.memfd_create("quadrepro"), "wb")
    try:
        np.save(file, array, allow_pickle=False)
        file.flush()
    except OSError:
        file.close()
        raise
    return Path(f"/proc/{os.getpid()}/fd/{file.fileno()}"), file


WAITING = 1
"""Number of cells per worker that are sent ahead."""

MOST_FAILURES = 3
"""Number of times in a run that workers are replaced which all ended before taking a cell."""

SECONDS_BETWEEN_LOOKS = 0.1
"""Seconds between checks for signals while no cell is done."""


def run_in_workers(cells: Iterable[Cell], jobs: int, limits: Limits) -> Iterator[Record]:
    """Compute cells in worker processes."""
    with held_back() as let_through, SharedArrays() as shared:
        rest = iter(cells)
        pool = _pool(jobs)
        running: dict[Future[Record], Cell] = {}
        failures = 0
        try:
            while True:
                broken = False
                for cell in islice(rest, jobs * (1 + WAITING) - len(running)):
                    if limits.seconds is not None:
                        warm(cell.learner.kernels)
                    blob, arrays = apart(cell)
                    args = [blob, shared.places(arrays), limits.memory]
                    try:
                        with blocked():
                            # The first one starts workers, and the thread that replaces them.
                            future = pool.schedule(_run, args, timeout=limits.seconds)
                    except RuntimeError:
                        broken, rest = True, chain([cell], rest)
                        break
                    # Keeps the examples here, as the worker may map them.
                    running[future] = cell
                if not running and not broken:
                    break
                done, _ = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    if _is_broken(future):
                        continue
                    record = _record_of(future, running.pop(future), limits)
                    if not record.ok:
                        # What dies while the run is ended was not tried.
                        let_through()
                    yield record
                let_through()
                if broken or not pool.active:
                    # All workers ended before one of them took a cell.
                    failures += 1
                    untried = [*running.values()]
                    running.clear()
                    if failures <= MOST_FAILURES:
                        rest = chain(untried, rest)
                    else:
                        message = "its worker process could not be started"
                        for cell in untried:
                            yield Record(cell.key, "crashed", content=cell.content, message=message)
                    pool.stop()
                    pool.join()
                    pool = _pool(jobs)
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


def _is_broken(future: Future[Record]) -> bool:
    return not future.cancelled() and isinstance(future.exception(), BrokenProcessPool)


def _record_of(future: Future[Record], cell: Cell, limits: Limits) -> Record:
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
    return run_cell(joined(blob, fetch(places)), memory)


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
