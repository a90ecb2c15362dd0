"""Estimates of running times, learned from the cells that are done.

Nothing is known about an algorithm in advance. Cells of the same data set and algorithm take about
the same time in every repeat. For other data the time of an algorithm is scaled by the size of the
cell. Experiments do not tell of each other, for a name may stand for other settings there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from quadrepro.config.cell import Cell


@dataclass
class _Seen:
    """Total time, size and number of some cells."""

    seconds: float = 0.0
    size: float = 0.0
    count: int = 0

    def add(self, seconds: float, size: float) -> None:
        self.seconds += seconds
        self.size += size
        self.count += 1


@dataclass
class Estimates:
    """Estimates the running times of cells from those of finished cells.

    Attributes
    ----------
    version : int
        Raised by the first finished cell of a data set and algorithm.
    """

    version: int = 0
    _entries: dict[tuple[str, str, str], _Seen] = field(default_factory=lambda: defaultdict(_Seen))
    _columns: dict[tuple[str, str], _Seen] = field(default_factory=lambda: defaultdict(_Seen))
    _begun: set[str] = field(default_factory=set)
    _all: _Seen = field(default_factory=_Seen)

    def learn(self, cell: Cell, seconds: float) -> None:
        """Add the running time of a finished cell."""
        entry = self._entries[cell.experiment, cell.dataset, cell.algorithm]
        self.version += not entry.count
        self._begun.add(cell.experiment)
        for seen in (entry, self._columns[cell.experiment, cell.algorithm], self._all):
            seen.add(seconds, cell.size)

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimated time of a cell in seconds, None if its algorithm is unknown."""
        if entry := self._entries.get((cell.experiment, cell.dataset, cell.algorithm)):
            return entry.seconds / entry.count
        if column := self._columns.get((cell.experiment, cell.algorithm)):
            return column.seconds / column.size * cell.size
        return None

    def total(self, cells: Iterable[Cell], elapsed: float = 0.0) -> float | None:
        """Return the estimated time of all cells on one core in seconds, None if nothing is known.

        Cells of an unknown algorithm are scaled like those of all algorithms together. If others
        of their experiment are done, they were begun first and none has ended, so each takes at
        least the `elapsed` seconds of the run.
        """
        if not self._all.count:
            return None
        rate = self._all.seconds / self._all.size

        def seconds(cell: Cell) -> float:
            least = elapsed if cell.experiment in self._begun else 0.0
            found = self.seconds(cell)
            return max(rate * cell.size, least) if found is None else found

        return sum(map(seconds, cells))


def longest_first(cells: Iterable[Cell], estimates: Estimates) -> Iterator[Cell]:
    """Yield every cell once, each time the longest one left by the current estimates.

    Cells of unknown time come first, so that their algorithm becomes known. Experiments keep their
    order, so that the tables of the first are there early and few data are in memory.
    """

    def rank(cell: Cell) -> tuple[float, float]:
        found = estimates.seconds(cell)
        return (float("inf") if found is None else found, cell.size)

    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        rest = list(some)
        version = -1
        while rest:
            if version != estimates.version:
                version = estimates.version
                rest.sort(key=rank)
            yield rest.pop()
