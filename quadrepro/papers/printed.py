"""Printed tables: one CSV file each, with one row per data set and one column per number."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from quadrepro.base.files import read_bytes
from quadrepro.errors import ConfigError, DataError

TIME_ROW = "mean_running_time_s"
"""The row of a printed table that holds mean running times in seconds."""

MEAN_ROW = "column_mean"
"""The row of a printed table that holds the mean of each column."""

MEAN, SD = "_mean", "_sd"
"""Endings of the columns of an algorithm if its mean and its standard deviation are printed."""

NUMBER = re.compile(r"[-+]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})")
"""A printed number; more digits than a float holds are none that somebody has measured."""

MAX_BYTES, MAX_ROWS, MAX_COLUMNS = 2 * 2**20, 10_000, 1_000
"""Size of the largest file that is read, and of the largest table."""

Holds = Literal["risks", "errors", "margins", "comparisons"]
"""Contents of a printed table.

- "risks": test risks between 0 and 1, in one column per algorithm;
- "errors": mean and standard deviation of test errors in percent, or of RMSEs;
- "margins": mean and standard deviation of training margins;
- "comparisons": tests of each row's algorithm against each column's.
"""


class PrintedEntry(Protocol):
    """A row of ours, with the names that a printed row can have."""

    @property
    def printed(self) -> str:
        """Name of its printed row, or an empty text."""

    @property
    def title(self) -> str:
        """Name of the row."""

    @property
    def name(self) -> str:
        """Name of the data set."""


def half_a_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    Examples
    --------
    >>> half_a_unit("0.123"), half_a_unit("12")
    (0.0005, 0.5)
    """
    return float(0.5 * 10.0 ** -len(printed.partition(".")[2]))


@dataclass(frozen=True)
class Printed:
    """A printed table."""

    name: str
    """Name of the file without ending; empty for a table without numbers."""
    columns: tuple[str, ...]
    """Columns in the printed order, without that of the row names."""
    cells: dict[tuple[str, str], str]
    """The printed text of a row and column, digit for digit."""
    holds: Holds = "risks"
    """Kind of the numbers."""
    splits: int | None = None
    """Number of splits behind a printed mean and deviation; None if it is not known."""
    path: Path = Path()
    """The file."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each row in the file."""

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Row names in the printed order, without those of running times and column means."""
        summaries = (TIME_ROW, MEAN_ROW)
        return tuple(dict.fromkeys(row for row, _ in self.cells if row not in summaries))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithms in the printed order."""
        if self.holds in ("errors", "margins"):
            names = (column.removesuffix(MEAN).removesuffix(SD) for column in self.columns)
            return tuple(dict.fromkeys(names))
        return self.columns

    def text(self, row: str, column: str) -> str:
        """Return what is printed, or an empty text if nothing is."""
        return self.cells.get((row, column), "")

    def number(self, row: str, column: str) -> float | None:
        """Return the printed number, or None if there is none."""
        text = self.text(row, column)
        return float(text) if text else None

    def spread(self, row: str, mean: str, sd: str) -> str:
        """Return a printed mean ± standard deviation, or the mean alone if it has no deviation."""
        texts = self.text(row, mean), self.text(row, sd)
        return " ± ".join(filter(None, texts)) if texts[0] else ""

    def rounding(self, row: str, column: str) -> float:
        """Return half a unit of the last printed digit."""
        return half_a_unit(self.text(row, column))

    def row_of(self, entry: PrintedEntry) -> str | None:
        """Return the printed row of a row of ours, or None if there is none.

        It is the first that is printed of the entry's `printed`, its title and its name.
        """
        names = (entry.printed, entry.title, entry.name)
        return next((name for name in names if name in self.rows), None)

    def under(self, entries: Iterable[PrintedEntry]) -> Printed:
        """Return the table with each printed row under the title of ours that it belongs to.

        Printed rows that belong to none keep their names.
        """
        sources = {entry.title: self.row_of(entry) for entry in entries}
        taken = {*sources, *sources.values()}
        rest = [row for row in (*self.rows, TIME_ROW, MEAN_ROW) if row not in taken]
        cells = {
            (title, column): self.text(row, column)
            for title, row in (*sources.items(), *((row, row) for row in rest))
            for column in self.columns
            if row is not None
        }
        return replace(self, cells=cells)


NOTHING = Printed("", (), {})
"""A printed table without numbers, for a config that names none."""


def read_printed(path: Path, holds: Holds | None = None, splits: int | None = None) -> Printed:
    """Read and check a printed table."""
    if not path.resolve().is_relative_to(path.parent.parent.resolve()):
        raise ConfigError(f"{path}: leads to {path.resolve()}, which is not in the paper's folder")
    try:
        text = read_bytes(path.resolve(), MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except DataError as error:
        raise ConfigError(str(error)) from None
    lines = [(i, fields) for i, fields in _lines(path, text) if any(map(str.strip, fields))]
    if len(lines) < 2:
        raise ConfigError(f"{path}:1:1: a printed table has a line of column names and rows below")
    (top, header), *rows = lines
    for found, most, what in ((rows, MAX_ROWS, "rows"), (header, MAX_COLUMNS, "columns")):
        if len(found) > most:
            raise ConfigError(f"{path}: the table has {len(found):,} {what}: at most {most:,}")
    columns = [name.strip() for name in header]
    for i, name in enumerate(columns):
        if i and not name:
            raise ConfigError(f"{_place(path, top, header, i)}: the column has no name")
        if name in columns[:i]:
            raise ConfigError(f"{_place(path, top, header, i)}: duplicate column {name!r}")
        if name.endswith(SD) and name.removesuffix(SD) + MEAN not in columns:
            message = f"{name!r} is a deviation without its mean, {name.removesuffix(SD) + MEAN!r}"
            raise ConfigError(f"{_place(path, top, header, i)}: {message}")
    cells: dict[tuple[str, str], str] = {}
    at: dict[str, int] = {}
    for line, fields in rows:
        row, *texts = _checked(path, line, fields, header, at)
        at[row] = line
        cells |= {(row, c): text for c, text in zip(columns[1:], texts, strict=True)}
    if holds is None:
        holds = "errors" if any(column.endswith(MEAN) for column in columns) else "risks"
    return Printed(path.stem, tuple(columns[1:]), cells, holds, splits, path, at)


def _lines(path: Path, text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        return [(reader.line_num, fields) for fields in reader]
    except csv.Error as error:
        raise ConfigError(f"{path}:{reader.line_num}:1: not valid CSV: {error}") from None


def _checked(
    path: Path, line: int, fields: list[str], header: list[str], above: dict[str, int]
) -> list[str]:
    """Return the fields of a row without spaces around them, or refuse the row."""
    if len(fields) != len(header):
        message = f"the line has {len(fields)} fields, and the first line has {len(header)}"
        place = _place(path, line, fields, min(len(fields), len(header)) - 1)
        raise ConfigError(f"{place}: {message}")
    row, *texts = (text.strip() for text in fields)
    if not row:
        raise ConfigError(f"{path}:{line}:1: the row has no name")
    if row in above:
        message = f"duplicate row {row!r}, first on line {above[row]}"
        raise ConfigError(f"{path}:{line}:1: {message}")
    for i, text in enumerate(texts, start=1):
        if text and not NUMBER.fullmatch(text):
            message = f"{text!r} is not a number such as 0.035; leave out what is not printed"
            raise ConfigError(f"{_place(path, line, fields, i)}: {message}")
    return [row, *texts]


def _place(path: Path, line: int, fields: list[str], i: int) -> str:
    """Return ``file:line:column`` of a field; one with a comma or quotes is quoted."""
    widths = (len(f) + 2 * (not {",", '"'}.isdisjoint(f)) + f.count('"') for f in fields[:i])
    return f"{path}:{line}:{sum(widths) + i + 1}"
