"""Rows of a source as their card describes them: names and codes, counts, ranges and content."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.data.canonical import (
    Column,
    RawTable,
    TextArray,
    codes_of,
    content_hash,
    is_missing,
    is_text,
    nominal_column,
    number,
    numbers,
    numeric_column,
    sort_rows,
)
from quadrepro.data.card import Attribute, Card
from quadrepro.data.source import Layout
from quadrepro.errors import DataError

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = 4
"""The largest number of different attributes that a message names."""

SHOWN_NAMES = 8
"""The largest number of columns that a message names."""


def to_table(frame: DataFrame, layout: Layout, card: Card, origin: str) -> RawTable:
    """Return the rows of a source with the names and codes of the card.

    The index of the frame and its name, such as ``line``, are the place of a row in messages.
    """
    names = layout.columns or (*card.attribute_names, card.target.name)
    _check_width(frame, names, card, origin)
    columns: dict[str, Column] = {}
    for j, name in enumerate(names):
        column, renamed = frame.iloc[:, j].to_numpy(), _renamed(layout, name)
        if name in card.nominal_names:
            columns[name] = _codes(column, renamed)
        elif name:
            columns[name] = _numbers(column, renamed, layout)
            for row in np.flatnonzero(np.isinf(columns[name])).tolist():
                what = f"{name} is {str(column[row])!r}, which is not a finite number"
                raise DataError(f"{_place(frame, row, origin)}: {what}")
    taken = _taken_rows(len(frame), layout, columns)
    target = columns.pop(card.target.name)
    unlabelled = taken & is_missing(target)
    if unlabelled.any() and not layout.drop_unlabelled:
        row = int(np.argmax(unlabelled))
        raise DataError(f"{_place(frame, row, origin)}: the row has no label")
    taken &= ~unlabelled
    table = RawTable(card.attributes, columns, target)
    if layout.complete:
        taken &= ~table.missing.any(axis=1)
    return table if taken.all() else table.take(taken)


def _check_width(frame: DataFrame, names: tuple[str, ...], card: Card, origin: str) -> None:
    if len(names) != frame.shape[1]:
        found = [label for label in frame.columns if isinstance(label, str)]
        of_file = f" ({_some(found)})" if found else ""
        raise DataError(
            f"{origin}: {frame.shape[1]} columns{of_file}, but the card of {card.name} expects"
            f" {len(names)} ({_some([name or 'left out' for name in names])})"
        )


def _some(names: list[str]) -> str:
    return ", ".join(names if len(names) <= SHOWN_NAMES else [*names[:SHOWN_NAMES], "..."])


def _renamed(layout: Layout, name: str) -> dict[str, str]:
    """Return the new code of each code of a column that has another one in the card."""
    new = dict.fromkeys(layout.missing, "") | layout.codes.get(name, {})
    return dict(zip(nominal_column(new).tolist(), new.values(), strict=True))


def _codes(column: Column, renamed: dict[str, str]) -> TextArray:
    return nominal_column(renamed.get(text, text) for text in codes_of(column).tolist())


def _numbers(column: Column, renamed: dict[str, str], layout: Layout) -> FloatArray:
    """Return the numbers of a column, infinity for what is not a number."""
    if is_text(column) or any(number(text) for text in renamed if text):
        texts = (renamed.get(text, text) for text in codes_of(column).tolist())
        return numbers(texts, layout.decimal, thousands=layout.thousands)
    return numeric_column(column)


def _taken_rows(n_rows: int, layout: Layout, columns: Mapping[str, Column]) -> BoolArray:
    taken = np.ones(n_rows, dtype=bool)
    if layout.rows is not None:
        first, last = layout.rows
        taken[: first - 1] = taken[last:] = False
    for name, codes in layout.only.items():
        taken &= np.isin(columns[name], codes)
    return taken


def _place(frame: DataFrame, row: int, origin: str) -> str:
    return f"{origin}, {frame.index.name} {frame.index[row]}"


def verified(card: Card, table: RawTable, origin: str) -> RawTable:
    """Compare rows with their card, and return them in canonical order."""
    table = divide(card, table)
    refuse_other_content(card, table, origin)
    return dataclasses.replace(sort_rows(table), attributes=card.attributes)


def divide(card: Card, table: RawTable) -> RawTable:
    """Return rows with the part of the data set that each belongs to."""
    if not card.parts:
        return table
    sizes = [last - first + 1 for first, last in card.parts.values()]
    part = np.repeat([*card.parts], sizes)[: table.n_rows]
    if len(part) < table.n_rows:
        part = np.append(part, np.full(table.n_rows - len(part), ""))
    return dataclasses.replace(table, part=part)


@dataclasses.dataclass(frozen=True)
class CardCheck:
    """The comparison of one property of the rows with the card."""

    what: str
    expected: str
    problem: str = ""  # empty if the rows agree with the card


def checks(card: Card, table: RawTable) -> Iterator[CardCheck]:
    """Compare rows with their card."""
    missing = table.missing
    kinds = [f"{a.name} ({a.kind})" for a in card.attributes]
    found_kinds = [f"{a.name} ({a.kind})" for a in table.attributes]
    yield CardCheck(
        "attributes",
        _numbered(len(kinds), "attribute"),
        "" if kinds == found_kinds else _first_difference(kinds, found_kinds),
    )
    yield _same("rows", _numbered(card.rows, "row"), _numbered(table.n_rows, "row"))
    yield _same(
        "missing cells",
        f"{_numbered(card.missing_cells, 'missing cell')} in"
        f" {_numbered(card.rows_with_missing, 'row')}",
        f"{_numbered(int(missing.sum()), 'missing cell')} in"
        f" {_numbered(int(missing.any(axis=1).sum()), 'row')}",
    )
    if card.task == "classification":
        yield _same("labels", _counts(card.target.labels), _counts(table.label_counts))
    else:
        yield _same("target", extent(card.target.range), extent(_range(table.target)))
    stated = [a for a in card.attributes if a.range is not None or a.codes is not None]
    if stated and kinds == found_kinds:
        different = [p for a in stated if (p := _other_values(a, table.columns[a.name]))]
        more = f", and {len(different) - SHOWN} more" if len(different) > SHOWN else ""
        yield CardCheck(
            "ranges and codes",
            f"stated for {_numbered(len(stated), 'attribute')}",
            ", ".join(different[:SHOWN]) + more,
        )
    found = content_hash(table)
    yield CardCheck(
        "content",
        card.content_hash,
        "" if found == card.content_hash else f"content {found} instead of {card.content_hash}",
    )


def refuse_other_content(card: Card, table: RawTable, origin: str) -> None:
    """Refuse rows that differ from their card."""
    problems: list[str] = []
    for check in checks(card, table):
        # If a count differs, the hash differs as well.
        if check.problem and not (check.what == "content" and problems):
            problems.append(check.problem)
    if problems:
        raise DataError(f"{card.name}: {origin} differs from the card: {'; '.join(problems)}")


def _same(what: str, expected: str, found: str) -> CardCheck:
    return CardCheck(what, expected, "" if expected == found else f"{found} instead of {expected}")


def _numbered(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _counts(labels: Mapping[str, int]) -> str:
    return f"labels {', '.join(f'{label} ({n})' for label, n in sorted(labels.items()))}"


def _first_difference(expected: list[str], found: list[str]) -> str:
    if len(expected) != len(found):
        return f"{_numbered(len(found), 'attribute')} instead of {len(expected)}"
    right, other = next(pair for pair in zip(expected, found, strict=True) if pair[0] != pair[1])
    return f"attribute {other} instead of {right}"


def _range(column: Column) -> tuple[float, float] | None:
    seen = column[~is_missing(column)]
    return (float(seen.min()), float(seen.max())) if len(seen) else None


def extent(range_: tuple[float, float] | None) -> str:
    """Return a range in words."""
    return f"from {range_[0]:.10g} to {range_[1]:.10g}" if range_ else "no value"


def _other_values(attribute: Attribute, column: Column) -> str:
    if attribute.range is not None:
        found = _range(column)
        if found == attribute.range:
            return ""
        return f"{attribute.name} {extent(found)} instead of {extent(attribute.range)}"
    codes, stated = set(column.tolist()) - {""}, set(attribute.codes or ())
    unknown, lacking = sorted(codes - stated), sorted(stated - codes)
    if unknown:
        return f"{attribute.name} with the unknown code {unknown[0]}"
    return f"{attribute.name} without the code {lacking[0]}" if lacking else ""
