"""Whether two results folders hold the same tables, measured times aside."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from quadrepro.report.manifest import MANIFEST, read_manifest
from quadrepro.report.table import ENDINGS, is_row

WRITTEN_BY_HAND = "notes.md"


@dataclass(frozen=True)
class Timed:
    """What in a file is measured time.

    Attributes
    ----------
    whole : bool
        Whether all of it is.
    rows, columns : frozenset of str
        Names of the rows and columns that are.
    """

    whole: bool = False
    rows: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()

    def __and__(self, other: Timed) -> Timed:
        """Return what is measured time according to both."""
        return Timed(
            self.whole and other.whole, self.rows & other.rows, self.columns & other.columns
        )


def differences(a: Path, b: Path) -> list[str]:
    """Return the first difference of each table.

    Measured times are left out if the ``tables.json`` of both folders calls them so. Without that
    file in both, nothing is left out.

    Parameters
    ----------
    a, b : Path
        Results folders of one experiment.

    Returns
    -------
    list of str
        One line per table that differs, with file, line and both sides; empty if all agree.

    Raises
    ------
    DataError
        If a ``tables.json`` is damaged.
    """
    names = sorted({p.name for folder in (a, b) for p in folder.iterdir() if _is_compared(p)})
    timed = [_timed(folder) for folder in (a, b)]
    found = []
    for name in names:
        sides = [folder / name for folder in (a, b)]
        lacking = [str(side) for side in sides if not side.is_file()]
        if lacking:
            found.append(f"{lacking[0]} is missing")
            continue
        left_out = timed[0].get(name, Timed()) & timed[1].get(name, Timed())
        if not left_out.whole:
            found += _first_difference(sides[0], sides[1], left_out)
    return found


def _is_compared(path: Path) -> bool:
    return path.name == MANIFEST or (path.suffix in ENDINGS and path.name != WRITTEN_BY_HAND)


def _timed(folder: Path) -> dict[str, Timed]:
    """Return what is measured time in each file of a folder, by the name of the file."""
    manifest = read_manifest(folder)
    if manifest is None:
        return {}
    return {
        manifest.cells.file: Timed(columns=frozenset(manifest.cells.timed_columns)),
        **{
            name: Timed(table.timed, frozenset(table.timed_rows))
            for table in manifest.tables.values()
            for name in table.files
        },
    }


def _first_difference(a: Path, b: Path, timed: Timed) -> list[str]:
    left, right = _lines(a, timed), _lines(b, timed)
    for number, (x, y) in enumerate(zip(left, right, strict=False), start=1):
        if x != y:
            return [f"{a}:{number}: {x!r}, but {b}: {y!r}"]
    if len(left) != len(right):
        return [f"{a} has {len(left)} lines, {b} has {len(right)}"]
    return []


def _lines(path: Path, timed: Timed) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    if timed.columns:
        header, *rows = csv.reader(lines)
        keep = [i for i, name in enumerate(header) if name not in timed.columns]
        return [",".join(row[i] for i in keep) for row in (header, *rows)]
    if not timed.rows:
        return lines
    return [
        "" if any(is_row(line, name, path.suffix) for name in timed.rows) else _unpadded(line)
        for line in lines
    ]


def _unpadded(line: str) -> str:
    """Return a line whose cells are no wider than need be: a long time widens its whole column."""
    return re.sub(r"-+", "-", line) if set(line) <= set("|:-") else re.sub(r" +", " ", line)
