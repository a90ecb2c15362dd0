"""A table as it is printed: a grid of texts, and the numbers in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from math import nan
from typing import NamedTuple

MOST_COLUMNS, MOST_PLACES = 2_000, 200_000
"""Limits of a table; larger files are data, not tables."""

MARKS = "~*∗†‡§¶•·∘○●◦▲▼△▽↑↓✓✔★☆^"
"""Signs of significance, or of the best number of a row."""

DIGITS = 20
"""Maximum number of digits before and behind the decimal point."""

_GAP = re.compile(
    r"[-–—−?/]*|\.|n\.?[ /]?a\.?|nan|none|null|nan ?[±+(] ?nan\)?|o\.?o\.?[mt]\.?|[tm]\.?o\.?|"
    r"time ?-?out|out of (memory|time)|dnf|fail(ed|ure)?|error|missing|not available|✗|×|(?-i:X)",
    re.IGNORECASE,
)
_NUMBER = r"[-+−]?(?:\d[\d,]*(?:\.\d*)?|[.,]\d+)(?:[eE][-+]?\d{1,3})?"
_SIGNS = rf"[{re.escape(MARKS)}]*"
_PATTERN = re.compile(
    rf"(?P<before>{_SIGNS}) ?(?P<value>{_NUMBER}) ?(?P<percent>%?) ?(?P<marks>{_SIGNS})"
    rf"(?:(?: ?\(?(?:±|\+/[-−]|\+[-−]) ?|\+)(?P<spread>{_NUMBER}) ?%?\)?)? ?"
    r"(?:\( ?(?P<bracket>[\d.,]+) ?%?\))? ?"
    rf"(?P<other>\([-+−]{_NUMBER} ?%?\)|\[\d+\]|"
    rf"[(\[]{_NUMBER} ?(?:[,;–-]|to) ?{_NUMBER}[)\]])? ?"
    rf"(?P<end>{_SIGNS}|v|[-+−=≈])",
    re.ASCII,
)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


class Text(NamedTuple):
    """The text of a place in a table."""

    text: str = ""
    bold: bool = False


@dataclass
class TextGrid:
    """A table of texts."""

    rows: list[list[Text]] = field(default_factory=list)
    """Rows of equal length, the lines of names first."""
    lines: list[int] = field(default_factory=list)
    """The line, or the number, of each row in the file."""
    around: list[str] = field(default_factory=list)
    """Titles, captions and comments."""
    n_header: int = 0
    """Number of lines of names; 0 if the form does not tell."""
    fault: str = ""
    """The reason for which it cannot be read; empty if it can."""

    def add(self, line: int, texts: Iterable[str]) -> None:
        """Add a row of plain texts; of marks, only those for bold are understood."""
        plain = [" ".join(text.split()) for text in texts]
        bold = [re.fullmatch(r"\*\*([^*]+)\*\*", text) for text in plain]
        pairs = zip(bold, plain, strict=True)
        self.rows.append([Text(match[1], True) if match else Text(text) for match, text in pairs])
        self.lines.append(line)

    def squared(self) -> TextGrid:
        """Return the grid without empty rows and columns; raise ValueError for faults."""
        if self.fault:
            raise ValueError(self.fault)
        kept = [i for i, row in enumerate(self.rows) if any(cell.text for cell in row)]
        rows, lines = [self.rows[i] for i in kept], [self.lines[i] for i in kept]
        width = max(map(len, rows), default=0)
        if width > MOST_COLUMNS or width * len(rows) > MOST_PLACES:
            size = f"{len(rows):,} rows of {width:,} fields"
            raise ValueError(f"{size} are too many for a table of scores")
        usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
        for row, line in zip(rows, lines, strict=True):
            if len(row) != usual:
                message = f"line {line} has {len(row)} fields, other lines have {usual}"
                raise ValueError(f"{message}: write - for an empty one")
        columns = [j for j in range(width) if any(row[j].text for row in rows)]
        rows = [[row[j] for j in columns] for row in rows]
        return TextGrid(rows, lines, self.around, self.n_header)


@dataclass(frozen=True)
class Number:
    """A printed number; without one, a gap."""

    text: str = ""
    """The number with all printed digits, without an exponent; empty for a gap."""
    spread: str = ""
    """The number behind ±."""
    bracket: str = ""
    """The number in brackets, a spread or a rank."""
    bold: bool = False
    """Whether it is printed in bold."""
    percent: bool = False
    """Whether it has a percent sign."""
    signs: str = ""
    """Signs of significance around it."""
    other: str = ""
    """Further numbers that are not used, such as an interval or a citation."""

    @property
    def value(self) -> float:
        """The number; NaN for a gap."""
        return float(self.text or "nan")


@lru_cache(100_000)
def is_gap(text: str) -> bool:
    """Return whether a text is printed in place of a number."""
    return _GAP.fullmatch(text) is not None


@lru_cache(100_000)
def is_number(text: str) -> bool:
    """Return whether a text is a number, perhaps with signs around it."""
    return _PATTERN.fullmatch(text) is not None


def comma_sign(texts: Iterable[str]) -> str:
    """Return the meaning of commas in the numbers of a table, or raise ValueError.

    Examples
    --------
    >>> comma_sign(["0,85", "1,2"]), comma_sign(["1,234.5"]), comma_sign(["0.85"])
    ('decimal', 'thousands', 'thousands')
    """
    parts = [x for text in texts if is_number(text) for x in re.findall(_NUMBER, text)]
    commas, points = [x for x in parts if "," in x], any("." in x for x in parts)
    if all(map(_THOUSANDS.fullmatch, commas)):
        if commas and not points:
            raise ValueError(f"{commas[0]!r} may be a thousand or a decimal: write . for decimals")
        return "thousands"
    if points or any(x.count(",") > 1 for x in commas):
        raise ValueError("commas and points are mixed: write all decimals with a point")
    return "decimal"


@lru_cache(100_000)
def parse(cell: Text, comma: str = "thousands") -> Number | None:
    """Return the number in a text, a gap, or None for any other text.

    Examples
    --------
    >>> number = parse(Text("94.85±0.76%*"))
    >>> number.text, number.spread, number.signs
    ('94.85', '0.76', '*')
    """
    match = _PATTERN.fullmatch(cell.text)
    if match is None or is_gap(cell.text):
        return Number() if is_gap(cell.text) else None
    value, spread, bracket = (_plain(match[name], comma) for name in ("value", "spread", "bracket"))
    if value is None or spread is None or bracket is None:
        return None
    signs = "".join(match[name] or "" for name in ("before", "marks", "end"))
    other = "further numbers in brackets" if match["other"] else ""
    return Number(value, spread, bracket, cell.bold, bool(match["percent"]), signs, other)


def value_of(cell: Text) -> float:
    """Return the number in a text, NaN for gaps and other texts."""
    number = parse(cell)
    return number.value if number else nan


def _plain(text: str | None, comma: str) -> str | None:
    """Return the digits of a number without thousands and exponent, or None if there are many."""
    if not text:
        return ""
    digits = text.replace(",", "." if comma == "decimal" else "").replace("−", "-")
    if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", digits, re.IGNORECASE):
        return None
    number = Decimal(digits)
    if abs(number.adjusted()) > DIGITS or len(number.as_tuple().digits) > DIGITS:
        return None
    return format(number, "f")
