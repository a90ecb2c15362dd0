"""A worker computes one cell within its limits, and returns its record.

A worker reads and writes nothing but its cell. An exception becomes a failed record, so that the
other cells go on.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from joblib import parallel_config, wrap_non_picklable_objects
from numba.core import event
from threadpoolctl import ThreadpoolController

from quadrepro.base.files import write_bytes
from quadrepro.base.text import tell
from quadrepro.base.types import FloatArray
from quadrepro.core.cell import Cell, CellResult, compute_cell, rmse, training_data
from quadrepro.core.training.imported import place_of_user
from quadrepro.engine.records import Record, Status, environment, makers, utc_now
from quadrepro.errors import ConfigError

SMALLEST = np.finfo(np.float32).smallest_subnormal

SECONDS_TO_END = 2.0
"""Time for a cell to end after its time is up, before its process is ended."""


@dataclass(frozen=True)
class Limits:
    """Limits of a cell, which are kept where its process computes nothing else."""

    seconds: float | None = None
    """Wall time of the computation."""
    memory: int | None = None
    """Bytes in addition to those that the process holds before; only kept on Linux."""

    def __bool__(self) -> bool:
        """Return whether anything is limited."""
        return self != NO_LIMITS


NO_LIMITS = Limits()

_folder: Path | None = None
"""Where this process writes why it ended; None if it is not a worker process."""


def run_cell(cell: Cell, limits: Limits = NO_LIMITS) -> Record:
    """Compute a cell."""
    _refuse_other_code(cell)
    timer = _Timer(cell, limits.seconds)
    try:
        # One thread, so that sums stay the same. Estimators must not hand work to other workers.
        with (
            _libraries(len(sys.modules)).limit(limits=1),
            parallel_config("sequential"),
            _kept_apart(cell) as caught,
            _at_most(limits.memory),
        ):
            # Imports and preparing the examples take none of its time.
            cell = cell.ready()
            cell.learner.try_code(cell.grids[0].candidates[0])
            training_data(cell)
            with timer.running():
                result = compute_cell(cell)
            texts = dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)
            return replace(_record(cell, result), warnings=[_printable(text) for text in texts])
    except MemoryError:
        most = "" if limits.memory is None else f": it may use {limits.memory / 1e9:g} GB"
        return ended(cell, "failed", f"{traceback.format_exc()}\nout of memory{most}")
    except BaseException as error:
        is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        if isinstance(error, KeyboardInterrupt) and not is_ignored:
            raise  # It is the user's, and not raised by the cell.
        # numpy may turn the exception of the alarm into an error of its own.
        if timer.is_up:
            return _timed_out(cell, limits)
        return ended(cell, "failed", f"{traceback.format_exc()}\n{_reason(error)}")


def ended(cell: Cell, status: Status, message: str) -> Record:
    """Return the record of a cell without a result."""
    return Record(cell.key, status, message=_printable(message), **_origin(cell))


def _origin(cell: Cell) -> dict[str, Any]:
    return {"date": utc_now(), "environment": environment(), "content": cell.content}


def _timed_out(cell: Cell, limits: Limits, place: str = "") -> Record:
    return ended(cell, "timeout", f"{place}it took more than {limits.seconds:g} s")


def overdue(cell: Cell, limits: Limits, folder: Path) -> Record | None:
    """Return the record of a cell whose process was ended, which left a traceback; else None."""
    file = folder / cell.key
    place = file.read_text(errors="replace") if file.is_file() else ""
    return _timed_out(cell, limits, place) if place else None


def begin(parent: int, folder: str) -> None:
    """Set up a worker process, which ends soon after its parent, or when the folder is deleted."""
    global _folder
    _folder = Path(folder)
    # If a worker died while it sends a result, the parent would wait for the rest.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # C code prints past Python, and standard output is for tables.
    os.dup2(2, 1)

    def watch() -> None:
        while os.getppid() == parent and os.path.isdir(folder):
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_alone(cell: Cell, limits: Limits, folder: Path) -> Record:
    """Compute a cell in a process of its own; if that dies, the cell has crashed.

    Parameters
    ----------
    cell : Cell
        A cell with its examples.
    limits : Limits
        Its limits.
    folder : Path
        A folder for the files that go to and fro.
    """
    task, result = folder / f"{cell.key}.task", folder / f"{cell.key}.record"
    # Classes and functions of a notebook are sent in full.
    work = wrap_non_picklable_objects((cell, limits), keep_wrapper=False)
    task.write_bytes(pickle.dumps(work))
    script = f"from quadrepro.engine import worker; worker.answer({os.getpid()}, {str(task)!r})"
    # It finds the same modules as this process.
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.run([sys.executable, "-c", script], env=env, stdin=subprocess.DEVNULL)
    if result.is_file():
        record: Record = pickle.loads(result.read_bytes())
        return record
    code = process.returncode
    cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    message = f"its worker process died ({cause}), perhaps because the machine ran out of memory"
    return overdue(cell, limits, folder) or ended(cell, "crashed", message)


def answer(parent: int, task: str) -> None:
    """Compute the cell in the file of a task, and write its record to the same folder."""
    file = Path(task)
    begin(parent, str(file.parent))
    record = run_cell(*pickle.loads(file.read_bytes()))
    write_bytes(file.with_suffix(".record"), pickle.dumps(record))


def _refuse_other_code(cell: Cell) -> None:
    planned = {name: cell.content[name] for name in ("code", "packages")}
    try:
        installed: object = makers(cell.learner, cell.protocol, cell.voters)
    except ValueError as error:
        installed = str(error)
    if installed != planned:
        difference = f"{installed} instead of {planned}"
        raise ConfigError(
            f"the worker's code or packages differ from the plan's ({difference}): install the same"
            " on all machines and run again; finished cells are kept"
        )


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return the controller of libraries with threads; a new module may bring another library."""
    return ThreadpoolController()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _reason(error: BaseException) -> str:
    """Return an exception in one line, with its place in the user's code."""
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException:
        text = f"{type(error).__name__}, which cannot be printed"
    return text.splitlines()[0] + place_of_user(error)


def _printable(text: str) -> str:
    r"""Return a text with escapes such as ``\udc80`` in place of lone surrogates."""
    return text.encode(errors="backslashreplace").decode()


class _Labelled(io.TextIOBase):
    """Prints lines on standard error, after the name of a cell."""

    def __init__(self, cell: Cell) -> None:
        self._name = cell.name
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            tell(_printable(f"{self._name}: {line}"))
        return len(text)


@contextlib.contextmanager
def _kept_apart(cell: Cell) -> Iterator[list[warnings.WarningMessage]]:
    """Send a cell's output to standard error, and yield its warnings as they come."""
    if not _in_main_thread():
        yield []
        return
    with (
        contextlib.redirect_stdout(_Labelled(cell)),
        warnings.catch_warnings(record=True) as caught,
    ):
        yield caught


class _TimeIsUpError(BaseException):
    """Raised by the alarm; no `except Exception` of an estimator catches it."""


class _Timer(event.Listener):
    """Interrupts a block after some seconds, and again every second if that was ignored.

    If the block does not end then, its worker process is ended, also while C code runs. The time
    stands still while numba compiles. Only the main thread of a process can be interrupted.
    """

    def __init__(self, cell: Cell, seconds: float | None) -> None:
        self.is_up = False
        self._limited = seconds is not None and _in_main_thread()
        self._rest, self._key = seconds or 0.0, cell.key
        self._compiling = 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        if not self._limited:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        with (_folder / self._key if _folder else Path(os.devnull)).open("w") as self._file:
            self._start()
            try:
                with event.install_listener("numba:compile", self):
                    yield
            finally:
                self._stop()
                signal.signal(signal.SIGALRM, before)

    def on_start(self, event: object) -> None:
        if self._compiling == 0:
            self._stop()
        self._compiling += 1

    def on_end(self, event: object) -> None:
        self._compiling -= 1
        if self._compiling == 0:
            self._start()

    def _start(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self._rest, 1.0)
        if _folder is not None:
            rest = self._rest + SECONDS_TO_END
            faulthandler.dump_traceback_later(rest, file=self._file, exit=True)

    def _stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        self._rest, _ = signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        self.is_up = True
        raise _TimeIsUpError


@contextlib.contextmanager
def _at_most(memory: int | None) -> Iterator[None]:
    """Let this process take no more memory than it has and `memory` bytes.

    Cells in threads would share one limit, and lift each other's.
    """
    if memory is None or sys.platform != "linux" or not _in_main_thread():
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    held = 1024 * int(status.partition("VmData:")[2].split()[0])
    most = held + memory if hard == resource.RLIM_INFINITY else min(held + memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _record(cell: Cell, result: CellResult) -> Record:
    outputs, actual = result.outputs, result.actual
    kept: dict[str, Any] = {"n_test": len(actual), "actual": actual, "predicted": outputs.predicted}
    kept |= {"chosen": result.chosen, "cv_errors": result.loss, "classes": cell.problem.classes}
    if cell.problem.classes:
        kept["errors"] = int((outputs.predicted != actual).sum())
        kept["scores"] = _single(outputs.scores)
        kept["probabilities"] = _single(outputs.probabilities)
    else:
        kept["rmse"] = rmse(outputs.predicted, actual)
        if not np.isfinite(kept["rmse"]):
            raise ValueError("the RMSE is not finite: a prediction is NaN, infinite or too large")
    if outputs.margins is not None:
        kept["margins"] = outputs.margins.astype(np.float32)
    kept |= {"measures": result.measures, "seconds": result.seconds}
    return Record(cell.key, "ok", **kept, **_origin(cell))


def _single(scores: FloatArray | None) -> Any:
    """Return scores in single precision; a positive score does not become zero."""
    if scores is None:
        return None
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    single[(scores > 0) & (single == 0)] = SMALLEST
    return single
