"""The process of a run or a worker: cores, memory, limits of a cell, and signals that end a run."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType


@dataclass(frozen=True)
class Limits:
    """Limits of time and memory of a cell."""

    seconds: float | None = None
    """Wall time, for cells that run in a worker."""
    memory: int | None = None
    """Bytes, beyond what the process holds before. Only Linux keeps to it."""


@contextlib.contextmanager
def at_most(memory: int | None) -> Iterator[None]:
    """Let this process take no more memory than it has and `memory` bytes."""
    if memory is None or sys.platform != "linux":
        yield
        return
    import resource

    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = _held() + memory
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _held() -> int:
    """Return the bytes of this process that count towards the limit."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmData:"):
            return 1024 * int(line.split()[1])
    raise OSError("/proc/self/status has no line VmData")


CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")


def available_cores() -> int:
    """Return the number of cores that this process may use, by its affinity and control group."""
    from joblib.externals.loky import cpu_count

    return int(cpu_count())


def available_memory() -> int:
    """Return the bytes of memory that this machine, or the control group, has."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(total, int(CONTROL_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return total


ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that end a run."""


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Let signals that end a run wait, also in the threads and processes that are started."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def held_back() -> Iterator[Callable[[], None]]:
    """Hold back the signals that end a run, and yield a function that lets through what came.

    A handler that raises does so between any two instructions. A thread that was just about to
    take a lock may then keep it, and all others wait for good.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came: list[tuple[int, FrameType | None]] = []
    # What is ignored, or ends the process without Python, stays as it is.
    before = {one: handler for one in ENDING if callable(handler := signal.getsignal(one))}

    def let_through() -> None:
        if came:
            first, frame = came[0]
            came.clear()
            before[signal.Signals(first)](first, frame)

    for one in before:
        signal.signal(one, lambda signum, frame: came.append((signum, frame)))
    try:
        yield let_through
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    let_through()
