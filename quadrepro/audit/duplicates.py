"""Rows or columns that are printed twice."""

from __future__ import annotations

from collections.abc import Iterator

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.subject import Subject
from quadrepro.papers.printed import Printed

FEWEST = 3
"""Fewer different numbers can be equal for no reason."""


def judge(subject: Subject) -> Found:
    """Compare every row with every other of its table, and so for columns."""
    return Found(tuple(finding for table in subject.tables for finding in _judged(table)))


def _judged(table: Printed) -> Iterator[Finding]:
    columns = table.columns
    rows = {row: [table.text(row, column) for column in columns] for row in table.rows}
    others = {column: [table.text(row, column) for row in table.rows] for column in columns}
    equal_rows, equal_columns = _equal(rows), _equal(others)
    for a, b in equal_rows:
        yield Finding(Place(table.name, a), ", ".join(rows[a]), False, f"row {b} has the same")
    for a, b in equal_columns:
        why = f"column {b} has the same"
        yield Finding(Place(table.name, "", a), ", ".join(others[a]), False, why)
    if not equal_rows and not equal_columns:
        printed = f"{len(rows)} rows and {len(columns)} columns"
        yield Finding(Place(table.name), printed, True, "no two are the same")


def _equal(lines: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return each line with the same numbers as one before it, and that one."""
    first: dict[tuple[str, ...], str] = {}
    found = []
    for name, texts in lines.items():
        if len(set(filter(None, texts))) >= FEWEST:
            other = first.setdefault(tuple(texts), name)
            found += [(name, other)] if other != name else []
    return found


DUPLICATES = Check("duplicates", "Is any row or column printed twice?", judge)
