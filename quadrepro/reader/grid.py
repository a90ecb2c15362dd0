"""A table as it is printed: a grid of texts, before any of them has a role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_COLUMNS, MOST_PLACES = 2_000, 400_000
"""Limits of a table; larger files are data, not tables."""


class Text(NamedTuple):
    """The text of a place in a table."""

    text: str = ""
    bold: bool = False


@dataclass
class Grid:
    """A table of texts."""

    rows: list[list[Text]]
    """Rows of equal length, the lines of names first."""
    lines: list[int] = field(default_factory=list)
    """The line, or the number, of each row in the file."""
    around: list[str] = field(default_factory=list)
    """Titles, captions and comments."""

    @classmethod
    def of_texts(cls, rows: Iterable[Iterable[object]], around: Iterable[str] = ()) -> Grid:
        """Return a grid of texts that are not bold, with numbered rows."""
        texts = [[Text(str(text).strip()) for text in row] for row in rows]
        return cls(texts, [*range(1, len(texts) + 1)], [*around])

    def squared(self) -> Grid:
        """Return the grid without empty rows and columns; raise ValueError for uneven rows."""
        kept = [i for i, row in enumerate(self.rows) if any(cell.text for cell in row)]
        rows, lines = [self.rows[i] for i in kept], [self.lines[i] for i in kept]
        width = max(map(len, rows), default=0)
        if width > MOST_COLUMNS or width * len(rows) > MOST_PLACES:
            raise ValueError(
                f"{len(rows):,} rows of {width:,} fields are too many for a table of scores; "
                f"at most {MOST_COLUMNS:,} columns and {MOST_PLACES:,} places are read"
            )
        for row, line in zip(rows, lines, strict=True):
            if len(row) != width:
                raise ValueError(f"line {line} has {len(row)} fields, other lines have {width}")
        columns = [j for j in range(width) if any(row[j].text for row in rows)]
        return Grid([[row[j] for j in columns] for row in rows], lines, self.around)
