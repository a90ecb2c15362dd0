"""Whether rows that sum up a table follow from the numbers above them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from statistics import fmean

from quadrepro.papers.printed import SD, Printed
from quadrepro.tables.audit.subject import SLACK, Finding, PrintedPlace, Subject, show

NO_METRIC = "the metric is not stated: give --metric"


def judge_summaries(subject: Subject) -> Iterator[Finding]:
    """Check means, mean ranks, wins, and wins–ties–losses."""
    for table in subject.tables:
        kinds = [*table.summaries.values()]
        for row, kind in table.summaries.items():
            if kinds.count(kind) > 1:  # such as means of some of the rows
                yield Finding(
                    PrintedPlace(table.name, row), kind, None, "there are several such rows"
                )
            elif kind == "mean":
                yield from _means(table, row)
            elif kind in ("rank", "wins") and table.facts.holds == "errors":
                yield from _counts(table, row, kind)
            elif kind == "wins–ties–losses" and table.facts.holds == "errors":
                yield _triples(table, row)


def _means(table: Printed, summary: str) -> Iterator[Finding]:
    """Compare printed means of columns with the means of the numbers above them."""
    for column in table.columns:
        text = table.text(summary, column)
        if not text or column.endswith(SD):
            continue
        place, printed = PrintedPlace(table.name, summary, column), float(text)
        original = table.as_printed(summary, column)
        if not table.rows or not all(table.text(row, column) for row in table.rows):
            yield Finding(place, original, None, "not all rows are printed")
            continue
        mean = fmean(float(table.text(row, column)) for row in table.rows)
        slack = fmean(table.rounding(row, column) for row in table.rows)
        slack += table.rounding(summary, column) + SLACK
        why = f"the mean is {show(table, mean, '.6g')}"
        yield Finding(place, original, abs(mean - printed) <= slack, why)


def _counts(table: Printed, summary: str, kind: str) -> Iterator[Finding]:
    """Compare printed mean ranks, or numbers of wins, with those that the numbers allow."""
    for method in table.algorithms:
        column = table.mean_column(method)
        text = table.text(summary, column)
        if not text:
            continue
        place, others = PrintedPlace(table.name, summary, method), len(table.algorithms) - 1
        orders = [_order(table, row, method) for row in table.rows]
        if "metric" in table.unstated or any(None in order for order in orders):
            why = NO_METRIC if "metric" in table.unstated else "not all numbers are printed"
            yield Finding(place, text, None, why)
            continue
        # Numbers that are printed alike may differ before rounding.
        better, worse = ([order.count(sign) for order in orders] for sign in (1, -1))
        if kind == "rank":
            low, high = fmean(better) + 1, fmean(others - n for n in worse) + 1
            why = f"the mean rank is {_range(low, high)}"
        else:
            low, high = sum(n == others for n in worse), sum(n == 0 for n in better)
            why = f"it is the best of {_range(low, high)} rows"
        slack = table.rounding(summary, column) + SLACK
        yield Finding(place, text, low - slack <= float(text) <= high + slack, why)


def _triples(table: Printed, summary: str) -> Finding:
    """Check that wins, ties and losses are possible against some method of the table."""
    triples: dict[str, list[int]] = {}
    for method in table.algorithms:
        numbers = [*map(int, re.findall(r"\d+", table.text(summary, table.mean_column(method))))]
        triples |= {method: numbers} if len(numbers) == 3 else {}
    text = ", ".join(f"{m} {w}/{t}/{n}" for m, (w, t, n) in triples.items())
    place = PrintedPlace(table.name, summary)
    if not triples or "metric" in table.unstated:
        return Finding(place, text, None, NO_METRIC if triples else "not wins, ties and losses")
    # A paper may count from either side, and call differences ties that are not significant.
    for reference, (first, last) in (
        (m, sides) for m in table.algorithms for sides in permutations((0, 2))
    ):
        if all(
            _possible(table, method, reference, numbers[first], numbers[last])
            and sum(numbers) == len(table.rows)
            for method, numbers in triples.items()
            if method != reference
        ):
            return Finding(place, text, True, f"possible against {reference}")
    return Finding(place, text, False, f"impossible against each method on {len(table.rows)} rows")


def _possible(table: Printed, method: str, reference: str, wins: int, losses: int) -> bool:
    """Return whether a method can have as many wins and losses against another one."""
    signs = [_order(table, row, method, [reference])[0] for row in table.rows]
    return wins <= sum(s != 1 for s in signs) and losses <= sum(s != -1 for s in signs)


def _order(
    table: Printed, row: str, method: str, others: list[str] | None = None
) -> list[int | None]:
    """Return 1 for each other method that is better for certain, -1 if worse, 0 if either."""
    sign = -1 if table.facts.greater_is_better else 1
    own, order = table.mean_column(method), list[int | None]()
    for other in others or [m for m in table.algorithms if m != method]:
        column = table.mean_column(other)
        x, y = table.number(row, own), table.number(row, column)
        if x is None or y is None:
            order.append(None)
            continue
        slack = table.rounding(row, own) + table.rounding(row, column) - SLACK
        difference = sign * (x - y)
        order.append(1 if difference >= slack else -1 if difference <= -slack else 0)
    return order


def _range(low: float, high: float) -> str:
    ends = [f"{end:.4g}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
