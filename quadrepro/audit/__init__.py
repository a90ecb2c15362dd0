"""Checks of printed tables by themselves: nothing is computed and no data are read.

To add a check, write its module and name it in `CHECKS`. Nothing else knows which checks there are.
"""

from quadrepro.audit.check import Check
from quadrepro.audit.claims import CLAIMS
from quadrepro.audit.codings import CODINGS
from quadrepro.audit.comparisons import PAIRS, SOURCES
from quadrepro.audit.counts import COUNTS
from quadrepro.audit.deviations import DEVIATIONS
from quadrepro.audit.digits import DIGITS
from quadrepro.audit.duplicates import DUPLICATES
from quadrepro.audit.ranges import RANGES
from quadrepro.audit.summaries import BOLD, MEANS

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
