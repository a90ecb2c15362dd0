"""What a worker does: compute one cell within its limits, and return its record.

A worker reads and writes nothing but its cell. An exception becomes a failed record, so that the
other cells go on.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from joblib import parallel_config
from threadpoolctl import ThreadpoolController

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import Cell, CellResult, compute, rmse
from quadrepro.core.learners.imported import place_of_user
from quadrepro.engine.keys import environment, makers, utc_now
from quadrepro.engine.records import Record, Status
from quadrepro.errors import ConfigError

SMALLEST = np.finfo(np.float32).smallest_subnormal


@dataclass(frozen=True)
class Limits:
    """Limits of a cell."""

    seconds: float | None = None
    """Wall time; kept only where cells run in the main thread of their process."""
    memory: int | None = None
    """Bytes beyond what the process holds before; only Linux keeps to it."""


NO_LIMITS = Limits()


def run_cell(cell: Cell, limits: Limits = NO_LIMITS) -> Record:
    """Compute a cell."""
    _refuse_other_code(cell)
    start = time.monotonic()
    try:
        # One thread, so that sums stay the same. Estimators must not hand work to other workers.
        with (
            _libraries(len(sys.modules)).limit(limits=1),
            parallel_config("sequential"),
            _within(limits.seconds),
            _at_most(limits.memory),
        ):
            return _record(cell, compute(cell))
    except MemoryError:
        most = "" if limits.memory is None else f": it may use {limits.memory / 1e9:g} GB"
        return ended(cell, "failed", f"{traceback.format_exc()}\nout of memory{most}")
    except (Exception, SystemExit, _TimeIsUpError) as error:
        # numpy may turn what the alarm raises into an error of its own.
        if limits.seconds is not None and time.monotonic() - start >= limits.seconds:
            return ended(cell, "timeout", f"it took more than {limits.seconds:g} s")
        said, *_ = f"{type(error).__name__}: {error}".splitlines()
        return ended(cell, "failed", f"{traceback.format_exc()}\n{said}{place_of_user(error)}")


def ended(cell: Cell, status: Status, message: str) -> Record:
    """Return the record of a cell without a result."""
    made: dict[str, Any] = {"environment": environment(), "content": cell.content}
    return Record(cell.key, status, message=message, date=utc_now(), **made)


def begin(parent: int, call: str = "") -> None:
    """Leave the signals that end a run to the parent, and end with it."""
    # A worker that dies while it sends a result leaves half of it, for whose rest the parent waits.
    for sent in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sent, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _refuse_other_code(cell: Cell) -> None:
    planned = {name: cell.content[name] for name in ("code", "packages")}
    try:
        current: object = makers(cell.learner, cell.protocol, cell.voters)
    except ValueError as error:
        current = str(error)
    if current != planned:
        raise ConfigError(
            f"the worker's code or packages differ from the plan's ({current} instead of"
            f" {planned}): install the same on all machines and run again; finished cells are kept"
        )


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return what controls the libraries with threads; a new module may bring another one."""
    return ThreadpoolController()


class _TimeIsUpError(BaseException):
    """Raised by the alarm; no `except Exception` of an estimator catches it."""


@contextlib.contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after some seconds, and again every second if that was ignored."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise _TimeIsUpError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _at_most(memory: int | None) -> Iterator[None]:
    """Let this process take no more memory than it has and `memory` bytes."""
    if memory is None or sys.platform != "linux":
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
    numbers = not cell.problem.classes
    margins = outputs.margins
    error = rmse(outputs.predicted, actual) if numbers else None
    if error is not None and not np.isfinite(error):
        raise ValueError("the RMSE is not finite: a prediction is NaN, infinite or too large")
    return Record(
        cell.key,
        "ok",
        errors=0 if numbers else int((outputs.predicted != actual).sum()),
        n_test=len(actual),
        chosen=result.chosen,
        cv_errors=result.loss,
        classes=cell.problem.classes,
        actual=actual,
        predicted=outputs.predicted,
        scores=None if numbers else _single(outputs.scores),
        probabilities=None if numbers else _single(outputs.probabilities),
        margins=None if margins is None else margins.astype(np.float32),
        measures=result.measures,
        rmse=error,
        seconds=result.seconds,
        date=utc_now(),
        environment=environment(),
        content=cell.content,
    )


def _single(scores: FloatArray | None) -> Any:
    """Return scores in single precision; none that is above zero becomes zero."""
    if scores is None:
        return None
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    single[(scores > 0) & (single == 0)] = SMALLEST
    return single
