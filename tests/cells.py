"""Cells that tests change."""

from __future__ import annotations

from dataclasses import replace

from quadrepro.config.cell import Cell, Shared, made_by
from quadrepro.learners.base import Learner


def with_learner(cell: Cell, learner: Learner) -> Cell:
    """Return a cell with another learner, and a key of its own."""
    changed = {**made_by(learner, ()), "algorithm": type(learner).__name__}
    return replace(cell, learner=learner, shared=Shared(cell.shared.fields | changed))
