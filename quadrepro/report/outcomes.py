"""Records by row, column and repeat: what all tables are functions of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quadrepro.config.cell import Cell
from quadrepro.engine.records import Record


@dataclass(frozen=True)
class Outcomes:
    """The records of an experiment in the shape of its table.

    Attributes
    ----------
    rows, columns : tuple of str
        Data sets and algorithms in the config's order.
    repeats : int
        Number of splits.
    records : dict of (row, column, repeat) to Record
        Every cell's record; status "missing" where there is none.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    repeats: int
    records: dict[tuple[str, str, int], Record]

    @classmethod
    def of(cls, cells: Sequence[Cell], records: Sequence[Record]) -> Outcomes:
        """Arrange the records of a plan's cells."""
        return cls(
            tuple(dict.fromkeys(c.dataset for c in cells)),
            tuple(dict.fromkeys(c.algorithm for c in cells)),
            1 + max(c.repeat for c in cells),
            {(c.dataset, c.algorithm, c.repeat): r for c, r in zip(cells, records, strict=True)},
        )

    def cell(self, row: str, column: str) -> list[Record]:
        """Return the records of one entry of the table, one a repeat."""
        return [self.records[row, column, r] for r in range(self.repeats)]

    def complete(self, row: str, column: str) -> bool:
        """Whether every repeat of an entry was computed."""
        return all(record.ok for record in self.cell(row, column))

    def risks(self, row: str, column: str) -> list[float]:
        """Return the risks of an entry, one a repeat that was computed; RMSEs of a regression."""
        return [record.value for record in self.cell(row, column) if record.ok]

    def regression(self, row: str) -> bool:
        """Whether numbers are predicted in a row."""
        records = (self.records[row, c, r] for c in self.columns for r in range(self.repeats))
        return any(record.rmse is not None for record in records)

    def mean_risk(self, row: str, column: str) -> float | None:
        """Return the mean risk of an entry, or None unless every repeat was computed."""
        if not self.complete(row, column):
            return None
        risks = self.risks(row, column)
        return sum(risks) / len(risks)

    def mean_seconds(self, column: str) -> float | None:
        """Return an algorithm's mean running time, or None where nothing was computed."""
        times = [
            record.seconds for row in self.rows for record in self.cell(row, column) if record.ok
        ]
        return sum(times) / len(times) if times else None
