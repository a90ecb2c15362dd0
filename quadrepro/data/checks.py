"""Comparing rows with their card: every count, range and code, and the content itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from quadrepro.data.canonical import Column, RawTable, content_hash, is_missing
from quadrepro.data.card import Attribute, Card
from quadrepro.errors import DataError

SHOWN = 4
"""The largest number of different attributes that a message names."""


@dataclasses.dataclass(frozen=True)
class Check:
    """The comparison of one property of the rows with the card.

    Attributes
    ----------
    what : str
        The property, such as ``rows``.
    expected : str
        Its value in the card.
    problem : str, default ""
        How the rows differ from the card; empty if they agree.
    """

    what: str
    expected: str
    problem: str = ""


def divide(card: Card, table: RawTable) -> RawTable:
    """Return rows with the part of the data set that each belongs to."""
    if not card.parts:
        return table
    sizes = [last - first + 1 for first, last in card.parts.values()]
    part = np.repeat([*card.parts], sizes)[: table.n_rows]
    if len(part) < table.n_rows:
        part = np.append(part, np.full(table.n_rows - len(part), ""))
    return dataclasses.replace(table, part=part)


def checks(card: Card, table: RawTable) -> Iterator[Check]:
    """Compare rows with their card."""
    missing = table.missing
    kinds = [f"{a.name} ({a.kind})" for a in card.attributes]
    found_kinds = [f"{a.name} ({a.kind})" for a in table.attributes]
    yield Check(
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
        yield Check(
            "ranges and codes",
            f"stated for {_numbered(len(stated), 'attribute')}",
            ", ".join(different[:SHOWN]) + more,
        )
    found = content_hash(table)
    yield Check(
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


def _same(what: str, expected: str, found: str) -> Check:
    return Check(what, expected, "" if expected == found else f"{found} instead of {expected}")


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
