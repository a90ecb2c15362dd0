"""Checks of printed numbers: ranges, deviations, and numbers in bold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from quadrepro.papers.printed import OF_ERRORS, SD, Printed
from quadrepro.stats import LEVEL, MIN_SPLITS, largest_deviation
from quadrepro.tables.audit.subject import (
    NOT_SAID,
    NUMBERS,
    SLACK,
    Finding,
    PrintedPlace,
    Subject,
    show,
)
from quadrepro.tables.audit.summaries import NO_METRIC

TIED = "splits are stratified, or errors depend on which examples are tested"


def judge_ranges(subject: Subject) -> Iterator[Finding]:
    """Check every number against the ends of its range, and deviations against the largest."""
    for table in subject.tables:
        for row, column in product(table.rows, table.columns):
            if not (text := table.text(row, column)):
                continue
            place, (low, high) = PrintedPlace(table.name, row, column), _ends(subject, table, row)
            mean_column = table.mean_column(column.removesuffix(SD))
            printed = table.as_printed(row, column)
            if not column.endswith(SD):
                why = f"numbers lie between {show(table, low)} and {show(table, high)}"
                yield Finding(place, printed, low <= float(text) <= high, why)
            elif mean := table.text(row, mean_column):
                slack, n = table.rounding(row, mean_column), table.sample.n
                most = largest_deviation(float(mean), slack, low, high, n)
                sd, rounding = table.number(row, column) or 0.0, table.rounding(row, column)
                mean = table.as_printed(row, mean_column)
                why = f"with a mean of {mean} it is at most {show(table, most, '.4g')}"
                yield Finding(place, printed, 0 <= sd <= most + rounding + SLACK, why)


def _ends(subject: Subject, table: Printed, row: str) -> tuple[float, float]:
    """Return the ends of the range of a row's numbers."""
    facts = table.facts
    if facts.holds != "errors":
        return (-1.0 if facts.holds == "margins" else 0.0), 1.0
    low = 0.0 if facts.unit or facts.metric in OF_ERRORS else -math.inf
    # An error can be an RMSE, which has no upper end.
    classes = facts.metric != "error" or subject.size(table, row) not in (NUMBERS, NOT_SAID)
    return low, 1.0 if classes and facts.unit else math.inf


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
            "or less where test sets overlap or are folds of the same rows, if splits are not "
            "stratified, and whether an example is classified wrongly does not depend on which "
            "others are tested. It is tested whether a deviation is smaller than that (χ², "
            "one-sided): it is suspicious unless one of these conditions fails."
        )


def _judged_deviation(subject: Subject, table: Printed, row: str, column: str) -> Finding:
    mean_column, sd_column = table.mean_column(column), column + SD
    mean, slack = table.number(row, mean_column) or 0.0, table.rounding(row, mean_column)
    # The risk with the least deviation that is printed as this mean.
    risk = mean + slack if mean > 0.5 else mean - slack
    place = PrintedPlace(table.name, row, column)
    printed, size = table.as_printed(row, sd_column), subject.size(table, row)
    if table.sample.runs is not None:
        why = "all runs share one test set"
    elif isinstance(size, str):
        why = size
    elif "of" in table.unstated:
        why = "the number of splits is not stated: give --of"
    elif table.sample.n < MIN_SPLITS:
        why = "two splits are too few for a test"
    elif not 0 < risk < 1:
        why = f"a risk of {mean:g} implies no size"
    elif size.n_rows == size.n_test:
        why = "all rows are tested, or their number is not stated"
    else:
        n_test = max(size.n_test, *size.or_n_test, 0)
        share = n_test / size.n_rows if size.n_rows else 0.0
        sd = (table.number(row, sd_column) or 0.0) + table.rounding(row, sd_column)
        repeats = table.sample.repeats if table.sample.cv else 0
        p_value = too_small(risk, sd, table.sample.n, n_test, share, repeats)
        variance = (1 if repeats else 1 - share) * risk * (1 - risk) / n_test
        floor = show(table, math.sqrt(variance), ".2g")
        why = f"{n_test} test examples give a deviation of {floor} or more (p = {p_value:.2g})"
        return Finding(place, printed, p_value > LEVEL, why, p_value, TIED)
    return Finding(place, printed, None, why)


def too_small(
    mean: float, sd: float, splits: int, n_test: int, share: float, repeats: int = 0
) -> float:
    """Return the probability of so small a deviation if only the test examples vary.

    All repetitions of a cross-validation, if there are any, have the same mean risk.
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2

    floor = (1 if repeats else 1 - share) * mean * (1 - mean) / n_test
    return float(chi2.cdf((splits - 1) * sd**2 / floor, splits - (repeats or 1)))


def judge_bold(subject: Subject) -> Iterator[Finding]:
    """Check that numbers in bold can be the best of their rows before rounding."""
    for table in subject.every("errors"):
        word, sign = ("highest", -1) if table.facts.greater_is_better else ("lowest", 1)
        for row, bold in table.facts.bold.items():
            subject.check(row, table.rows, "row", table.name, "bold", row)
            columns = {c: table.mean_column(c) for c in table.algorithms}
            columns = {c: place for c, place in columns.items() if table.text(row, place)}
            for i, column in enumerate(bold):
                subject.check(column, columns, "column", table.name, "bold", row, i)
            numbers = {c: sign * float(table.text(row, place)) for c, place in columns.items()}
            halves = {c: table.rounding(row, place) for c, place in columns.items()}
            least = min(numbers[c] + halves[c] for c in columns)
            best = [c for c in columns if numbers[c] - halves[c] < least - SLACK]
            why = f"the {word} is {show(table, sign * min(numbers.values()))} ({', '.join(best)})"
            place, text = PrintedPlace(table.name, row), ", ".join(bold)
            if "metric" in table.unstated:
                yield Finding(place, text, None, NO_METRIC)
            else:
                yield Finding(place, text, {*bold} <= {*best}, why)
