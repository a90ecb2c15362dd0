"""Cells that tests change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core.cell import Cell
from quadrepro.core.learners.learner import Learner
from quadrepro.engine.keys import makers


def cells_of(config: Path, repeats: int | None = None) -> tuple[Cell, ...]:
    """Return the cells of a config."""
    return make_plan(load_experiment(config, repeats)).cells


def with_learner(cell: Cell, learner: Learner) -> Cell:
    """Return a cell with another learner, and a key of its own."""
    changed = {
        **makers(learner, cell.protocol.measures, cell.voters),
        "algorithm": type(learner).__name__,
    }
    changed["settings"] = learner.content
    return replace(cell, learner=learner, content=cell.content | changed)
