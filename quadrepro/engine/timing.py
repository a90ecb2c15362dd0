"""Computing a cell, and how long a worker has it for that."""

from __future__ import annotations

import time
from dataclasses import replace

from quadrepro.config.cell import Cell
from quadrepro.engine.records import Record
from quadrepro.engine.work import run_cell

_begun = False
"""Whether this process had a cell before: the first one also waits for code to be loaded."""


def run_timed(cell: Cell, memory: int | None = None) -> Record:
    """Compute a cell as `run_cell` does, and note in its record how long that took in all."""
    global _begun
    start = time.perf_counter()
    record = run_cell(cell, memory)
    busy = time.perf_counter() - start if _begun else record.seconds
    _begun = True
    return replace(record, busy=busy, size=cell.size)
