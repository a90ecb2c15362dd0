"""The entries of the main table: our splits, the printed number, its verdict, and the rank."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any

from quadrepro.results.folder import CellRow, Folder, Place
from quadrepro.tables.table import MISSING
from quadrepro.tables.verdicts import Verdict

RATE, PERCENT, RMSE = "risk", "error in percent", "RMSE"
"""Quantities of verdicts that the main table shows; others, such as margins, have their own."""

RMSE_DIGITS = 4
"""Significant digits of a mean RMSE."""

DECIMALS = 12
"""Most decimals of an RMSE, however small it is."""

BUCKETS = {-2: "below", -1: "low", 0: "middle", 1: "high", 2: "above"}
"""Where a printed number lies: outside, or in which part of our interval."""

MARKS = {-2: "▼", 2: "▲"}
"""Marks of the printed numbers that are outside."""


@dataclass(frozen=True)
class GridEntry:
    """An entry of the main table."""

    row: str
    """Data set."""
    column: str
    """Algorithm."""
    cells: tuple[CellRow, ...]
    """Ours, one per split."""
    percent: bool
    """Whether errors are shown in percent."""
    printed: str = ""
    """The printed number; empty without one."""
    verdict: Verdict | None = None
    rank: int = 0
    """1 for the lowest mean of the row; 0 without a result."""

    @property
    def values(self) -> list[float]:
        """Our numbers in the unit that is shown."""
        return [self._scale * cell.value for cell in self.cells if cell.value is not None]

    @property
    def _scale(self) -> int:
        return 100 if self.percent and self.counted else 1

    @property
    def counted(self) -> bool:
        """Whether the numbers are error rates."""
        return all(cell.errors is not None for cell in self.cells if cell.value is not None)

    @property
    def unit(self) -> str:
        """The quantity that is shown."""
        return RMSE if not self.counted else PERCENT if self.percent else RATE

    @property
    def mean(self) -> float | None:
        """The mean of our splits; that of error rates is exact, as in the tables."""
        done = [cell for cell in self.cells if cell.value is not None]
        if not self.counted or not done:
            return fmean(self.values) if done else None
        rates = sum(Fraction(cell.errors or 0, cell.n_test or 1) for cell in done)
        return float(self._scale * rates / len(done))

    @property
    def text(self) -> str:
        """Our mean, rounded for reading."""
        return self._text(self.mean)

    @property
    def spread(self) -> str:
        """The standard deviation of our splits; empty for a single one."""
        values = self.values
        if len(values) < 2 or not all(map(math.isfinite, values)):
            return ""
        return self._text(stdev(values))

    @property
    def lacking(self) -> int:
        """The number of splits without a result."""
        return len(self.cells) - len(self.values)

    @property
    def bucket(self) -> int | None:
        """A key of `BUCKETS`; None if the printed number cannot be judged."""
        verdict = self.verdict
        if verdict is None or verdict.p_value is None or verdict.position is None:
            return None
        if verdict.word == "outside":
            return 2 if verdict.position > 0 else -2
        return 0 if abs(verdict.position) <= 0.5 else 1 if verdict.position > 0 else -1

    @property
    def place(self) -> str:
        """What `bucket` says in words."""
        words = {
            -2: "outside, below our interval",
            -1: "inside, in the lower part of our interval",
            0: "inside, near the middle of our interval",
            1: "inside, in the upper part of our interval",
            2: "outside, above our interval",
        }
        return words[self.bucket] if self.bucket is not None else ""

    def _text(self, value: float | None) -> str:
        if value is None:
            return MISSING
        return f"{value:.{self._decimals}f}"

    @property
    def _decimals(self) -> int:
        if self.counted:
            return 2 if self.percent else 3
        of_print = len(self.printed.partition(".")[2])
        mean = abs(self.mean or 0.0)
        if not mean or not math.isfinite(mean):
            return of_print
        return min(DECIMALS, max(of_print, RMSE_DIGITS - 1 - math.floor(math.log10(mean))))


@dataclass(frozen=True)
class ResultGrid:
    """The main table."""

    rows: tuple[str, ...]
    """Data sets."""
    columns: dict[str, str]
    """Title of each algorithm by its name."""
    entries: dict[Place, GridEntry]
    """By row and column; a row may lack columns."""

    @property
    def judged(self) -> bool:
        """Whether some printed number is judged."""
        return any(entry.bucket is not None for entry in self.entries.values())

    @property
    def printed(self) -> bool:
        """Whether some entry has a printed number."""
        return any(entry.printed for entry in self.entries.values())

    @property
    def units(self) -> set[str]:
        """The quantities that are shown."""
        return {entry.unit for entry in self.entries.values()}

    @property
    def n_splits(self) -> int:
        """The largest number of splits of an entry."""
        return max((len(entry.cells) for entry in self.entries.values()), default=0)


def make_grid(folder: Folder) -> ResultGrid:
    """Return the main table of a results folder."""
    rows = tuple(dict.fromkeys(row for row, _ in folder.cells))
    names = dict.fromkeys(column for _, column in folder.cells)
    percent = any(v.quantity == PERCENT for _, v in folder.verdicts)
    quantities = (PERCENT if percent else RATE, RMSE)
    shown = {(v.row, v.column): v for _, v in reversed(folder.verdicts) if v.quantity in quantities}
    entries = {}
    for (row, column), cells in folder.cells.items():
        verdict = shown.get((row, column))
        printed = verdict.printed if verdict else ""
        entries[row, column] = GridEntry(row, column, tuple(cells), percent, printed, verdict)
    for row in rows:
        of_row = [entries[row, name] for name in names if (row, name) in entries]
        entries |= {(row, entry.column): entry for entry in _ranked(of_row)}
    return ResultGrid(rows, {name: folder.run.titles.get(name, name) for name in names}, entries)


def _ranked(of_row: list[GridEntry]) -> list[GridEntry]:
    """Return the entries of a row with their ranks."""
    # Eight digits, as in the tables: sums of one value in another order are not another value.
    means = [None if e.mean is None else float(f"{e.mean:.8g}") for e in of_row]
    known = sorted(mean for mean in means if mean is not None)
    return [
        entry if mean is None else replace(entry, rank=1 + bisect_left(known, mean))
        for entry, mean in zip(of_row, means, strict=True)
    ]


def dialogs(grid: ResultGrid, commands: dict[Place, str]) -> dict[str, Any]:
    """Return what the script of a page needs to open an entry, as JSON."""
    chosen: dict[str, int] = {}
    cells = [
        _dialog(entry, chosen) | {"column": grid.columns[entry.column], "command": commands[place]}
        for place, entry in grid.entries.items()
    ]
    return {"cells": cells, "chosen": [json.loads(text) for text in chosen]}


def _dialog(entry: GridEntry, chosen: dict[str, int]) -> dict[str, Any]:
    """Return what an entry shows; what is empty is left out, and what is chosen is numbered."""
    found = [cell for cell in entry.cells if cell.value is not None]
    sizes = [cell.n_test for cell in found]
    seconds = [cell.seconds for cell in found if cell.seconds is not None]
    verdict = entry.verdict
    shown = {
        "row": entry.row,
        "unit": entry.unit,
        "mean": entry.text,
        "sd": entry.spread,
        "printed": entry.printed,
        "place": entry.place,
        "low": _short(verdict.low if verdict else None),
        "high": _short(verdict.high if verdict else None),
        "p": _short(verdict.p_value if verdict else None),
        "why": verdict.reason if verdict else "",
        "values": [_short(value) for value in entry.values],
        "errors": [cell.errors for cell in found] if entry.counted else [],
        "tests": [] if not entry.counted else sizes[:1] if len(set(sizes)) == 1 else sizes,
        "chosen": [_numbered(cell.chosen, chosen) for cell in found],
        "repeats": _few([cell.repeat for cell in found]),
        "seconds": _short(fmean(seconds) if seconds else None),
        "failed": [_failure(cell) for cell in entry.cells if cell.value is None],
    }
    return {name: value for name, value in shown.items() if value not in ("", None, [])}


def _numbered(values: dict[str, Any], known: dict[str, int]) -> int:
    return known.setdefault(json.dumps(values, sort_keys=True), len(known))


def _failure(cell: CellRow) -> str:
    return f"{cell.repeat}: {cell.status}{', ' if cell.reason else ''}{cell.reason}"


def _few(repeats: list[str]) -> list[str]:
    """Return the numbers of splits, or nothing if they simply count up from 0."""
    return [] if repeats == [str(i) for i in range(len(repeats))] else repeats


def _short(value: float | None) -> float | None:
    """Return a number with few digits, which is all that a page shows; None if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.5g}")
