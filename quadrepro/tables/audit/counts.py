"""Checks by counts of errors: whether printed numbers and summaries are possible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache, reduce
from statistics import fmean
from typing import NamedTuple

import numpy as np

from quadrepro.base.types import IntArray
from quadrepro.papers.printed import ACCURACY, MEAN_ROW, SD, MeanOf, Printed, half_a_unit
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.subject import NUMBERS, SLACK, Finding, PrintedPlace, Size, Subject

NO_POWER = "with this many test examples every number of this few digits is possible"
TOO_MANY = "there are too many sums of errors to tell"
OTHER_FOLDS = "the folds were of other sizes"

MOST_SUMS, LARGEST = 10_000_000, 2**61
"""Limits on the sums of errors that are told apart, and on whole numbers."""


def denominator(text: str, percent: bool = False) -> int:
    """Return D if a printed risk is one of the multiples of 1/D, by its number of digits.

    Examples
    --------
    >>> denominator("0.145"), denominator("4.28", percent=True)
    (1000, 10000)
    """
    return int(10 ** len(text.partition(".")[2])) * (100 if percent else 1)


def counts(text: str, total: int, percent: bool = False) -> range:
    """Return all numbers of errors among `total` examples that are printed so when rounded.

    A number halfway between two printed ones may be rounded to either.

    Examples
    --------
    >>> counts("0.145", 345)
    range(50, 51)
    >>> len(counts("0.146", 345))
    0
    """
    k, scale = round(float(text) * denominator(text)), denominator(text, percent)
    first = max(-((1 - 2 * k) * total // (2 * scale)), 0)
    return range(first, min((2 * k + 1) * total // (2 * scale), total) + 1)


class TestSets(NamedTuple):
    """Test sets whose mean risk may be what is printed."""

    sizes: tuple[tuple[int, int], ...]
    """Numbers of examples, each with the number of test sets that have it."""
    name: str
    """How many and how large they are."""
    assumed: bool = False
    """Whether the sizes are not printed, but those of folds as equal as can be."""


def plausible(size: Size, of: MeanOf) -> list[TestSets]:
    """Return all test sets that a printed mean can be over.

    Folds differ by one example at most. Their risks are averaged, or their errors are pooled.

    Examples
    --------
    >>> [sets.name for sets in plausible(Size(35, 345), MeanOf(cv=10))]
    ['10 folds of 34 or 35', '345 pooled']
    """
    if of.cv is None:
        times = f"{of.n} × " if of.n > 1 else ""
        return [TestSets(((n, of.n),), f"{times}{n}") for n in (size.n_test, *size.or_n_test)]
    # A number alone may be that of all rows or of the examples of a fold.
    alone = (size.n_test * of.cv,) if size.n_rows in (0, size.n_test) else ()
    times = f"{of.repeats} × " if of.repeats > 1 else ""
    found = []
    for n_rows in (size.n_rows, *alone) if size.n_rows else alone:
        fewer, larger = divmod(n_rows, of.cv)
        folds = {fewer: of.cv - larger, fewer + 1: larger}
        sizes = {n: of.repeats * k for n, k in folds.items() if n and k}
        words = " or ".join(map(str, sizes))
        if not of.pooled:
            found.append(TestSets((*sizes.items(),), f"{times}{of.cv} folds of {words}", True))
        if len(sizes) > 1 or of.pooled:
            found.append(TestSets(((n_rows, of.repeats),), f"{times}{n_rows} pooled"))
    return found


@lru_cache(maxsize=1000)
def printable(sizes: tuple[tuple[int, int], ...], scale: int) -> IntArray | str:
    """Return each k for which k/scale is printed for a mean of risks, or why that is not known.

    `sizes` is that of `TestSets`. A mean halfway between two numbers is printed as either.

    Examples
    --------
    >>> printable(((5, 1),), 10).tolist()
    [0, 2, 4, 6, 8, 10]
    """
    n_sets, common = sum(times for _, times in sizes), math.lcm(*(n for n, _ in sizes))
    total = n_sets * common
    # One error more or fewer changes the mean by no more than the last digit.
    if n_sets * min(n for n, _ in sizes) >= scale:
        return NO_POWER
    if math.prod(n * times + 1 for n, times in sizes) > MOST_SUMS or total * scale > LARGEST:
        return TOO_MANY
    # Sets of one size have any number of errors together; a sum s stands for the mean s/total.
    each = [np.arange(n * times + 1) * (common // n) for n, times in sizes]
    sums = np.unique(reduce(np.add.outer, each))
    twice = 2 * scale * sums
    down, up = -((total - twice) // (2 * total)), (twice + total) // (2 * total)
    return np.unique((down, up))


def judge_counts(subject: Subject) -> Iterator[Finding | str]:
    """Check every printed risk and every mean of risks."""
    for table in subject.holding("errors"):
        shares: list[float] = []
        confirmed: list[str] = []
        for row in table.rows:
            yield from _judge_row(subject, table, row, shares, confirmed)
        if shares:
            note = (
                f"counts, {table.name}: {len(shares)} numbers can be checked, equal ones of a row "
                f"counted once; {fmean(shares):.0%} of random numbers would pass."
            )
            if confirmed:
                note += (
                    " The digits confirm these test sets, which random numbers would fit with "
                    f"probability {LEVEL:g} at most: {', '.join(confirmed)}."
                )
            yield note


def _judge_row(
    subject: Subject, table: Printed, row: str, shares: list[float], confirmed: list[str]
) -> Iterator[Finding]:
    """Check a row; add the share of possible numbers, and the row if its digits confirm sizes."""
    size = NUMBERS if table.facts.unit is None else subject.size(table, row)
    asked = [] if isinstance(size, str) else plausible(size, table.of)
    unless = OTHER_FOLDS if any(sets.assumed for sets in asked) else ""
    what = "correct answers" if table.facts.metric == ACCURACY else "errors"
    fits, of_row = {sets.name for sets in asked}, dict[str, float]()
    for column in table.algorithms:
        if not (text := table.text(row, table.mean_column(column))):
            continue
        place = PrintedPlace(table.name, row, column)
        scale = denominator(text, table.facts.unit == "percent")
        possible = {sets: printable(sets.sizes, scale) for sets in asked}
        known = {sets: of for sets, of in possible.items() if not isinstance(of, str)}
        if isinstance(size, str) or len(known) < len(asked):
            unknown = [of for of in (size, *possible.values()) if isinstance(of, str)]
            yield Finding(place, text, None, unknown[0])
            continue
        every = np.unique(np.concatenate([*known.values()]))
        of_row[text] = len(every) / (scale + 1)
        k = round(float(text) * denominator(text))
        giving = [sets.name for sets, of in known.items() if k in of]
        fits &= {*giving}
        why = f"{what} on {' or '.join(giving)} test examples"
        if not giving:
            names = " or ".join(sets.name for sets in asked)
            near = every[max(np.searchsorted(every, k) - 1, 0) :][:2].tolist()
            shown = ", ".join(_as_count(n, text, scale, known) for n in near)
            why = f"no number of {what} on {names} test examples; nearest: {shown}"
        yield Finding(place, text, bool(giving), why, unless=unless)
    shares += of_row.values()
    if fits and math.prod(of_row.values()) <= LEVEL:
        names = " or ".join(sets.name for sets in asked if sets.name in fits)
        confirmed.append(f"{row} ({names})")


def _as_count(k: int, text: str, scale: int, known: Mapping[TestSets, IntArray]) -> str:
    """Return a possible number with the digits of a printed one, and the count that gives it."""
    digits = len(text.partition(".")[2])
    shown = f"{k / denominator(text):.{digits}f}"
    sizes = next(sets.sizes for sets, possible in known.items() if k in possible)
    if len(sizes) > 1:
        return shown
    total = math.prod(sizes[0])
    return f"{round(k * total / scale)}/{total} = {shown}"


def judge_bold(subject: Subject) -> Iterator[Finding]:
    """Check that what is in bold can be the best of its row before rounding."""
    for table in subject.holding("errors"):
        word, sign = ("highest", -1) if table.facts.metric == ACCURACY else ("lowest", 1)
        for row, bold in table.facts.bold.items():
            subject.check(row, table.rows, "row", table.name, "bold", row)
            columns = {c: table.mean_column(c) for c in table.algorithms}
            columns = {c: at for c, at in columns.items() if table.text(row, at)}
            for i, column in enumerate(bold):
                subject.check(column, columns, "column", table.name, "bold", row, i)
            numbers = {c: sign * float(table.text(row, at)) for c, at in columns.items()}
            halves = {c: table.rounding(row, at) for c, at in columns.items()}
            least = min(numbers[c] + halves[c] for c in columns)
            best = [c for c in columns if numbers[c] - halves[c] < least - SLACK]
            why = f"the {word} is {sign * min(numbers.values()):g} ({', '.join(best)})"
            place = PrintedPlace(table.name, row)
            yield Finding(place, ", ".join(bold), {*bold} <= {*best}, why)


def judge_means(subject: Subject) -> Iterator[Finding]:
    """Compare printed means of columns with the means of what is printed above them."""
    for table in subject.tables:
        for column in table.columns:
            text = table.text(MEAN_ROW, column)
            if not text or column.endswith(SD):
                continue
            place = PrintedPlace(table.name, MEAN_ROW, column)
            texts = [table.text(row, column) for row in table.rows]
            if not texts or not all(texts):
                yield Finding(place, text, None, "not all rows are printed")
                continue
            mean = fmean(map(float, texts))
            slack = half_a_unit(text) + fmean(map(half_a_unit, texts)) + SLACK
            holds = abs(mean - float(text)) <= slack
            yield Finding(place, text, holds, f"the mean is {mean:.6g}")
