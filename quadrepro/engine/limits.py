"""Limits of a cell, and the memory that a run may need."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """What a cell may use before it is ended."""

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


def available() -> int:
    """Return the bytes of memory that this machine, or the control group, has."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(total, int(CONTROL_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return total
