"""Whether printed numbers are possible at all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.subject import NOT_SAID, NUMBERS, Subject
from quadrepro.papers.printed import MEAN, SD, Printed

_ENDS = {
    "risks": (0.0, 1.0),
    "errors": (0.0, 100.0),
    "margins": (-1.0, 1.0),
    "comparisons": (0.0, 1.0),
}
"""Between which ends numbers lie, by what a table holds; RMSEs have no upper end."""


def judge(subject: Subject) -> Found:
    """Check every number against the ends of its range, and deviations against the largest."""
    return Found(tuple(finding for table in subject.tables for finding in _judged(subject, table)))


def _judged(subject: Subject, table: Printed) -> Iterator[Finding]:
    for row in table.rows:
        low, high = _ENDS[table.holds]
        if table.holds == "errors" and subject.size(table, row) in (NUMBERS, NOT_SAID):
            high = math.inf
        for column in table.columns:
            if not (text := table.text(row, column)):
                continue
            place, value = Place(table.name, row, column), float(text)
            if not column.endswith(SD):
                why = f"numbers lie between {low:g} and {high:g}"
                yield Finding(place, text, low <= value <= high, why)
            elif mean := table.text(row, column.removesuffix(SD) + MEAN):
                slack = table.rounding(row, column.removesuffix(SD) + MEAN)
                largest = largest_deviation(float(mean), slack, low, high, table.splits)
                rounding = table.rounding(row, column)
                why = f"with a mean of {mean} it is at most {largest:.4g}"
                yield Finding(place, text, 0 <= value <= largest + rounding, why)


def largest_deviation(
    mean: float, rounding: float, low: float, high: float, splits: int | None
) -> float:
    """Return the largest deviation of numbers from `low` to `high` with a mean.

    It is that of numbers at both ends, or of all but one at `low` if there is no other end.

    Parameters
    ----------
    mean, rounding : float
        A mean as printed, and half a unit of its last digit.
    low, high : float
        The ends, of which `high` may be infinite.
    splits : int or None
        How many numbers; None if that is not known.

    Examples
    --------
    >>> largest_deviation(50, 0, 0, 100, splits=2)
    70.71067811865476
    """
    n = splits or 2
    if math.isinf(high):
        return math.inf if splits is None else (mean + rounding - low) * math.sqrt(n)
    middle = (low + high) / 2
    nearest = min(max(middle, mean - rounding), mean + rounding)
    return math.sqrt(max((nearest - low) * (high - nearest), 0.0) * n / (n - 1))


RANGES = Check("ranges", "Is each number possible at all?", judge)
