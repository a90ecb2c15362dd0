"""A typed table and its three renderings: Markdown, CSV and LaTeX.

A table knows what its cells say, not how they look; only this module knows the three syntaxes.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tabulate import tabulate

MISSING = "–"
"""Stands where a cell has no record."""

BEST = "◆"
"""Stands before the best of a row where bold says more than that."""


@dataclass(frozen=True)
class Entry:
    """One cell of a table: ours, and the printed number beside it.

    Attributes
    ----------
    ours : str
        Our number, rounded for reading.
    printed : str
        The paper's number; empty where it has none.
    bold, printed_bold : bool
        Whether each is the best of its row, or as good as that where the table says so.
    best, printed_best : bool
        Whether each is the best of its row, where bold says more than that: ◆ before it; in LaTeX
        a shaded cell and an underlined printed number.
    mark : str
        A sign after our number, explained in the table's notes.
    grey : bool
        Whether the entry repeats what another says.
    """

    ours: str
    printed: str = ""
    bold: bool = False
    printed_bold: bool = False
    mark: str = ""
    grey: bool = False
    best: bool = False
    printed_best: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of entries with a title and notes.

    Attributes
    ----------
    title : str
        What it shows.
    header : tuple of str
        One word a column, the row names' first.
    rows : tuple of (str, tuple of Entry)
        Row name and entries.
    notes : tuple of str
        What a reader must know, one sentence or more each.
    data_header, data_rows : tuple
        The same at full precision for CSV, where every number has a column of its own; empty for a
        table of words.
    align : {"right", "left"}
        How entries stand in their columns; row names stand left.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    notes: tuple[str, ...]
    data_header: tuple[str, ...] = ()
    data_rows: tuple[tuple[str | float | int, ...], ...] = ()
    align: Literal["right", "left"] = "right"

    def to_markdown(self) -> str:
        """Return the table as GitHub Markdown."""
        body = [[name, *(_markdown(e) for e in entries)] for name, entries in self.rows]
        text = tabulate(body, self.header, "pipe", colalign=self._alignment, disable_numparse=True)
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"## {self.title}\n\n{text}\n{notes}"

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``tabular`` with its notes as comments below."""
        body = [[_escaped(name), *(_latex(e) for e in entries)] for name, entries in self.rows]
        header = [_escaped(h) for h in self.header]
        text = tabulate(body, header, "latex_raw", colalign=self._alignment, disable_numparse=True)
        notes = "".join(f"% {note}\n" for note in self.notes)
        all_entries = [entry for _, entries in self.rows for entry in entries]
        needs = "% Needs the package xcolor.\n" if any(e.grey for e in all_entries) else ""
        if any(e.best for e in all_entries):
            needs += "% Needs the package xcolor with the option table.\n"
        return f"% {self.title}\n{needs}{text}\n{notes}"

    @property
    def _alignment(self) -> tuple[str, ...]:
        return ("left", *(self.align for _ in self.header[1:]))

    def to_csv(self) -> str:
        """Return the numbers at full precision as CSV."""
        return csv_text(self.data_header, self.data_rows)

    def write(self, folder: Path, stem: str) -> None:
        """Write ``stem.md``, ``stem.tex`` and ``stem.csv``."""
        write_text(folder / f"{stem}.md", self.to_markdown())
        write_text(folder / f"{stem}.tex", self.to_latex())
        write_text(folder / f"{stem}.csv", self.to_csv())


def csv_text(header: tuple[str, ...], rows: tuple[tuple[str | float | int, ...], ...]) -> str:
    """Return CSV with LF line ends; numbers in their shortest exact form."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8 with LF line ends, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _markdown(entry: Entry) -> str:
    ours = f"**{entry.ours}**" if entry.bold else entry.ours
    printed = f"**{entry.printed}**" if entry.printed_bold else entry.printed
    ours = f"{BEST} {ours}" if entry.best else ours
    printed = f"{BEST} {printed}" if entry.printed_best else printed
    text = f"{ours}{entry.mark} ({printed})" if printed else f"{ours}{entry.mark}"
    return f"_{text}_" if entry.grey else text


def _latex(entry: Entry) -> str:
    ours = rf"\textbf{{{_escaped(entry.ours)}}}" if entry.bold else _escaped(entry.ours)
    printed = _escaped(entry.printed)
    if entry.printed_bold:
        printed = rf"\textbf{{{printed}}}"
    if entry.printed_best:
        printed = rf"\underline{{{printed}}}"
    mark = f"${entry.mark}$".replace("†", r"^\dagger").replace("*", r"^\ast") if entry.mark else ""
    text = f"{ours}{mark} ({printed})" if printed else f"{ours}{mark}"
    if entry.best:
        text = rf"\cellcolor{{gray!25}}{text}"
    return rf"\textcolor{{gray}}{{{text}}}" if entry.grey else text


_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "$": r"\$",
        "±": r"$\pm$",
        "∞": r"$\infty$",
        "–": "--",
    }
)


def _escaped(text: str) -> str:
    return text.translate(_LATEX)
