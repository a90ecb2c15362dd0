"""A cell in two parts: its examples, which many cells share, and all else."""

from __future__ import annotations

from dataclasses import replace

import cloudpickle

from quadrepro._typing import FloatArray, NumberArray
from quadrepro.config.cell import Cell

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
