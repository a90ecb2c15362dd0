"""A table and its entries: values, which `quadrepro.tables.render` writes in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from statistics import fmean, stdev
from typing import Literal

CsvField = str | float | int | None
"""A field of a CSV; None is an empty one."""


@dataclass(frozen=True)
class Entry:
    """A place in a table.

    Attributes
    ----------
    value : float, str or None
        Our number or a word; None is a missing number.
    spread : float, optional
        Its standard deviation.
    printed, printed_spread : str
        The printed number and its spread with all printed digits, in the unit of the table; empty
        if nothing is printed.
    bold, printed_bold : bool
        Whether each is the best of its row.
    mark : str
        A sign after our number, which the notes of the table explain.
    outside, spread_outside : bool
        Whether the printed number and its spread are outside our intervals.
    digits : int
        Decimals of our number and its spread.
    percent : bool
        Whether a share is shown in percent.
    signed : bool
        Whether positive numbers have a sign.

    Examples
    --------
    >>> from quadrepro.tables.render import entry_text
    >>> entry_text(Entry(0.12, printed="0.131", bold=True, outside=True))
    '**0.120** (0.131†)'
    """

    value: float | str | None = None
    spread: float | None = None
    printed: str = ""
    printed_spread: str = ""
    bold: bool = False
    printed_bold: bool = False
    mark: str = ""
    outside: bool = False
    spread_outside: bool = False
    digits: int = 3
    percent: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """A table to read, and the same numbers in full."""

    title: str
    """Title of the table."""
    header: tuple[str, ...]
    """One title per column, including the column of row names."""
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    """Name and entries of each row."""
    notes: tuple[str, ...] = ()
    """Paragraphs below the table, as plain text."""
    data_header: tuple[str, ...] = ()
    data_rows: tuple[tuple[CsvField, ...], ...] = ()
    """The same for the CSV, in which every number has a column of its own; shares are fractions."""
    align: Literal["right", "left"] = "right"
    """Alignment of the entries; row names are aligned left."""
    timed_rows: tuple[str, ...] = ()
    """Names of the rows that hold measured times, in the table or in the CSV."""


def words(texts: Iterable[str]) -> tuple[Entry, ...]:
    """Return entries of words."""
    return tuple(map(Entry, texts))


def moments(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation, each None with too few values for it."""
    return fmean(values) if values else None, stdev(values) if len(values) > 1 else None


def decimals(values: Iterable[float | None], digits: int = 4) -> int:
    """Return the number of decimals that shows the largest value with some significant digits.

    Examples
    --------
    >>> decimals([0.1234, 0.05]), decimals([1131.02, 3.4]), decimals([])
    (4, 0, 4)
    """
    sizes = [abs(x) for x in values if x is not None and isfinite(x) and x]
    if not sizes:
        return digits
    return min(12, max(0, digits - 1 - floor(log10(max(sizes)))))


def listed(items: Sequence[str]) -> str:
    """Return items in a list such as "a, b and c"; with semicolons if they have commas.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if any("," in item for item in items):
        return "; ".join(items)
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last
