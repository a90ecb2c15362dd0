"""Rows of a source as their card describes them: names and codes, counts, ranges and content."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro.base.text import few
from quadrepro.base.types import FloatArray
from quadrepro.data import canonical
from quadrepro.data.canonical import ColumnValues, RawTable, is_missing, is_text, parse_numbers
from quadrepro.data.card import Card
from quadrepro.data.source import PART, Layout
from quadrepro.errors import DataError

if TYPE_CHECKING:
    from pandas import DataFrame, Series  # slow, and workers may need none

SHOWN = 4
"""The largest number of differences that a message names."""

SHOWN_NAMES = 8
"""The largest number of columns that a message names."""


def to_table(frame: DataFrame, layout: Layout, card: Card, origin: str) -> RawTable:
    """Return the rows of a source with the names and codes of the card.

    The index of the frame and its name, such as ``line``, are the place of a row in messages.
    """
    names = layout.columns or (*card.attribute_names, card.target.name)
    _check_width(frame, names, card, origin)
    columns: dict[str, ColumnValues] = {}
    for j, name in enumerate(names):
        column, renamed = frame.iloc[:, j], new_codes(layout, name)
        if name in card.nominal_names:
            columns[name] = codes_in(column, renamed)
        elif name:
            columns[name] = numbers_in(column, renamed, layout)
    taken = np.ones(len(frame), dtype=bool)
    if layout.rows is not None:
        first, last = layout.rows
        taken[: first - 1] = taken[last:] = False
    for name, codes in layout.only.items():
        taken &= np.isin(columns[name], codes)
    unlabelled = taken & is_missing(columns[card.target.name])
    if unlabelled.any() and not layout.drop_unlabelled:
        row = np.argmax(unlabelled)
        raise DataError(f"{origin}, {row_name(frame, row)}: the row has no label")
    taken &= ~unlabelled
    for j, name in enumerate(names):
        if not name or is_text(columns[name]):
            continue
        if (is_word := np.isinf(columns[name]) & taken).any():
            row = np.argmax(is_word)
            fault = f"{name} is {str(frame.iloc[row, j])!r}, which is not a finite number"
            raise DataError(f"{origin}, {row_name(frame, row)}: {fault}")
    target = columns.pop(card.target.name)
    table = RawTable(card.attributes, columns, target, places=frame.index.to_numpy())
    if layout.complete:
        taken &= ~table.missing.any(axis=1)
    return table if taken.all() else table.take(taken)


def new_codes(layout: Layout, name: str) -> dict[str, str]:
    """Return the new code of each code of a column that is missing or renamed in the card."""
    renamed = dict.fromkeys(layout.missing, "") | layout.codes.get(name, {})
    return dict(zip(canonical.nominal_column(renamed).tolist(), renamed.values(), strict=True))


def codes_in(column: Series, renamed: Mapping[str, str]) -> canonical.TextArray:
    """Return the codes of a column, with ``""`` for a missing one."""
    places, values = column.factorize()
    codes = [
        renamed.get(code, code) for code in canonical.nominal_column(values.astype(str)).tolist()
    ]
    # The place of a missing value is -1, the last text.
    column_of_codes: canonical.TextArray = canonical.text_column([*codes, ""])[places]
    return column_of_codes


def numbers_in(column: Series, renamed: Mapping[str, str], layout: Layout) -> FloatArray:
    """Return the numbers of a column: NaN where one is missing, infinity for any other text."""
    if column.dtype.kind == "f":
        values = canonical.numeric_column(column)
    else:
        column = column.astype("str")
        values = parse_numbers(column, layout.decimal, thousands=layout.thousands)
    changed = values.copy()
    news = parse_numbers(renamed.values())
    for code, old, new in zip(renamed, parse_numbers(renamed), news, strict=True):
        changed[values == old if np.isfinite(old) else column == code] = new
    return changed


def row_name(frame: DataFrame, row: int | np.intp) -> str:
    """Return a row as messages name it, such as ``line 2``."""
    is_test = PART in frame and frame[PART].iloc[row] == "test"
    return f"{frame.index.name} {frame.index[row]}{' of the test file' * is_test}"


def _check_width(frame: DataFrame, names: Sequence[str], card: Card, origin: str) -> None:
    if len(names) != frame.shape[1]:
        titles = [title for title in frame.columns if isinstance(title, str)]
        listed = f" ({few(titles, SHOWN_NAMES)})" if titles else ""
        raise DataError(
            f"{origin}: {frame.shape[1]} columns{listed}, but the card of {card.name} expects"
            f" {len(names)} ({few([name or 'left out' for name in names], SHOWN_NAMES)})"
        )


def verified(card: Card, table: RawTable, origin: str) -> RawTable:
    """Return rows that agree with their card, with the part that each belongs to."""
    if card.parts:
        part = np.full(table.n_rows, "", dtype=f"U{max(map(len, card.parts))}")
        for name, (first, last) in card.parts.items():
            part[first - 1 : last] = name
        table = dataclasses.replace(table, part=part)
    counts = counted(table)
    target, new = card.target, counts["target"]
    pairs: list[tuple[str, object, object]] = [
        ("attributes", len(card.attributes), len(table.attributes)),
        ("rows", card.rows, counts["rows"]),
        ("missing cells", card.missing_cells, counts["missing_cells"]),
        ("rows with missing cells", card.rows_with_missing, counts["rows_with_missing"]),
        ("labels", _listed(target.labels), _listed(new.get("labels", {})))
        if target.labels
        else ("target", extent(target.range), extent(new.get("range"))),
    ]
    for attribute in card.attributes:
        if attribute.range is not None and attribute.name in table.columns:
            range_ = extremes(table.columns[attribute.name])
            pairs.append((attribute.name, extent(attribute.range), extent(range_)))
    # If a count or a range differs, the hash differs as well.
    if all(old == new for _, old, new in pairs):
        pairs = [("content", card.content_hash, counts["content_hash"])]
    if different := [f"{name}: {new} instead of {old}" for name, old, new in pairs if new != old]:
        differences = few(different, SHOWN, "; ")
        raise DataError(f"{card.name}: {origin} differs from the card: {differences}")
    return table


def counted(table: RawTable) -> dict[str, Any]:
    """Return the fields of a card that are counted in its rows."""
    missing, target = table.missing, table.target
    return {
        "rows": table.n_rows,
        "missing_cells": int(missing.sum()),
        "rows_with_missing": int(missing.any(axis=1).sum()),
        "target": {"labels": table.label_counts}
        if is_text(target)
        else {"range": extremes(target)},
        "content_hash": canonical.content_hash(table),
    }


def _listed(labels: Mapping[str, int]) -> str:
    return ", ".join(f"{label} ({n})" for label, n in sorted(labels.items()))


def extremes(column: ColumnValues) -> tuple[float, float] | None:
    """Return the lowest and the highest number of a column, or None if it has no number."""
    seen = column[~is_missing(column)]
    return (float(seen.min()), float(seen.max())) if len(seen) else None


def extent(range_: tuple[float, float] | None) -> str:
    """Return a range in words."""
    if range_ is None:
        return "no value"
    # -0.0 + 0.0 is 0.0.
    low, high = range_[0] + 0.0, range_[1] + 0.0
    digits = 10 if f"{low:.10g}" != f"{high:.10g}" else 16
    return f"from {low:.{digits}g} to {high:.{digits}g}"
