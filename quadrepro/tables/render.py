"""A table of entries, and how it is written: Markdown, LaTeX, CSV, and in a terminal.

Names and notes are plain text. Each format escapes them, so that no name changes the layout.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, isnan, log10
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Literal

from tabulate import tabulate

from quadrepro.base.files import write_text
from quadrepro.base.text import scaled, visible

if TYPE_CHECKING:
    from rich.console import RenderableType

CsvField = str | float | int | None
"""A field of a CSV; None is an empty one."""


@dataclass(frozen=True)
class Entry:
    """A place in a table.

    Attributes
    ----------
    value : float, str or None
        Our number or a word; None is a missing number.
    spread : float, optional
        Its standard deviation.
    printed, printed_spread : str
        The printed number and its spread with all printed digits, in the unit of the table; empty
        if nothing is printed.
    bold, printed_bold : bool
        Whether each is the best of its row.
    mark : str
        A sign after our number, which the notes of the table explain.
    outside, spread_outside : bool
        Whether the printed number and its spread are outside our intervals.
    digits : int
        Decimals of our number and its spread.
    percent : bool
        Whether a share is shown in percent.
    signed : bool
        Whether positive numbers have a sign.

    Examples
    --------
    >>> entry_text(Entry(0.12, printed="0.131", bold=True, outside=True))
    '**0.120** (0.131†)'
    """

    value: float | str | None = None
    spread: float | None = None
    printed: str = ""
    printed_spread: str = ""
    bold: bool = False
    printed_bold: bool = False
    mark: str = ""
    outside: bool = False
    spread_outside: bool = False
    digits: int = 3
    percent: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """A table to read, and the same numbers in full."""

    title: str
    """Title of the table."""
    header: tuple[str, ...]
    """One title per column, including the column of row names."""
    rows: tuple[tuple[str, tuple[Entry, ...]], ...]
    """Name and entries of each row."""
    notes: tuple[str, ...] = ()
    """Paragraphs below the table, as plain text."""
    data_header: tuple[str, ...] = ()
    data_rows: tuple[tuple[CsvField, ...], ...] = ()
    """The same for the CSV, in which every number has a column of its own; shares are fractions."""
    align: Literal["right", "left"] = "right"
    """Alignment of the entries; row names are aligned left."""
    timed_rows: tuple[str, ...] = ()
    """Names of the rows that hold measured times, in the table or in the CSV."""


def words(texts: Iterable[str]) -> tuple[Entry, ...]:
    """Return entries of words."""
    return tuple(map(Entry, texts))


def moments(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation, each None with too few values for it."""
    return fmean(values) if values else None, stdev(values) if len(values) > 1 else None


def decimals(values: Iterable[float | None], digits: int = 4) -> int:
    """Return the number of decimals that shows the largest value with some significant digits.

    Examples
    --------
    >>> decimals([0.1234, 0.05]), decimals([1131.02, 3.4]), decimals([])
    (4, 0, 4)
    """
    sizes = [abs(x) for x in values if x is not None and isfinite(x) and x]
    if not sizes:
        return digits
    return min(12, max(0, digits - 1 - floor(log10(max(sizes)))))


def listed(items: Sequence[str]) -> str:
    """Return items in a list such as "a, b and c"; with semicolons if they have commas.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if any("," in item for item in items):
        return "; ".join(items)
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


MISSING = "–"
"""An entry without a result."""

OUTSIDE = "†"
"""Marks a printed number outside our interval."""

MINUS = "−"
"""The sign of negative numbers to read; a CSV has hyphens."""

DIGITS = 8
"""Significant digits of numbers in a CSV: few enough to be the same on every processor."""

RULES = (r"\toprule", r"\midrule", r"\bottomrule")
"""Rules of the LaTeX package booktabs, from above."""

PIPED = 100
"""Width without a terminal."""


def number_text(value: float, digits: int, *, percent: bool = False, signed: bool = False) -> str:
    """Return a number for reading; zero has no sign.

    Examples
    --------
    >>> number_text(-0.0314, 2, percent=True), number_text(0.5, 2, signed=True)
    ('−3.14', '+0.50')
    """
    text = f"{100 * value if percent else value:{'+' if signed else '-'}z.{digits}f}"
    if not float(text):
        text = text.removeprefix("+")
    return text.replace("-", MINUS)


def significant(value: float, digits: int = 4, *, percent: bool = False) -> str:
    """Return a number with some significant digits and without an exponent.

    Examples
    --------
    >>> significant(1131.0209), significant(0.05972), significant(0.0597, 3, percent=True)
    ('1131', '0.05972', '5.97')
    """
    size = 100 * value if percent else value
    return number_text(value, decimals([size], digits), percent=percent)


def printed_text(number: str, percent: bool) -> str:
    """Return a printed number, which is kept as a fraction, with the digits of the paper.

    Examples
    --------
    >>> printed_text("0.0420", percent=True)
    '4.20'
    """
    return scaled(number, 2) if number and percent else number


def entry_text(entry: Entry) -> str:
    """Return an entry in Markdown."""
    return _joined(entry, escaped, "**{}**")


def _joined(entry: Entry, escape: Callable[[str], str], bold: str) -> str:
    """Return our number and the printed one as text; `bold` is a template for bold text."""
    ours = escape(_value_text(entry))
    is_number = isinstance(entry.value, int | float) and isfinite(entry.value)
    if entry.spread is not None and is_number:
        spread = number_text(entry.spread, entry.digits, percent=entry.percent)
        ours += " " + escape(f"± {spread}")
    text = (bold.format(ours) if entry.bold else ours) + escape(entry.mark)
    if not entry.printed:
        return text
    printed = escape(entry.printed)
    printed = bold.format(printed) if entry.printed_bold else printed
    printed += escape(OUTSIDE * entry.outside)
    if entry.printed_spread:
        printed += " " + escape(f"± {entry.printed_spread}{OUTSIDE * entry.spread_outside}")
    return f"{text} ({printed})"


def _value_text(entry: Entry) -> str:
    if entry.value is None or isinstance(entry.value, str):
        return MISSING if entry.value is None else entry.value
    if not isfinite(entry.value):
        return "∞" if entry.value > 0 else MISSING
    return number_text(entry.value, entry.digits, percent=entry.percent, signed=entry.signed)


_SIGNS = re.compile(r"[\\`*|]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|&(?=#?\w+;)|#(?=#*$)")
_START = re.compile(r"^(\d{0,9})(?=(?<=\d)[.)](?:\s|$)|(?<!\d)(?:[#>]|[+-](?:\s|$)|[=-]{2}))")
_ADDRESS = re.compile(r"(?<=\w:)//|(?<=\bwww)\.", re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Return plain text as Markdown of one line that shows it.

    Examples
    --------
    >>> print(escaped("**x** [a](b) letter_ab"))
    \*\*x\*\* [a\](b) letter_ab
    """
    text = _SIGNS.sub(r"\\\g<0>", text.replace("\n", " ").strip(" \t"))
    text = _ADDRESS.sub(r"\\\g<0>", _START.sub(r"\1\\", text))
    return visible(re.sub(r"<(?=\S)", "&lt;", text))


def to_markdown(table: Table) -> str:
    """Return a table as GitHub Markdown."""
    parts = [f"## {escaped(table.title)}"]
    if table.rows:
        names = [escaped(name) for name, _ in table.rows]
        parts.append(_grid(table, "pipe", names, escaped, "**{}**"))
    return "\n\n".join((*parts, *map(escaped, table.notes))) + "\n"


def _grid(
    table: Table, layout: str, names: Sequence[str], escape: Callable[[str], str], bold: str
) -> str:
    """Return header and rows of a table in a layout of tabulate."""
    rows = [[_joined(entry, escape, bold) for entry in entries] for _, entries in table.rows]
    body = [[name, *row] for name, row in zip(names, rows, strict=True)]
    header, align = [*map(escape, table.header)], ("left", *(table.align for _ in table.header[1:]))
    return tabulate(body, header, layout, colalign=align, disable_numparse=True)


def to_latex(table: Table, label: str = "") -> str:
    r"""Return a ``table`` with caption and notes; it needs booktabs and graphicx."""
    # After the end of a row, a star or a bracket would be an option of it.
    names = ["{}" * name.startswith(("[", "*")) + _latex(name) for name, _ in table.rows]
    text = _grid(table, "latex_raw", names, _latex, r"\textbf{{{}}}")
    for rule in RULES:
        text = text.replace(r"\hline", rule, 1)
    name = rf"\label{{{re.sub('[^A-Za-z0-9:]+', '-', label)}}}" if label else ""
    fitted = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    lines = [r"% Requires \usepackage{booktabs,graphicx}", r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{_latex(table.title)}}}{name}"]
    lines += [fitted, f"{text}}}"] if table.rows else []
    lines += [rf"\par\smallskip\footnotesize {_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}", ""])


_PLAIN = {"|": r"{\textbar}", "`": r"{\textasciigrave}"}
"""Signs that the default fonts of LaTeX do not show."""


def _latex(text: str) -> str:
    """Return plain text as LaTeX of one line."""
    # It takes a tenth of a second to import.
    from pylatexenc.latexencode import unicode_to_latex

    parts = re.split("([|`])", visible(text.replace("\n", " ")))
    options = {"unknown_char_policy": "keep", "unknown_char_warning": False}
    return "".join(_PLAIN.get(part) or unicode_to_latex(part, **options) for part in parts)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[CsvField]]) -> str:
    """Return CSV with LF line ends and numbers of `DIGITS` digits; NaN is an empty field."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_rounded(value) for value in row] for row in rows)
    return buffer.getvalue()


def _rounded(value: CsvField) -> CsvField:
    if not isinstance(value, float):
        return value
    return None if isnan(value) else float(f"{value:.{DIGITS}g}")


def to_csv(table: Table) -> str:
    """Return the numbers of a table as CSV."""
    return csv_text(table.data_header, table.data_rows)


def write_table(table: Table, folder: Path, stem: str) -> None:
    """Write ``stem.md`` and ``stem.csv``."""
    write_text(folder / f"{stem}.md", to_markdown(table))
    write_text(folder / f"{stem}.csv", to_csv(table))


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def columns() -> int:
    """Return the width of the terminal, or the one that ``COLUMNS`` names."""
    return max(20, shutil.get_terminal_size((PIPED, 24)).columns)


def to_terminal(table: Table, width: int, colour: bool = False) -> str:
    """Return a table with title and notes; cells are folded between words to fit the width."""
    from rich.markdown import Markdown  # slow to import, and not needed for a listing

    # A number and its deviation stay on one line.
    return drawn(Markdown(to_markdown(table).replace(" ± ", "\u00a0±\u00a0")), width, colour)


def drawn(content: RenderableType, width: int, colour: bool = False) -> str:
    """Return the text that rich draws, without blanks at the ends of lines."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, force_terminal=colour, highlight=False)
    with console.capture() as capture:
        console.print(content)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
