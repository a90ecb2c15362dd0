"""Checks of single printed numbers: ranges and deviations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from quadrepro.papers.printed import OF_ERRORS, SD, Printed
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.subject import NOT_SAID, NUMBERS, SLACK, Finding, PrintedPlace, Subject


def judge_ranges(subject: Subject) -> Iterator[Finding]:
    """Check every number against the ends of its range, and deviations against the largest."""
    for table in subject.tables:
        for row, column in product(table.rows, table.columns):
            if not (text := table.text(row, column)):
                continue
            place, (low, high) = PrintedPlace(table.name, row, column), _ends(subject, table, row)
            of_mean = table.mean_column(column.removesuffix(SD))
            if not column.endswith(SD):
                why = f"numbers lie between {low:g} and {high:g}"
                yield Finding(place, text, low <= float(text) <= high, why)
            elif mean := table.text(row, of_mean):
                slack = table.rounding(row, of_mean)
                largest = largest_deviation(float(mean), slack, low, high, table.of.n)
                sd, rounding = table.number(row, column) or 0.0, table.rounding(row, column)
                why = f"with a mean of {mean} it is at most {largest:.4g}"
                yield Finding(place, text, 0 <= sd <= largest + rounding + SLACK, why)


def _ends(subject: Subject, table: Printed, row: str) -> tuple[float, float]:
    """Return the ends of the range of a row's numbers."""
    facts = table.facts
    if facts.holds != "errors":
        return (-1.0 if facts.holds == "margins" else 0.0), 1.0
    low = 0.0 if facts.unit or facts.metric in OF_ERRORS else -math.inf
    # An error can be an RMSE, which has no upper end.
    of_classes = facts.metric != "error" or subject.size(table, row) not in (NUMBERS, NOT_SAID)
    high = {"percent": 100.0, "fraction": 1.0, None: math.inf}[facts.unit]
    return low, high if of_classes else math.inf


def largest_deviation(mean: float, rounding: float, low: float, high: float, splits: int) -> float:
    """Return the largest deviation of numbers from `low` to `high` with a mean.

    It is that of numbers at both ends, or of all but one at `low` if there is no other end.

    Examples
    --------
    >>> largest_deviation(50, 0, 0, 100, splits=2)
    70.71067811865476
    """
    n = max(splits, 2)
    if math.isinf(high):
        return (mean + rounding - low) * math.sqrt(n)
    middle = (low + high) / 2
    nearest = min(max(middle, mean - rounding), mean + rounding)
    return math.sqrt(max((nearest - low) * (high - nearest), 0.0) * n / (n - 1))


TIED = "splits are stratified, or errors depend on which examples are tested"


def judge_deviations(subject: Subject) -> Iterator[Finding | str]:
    """Test every deviation of risks against the binomial floor of its test sets."""
    tested = False
    for table in subject.holding("errors"):
        for row, column in product(table.rows, table.algorithms):
            if table.text(row, column + SD) and table.text(row, table.mean_column(column)):
                finding = _judged_deviation(subject, table, row, column)
                tested |= finding.p_value is not None
                yield finding
    if tested:
        yield (
            "deviations: the choice of n test examples alone makes a risk p vary by √(p(1 - p)/n), "
            "or less where test sets overlap, if splits are not stratified, and whether an example "
            "is classified wrongly does not depend on which others are tested. It is tested "
            "whether a deviation is smaller than that (χ², one-sided): it fails unless one of "
            "these conditions does."
        )


def _judged_deviation(subject: Subject, table: Printed, row: str, column: str) -> Finding:
    unit = 100 if table.facts.unit == "percent" else 1
    at, of_sd = table.mean_column(column), column + SD
    mean, slack = (table.number(row, at) or 0) / unit, table.rounding(row, at) / unit
    # The risk with the least deviation that is printed as this mean.
    risk = mean + slack if mean > 0.5 else mean - slack
    place, text = PrintedPlace(table.name, row, column), table.text(row, of_sd)
    size = subject.size(table, row)
    if table.of.cv is not None:
        why = "folds partition the rows: their risks are not independent"
    elif isinstance(size, str):
        why = size
    elif not 0 < risk < 1:
        why = f"a risk of {mean:g} implies no size"
    elif size.n_rows == size.n_test:
        why = "all rows are tested, or how many there are is not said"
    else:
        n_test = max(size.n_test, *size.or_n_test, 0)
        share = n_test / size.n_rows if size.n_rows else 0.0
        sd = ((table.number(row, of_sd) or 0) + table.rounding(row, of_sd)) / unit
        p_value = too_small(risk, sd, table.of.n, n_test, share)
        floor = unit * math.sqrt((1 - share) * risk * (1 - risk) / n_test)
        why = f"{n_test} test examples give {floor:.2g} or more (p = {p_value:.2g})"
        return Finding(place, text, p_value > LEVEL, why, p_value, TIED)
    return Finding(place, text, None, why)


def too_small(mean: float, sd: float, splits: int, n_test: int, share: float) -> float:
    """Return the probability of a deviation so small, if only the test examples vary."""
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2

    floor = (1 - share) * mean * (1 - mean) / n_test
    return float(chi2.cdf((splits - 1) * sd**2 / floor, splits - 1))
