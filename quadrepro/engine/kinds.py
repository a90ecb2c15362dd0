"""Kinds: what cells have in common that take about the same time."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quadrepro.config.cell import Cell, Shared

SIZED = ("split", "sample")
"""What of a protocol the size of a cell says already."""

LONGEST_NAME = 100


@dataclass(frozen=True)
class Kind:
    """What tells how long a cell takes.

    Attributes
    ----------
    learner : str
        Class of the learner, and those of its settings that are words.
    how : str
        Hash of the settings, the shape of the grid and the protocol.
    exact : str
        Hash of these, of the view and of the split.
    size : float
        As in `quadrepro.config.cell.Cell`.
    """

    learner: str
    how: str
    exact: str
    size: float


def kind_of(content: Mapping[str, Any], size: float) -> Kind:
    """Return the kind of a cell with some content, or raise KeyError if that is no cell's."""
    settings, protocol = content["settings"], content["protocol"]
    learner = " ".join((content["algorithm"], *_words(settings)))[:LONGEST_NAME]
    rest = {name: value for name, value in protocol.items() if name not in SIZED}
    # By their values, grids that are drawn for every repeat would all differ.
    how = _hash((content["algorithm"], settings, rest, _shape(content.get("grid", ()))))
    return Kind(learner, how, _hash((how, content["view"], protocol)), size)


class Kinds:
    """The kinds of cells; what cells share is looked at once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Shared, float] | str, Kind] = {}

    def __call__(self, cell: Cell) -> Kind:
        """Return the kind of a cell."""
        drawn = "grid" in cell.own
        place = cell.key if drawn else (cell.shared, cell.size)
        if place not in self._found:
            fields = cell.shared.fields | cell.own if drawn else cell.shared.fields
            self._found[place] = kind_of(fields, cell.size)
        return self._found[place]


def _words(value: Any) -> Iterator[str]:
    """Yield the texts in nested settings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _words(part)


def _shape(axes: Any) -> Any:
    """Return the name, length and order of magnitude of every axis of one or several grids."""
    if axes and not isinstance(axes[0][0], str):
        return [_shape(grid) for grid in axes]
    return [(name, len(values), _magnitude(values)) for name, values in axes]


def _magnitude(values: Sequence[Any]) -> int | None:
    numbers = [v for v in values if isinstance(v, (int, float)) and v > 0]
    return round(math.log10(max(numbers))) if numbers else None


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
