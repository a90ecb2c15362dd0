"""Untrusted text, made safe for terminals, Markdown and JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from decimal import Decimal

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tabs and line ends, and those that change the direction of text."""

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""Beginning of HTML, or of an automatic link, in Markdown."""


def visible(text: str) -> str:
    r"""Return text with escapes such as ``\x1b`` in place of control characters.

    Examples
    --------
    >>> visible("a\x1b[31m b\u202e")
    'a\\x1b[31m b\\u202e'
    """
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def markdown(text: str) -> str:
    """Return Markdown in which control characters and HTML are shown as text.

    Examples
    --------
    >>> markdown("**p < 0.1** <b>")
    '**p < 0.1** &lt;b>'
    """
    return _TAG.sub("&lt;", visible(text))


def scaled(number: str, power: int) -> str:
    """Return a decimal number times a power of ten, with the same digits.

    Examples
    --------
    >>> scaled("4.20", -2), scaled("0.0420", 2)
    ('0.0420', '4.20')
    """
    return format(Decimal(number).scaleb(power), "f")


def few(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """Return some names, and how many more there are; with ``"; "`` between names with commas."""
    more = f"{between.strip(', ')} and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def tell(text: str) -> None:
    """Print a line on standard error."""
    print(visible(text), file=sys.stderr, flush=True)
