"""Cells of which only the place and the size are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from quadrepro.core.cell import Cell


def cell(dataset: str, algorithm: str, size: int = 1, repeat: int = 0, of: str = "table1") -> Cell:
    """Return a cell."""
    stub = SimpleNamespace(
        key=f"{of}-{dataset}-{algorithm}-{repeat}",
        experiment=of,
        dataset=dataset,
        algorithm=algorithm,
        repeat=repeat,
        size=size,
    )
    return cast(Cell, stub)
