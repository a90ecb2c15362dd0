"""Checks of printed tables by themselves: nothing is computed and no data are read.

To add a check, write its module and name it in `CHECKS`. Nothing else knows which checks there are.
"""

from __future__ import annotations

from quadrepro.tables.audit.check import Check
from quadrepro.tables.audit.codings import CODINGS
from quadrepro.tables.audit.comparisons import CLAIMS, PAIRS, SOURCES
from quadrepro.tables.audit.counts import BOLD, COUNTS, DIGITS, MEANS
from quadrepro.tables.audit.ranges import DEVIATIONS, DUPLICATES, RANGES

CHECKS: tuple[Check, ...] = (
    RANGES,
    COUNTS,
    DEVIATIONS,
    PAIRS,
    SOURCES,
    BOLD,
    MEANS,
    CLAIMS,
    CODINGS,
    DUPLICATES,
    DIGITS,
)
"""All checks, in the order of the tables."""
