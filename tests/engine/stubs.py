"""Cells of which only a kind and a key are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from quadrepro.core.cell import Cell, Shared

_shared: dict[str, Shared] = {}


@dataclass(frozen=True)
class Stub:
    """What estimates and progress know of a cell."""

    key: str
    dataset: str
    algorithm: str
    size: float
    repeat: int
    experiment: str
    shared: Shared
    own: dict[str, Any] = field(default_factory=dict)


def content(algorithm: str, **settings: Any) -> dict[str, Any]:
    """Return the content that cells of an algorithm share."""
    return {
        "algorithm": algorithm,
        "settings": settings,
        "view": {},
        "protocol": {"folds": 5, "split": "half"},
        "grid": (("n_rounds", (10,)),),
    }


def cell(
    dataset: str, algorithm: str, size: float = 1.0, repeat: int = 0, of: str = "table1"
) -> Cell:
    """Return a cell; the size stands for the data set."""
    shared = _shared.setdefault(algorithm, Shared(content(algorithm)))
    key = f"{of}-{dataset}-{algorithm}-{size}-{repeat}"
    return cast(Cell, Stub(key, dataset, algorithm, size, repeat, of, shared))
