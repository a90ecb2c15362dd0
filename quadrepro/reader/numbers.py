"""A printed number: its digits, and the signs printed around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from quadrepro.reader.grid import Text

MARKS = "*†‡§¶•·∘○●◦▲▼△▽↑↓✓✔★☆^"
"""Signs of significance, or of the best number of a row."""

DIGITS = 20
"""Maximum number of digits before and behind the decimal point."""

GAP = re.compile(
    r"[-–—−?/.…]*|n\.?[ /]?a\.?|nan|none|null|nan ?[±+(] ?nan\)?|o\.?o\.?[mt]\.?|[tm]\.?o\.?|"
    r"time ?-?out|out of (memory|time)|dnf|fail(ed|ure)?|error|missing|not available|x|✗|×",
    re.IGNORECASE,
)
"""Texts in place of a number that was not printed."""

_NUMBER = r"[-+−]?(?:\d[\d,]*(?:\.\d*)?|[.,]\d+)(?:[eE][-+]?\d{1,3})?"
_PLUS_MINUS = r"(?:±|\+/[-−]|\+[-−]|\+)"
_PATTERN = re.compile(
    rf"(?P<before>[{re.escape(MARKS)}\s]*)(?P<value>{_NUMBER})\s*(?P<percent>%?)\s*"
    rf"(?P<marks>[{re.escape(MARKS)}]*)\s*"
    rf"(?:\(?{_PLUS_MINUS}\s*(?P<spread>{_NUMBER})\s*%?\)?)?\s*"
    rf"(?:[(\[](?P<bracket>{_NUMBER})\s*%?[)\]])?\s*"
    rf"(?:[(\[]{_NUMBER}\s*(?:[,;–-]|to)\s*{_NUMBER}[)\]])?\s*"
    rf"(?P<end>[{re.escape(MARKS)}]*|v|[-+−=≈])",
)
_THOUSANDS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


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

    @property
    def value(self) -> float:
        """The number; NaN for a gap."""
        return float(self.text or "nan")


def is_gap(text: str) -> bool:
    """Return whether a text is printed in place of a number."""
    return GAP.fullmatch(text.strip()) is not None


def is_number(text: str) -> bool:
    """Return whether a text is a number, perhaps with signs around it."""
    return _PATTERN.fullmatch(text.strip()) is not None


def comma_sign(texts: Iterable[str]) -> str:
    """Return the meaning of commas in the numbers of a table, or raise ValueError.

    Examples
    --------
    >>> comma_sign(["0,85", "1,2"]), comma_sign(["1,234.5"]), comma_sign(["0.85"])
    ('decimal', 'thousands', 'thousands')
    """
    parts = [x for text in texts if is_number(text) for x in re.findall(_NUMBER, text)]
    commas = [x for x in parts if "," in x]
    points = any("." in x for x in parts)
    if all(_THOUSANDS.fullmatch(x) for x in commas):
        if commas and not points:
            raise ValueError(f"{commas[0]!r} may be a thousand or a decimal: write . for decimals")
        return "thousands"
    if points or any(x.count(",") > 1 for x in commas):
        raise ValueError("commas and points are mixed: write all decimals with a point")
    return "decimal"


def parse(cell: Text, comma: str = "thousands") -> Number | None:
    """Return the number in a text, a gap, or None for any other text.

    Examples
    --------
    >>> parse(Text("94.85±0.76"))
    Number(text='94.85', spread='0.76', bracket='', bold=False, percent=False, signs='')
    """
    text = cell.text.strip()
    if is_gap(text):
        return Number()
    match = _PATTERN.fullmatch(text)
    if match is None:
        return None
    value, spread, bracket = (_plain(match[name], comma) for name in ("value", "spread", "bracket"))
    if value is None or spread is None or bracket is None:
        return None
    return Number(
        value,
        spread,
        bracket,
        cell.bold,
        bool(match["percent"]),
        "".join(match[name] for name in ("before", "marks", "end")).replace(" ", ""),
    )


def _plain(text: str | None, comma: str) -> str | None:
    """Return the digits of a number without thousands and exponent, or None if there are many."""
    if not text:
        return ""
    number = Decimal(text.replace(",", "." if comma == "decimal" else "").replace("−", "-"))
    if abs(number.adjusted()) > DIGITS or len(number.as_tuple().digits) > DIGITS:
        return None
    return format(number, "f")
