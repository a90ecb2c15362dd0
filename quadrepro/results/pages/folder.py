"""What a page is made of: the files of a results folder, read and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from quadrepro.base.files import is_regular, read_bytes
from quadrepro.config.config import MAX_CELLS
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.files import CELLS, SCORE
from quadrepro.results.manifest import MANIFEST, Manifest, read_manifest
from quadrepro.tables.table import read_rows
from quadrepro.tables.verdicts import DATA_HEADER as VERDICTS_HEADER
from quadrepro.tables.verdicts import NAME as VERDICTS
from quadrepro.tables.verdicts import SCORE_HEADER, Verdict

CLAIMS_HEADER = ("claim", "timed", "ours", "holds", "printed", "holds in print")
"""Columns of ``claims.csv``."""

CELLS_READ = ("dataset", "algorithm", "repeat", "status", "errors", "n_test", "value", "chosen")
"""Columns that ``cells.csv`` must have; the others may be absent."""

Place = tuple[str, str]
Read = TypeVar("Read")


@dataclass(frozen=True)
class Split:
    """One cell: what a data set's algorithm came to on one split.

    Attributes
    ----------
    repeat : str
        Number of the split.
    status : str
        ``"ok"``, or how the cell ended without a result.
    value : float or None
        The error rate, or the RMSE if numbers are predicted; None without a result.
    errors, n_test : int or None
        Wrong test examples of how many; None if numbers are predicted.
    chosen : dict
        The hyper-parameters that were chosen.
    seconds : float or None
        How long it took.
    key, reason : str
        The key of its record, and why it has no result.
    """

    repeat: str
    status: str
    value: float | None
    errors: int | None
    n_test: int | None
    chosen: dict[str, Any]
    seconds: float | None
    key: str
    reason: str


@dataclass(frozen=True)
class Folder:
    """A results folder.

    Attributes
    ----------
    path : Path
        Where it is.
    manifest : Manifest
        What its ``tables.json`` says.
    """

    path: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return str(self.run.get("experiment") or self.path.resolve().name)

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return str(self.settings.get("title") or self.name)

    @cached_property
    def run(self) -> dict[str, Any]:
        """What ``run.json`` says; empty without one."""
        text = self.text("run.json")
        try:
            run = json.loads(text) if text else {}
        except (ValueError, RecursionError) as error:
            raise DataError(f"{self.path / 'run.json'}: {error}") from None
        if not isinstance(run, dict):
            raise DataError(f"{self.path / 'run.json'}: not a mapping")
        return run

    @property
    def settings(self) -> dict[str, Any]:
        """The config as ``run.json`` keeps it."""
        found = self.run.get("config")
        return found if isinstance(found, dict) else {}

    @property
    def titles(self) -> dict[str, str]:
        """Titles of columns by name, as far as ``run.json`` has them."""
        found = self.run.get("titles")
        return {k: str(v) for k, v in found.items()} if isinstance(found, dict) else {}

    @property
    def paper(self) -> str:
        """What the config calls its paper; empty without one."""
        return str(self.settings.get("paper") or "")

    @cached_property
    def cells(self) -> dict[Place, list[Split]]:
        """The splits of every entry, by data set and algorithm."""
        found: dict[Place, list[Split]] = {}
        for row, split in self._rows(CELLS, CELLS_READ, _split):
            found.setdefault((row["dataset"], row["algorithm"]), []).append(split)
        # The main table has an entry for each pair, also where the file has no cell.
        rows, columns = (len({place[i] for place in found}) for i in (0, 1))
        if rows * columns > MAX_CELLS:
            raise DataError(
                f"{self.path / CELLS}: a table of {rows:,} rows and {columns:,} columns is too "
                f"large: at most {MAX_CELLS:,} entries"
            )
        return found

    @cached_property
    def published(self) -> dict[Place, str]:
        """What is printed in place of an entry, as ``cells.csv`` shows it."""
        rows = self._rows(CELLS, CELLS_READ, lambda row: row.get("published") or "")
        return {(row["dataset"], row["algorithm"]): text for row, text in rows if text}

    @cached_property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """The verdict on every printed number, with the name of the printed table."""
        rows = self._rows(f"{VERDICTS}.csv", VERDICTS_HEADER, _verdict)
        return [(row["printed table"], verdict) for row, verdict in rows]

    @cached_property
    def score(self) -> list[dict[str, str]]:
        """What is said of each printed table as a whole: the rows of ``score.csv``."""
        return [row for row, _ in self._rows(SCORE, SCORE_HEADER, _check_score)]

    @cached_property
    def claims(self) -> list[dict[str, str]]:
        """The rows of ``claims.csv``."""
        return [row for row, _ in self._rows("claims.csv", CLAIMS_HEADER, lambda row: None)]

    def check(self) -> None:
        """Read all files but notes, tables and figures."""
        for name in ("run", "cells", "published", "verdicts", "score", "claims"):
            getattr(self, name)

    def text(self, name: str) -> str:
        """Return what a file of the folder holds; empty if there is none, or not in the folder."""
        return self.content(name).decode("utf-8", errors="replace")

    def content(self, name: str) -> bytes:
        """Return the bytes of a file of the folder, as `text` does."""
        # A manifest of a stranger must not bring other files into a page.
        if Path(name).name != name or not is_regular(self.path / name):
            return b""
        return read_bytes(self.path / name)

    def _rows(
        self, name: str, columns: tuple[str, ...], read: Callable[[dict[str, str]], Read]
    ) -> Iterator[tuple[dict[str, str], Read]]:
        """Yield the rows of a CSV, each with what a function reads of it."""
        path = self.path / name
        if not is_regular(path):
            return
        for i, (line, row) in enumerate(read_rows(path, columns)):
            if i == MAX_CELLS:
                raise DataError(f"{path}:{line}: at most {MAX_CELLS:,} rows are read")
            try:
                yield row, read(row)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path}:{line}: {error}") from None


def read_folder(path: Path) -> Folder:
    """Return a results folder."""
    manifest = read_manifest(path)
    if manifest is None:
        raise ConfigError(f"{path} is not a results folder: it has no {MANIFEST}")
    return Folder(path, manifest)


def _split(row: dict[str, str]) -> Split:
    ok = row["status"] == "ok"
    chosen = json.loads(row["chosen"]) if row["chosen"] else {}
    return Split(
        row["repeat"],
        row["status"],
        float(row["value"]) if ok else None,
        int(row["errors"]) if ok and row["errors"] else None,
        int(row["n_test"]) if ok and row["errors"] else None,
        chosen if isinstance(chosen, dict) else {},
        _number(row.get("seconds", "")),
        row.get("key", ""),
        row.get("reason", ""),
    )


def _verdict(row: dict[str, str]) -> Verdict:
    float(row["printed"])
    ours, low, high, p_value = (_number(row[name]) for name in ("ours", "low", "high", "p"))
    if p_value is not None and None in (ours, low, high):
        raise ValueError("a verdict needs our number and its interval")
    place = row["dataset"], row["algorithm"], row["quantity"], row["printed"]
    return Verdict(*place, ours, low, high, p_value, row["reason"])


def _check_score(row: dict[str, str]) -> None:
    for name in ("numbers", "inside", "outside", "not comparable"):
        int(row[name])
    for name in ("expected outside", "low", "high", "p more", "p fewer"):
        _number(row[name])


def _number(text: str) -> float | None:
    number = float(text) if text else None
    if number is not None and not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number
