"""A table, and how it is written: Markdown and CSV, and LaTeX on request."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Literal

from pylatexenc.latexencode import unicode_to_latex
from tabulate import tabulate

from quadrepro.base.files import write_text
from quadrepro.base.text import markdown

MISSING = "–"
"""Stands for an entry without a result."""

OUTSIDE = "†"
"""Marks an entry with a printed number outside our interval."""

DIGITS = 8
"""Significant digits of numbers in a CSV: few enough to be the same on every processor."""

RULES = (r"\toprule", r"\midrule", r"\bottomrule")
"""Rules of the LaTeX package booktabs, from above."""

Value = str | float | int | None
"""A field of a CSV; None is an empty one."""


@dataclass(frozen=True)
class Table:
    """A table for reading, and the same numbers in full."""

    title: str
    """Title of the table."""
    header: tuple[str, ...]
    """One title per column, including the column of row names."""
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    """Name and entries of each row; entries are Markdown, see `entry`."""
    notes: tuple[str, ...]
    """Paragraphs below the table, in Markdown."""
    data_header: tuple[str, ...] = ()
    data_rows: tuple[tuple[Value, ...], ...] = ()
    """The same with eight digits for the CSV, in which every number has a column of its own."""
    align: Literal["right", "left"] = "right"
    """Alignment of the entries; row names are aligned left."""
    timed_rows: tuple[str, ...] = ()
    """Names of the rows that hold measured times, in the table or in the CSV."""

    def to_markdown(self) -> str:
        """Return the table as GitHub Markdown."""
        parts = [f"## {markdown(self.title)}"]
        if self.rows:
            header = [_cell(title) for title in self.header]
            body = [[_cell(name), *entries] for name, entries in self.rows]
            align = ("left", *(self.align for _ in self.header[1:]))
            parts.append(tabulate(body, header, "pipe", colalign=align, disable_numparse=True))
        return "\n\n".join((*parts, *map(markdown, self.notes))) + "\n"

    def to_latex(self, label: str = "") -> str:
        r"""Return the table as a LaTeX ``table`` with caption and notes; it needs booktabs."""
        body = [[_latex(name), *map(_latex, entries)] for name, entries in self.rows]
        align = ("left", *(self.align for _ in self.header[1:]))
        text = tabulate(
            body,
            [*map(_latex, self.header)],
            "latex_raw",
            colalign=align,
            disable_numparse=True,
        )
        for rule in RULES:
            text = text.replace(r"\hline", rule, 1)
        name = rf"\label{{{re.sub('[^A-Za-z0-9:]+', '-', label)}}}" if label else ""
        notes = [rf"\par\smallskip\footnotesize {_latex(note)}" for note in self.notes]
        fitted = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
        return "\n".join(
            (
                r"% Requires \usepackage{booktabs,graphicx}",
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_latex(self.title)}}}{name}",
                *([fitted, f"{text}}}"] if self.rows else []),
                *notes,
                r"\end{table}",
                "",
            )
        )

    def to_csv(self) -> str:
        """Return the numbers with eight digits as CSV."""
        return csv_text(self.data_header, self.data_rows)

    def write(self, folder: Path, stem: str) -> None:
        """Write ``stem.md`` and ``stem.csv``."""
        write_text(folder / f"{stem}.md", self.to_markdown())
        write_text(folder / f"{stem}.csv", self.to_csv())


def entry(
    ours: str,
    printed: str = "",
    *,
    bold: bool = False,
    printed_bold: bool = False,
    outside: bool = False,
    mark: str = "",
) -> str:
    """Return an entry in Markdown: our number, and in parentheses the printed one.

    Parameters
    ----------
    ours, printed : str
        The numbers, rounded for reading.
    bold, printed_bold : bool, default False
        Whether each is the best of its row.
    outside : bool, default False
        Whether the printed number is outside our interval, which a dagger marks.
    mark : str, default ""
        Another sign after our number, which the notes of the table explain.

    Examples
    --------
    >>> entry("0.120", "0.131", bold=True, outside=True)
    '**0.120**† (0.131)'
    """
    ours, printed = _cell(ours), _cell(printed)
    text = f"**{ours}**" if bold else ours
    text += _cell(mark) + OUTSIDE * outside
    if printed:
        text += f" (**{printed}**)" if printed_bold else f" ({printed})"
    return text


def moments(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation, each None with too few values for it."""
    return fmean(values) if values else None, stdev(values) if len(values) > 1 else None


def mean_text(mean: float | None, sd: float | None, digits: int, sign: str = "-") -> str:
    """Return mean ± standard deviation, rounded for reading; a dash without a mean."""
    if mean is None:
        return MISSING
    spread = "" if sd is None else f" ± {sd:.{digits}f}"
    return f"{mean:{sign}.{digits}f}{spread}"


def _cell(text: str) -> str:
    """Return text for a cell of a Markdown table."""
    return markdown(text).replace("|", r"\|").replace("\n", " ")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Return CSV with LF line ends and numbers of `DIGITS` digits."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_rounded(value) for value in row] for row in rows)
    return buffer.getvalue()


def _rounded(value: Value) -> Value:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _latex(text: str) -> str:
    """Return Markdown of one line as LaTeX."""
    text = re.sub(r"\\([*_|`\\])", r"\1", text)
    found = ""
    # Every second part is bold.
    for i, part in enumerate(re.split(r"\*\*(.+?)\*\*", text)):
        plain = unicode_to_latex(part, unknown_char_policy="keep", unknown_char_warning=False)
        found += rf"\textbf{{{plain}}}" if i % 2 else plain
    return found
