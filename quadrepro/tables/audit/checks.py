"""Checks of printed numbers: ranges, deviations, bold, rows that sum up, comparisons and claims."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from statistics import fmean

from quadrepro import stats
from quadrepro.papers.claims.claim import InPrint
from quadrepro.papers.printed import OF_ERRORS, SD, Printed, half_a_unit
from quadrepro.stats import LEVEL, MIN_SPLITS
from quadrepro.tables.audit.counts import counts
from quadrepro.tables.audit.subject import NOT_SAID, NUMBERS, Finding, PrintedPlace, Subject

SLACK = 1e-9
"""Half units of printed numbers are floats, with errors far below this."""

NO_METRIC = "the metric is not stated: give --metric"
OWN_BOLD = "bold marks the method of the authors"
TIED = "splits are stratified, or errors depend on which examples are tested"


def judge_ranges(subject: Subject) -> Iterator[Finding]:
    """Is each number possible at all?"""
    for table in subject.tables:
        for row, column in product(table.rows, table.columns):
            if not (text := table.text(row, column)):
                continue
            place, (low, high) = PrintedPlace(table.name, row, column), _ends(subject, table, row)
            mean_column = table.mean_column(column.removesuffix(SD))
            printed = table.as_printed(row, column)
            if not column.endswith(SD):
                why = f"numbers lie between {table.in_unit(low)} and {table.in_unit(high)}"
                yield Finding(place, printed, low <= float(text) <= high, why)
            elif mean := table.text(row, mean_column):
                slack, n = table.rounding(row, mean_column), table.sample.n
                most = stats.largest_deviation(float(mean), slack, low, high, n)
                sd, rounding = table.number(row, column) or 0.0, table.rounding(row, column)
                mean = table.as_printed(row, mean_column)
                why = f"with a mean of {mean} it is at most {table.in_unit(most, '.4g')}"
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
    """Is each deviation as large as its test sets make it?"""
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
        repeats = table.sample.repeats if table.sample.cv else 0
        # All folds of a cross-validation together test every row.
        share = n_test / size.n_rows if size.n_rows and not repeats else 0.0
        sd = (table.number(row, sd_column) or 0.0) + table.rounding(row, sd_column)
        p_value = too_small(risk, sd, table.sample.n, n_test, share, repeats)
        floor = table.in_unit(math.sqrt(least_variance(risk, n_test, share)), ".2g")
        why = f"{n_test} test examples give a deviation of {floor} or more (p = {p_value:.2g})"
        return Finding(place, printed, p_value > LEVEL, why, p_value, TIED)
    return Finding(place, printed, None, why)


def least_variance(risk: float, n_test: int, share: float) -> float:
    """Return the variance of a risk over test sets, which hold a share of the same rows."""
    return (1 - share) * risk * (1 - risk) / n_test


def too_small(
    mean: float, sd: float, splits: int, n_test: int, share: float, repeats: int = 0
) -> float:
    """Return the probability of so small a deviation if only the test examples vary.

    All repetitions of a cross-validation, if there are any, have the same mean risk.
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2

    floor = least_variance(mean, n_test, share)
    return float(chi2.cdf((splits - 1) * sd**2 / floor, splits - (repeats or 1)))


def judge_bold(subject: Subject) -> Iterator[Finding]:
    """Are the numbers in bold the best of their rows?"""
    for table in (t for t in subject.tables if t.facts.holds == "errors"):
        word, sign = ("highest", -1) if table.facts.greater_is_better else ("lowest", 1)
        throughout = len({*table.facts.bold.values()}) == 1 and {*table.facts.bold} == {*table.rows}
        unless = OWN_BOLD if throughout and len(table.rows) > 2 else ""
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
            why = f"the {word} is {table.in_unit(sign * min(numbers.values()))} ({', '.join(best)})"
            place, text = PrintedPlace(table.name, row), ", ".join(bold)
            if "metric" in table.unstated:
                yield Finding(place, text, None, NO_METRIC)
            else:
                yield Finding(place, text, {*bold} <= {*best}, why, unless=unless)


def judge_summaries(subject: Subject) -> Iterator[Finding]:
    """Do means, ranks and wins follow from the numbers above?"""
    for table in subject.tables:
        kinds = [*table.summaries.values()]
        for row, kind in table.summaries.items():
            if kinds.count(kind) > 1:  # such as means of some of the rows
                place = PrintedPlace(table.name, row)
                yield Finding(place, kind, None, "there are several such rows")
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
        why = f"the mean is {table.in_unit(mean, '.6g')}"
        yield Finding(place, original, abs(mean - printed) <= slack, why)


def _counts(table: Printed, summary: str, kind: str) -> Iterator[Finding]:
    """Compare printed mean ranks, or numbers of wins, with those that the numbers allow."""
    for method in table.algorithms:
        column = table.mean_column(method)
        text = table.text(summary, column)
        if not text:
            continue
        place = PrintedPlace(table.name, summary, method)
        rivals = [m for m in table.algorithms if m != method]
        orders = [[_order(table, row, method, rival) for rival in rivals] for row in table.rows]
        if "metric" in table.unstated or any(None in order for order in orders):
            why = NO_METRIC if "metric" in table.unstated else "not all numbers are printed"
            yield Finding(place, text, None, why)
            continue
        # Numbers that are printed alike may differ before rounding.
        better, worse = ([order.count(sign) for order in orders] for sign in (1, -1))
        if kind == "rank":
            low, high = fmean(better) + 1, fmean(len(rivals) - n for n in worse) + 1
            why = f"the mean rank is {_range(low, high)}"
        else:
            low, high = worse.count(len(rivals)), better.count(0)
            why = f"it is the best of {_range(low, high)} rows"
        slack = table.rounding(summary, column) + SLACK
        yield Finding(place, text, low - slack <= float(text) <= high + slack, why)


def _triples(table: Printed, summary: str) -> Finding:
    """Check that wins, ties and losses are possible against some method of the table."""
    texts = {m: table.text(summary, table.mean_column(m)) for m in table.algorithms}
    counts = {m: [*map(int, re.findall(r"\d+", text))] for m, text in texts.items()}
    triples = {m: numbers for m, numbers in counts.items() if len(numbers) == 3}
    text = ", ".join(f"{m} {w}/{t}/{n}" for m, (w, t, n) in triples.items())
    place = PrintedPlace(table.name, summary)
    if not triples or "metric" in table.unstated:
        return Finding(place, text, None, NO_METRIC if triples else "not wins, ties and losses")
    # A paper may count from either side, and call differences ties that are not significant.
    for reference, (first, last) in product(table.algorithms, permutations((0, 2))):
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
    signs = [_order(table, row, method, reference) for row in table.rows]
    return wins <= sum(s != 1 for s in signs) and losses <= sum(s != -1 for s in signs)


def _order(table: Printed, row: str, method: str, other: str) -> int | None:
    """Return 1 if the other method is better for certain, -1 if worse, 0 if either can be."""
    columns = table.mean_column(method), table.mean_column(other)
    x, y = (table.number(row, column) for column in columns)
    if x is None or y is None:
        return None
    difference = y - x if table.facts.greater_is_better else x - y
    slack = sum(table.rounding(row, column) for column in columns) - SLACK
    return int(difference >= slack) - int(difference <= -slack)


def _range(low: float, high: float) -> str:
    ends = [f"{end:.4g}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def judge_claims(subject: Subject) -> Iterator[Finding | str]:
    """Do the claims of the text follow from the printed numbers?"""
    paper = subject.paper
    for group in (group for group in paper.groups.values() if group.printed):
        tables = tuple(paper.printed(name).as_errors() for name in group.printed)
        evidence = InPrint(tables[0].rows, paper.file.names, tables)
        for claim in group.claims:
            text, word = claim.judged_on(evidence)
            holds = None if word == "undecided" else word in ("supported", "agrees")
            yield Finding(PrintedPlace(tables[0].name), claim.text, holds, text)
    if others := sum(len(group.claims) for group in paper.groups.values() if not group.printed):
        yield f"claims: {others} are about numbers that are not printed, so only ours judge them."


def judge_pairs(subject: Subject) -> Iterator[Finding]:
    """Do the probabilities of both directions add up to 1?"""
    for table in subject.holding("comparisons"):
        for a, b in combinations_with_replacement(_compared(table), 2):
            one, other = table.text(a, b), table.text(b, a)
            if one and other:
                total, slack = float(one) + float(other), half_a_unit(one) + half_a_unit(other)
                why = f"{one} and {other} add up to {total:g}"
                holds = abs(total - 1) <= slack + SLACK
                yield Finding(PrintedPlace(table.name, a, b), one, holds, why)


def _compared(table: Printed) -> list[str]:
    """Return the algorithms that have both a row and a column."""
    return [name for name in table.columns if name in table.rows]


def judge_sources(subject: Subject) -> Iterator[Finding | str]:
    """Can each comparison follow from the compared risks?"""
    failed: list[Finding] = []
    risks = {table.name: table for table in subject.holding("errors")}
    for table in subject.holding("comparisons"):
        if (name := table.facts.compares) is None:
            continue
        subject.check(name, risks, "printed table of errors", table.name, "compares")
        source = risks[name].as_errors()
        for a, b in combinations(_compared(table), 2):
            if text := table.text(a, b):
                ends = possible_probabilities(subject, source, a, b)
                finding = _follows(PrintedPlace(table.name, a, b), text, name, ends)
                failed += [finding] if finding.holds is False else []
                yield finding
    if failed:
        hard = sum(not finding.why.endswith(ALLOWED) for finding in failed)
        yield (
            "sources: the test takes the wins over the data sets for tosses of a coin, and gives "
            f"the probability that the coin favours A. {hard} of the {len(failed)} that fail would "
            "also fail if it gave the probability that A wins on most data sets."
        )


ALLOWED = "; winning on most data sets would allow it"


def on_most(p: Sequence[float]) -> float:
    """Return the probability of winning on most data sets, a tie counted by half."""
    wins = stats.distribution_of_wins(p)[::-1]
    return float(wins[: len(wins) // 2].sum() + (wins[len(wins) // 2] / 2 if len(wins) % 2 else 0))


Ends = tuple[list[float], list[float]]
"""The least and the largest probability of each data set that A is better than B."""


def _follows(place: PrintedPlace, text: str, source: str, ends: Ends | str) -> Finding:
    if isinstance(ends, str):
        return Finding(place, text, None, ends)

    def allows(low: float, high: float) -> bool:
        slack = half_a_unit(text) + SLACK
        return low - slack <= float(text) <= high + slack

    low, high = map(stats.better_over_all, ends)
    why, holds = f"{source} allows {low:.3f} to {high:.3f}", allows(low, high)
    if not holds and allows(*map(on_most, ends)):
        why += ALLOWED
    return Finding(place, text, holds, why)


def possible_probabilities(subject: Subject, table: Printed, a: str, b: str) -> Ends | str:
    """Return the ends of the probability that A is better than B by data set, or a reason.

    The probability over all data sets rises with the one on each of them, so that its ends follow
    from all of these ends.
    """
    if table.sample.n > 1:
        return f"{table.name} has means, which do not give the errors of single examples"
    lows, highs = [], []
    for row in table.rows:
        size, texts = subject.size(table, row), (table.text(row, a), table.text(row, b))
        if isinstance(size, str):
            return f"{row}: {size}"
        ends = []
        for n in (size.n_test, *size.or_n_test):
            errors_a, errors_b = (counts(text, n) if text else range(0) for text in texts)
            if errors_a and errors_b:
                ends.append(ends_on_one(errors_a, errors_b))
        if not ends:
            return f"{row}: no number of errors gives what {table.name} prints"
        lows.append(min(low for low, _ in ends))
        highs.append(max(high for _, high in ends))
    return lows, highs


def ends_on_one(errors_a: range, errors_b: range) -> tuple[float, float]:
    """Return the least and the largest probability that A is better on one data set.

    A is better with fewer errors, and with more errors of B. With given numbers of errors, the
    probability is farthest from 1/2 if the two share all errors that they can.

    Examples
    --------
    Both have two errors, and B has one more for certain or not.

    >>> ends_on_one(range(2, 3), range(2, 4))
    (0.5, 0.75)
    """
    ends = []
    for n_a, n_b in ((errors_a[-1], errors_b[0]), (errors_a[0], errors_b[-1])):
        shared = (0, min(n_a, n_b))
        ends.append([stats.better_on_one(n_a - s, n_b - s) for s in shared])
    return min(ends[0]), max(ends[1])
