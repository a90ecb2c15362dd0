"""Rows of a source as their card describes them: names and codes, counts, ranges and content."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    Column,
    Frame,
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
    text_column,
)
from quadrepro.data.card import Attribute, Card
from quadrepro.data.sources.schema import Layout
from quadrepro.errors import DataError

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = 4
"""The largest number of different attributes that a message names."""


def _as_frame(frame: Frame | DataFrame, origin: str) -> Frame:
    if isinstance(frame, Frame):
        return frame
    columns = []
    for j in range(frame.shape[1]):
        held = frame.iloc[:, j]
        columns.append(held.to_numpy() if held.dtype.kind == "f" else text_column(held))
    names = tuple(map(str, frame.columns))
    named = None if frame.columns.dtype.kind == "i" else names
    lines = [*frame.index] if frame.index.name == "line" else None
    return Frame(tuple(columns), origin, named, lines)


def to_table(frame: Frame | DataFrame, layout: Layout, card: Card, origin: str = "") -> RawTable:
    """Return the rows of a frame with the names and codes of the card."""
    frame = _as_frame(frame, origin)
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
    unlabelled = taken & is_missing(columns[card.target.name])
    if unlabelled.any() and not layout.drop_unlabelled:
        place = frame.place(int(np.argmax(unlabelled)))
        raise DataError(f"{frame.origin}, {place}: the row has no label")
    rows = np.flatnonzero(taken & ~unlabelled)
    columns = {name: column[rows] for name, column in columns.items()}
    target = columns.pop(card.target.name)
    table = RawTable(card.attributes, columns, target)
    return table.take(np.flatnonzero(~table.missing.any(axis=1))) if layout.complete else table


def _codes(frame: Frame, j: int, layout: Layout, name: str) -> TextArray:
    new = _renamed(layout, name)
    return nominal_column(new.get(text, text) for text in codes_of(frame.columns[j]).tolist())


def _numbers(frame: Frame, j: int, layout: Layout, name: str) -> FloatArray:
    column, new = frame.columns[j], _renamed(layout, name)
    values = column
    if is_text(column) or any(number(text) for text in new if text):
        texts = (new.get(text, text) for text in codes_of(column).tolist())
        values = numbers(texts, layout.decimal, thousands=layout.thousands)
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
