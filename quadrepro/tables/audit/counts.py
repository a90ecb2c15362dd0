"""Checks by counts of errors: whether printed numbers and summaries are possible."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from statistics import fmean
from typing import NamedTuple

import numpy as np

from quadrepro.base.types import IntArray
from quadrepro.papers.printed import MEAN_ROW, SD, MeanOf, Printed
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.check import (
    Check,
    Finding,
    PrintedPlace,
    Size,
    Subject,
)

NO_POWER = "with this many test examples every number of this few digits is possible"


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
    k, scale = int(Fraction(text) * denominator(text)), denominator(text, percent)
    first = max(-((1 - 2 * k) * total // (2 * scale)), 0)
    return range(first, min((2 * k + 1) * total // (2 * scale), total) + 1)


class TestSets(NamedTuple):
    """Test sets whose mean risk may be what is printed."""

    sizes: tuple[tuple[int, int], ...]
    """Numbers of examples, each with the number of test sets that have it."""
    name: str
    """How many and how large they are."""


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
            found.append(TestSets((*sizes.items(),), f"{times}{of.cv} folds of {words}"))
        if len(sizes) > 1 or of.pooled:
            found.append(TestSets(((n_rows, of.repeats),), f"{times}{n_rows} pooled"))
    return found


MOST_SUMS, MOST_DIGITS = 1_000_000, 10**9
"""Limits on the sums of errors and on the printed numbers that are told apart."""


@lru_cache(maxsize=1000)
def printable(sizes: tuple[tuple[int, int], ...], scale: int) -> IntArray | None:
    """Return each k for which k/scale is printed for a mean of risks on test sets.

    `sizes` is that of `TestSets`. A mean halfway between two numbers is printed as either. None
    if all numbers from 0 to 1 are printed, or there are too many sums to tell.

    Examples
    --------
    >>> printable(((5, 1),), 10).tolist()
    [0, 2, 4, 6, 8, 10]
    """
    n_sets, common = sum(times for _, times in sizes), math.lcm(*(n for n, _ in sizes))
    total = n_sets * common
    # One error more or fewer changes the mean by no more than the last digit.
    every = n_sets * min(n for n, _ in sizes) >= scale
    if every or total > MOST_SUMS or scale > MOST_DIGITS:
        return None
    reached = 1  # bit s: the mean can be s/total
    for n, times in sizes:
        left, step = n * times, 1
        while left:
            step = min(step, left)
            reached |= reached << step * common // n
            left, step = left - step, 2 * step
    bits = np.frombuffer(reached.to_bytes(total // 8 + 1, "little"), np.uint8)
    twice = 2 * scale * np.flatnonzero(np.unpackbits(bits, bitorder="little"))
    down, up = -((total - twice) // (2 * total)), (twice + total) // (2 * total)
    numbers = np.column_stack((down, up)).ravel()  # sorted
    return numbers[np.diff(numbers, prepend=-1) > 0]


def judge(subject: Subject) -> Iterator[Finding | str]:
    """Check every printed risk and every mean of risks."""
    for table in subject.holding("errors"):
        shares: list[float] = []
        confirmed: list[str] = []
        for row in table.rows:
            found, of_row, fits = _row(subject, table, row)
            yield from found
            shares += of_row.values()
            if fits and math.prod(of_row.values()) <= LEVEL:
                confirmed.append(f"{row} ({' or '.join(fits)})")
        if shares:
            yield _note(table.name, shares, confirmed)


def _row(
    subject: Subject, table: Printed, row: str
) -> tuple[list[Finding], dict[str, float], list[str]]:
    """Return what is found in a row, the power for each number, and the test sets that fit all."""
    percent = table.facts.unit == "percent"
    size = subject.size(table, row)
    texts = {c: t for c in table.algorithms if (t := table.text(row, table.mean_column(c)))}
    places = {column: PrintedPlace(table.name, row, column) for column in texts}
    if isinstance(size, str):
        return [Finding(places[c], text, None, size) for c, text in texts.items()], {}, []
    asked = plausible(size, table.of)
    found: list[Finding] = []
    power: dict[str, float] = {}
    fits = [sets.name for sets in asked]
    for column, text in texts.items():
        scale = denominator(text, percent)
        told = {sets.name: printable(sets.sizes, scale) for sets in asked}
        of_sets = {name: possible for name, possible in told.items() if possible is not None}
        if len(of_sets) < len(told):
            found.append(Finding(places[column], text, None, NO_POWER))
            continue
        every = np.unique(np.concatenate([*of_sets.values()]))
        power[text] = len(every) / (scale + 1)
        k = int(Fraction(text) * denominator(text))
        giving = [name for name, possible in of_sets.items() if k in possible]
        fits = [name for name in fits if name in giving]
        why = f"errors on {' or '.join(giving)} test examples"
        if not giving:
            why = f"no number of errors on {' or '.join(of_sets)} test examples"
        found.append(Finding(places[column], text, bool(giving), why))
    return found, power, fits


def _note(table: str, shares: list[float], confirmed: list[str]) -> str:
    text = (
        f"counts, {table}: {len(shares)} numbers can be checked, equal ones of a row counted once; "
        f"{fmean(shares):.0%} of random numbers would pass."
    )
    if confirmed:
        text += (
            " The digits confirm these test sets, which random numbers would fit with probability "
            f"{LEVEL:g} at most: {', '.join(confirmed)}."
        )
    return text


COUNTS = Check("counts", "Can each risk be a number of errors on its test sets?", judge)


def judge_bold(subject: Subject) -> Iterator[Finding]:
    """Check that what is in bold can be the lowest of its row before rounding."""
    for table in subject.holding("errors"):
        for row, columns in table.facts.bold.items():
            subject.known(row, table.rows, "row", table.name, "bold", row)
            texts = {c: table.text(row, table.mean_column(c)) for c in table.algorithms}
            numbers = {c: text for c, text in texts.items() if text}
            for i, column in enumerate(columns):
                subject.known(column, numbers, "column", table.name, "bold", row, i)
            halves = {c: Fraction(1, 2 * denominator(text)) for c, text in numbers.items()}
            least = min(Fraction(text) + halves[c] for c, text in numbers.items())
            lowest = [c for c, text in numbers.items() if Fraction(text) - halves[c] < least]
            why = f"the lowest is {min(map(float, numbers.values())):g} ({', '.join(lowest)})"
            holds = set(columns) <= set(lowest)
            yield Finding(PrintedPlace(table.name, row), ", ".join(columns), holds, why)


def judge_means(subject: Subject) -> Iterator[Finding]:
    """Compare printed means of columns with the means of what is printed above them."""
    for table in subject.tables:
        for column in table.columns:
            text = table.text(MEAN_ROW, column)
            texts = [table.text(row, column) for row in table.rows]
            if not text or column.endswith(SD):
                continue
            place = PrintedPlace(table.name, MEAN_ROW, column)
            if not texts or not all(texts):
                yield Finding(place, text, None, "not all rows are printed")
                continue
            mean = sum(map(Fraction, texts), Fraction()) / len(texts)
            own, *above = (Fraction(1, 2 * denominator(t)) for t in (text, *texts))
            slack = own + sum(above, Fraction()) / len(texts)
            holds = abs(mean - Fraction(text)) <= slack
            yield Finding(place, text, holds, f"the mean is {float(mean):.6g}")


BOLD = Check("bold", "Are the numbers in bold the lowest of their rows?", judge_bold)
MEANS = Check("means", "Are the means of columns those of the numbers above?", judge_means)
