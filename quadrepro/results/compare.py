"""Whether two results folders, or two folders of them, hold the same results.

Words, counts and everything that a decision shows in must be the same; other numbers agree within a
tolerance. Measured times, the names of records and what the cells were computed with may differ.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from quadrepro.base.files import is_regular, read_text
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.folder import (
    MANIFEST,
    NOTES,
    RUN,
    Folder,
    read_folder,
    read_run,
    results_folders,
)
from quadrepro.tables.table import ENDINGS, LABEL

TOLERANCE = 1e-6
"""Relative difference of numbers that are not counts, by default."""

MOST_SHOWN = 2_000
"""Characters of a line that differs that a message has."""

SAME_RUN = {"experiment", "config", "seed", "data"}
"""Keys of ``run.json`` that must be equal."""

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass
class FolderComparison:
    """The compared files and their differences."""

    compared: dict[str, int] = field(default_factory=dict)
    """Number of files by experiment."""
    differences: list[str] = field(default_factory=list)
    """The first difference of each file, with file, line and both sides."""


@dataclass(frozen=True)
class Measured:
    """What in a file may differ: every number, or those of some rows and columns."""

    whole: bool = False
    rows: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()

    def __and__(self, other: Measured) -> Measured:
        """Return what may differ according to both."""
        return Measured(
            self.whole and other.whole, self.rows & other.rows, self.columns & other.columns
        )


def compare(a: Path, b: Path, tolerance: float = TOLERANCE) -> FolderComparison:
    """Compare two results folders of one experiment, or two folders of these.

    Every file of a table, a figure and ``cells.csv`` must be in both. Measured
    times may differ where the ``tables.json`` of both folders calls them so.
    """
    found = FolderComparison()
    ours, theirs = _experiments(a), _experiments(b)
    if ("" in ours) != ("" in theirs):
        one, many = (a, b) if "" in ours else (b, a)
        raise ConfigError(f"{one} holds one experiment, but {many} holds several")
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            found.differences.append(f"{(b if name in ours else a) / name} is missing")
            continue
        sides = read_folder(ours[name]), read_folder(theirs[name])
        files = _differences(*sides, tolerance)
        found.compared[name or a.name] = len(files)
        found.differences += [text for text in files.values() if text]
    return found


def _experiments(folder: Path) -> dict[str, Path]:
    """Return the results folders in a folder by name, or the folder itself as the empty name."""
    if is_regular(folder / MANIFEST):
        return {"": folder}
    inside = {inner.name: inner for inner in results_folders(folder)}
    if not inside:
        raise ConfigError(
            f"{folder} holds no results: neither it nor a folder in it has a {MANIFEST}"
        )
    return inside


def _differences(a: Folder, b: Folder, tolerance: float) -> dict[str, str]:
    """Return the first difference of each file, or an empty text."""
    names = {p.name for folder in (a, b) for p in folder.path.iterdir() if _is_compared(p)}
    may_differ = _measured(a), _measured(b)
    found = {}
    for name in sorted(names.union(a.manifest.files, b.manifest.files)):
        sides = a.path / name, b.path / name
        if lacking := [side for side in sides if not is_regular(side)]:
            there = os.path.lexists(lacking[0])
            found[name] = f"{lacking[0]} is {'not a regular file' if there else 'missing'}"
        elif empty := [side for side in sides if not side.stat().st_size]:
            found[name] = f"{empty[0]} is empty"
        else:
            left_out = may_differ[0].get(name, Measured()) & may_differ[1].get(name, Measured())
            found[name] = _first_difference(*sides, left_out, tolerance)
    return found


def _is_compared(path: Path) -> bool:
    if path.name == NOTES:
        return False
    return path.name in (MANIFEST, RUN) or path.suffix in ENDINGS


def _measured(folder: Folder) -> dict[str, Measured]:
    """Return what may differ in each file of a folder, by the name of the file."""
    cells = folder.manifest.cells
    return {
        cells.file: Measured(columns=frozenset(cells.timed_columns)),
        **{
            name: Measured(table.timed, frozenset(table.timed_rows))
            for table in folder.manifest.tables.values()
            for name in table.files
        },
    }


def _first_difference(a: Path, b: Path, measured: Measured, tolerance: float) -> str:
    if a.suffix not in (*ENDINGS, ".json"):
        return ""  # The numbers of a figure are in the CSV of the same name.
    try:
        left, right = (
            _run_lines(path) if path.name == RUN else _lines(path, measured) for path in (a, b)
        )
    except (DataError, ValueError, csv.Error) as error:
        return f"{a} or {b} cannot be read: {error}"
    for number, (x, y) in enumerate(zip_longest(left, right), start=1):
        if x is None or y is None:
            return f"{a if x is None else b} ends before line {number}"
        rounded = a.suffix == ".md"
        if x != y and not _agree(x, y, tolerance, rounded):
            return f"{a}:{number}: {x[:MOST_SHOWN]!r}, but {b}: {y[:MOST_SHOWN]!r}"
    return ""


def _run_lines(path: Path) -> list[str]:
    run = read_run(path).model_dump(include=SAME_RUN)
    return [f"{name}: {json.dumps(value, sort_keys=True)}" for name, value in run.items()]


def _lines(path: Path, measured: Measured) -> list[str]:
    """Return the lines of a file, with a sign in place of each number that may differ."""
    text = read_text(path)
    if path.suffix == ".csv" and measured.columns:
        return list(_rows(text, measured.columns))
    lines = [line for line in text.splitlines() if not line.startswith(LABEL)]
    timed = measured.rows
    while lines and not lines[-1]:
        lines.pop()
    return [
        _masked(_unpadded(line))
        if measured.whole or (timed and row_start(line, path.suffix) in timed)
        else _unpadded(line)
        if path.suffix != ".csv"
        else line
        for line in lines
    ]


def row_start(line: str, ending: str) -> str | None:
    """Return the first cell of a line; None if the line is not a row."""
    if ending == ".csv":
        return (next(csv.reader([line]), None) or [""])[0]
    end = re.search(r"(?<!\\)\|", line[2:])
    return line[2:][: end.start()].rstrip(" ") if end and line.startswith("| ") else None


def _rows(text: str, columns: frozenset[str]) -> Iterator[str]:
    header, *rows = csv.reader(text.splitlines())
    yield json.dumps(header)
    for row in rows:
        named = zip_longest(header, row, fillvalue="")
        yield json.dumps([_masked(value) if name in columns else value for name, value in named])


def _masked(text: str) -> str:
    return _unpadded(_NUMBER.sub("#", text))


def _unpadded(line: str) -> str:
    """Return a line whose cells are no wider than need be: a long time widens its whole column."""
    return re.sub(r"-+", "-", line) if set(line) <= set("|:-") else re.sub(r" +", " ", line)


def _agree(x: str, y: str, tolerance: float, rounded: bool) -> bool:
    """Return whether two lines differ by no more than the tolerance in their decimal numbers."""
    if _NUMBER.split(x) != _NUMBER.split(y):
        return False
    pairs = zip(_NUMBER.findall(x), _NUMBER.findall(y), strict=True)
    return all(p == q or _close(p, q, tolerance, rounded) for p, q in pairs)


def _close(p: str, q: str, tolerance: float, rounded: bool) -> bool:
    if not ("." in p or "e" in p.lower()) and not ("." in q or "e" in q.lower()):
        return False  # A count.
    step = 0.0
    if rounded and tolerance:
        step = 1.000001 * 10.0 ** -min(len(n.partition(".")[2]) for n in (p, q))
    return math.isclose(float(p), float(q), rel_tol=tolerance, abs_tol=step)
