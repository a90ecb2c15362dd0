"""Cells of which only what estimates and progress need is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
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
    n_candidates: int
    protocol: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(folds=0), compare=False
    )
    learner: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(kernels=()), compare=False
    )


def with_settings(algorithm: str, n_candidates: int = 1, **settings: Any) -> Cell:
    """Return a cell of an algorithm with some settings."""
    shared = Shared({"algorithm": algorithm, "settings": settings})
    stub = Stub(algorithm, "any", algorithm, 1.0, 0, "table1", shared, n_candidates)
    return cast(Cell, stub)


def cell(
    dataset: str,
    algorithm: str,
    size: float = 1.0,
    repeat: int = 0,
    of: str = "table1",
    n_candidates: int = 1,
) -> Cell:
    """Return a cell; its time is in proportion to the root of its size."""
    shared = _shared.setdefault(algorithm, Shared({"algorithm": algorithm, "settings": {}}))
    key = f"{of}-{dataset}-{algorithm}-{size}-{repeat}"
    return cast(Cell, Stub(key, dataset, algorithm, size, repeat, of, shared, n_candidates))


def with_kernels(*names: str) -> Cell:
    """Return a cell whose learner has compiled loops."""
    return cast(
        Cell, replace(cast(Stub, cell("wine", "ada")), learner=SimpleNamespace(kernels=names))
    )
