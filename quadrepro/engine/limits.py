"""Limits of a cell, and the memory that a run may need."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell
from quadrepro.core.problems import RowSource


@dataclass(frozen=True)
class Limits:
    """What a cell may use before it is ended.

    Attributes
    ----------
    seconds : float or None, default None
        Wall time, for cells that run in a worker.
    memory : int or None, default None
        Bytes, beyond what the process holds before. Only Linux keeps to it.
    """

    seconds: float | None = None
    memory: int | None = None


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


BYTES = 8
"""Of a float64."""

CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")


def bytes_needed(cell: Cell, source: RowSource) -> int:
    """Return about how many bytes the largest arrays of a cell take.

    Voters of a fixed pool are counted as if none were equal: the votes of all candidates on all
    samples, the voter matrix of training and test examples, and, for an algorithm that needs it,
    the Gram matrix of each sample. Of a voter set as many voters are counted as there would be
    stumps, and of other learners only the examples.

    Parameters
    ----------
    cell : Cell
        The cell.
    source : RowSource
        What makes its examples.
    """
    n_examples, n_columns = sum(source.sizes), source.n_columns
    if not cell.learner.gives_votes or cell.protocol.holdout is not None:
        return BYTES * n_examples * n_columns
    n_voters = n_columns * cell.protocol.stumps_per_attribute
    if cell.protocol.voters is not None:
        n_voters = min(n_voters, cell.protocol.voters)
    n_samples = cell.protocol.folds + 1
    votes = n_samples * cell.n_candidates * n_voters
    grams = n_samples * n_voters**2 if cell.learner.uses_gram else 0
    return BYTES * (2 * n_examples * n_voters + votes + grams)


def too_large(plan: Plan, memory: int) -> dict[tuple[str, str], int]:
    """Return which rows and columns may need more than some bytes in a cell, and how many."""
    found: dict[tuple[str, str], int] = {}
    for cell in plan.cells:
        place = cell.dataset, cell.algorithm
        if place not in found:
            found[place] = bytes_needed(cell, plan.sources[cell.dataset])
    return {place: needed for place, needed in found.items() if needed > memory}


def available() -> int:
    """Return the bytes of memory that this machine, or the control group, has."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(total, int(CONTROL_GROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return total
