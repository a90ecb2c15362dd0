"""Cells that tests change."""

from __future__ import annotations

from dataclasses import replace

from quadrepro.core.cell import Cell, Shared
from quadrepro.core.learners.learner import Learner
from quadrepro.engine.keys import makers


def with_learner(cell: Cell, learner: Learner) -> Cell:
    """Return a cell with another learner, and a key of its own."""
    changed = {**makers(learner, ()), "algorithm": type(learner).__name__}
    return replace(cell, learner=learner, shared=Shared(cell.shared.fields | changed))
