"""Rows as a source gives them, before they are canonical, and limits on their size."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    Frame,
    RawTable,
    _texts,
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
    """Return a limit."""
    default = _DEFAULTS[variable]
    written = os.environ.get(variable, "") or str(default)
    if not (written.isdecimal() and len(written) < 16 and int(written)):
        raise ConfigError(f"{variable} must be a whole number such as {default}, not {written!r}")
    return int(written)


def refuse_bytes(n_bytes: int, what: str) -> None:
    """Refuse more bytes than are allowed."""
    most = limit(BYTES)
    if n_bytes > most:
        raise DataError(f"{what} has more than {most:,} bytes; {BYTES} can allow more")


def to_table(frame: Frame, layout: Layout, card: Card) -> RawTable:
    """Return the rows of a frame with the names and codes of the card."""
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


def _some(names: Sequence[str], at_most: int = 8) -> list[str]:
    shown = [name or "left out" for name in names]
    return shown if len(names) <= at_most else [*shown[:at_most], "..."]
