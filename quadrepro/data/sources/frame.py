"""Rows as a source gives them, before they are canonical, and limits on their size."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    Column,
    RawTable,
    is_missing,
    nominal_column,
    number,
    numeric_column,
)
from quadrepro.data.card import Card
from quadrepro.data.sources.schema import Layout
from quadrepro.errors import ConfigError, DataError

BYTES, SECONDS = "QUADREPRO_MAX_BYTES", "QUADREPRO_MAX_SECONDS"
"""The environment variables that change the limits."""

_DEFAULTS = {BYTES: 512 * 2**20, SECONDS: 1800}


def limit(variable: str) -> int:
    """Return a limit.

    Parameters
    ----------
    variable : {"QUADREPRO_MAX_BYTES", "QUADREPRO_MAX_SECONDS"}
        Its environment variable. By default, a file may have 512 MiB and take half an hour.

    Raises
    ------
    ConfigError
        If the variable is set to anything but a positive whole number.
    """
    default = _DEFAULTS[variable]
    written = os.environ.get(variable, "") or str(default)
    if not (written.isdecimal() and len(written) < 16 and int(written)):
        raise ConfigError(f"{variable} must be a whole number such as {default}, not {written!r}")
    return int(written)


def refuse_bytes(n_bytes: int, what: str) -> None:
    """Refuse more bytes than are allowed.

    Parameters
    ----------
    n_bytes : int
        How many there are, or as many as were seen.
    what : str
        What the message starts with, such as ``a.zip: once unpacked, the file``.

    Raises
    ------
    DataError
        If there are too many. The message names the limit and how to raise it.
    """
    most = limit(BYTES)
    if n_bytes > most:
        raise DataError(f"{what} has more than {most:,} bytes; {BYTES} can allow more")


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A table as it is in its source.

    Attributes
    ----------
    columns : tuple of ndarray of shape (n_rows,)
        Text without surrounding blanks, or numbers with NaN for missing values.
    origin : str
        The source in words, for messages.
    names : tuple of str or None, default None
        The names of the columns in the source, or None if it has none.
    lines : sequence of int or None, default None
        The line on which each row ends, or None if the source is not a text file.
    """

    columns: tuple[Column, ...]
    origin: str
    names: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None

    def place(self, row: int) -> str:
        """Return the place of the row with a given index: its line, or else its number."""
        return f"line {self.lines[row]}" if self.lines is not None else f"row {row + 1}"


def below(frames: Sequence[Frame]) -> Frame:
    """Return the rows of several frames, one frame below the other.

    Raises
    ------
    DataError
        If the frames have different numbers of columns.
    """
    first = frames[0]
    for frame in frames[1:]:
        if len(frame.columns) != len(first.columns):
            raise DataError(
                f"{frame.origin} has {len(frame.columns)} columns, but"
                f" {first.origin} has {len(first.columns)}"
            )
    if len(frames) == 1:
        return first
    columns = tuple(map(_joined, zip(*(f.columns for f in frames), strict=True)))
    return Frame(columns, " + ".join(f.origin for f in frames), first.names)


def _joined(parts: Sequence[Column]) -> Column:
    """Return columns one below the other, as text if one of them is text."""
    mixed = len({part.dtype.kind for part in parts}) > 1
    joined: Column = np.concatenate([_texts(part) for part in parts] if mixed else parts)
    return joined


def to_table(frame: Frame, layout: Layout, card: Card) -> RawTable:
    """Return the rows of a frame with the names and codes of the card.

    Parameters
    ----------
    frame : Frame
        The table of the source.
    layout : Layout
        The columns of the source, and how it writes codes and missing values.
    card : Card
        The attributes and the target.

    Returns
    -------
    RawTable
        The rows in the order of the source, not yet compared with the card.

    Raises
    ------
    DataError
        If the number of columns is not that of the layout, a numeric column has a value that is
        not a finite number, or a row has no label.
    """
    wanted = (*card.attribute_names, card.target.name)
    held = layout.columns or wanted
    if len(held) != len(frame.columns):
        names = f" ({', '.join(_some(frame.names))})" if frame.names else ""
        raise DataError(
            f"{frame.origin}: {len(frame.columns)} columns{names}, but the card of {card.name}"
            f" expects {len(held)} ({', '.join(_some(held))})"
        )
    columns = {
        name: _codes(frame, j, layout, name)
        if name in card.nominal_names
        else _numbers(frame, j, layout, name)
        for j, name in enumerate(held)
        if name
    }
    taken = np.ones(len(frame.columns[0]), dtype=bool)
    if layout.rows is not None:
        first, last = layout.rows
        taken[: first - 1] = taken[last:] = False
    for name, codes in layout.only.items():
        taken &= np.isin(columns[name], codes)
    rows = np.flatnonzero(taken)
    columns = {name: column[rows] for name, column in columns.items()}
    target = columns.pop(card.target.name)
    unlabelled = is_missing(target)
    if unlabelled.any():
        place = frame.place(int(rows[np.argmax(unlabelled)]))
        raise DataError(f"{frame.origin}, {place}: the row has no label")
    table = RawTable(card.attributes, columns, target)
    return table.take(np.flatnonzero(~table.missing.any(axis=1))) if layout.complete else table


def _codes(frame: Frame, j: int, layout: Layout, name: str) -> NDArray[np.str_]:
    new = _renamed(layout, name)
    return nominal_column(new.get(text, text) for text in _texts(frame.columns[j]).tolist())


def _numbers(frame: Frame, j: int, layout: Layout, name: str) -> FloatArray:
    column, new = frame.columns[j], _renamed(layout, name)
    values = column
    if column.dtype.kind != "f" or any(number(text) for text in new if text):
        found = (number(new.get(text, text)) for text in _texts(column).tolist())
        values = np.array([math.inf if value is None else value for value in found])
    unfit = np.flatnonzero(np.isinf(values))
    if len(unfit):
        held = str(column[unfit[0]])
        raise DataError(
            f"{frame.origin}, {frame.place(int(unfit[0]))}: {name} is {held!r}, which is not a"
            " finite number"
        )
    return numeric_column(values)


def _renamed(layout: Layout, name: str) -> dict[str, str]:
    new = dict.fromkeys(layout.missing, "") | layout.codes.get(name, {})
    return dict(zip(nominal_column(new).tolist(), new.values(), strict=True))


def _texts(column: Column) -> NDArray[np.str_]:
    if column.dtype.kind == "f":
        column = np.where(np.isnan(column), "", column.astype(str))
    return nominal_column(column.tolist())


def _some(names: Sequence[str], at_most: int = 8) -> list[str]:
    shown = [name or "left out" for name in names]
    return shown if len(names) <= at_most else [*shown[:at_most], "..."]
