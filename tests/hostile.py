"""Names that a stranger may give to data sets, algorithms and files."""

from __future__ import annotations

HOSTILE = (
    "a\x1b[2J\x1b]0;title\x07",
    "a\x08\x7f",
    "a\x85\x9b31m",
    "a\u202eb\u2066",
    "=cmd|'/c calc'!A1",
    "+1+a",
    "-a",
    "@SUM(A1)",
    "'=1",
    "<b>a</b>",
    "</td><script>alert(1)</script><b>",
    "$\\frac{$",
)

CONTROLS = frozenset("\x00\x07\x08\r\x1b\x7f\x85\x9b\u202e\u2066")
"""Those of them that a terminal would obey."""
