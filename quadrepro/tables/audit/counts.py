"""Whether printed risks can be numbers of errors on their test sets, and which sizes fit them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache, reduce
from statistics import fmean
from typing import NamedTuple

import numpy as np

from quadrepro.base.text import few
from quadrepro.base.types import IntArray
from quadrepro.papers.printed import ACCURACY, Printed, Sample
from quadrepro.stats import LEVEL
from quadrepro.tables.audit.subject import NOT_SAID, NUMBERS, Finding, PrintedPlace, Size, Subject
from quadrepro.tables.render import printed_text

NO_POWER = "with this many test examples every number of this few digits is possible"
TOO_MANY = "too many sums of errors to check"
OTHER_FOLDS = "the folds had other sizes"
MAY_BE_MEAN = "it is a mean over folds or splits, which --of can state"

MOST_SUMS, LARGEST = 10_000_000, 2**61
"""Limits on the number of sums of errors, and on whole numbers."""

NEARBY = (0.9, 1.1)
"""Sizes of test sets that are searched, as shares of the assumed one."""

LARGEST_SIZE = 1000
"""Largest size that is searched where none is known."""

INFORMATIVE = 0.1
"""Largest share of the searched sizes that fit a row for them to be named."""


def denominator(text: str) -> int:
    """Return D if a printed risk is one of the multiples of 1/D, by its number of digits.

    Examples
    --------
    >>> denominator("0.145"), denominator("0.0428")
    (1000, 10000)
    """
    return int(10 ** len(text.partition(".")[2]))


def counts(text: str, total: int) -> range:
    """Return all numbers of errors among `total` examples that are printed so when rounded.

    A number halfway between two printed ones may be rounded to either.

    Examples
    --------
    >>> counts("0.145", 345)
    range(50, 51)
    >>> len(counts("0.146", 345))
    0
    """
    scale = denominator(text)
    k = round(float(text) * scale)
    first = max(-((1 - 2 * k) * total // (2 * scale)), 0)
    return range(first, min((2 * k + 1) * total // (2 * scale), total) + 1)


class TestSets(NamedTuple):
    """Test sets whose mean risk may be printed."""

    sizes: tuple[tuple[int, int], ...]
    """Numbers of examples, each with the number of test sets that have it."""
    name: str
    """How many and how large they are."""
    assumed: bool = False
    """Whether the sizes are not printed, but of folds as equal as can be."""


def plausible(size: Size, sample: Sample) -> list[TestSets]:
    """Return all test sets that a printed mean can be over.

    Folds differ by one example at most. Their risks are averaged, or their errors are pooled.

    Examples
    --------
    >>> [sets.name for sets in plausible(Size(35, 345), Sample(cv=10))]
    ['10 folds of 34 or 35', '345 pooled']
    """
    if sample.cv is None:
        return [_alike(n, sample.n) for n in (size.n_test, *size.or_n_test)]
    # A single number may be of all rows or of the examples of a fold.
    alone = (size.n_test * sample.cv,) if size.n_rows in (0, size.n_test) else ()
    times = f"{sample.repeats} × " if sample.repeats > 1 else ""
    every = []
    for n_rows in (size.n_rows, *alone) if size.n_rows else alone:
        fewer, larger = divmod(n_rows, sample.cv)
        folds = {fewer: sample.cv - larger, fewer + 1: larger}
        sizes = {n: sample.repeats * k for n, k in folds.items() if n and k}
        text = " or ".join(map(str, sizes))
        if not sample.pooled:
            every.append(TestSets((*sizes.items(),), f"{times}{sample.cv} folds of {text}", True))
        if len(sizes) > 1 or sample.pooled:
            every.append(TestSets(((n_rows, sample.repeats),), f"{times}{n_rows} pooled"))
    return every


def _alike(n_test: int, n_sets: int) -> TestSets:
    """Return a number of test sets of one size."""
    return TestSets(((n_test, n_sets),), f"{n_sets} × {n_test}" if n_sets > 1 else f"{n_test}")


@lru_cache(maxsize=1000)
def printable(sizes: tuple[tuple[int, int], ...], scale: int) -> IntArray | str:
    """Return each k for which k/scale is printed for a mean of risks, or why it is not known.

    `sizes` is as in `TestSets`. A mean halfway between two numbers is printed as either.

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
    # Sets of one size have any number of errors together; a sum s is the mean s/total.
    each = [np.arange(n * times + 1) * (common // n) for n, times in sizes]
    sums = np.unique(reduce(np.add.outer, each))
    twice = 2 * scale * sums
    down, up = -((total - twice) // (2 * total)), (twice + total) // (2 * total)
    return np.unique((down, up))


def fitting_sizes(texts: Collection[str], n_sets: int, low: int, high: int) -> list[int]:
    """Return the sizes of test sets for which all of some printed means are possible.

    Examples
    --------
    >>> fitting_sizes({"0.967", "0.933"}, 1, 20, 40)
    [30]
    """
    sizes = range(low, high + 1)
    return [n for n in sizes if all(len(counts(text, n * n_sets)) for text in texts)]


def judge_counts(subject: Subject) -> Iterator[Finding | str]:
    """Can each risk be a number of errors on its test sets?"""
    for table in subject.holding("errors"):
        rows = [_Row(subject, table, row) for row in table.rows]
        for row in rows:
            yield from row.findings
        yield from _notes(table, rows)


class _Row:
    """The numbers of a row against the sizes of its test sets."""

    def __init__(self, subject: Subject, table: Printed, row: str) -> None:
        self.table, self.row = table, row
        self.size = NUMBERS if table.facts.unit is None else subject.size(table, row)
        self.sets = [] if isinstance(self.size, str) else plausible(self.size, table.sample)
        columns = {c: table.text(row, table.mean_column(c)) for c in table.algorithms}
        self.texts = {column: text for column, text in columns.items() if text}
        self.shares: dict[str, float] = {}
        """The share of possible numbers, by printed number."""
        self.fits = {sets.name for sets in self.sets}
        """Names of the test sets that fit all numbers."""
        self.findings = [self._judged(column, text) for column, text in self.texts.items()]

    def _judged(self, column: str, text: str) -> Finding:
        place = PrintedPlace(self.table.name, self.row, column)
        printed = self.table.as_printed(self.row, self.table.mean_column(column))
        scale = denominator(text)
        possible = {sets: printable(sets.sizes, scale) for sets in self.sets}
        checked = {sets: ks for sets, ks in possible.items() if not isinstance(ks, str)}
        if isinstance(self.size, str) or len(checked) < len(self.sets):
            reasons = [x for x in (self.size, *possible.values()) if isinstance(x, str)]
            return Finding(place, printed, None, reasons[0])
        every = np.unique(np.concatenate([*checked.values()]))
        self.shares[text] = len(every) / (scale + 1)
        k = round(float(text) * scale)
        giving = [sets.name for sets, ks in checked.items() if k in ks]
        self.fits &= {*giving}
        kind = "correct answers" if self.table.facts.metric == ACCURACY else "errors"
        why = f"{kind} on {' or '.join(giving)} test examples"
        if not giving:
            names = " or ".join(sets.name for sets in self.sets)
            near = every[max(np.searchsorted(every, k) - 1, 0) :][:2].tolist()
            texts = ", ".join(self._count_text(n, text, checked) for n in near)
            why = f"impossible on {names} test examples: no such number of {kind}; nearest: {texts}"
            why += self._others_text()
        unless = OTHER_FOLDS if any(sets.assumed for sets in self.sets) else ""
        unless = MAY_BE_MEAN if "of" in self.table.unstated else unless
        return Finding(place, printed, bool(giving), why, unless=unless)

    def _count_text(self, k: int, text: str, checked: Mapping[TestSets, IntArray]) -> str:
        """Return a possible number with the printed digits, and the count that gives it."""
        digits, scale = len(text.partition(".")[2]), denominator(text)
        number = printed_text(f"{k / scale:.{digits}f}", self.table.in_percent)
        sizes = next(sets.sizes for sets, possible in checked.items() if k in possible)
        if len(sizes) > 1:
            return number
        total = math.prod(sizes[0])
        return f"{round(k * total / scale)}/{total} = {number}"

    @cached_property
    def others(self) -> list[int] | None:
        """Sizes near the assumed ones that fit all numbers, without those; None for folds."""
        if isinstance(self.size, str) or self.table.sample.cv is not None:
            return None
        assumed = {self.size.n_test, *self.size.or_n_test}
        sizes = fitting_sizes({*self.texts.values()}, self.table.sample.n, *self._nearby)
        return [n for n in sizes if n not in assumed]

    @property
    def _nearby(self) -> tuple[int, int]:
        n = 0 if isinstance(self.size, str) else self.size.n_test
        return math.ceil(NEARBY[0] * n), math.floor(NEARBY[1] * n)

    def _others_text(self) -> str:
        """Return the other sizes that fit the whole row, as the end of a failure."""
        if self.others is None:
            return ""
        low, high = self._nearby
        if names := [_alike(n, self.table.sample.n).name for n in self.others]:
            return f"; the whole row fits {few(names)}, of the sizes from {low} to {high}"
        return f"; no size from {low} to {high} fits the whole row"

    def confirms(self, level: float) -> str:
        """Return the test sets that the digits confirm, empty without any.

        Random numbers would fit them with a probability of at most the level, and no other size
        nearby fits the row.
        """
        unlikely = math.prod(self.shares.values()) <= level
        if not (self.fits and unlikely) or self.others != []:
            return ""
        names = " or ".join(sets.name for sets in self.sets if sets.name in self.fits)
        return f"{self.row} ({names})"


def _notes(table: Printed, rows: list[_Row]) -> Iterator[str]:
    shares = [share for row in rows for share in row.shares.values()]
    if shares:
        n_rows = sum(bool(row.shares) for row in rows)
        note = (
            f"counts, {table.name}: {len(shares)} numbers can be checked, equal ones of a row "
            f"counted once; {fmean(shares):.0%} of random numbers would pass."
        )
        if confirmed := [*filter(None, (row.confirms(LEVEL / n_rows) for row in rows))]:
            note += (
                " Only these test-set sizes, of those within 10%, fit the digits, which random "
                f"numbers of all rows would fit with probability {LEVEL:g} at most: "
                f"{', '.join(confirmed)}."
            )
        yield note
    if table.sample.cv is None and (texts := [*filter(None, map(_sizes_text, rows))]):
        yield (
            f"counts, {table.name}: test-set sizes up to {LARGEST_SIZE} that fit the digits of a "
            f"row: {few(texts, 10, '; ')}."
        )


def _sizes_text(row: _Row) -> str:
    """Return the sizes that fit a row whose sizes are not known, if they are not too many."""
    if row.size != NOT_SAID or not row.texts:
        return ""
    sizes = fitting_sizes({*row.texts.values()}, row.table.sample.n, 2, LARGEST_SIZE)
    if not sizes:
        return f"{row.row}: none"
    if len(sizes) > INFORMATIVE * LARGEST_SIZE:
        return ""
    return f"{row.row}: {few([*map(str, sizes)])}"
