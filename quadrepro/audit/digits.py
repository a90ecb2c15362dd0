"""Whether last digits are as frequent as those of measured numbers."""

from __future__ import annotations

import math

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.counts import denominator
from quadrepro.audit.subject import Subject
from quadrepro.papers.printed import SD, Printed
from quadrepro.stats import LEVEL

FEWEST = 50
"""Five of each digit, as the χ² test needs."""

LEADING = 3
"""With fewer digits in all, the last one is not evenly distributed."""


def judge(subject: Subject) -> Found:
    """Test the last digits of each table of errors for an even distribution."""
    findings = []
    for table in subject.holding("risks", "errors"):
        last = [digit for row in table.rows for digit in last_digits(subject, table, row)]
        printed, place = f"{len(last)} numbers", Place(table.name)
        if len(last) < FEWEST:
            why = f"fewer than {FEWEST} numbers have a last digit that could be any"
            findings.append(Finding(place, printed, None, why))
            continue
        # scipy.stats takes half a second to import.
        from scipy.stats import chisquare

        often = [last.count(digit) for digit in "0123456789"]
        p = float(chisquare(often).pvalue)
        why = f"0 to 9 stand last {', '.join(map(str, often))} times (χ², p = {p:.2g})"
        findings.append(Finding(place, printed, p > LEVEL, why, p))
    return Found(tuple(findings))


def last_digits(subject: Subject, table: Printed, row: str) -> list[str]:
    """Return the last digits of the different numbers of a row that could be any digit.

    Counts on small test sets give some digits more often, and algorithms that end in the same vote
    give the same number.
    """
    size, splits = subject.size(table, row), subject.splits(table) or 1
    total = math.inf if isinstance(size, str) else size.n_test * splits
    texts = dict.fromkeys(
        text
        for column in table.columns
        if len((text := table.text(row, column)).lstrip("+-0.").replace(".", "")) >= LEADING
        and (column.endswith(SD) or total >= denominator(text, table.holds == "errors"))
    )
    return [text[-1] for text in texts]


DIGITS = Check("digits", "Are the last digits evenly distributed?", judge)
