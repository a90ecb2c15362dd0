"""Whether two results folders hold the same tables, measured times aside."""

from __future__ import annotations

import csv
from pathlib import Path

from quadrepro.papers.printed import TIME_ROW
from quadrepro.report.kinds.risks import TIME_LABEL
from quadrepro.report.kinds.times import FILES as TIMES

TIMED = (TIME_LABEL, TIME_ROW, "(measured time)")
"""A line with one of these holds measured times."""

ALL_TIMED = (TIMES,)
"""Tables of these names hold nothing else; they need only be there."""

TABLE_ENDINGS = (".md", ".csv", ".tex")
WRITTEN_BY_HAND = "notes.md"


def differences(a: Path, b: Path) -> list[str]:
    """Return the first difference of each table, one line a table.

    Parameters
    ----------
    a, b : Path
        Results folders of one experiment.

    Returns
    -------
    list of str
        File, line, and both sides; empty where all agree.
    """
    names = sorted({p.name for folder in (a, b) for p in folder.iterdir() if _is_table(p)})
    found = []
    for name in names:
        sides = [folder / name for folder in (a, b)]
        lacking = [str(side) for side in sides if not side.is_file()]
        if lacking:
            found.append(f"{lacking[0]} is missing")
        elif sides[0].stem not in ALL_TIMED:
            found += _first_difference(*sides)
    return found


def _is_table(path: Path) -> bool:
    return path.suffix in TABLE_ENDINGS and path.name != WRITTEN_BY_HAND


def _first_difference(a: Path, b: Path) -> list[str]:
    left, right = _lines(a), _lines(b)
    for number, (x, y) in enumerate(zip(left, right, strict=False), start=1):
        if x != y:
            return [f"{a}:{number}: {x!r}, but {b}: {y!r}"]
    if len(left) != len(right):
        return [f"{a} has {len(left)} lines, {b} has {len(right)}"]
    return []


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.name == "cells.csv":
        header, *rows = csv.reader(text.splitlines())
        keep = [i for i, name in enumerate(header) if name != "seconds"]
        return [",".join(row[i] for i in keep) for row in (header, *rows)]
    if path.name == "claims.csv":
        header, *rows = csv.reader(text.splitlines())
        timed = header.index("timed")
        return ["" if row[timed] == "true" else ",".join(row) for row in (header, *rows)]
    return ["" if any(mark in line for mark in TIMED) else line for line in text.splitlines()]
