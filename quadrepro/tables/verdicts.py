"""Verdicts: printed numbers in the distribution of our splits, one by one and as a whole.

A kind of table with printed numbers returns `Verdicts`; the file ``verdicts``, the scoreboard and
the pages of the report read them all alike.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from statistics import fmean, stdev
from typing import Literal

import numpy as np

from quadrepro.base.text import few
from quadrepro.base.types import FloatArray
from quadrepro.config.config import Experiment
from quadrepro.papers.printed import MeanOf, half_a_unit
from quadrepro.stats import (
    COVERAGE,
    LEVEL,
    Misses,
    Moments,
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    holm,
    independent_misses,
    p_text,
    placement,
    rounded_p,
    welch_test,
)
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.table import Table, Value, csv_text, entry

DATA_HEADER = (
    *("printed table", "dataset", "algorithm", "quantity"),
    *("printed", "ours", "low", "high", "p", "verdict", "reason"),
)


def verdicts_table(experiment: Experiment, found: Sequence[Verdicts]) -> Table:
    """Return the printed numbers outside our intervals, with notes on each table as a whole."""
    titles = experiment.titles
    rows = []
    for v in (v for of in found for v in of.entries if v.word == "outside"):
        numbers = (v.printed, f"{v.ours:.4g}", f"{v.low:.4g} to {v.high:.4g}")
        cells = (v.quantity, *numbers, rounded_p(v.p_value or 0.0))
        rows.append((name_of(v.row, v.column, titles), tuple(map(entry, cells))))
    notes = [f"Printed {v.printed}: {v.what}" for v in found if v.what]
    if any(of.judged for of in found):
        notes.insert(
            0,
            f"Interval: where the printed number lies with probability {COVERAGE:g} if it stems "
            "from splits like ours. For a mean with a deviation it is that of Welch's test; for "
            "other numbers that of the mean of as many further splits as are printed, by our "
            "deviation (Student's t); half a unit of the last printed digit is added.",
        )
    notes += filter(None, [own_rows_note(experiment.config)])
    for of in found:
        start = f"Printed {of.printed}: " if len(found) > 1 else ""
        notes += [start + text for text in of.statement(titles)]
    return Table(
        f"{experiment.config.title}: where the printed numbers lie in our intervals",
        ("Outside", "quantity", "printed", "ours", "interval", "p"),
        tuple(rows),
        tuple(notes),
        DATA_HEADER,
        tuple(_numbers(v.printed, e) for v in found for e in v.entries),
    )


SCORE_HEADER = (
    *("printed table", "numbers", "inside", "outside", "not comparable"),
    *("expected outside", "low", "high"),
    *("p more", "p fewer", "surely off"),
)
"""Columns of the table with one row per printed table."""


def score_text(found: Sequence[Verdicts]) -> str:
    """Return the verdicts on each printed table as a whole, as CSV."""
    rows = []
    for v in found:
        n_all, n, (outside, *chance) = len(v.counted), len(v.judged), astuple(v.misses)
        counts = (v.printed, n_all, n - outside, outside, n_all - n)
        surely = json.dumps([(e.row, e.column) for e in v.surely_off], ensure_ascii=False)
        rows.append((*counts, *(chance if n else [None] * len(chance)), surely))
    return csv_text(SCORE_HEADER, rows)


def _numbers(printed: str, v: Verdict) -> tuple[Value, ...]:
    place = printed, v.row, v.column, v.quantity
    return (*place, v.printed, v.ours, v.low, v.high, v.p_value, v.word, v.reason)


Word = Literal["inside", "outside", "not comparable"]
"""Where a printed number lies among ours."""

NAMED = 12
"""Maximum number of significant entries that a statement names."""

LEAST_SPLITS = 3
"""Minimum number of splits for the probability of several numbers outside at once."""


def name_of(row: str, column: str, titles: Mapping[str, str]) -> str:
    """Return row and column of a printed number, algorithms by their titles."""
    return f"{titles.get(row, row)}, {titles.get(column, column)}"


@dataclass(frozen=True)
class Verdict:
    """A printed number against ours."""

    row: str
    column: str
    """The entry."""
    quantity: str
    """What is printed: "risk", "error in percent", "RMSE", "margin mean", ..."""
    printed: str
    """Digit for digit."""
    ours: float | None = None
    """The mean of our splits."""
    low: float | None = None
    high: float | None = None
    """Ends of the interval in which the printed number lies with probability `COVERAGE` if it stems
    from splits like ours, widened by its rounding."""
    p_value: float | None = None
    """Two-sided p-value of that."""
    reason: str = ""
    """Why it is not comparable."""
    n_test: int | None = None
    """Number of test examples, if it is a risk that every split counts on as many."""
    further: int = 1
    """The number of our units, splits or cross-validations, whose mean it is."""

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        return half_a_unit(self.printed)

    @property
    def word(self) -> Word:
        """The verdict."""
        if self.p_value is None:
            return "not comparable"
        return "inside" if self.p_value > LEVEL else "outside"

    @property
    def position(self) -> float | None:
        """Where the printed number lies: 0 in the middle of the interval, -1 and 1 at its ends."""
        if self.low is None or self.high is None:
            return None
        half = (self.high - self.low) / 2
        off = float(self.printed) - (self.high + self.low) / 2
        return off / half if half > 0 else 0.0 if off == 0 else float(np.copysign(np.inf, off))


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on a printed table.

    Attributes
    ----------
    printed : str
        Name of the printed table.
    entries : tuple of Verdict
        One per printed number that the config has a row and a column for.
    splits : dict of str to ndarray of shape (n_splits, n_numbers)
        Our numbers behind the comparable entries of each row, in their order, by row; of rows with
        fewer than `LEAST_SPLITS` splits there are none. If one split serves the whole table, those
        of all rows stand under the empty name.
    what : str
        What the printed numbers are, in a sentence.
    own_rows : frozenset of str or None
        The rows that count in the table as a whole, so that no printed number counts twice; by
        default all.
    """

    printed: str
    entries: tuple[Verdict, ...]
    splits: Mapping[str, FloatArray] = field(default_factory=dict)
    what: str = ""
    own_rows: frozenset[str] | None = None

    @classmethod
    def of(
        cls,
        printed: str,
        found: Sequence[tuple[Verdict, Sequence[float]]],
        *,
        what: str = "",
        together: bool = False,
        own_rows: frozenset[str] | None = None,
    ) -> Verdicts:
        """Gather verdicts together with our splits behind each."""
        of_rows: dict[str, list[Sequence[float]]] = {}
        for verdict, ours in found:
            if verdict.p_value is not None:
                of_rows.setdefault("" if together else verdict.row, []).append(ours)
        splits = {
            row: np.array(columns).T
            for row, columns in of_rows.items()
            if len({len(c) for c in columns}) == 1 and len(columns[0]) >= LEAST_SPLITS
        }
        return cls(printed, tuple(verdict for verdict, _ in found), splits, what, own_rows)

    @property
    def counted(self) -> list[Verdict]:
        """Those that count in the table as a whole."""
        return [v for v in self.entries if self.own_rows is None or v.row in self.own_rows]

    @property
    def judged(self) -> list[Verdict]:
        """Those that count and are inside or outside."""
        return [v for v in self.counted if v.p_value is not None]

    @cached_property
    def words(self) -> dict[tuple[str, str], Word]:
        """The verdict on each entry; one number outside puts all of its entry outside."""
        judged = sorted(self.entries, key=lambda v: v.word == "outside")
        return {(v.row, v.column): v.word for v in judged if v.p_value is not None}

    @property
    def outside(self) -> list[Verdict]:
        """Those that count and are outside."""
        return [v for v in self.counted if v.word == "outside"]

    @property
    def surely_off(self) -> list[Verdict]:
        """Those that are outside after Holm's correction over all that are judged."""
        adjusted = holm([v.p_value or 0.0 for v in self.judged])
        return [v for v, p in zip(self.judged, adjusted, strict=True) if p <= LEVEL]

    @cached_property
    def chances(self) -> dict[str, FloatArray]:
        """Distribution of the number outside by chance, by row."""
        groups: dict[str, list[Verdict]] = {}
        for verdict in self.judged:
            groups.setdefault("" if "" in self.splits else verdict.row, []).append(verdict)
        return {row: self._chance(row, of) for row, of in groups.items()}

    def _chance(self, row: str, of: Sequence[Verdict]) -> FloatArray:
        if row not in self.splits:
            return independent_misses(len(of))
        found = np.ones(1)
        # Numbers of one kind share their splits; those of different kinds count as independent.
        for further, n_test in dict.fromkeys((v.further, v.n_test) for v in of):
            alike = [(v.further, v.n_test) == (further, n_test) for v in of]
            rounding = np.array([v.rounding for v in of])[alike]
            splits = self.splits[row][:, alike]
            chance = chance_of_misses(splits, further=further, rounding=rounding, n_test=n_test)
            found = np.convolve(found, chance)
        return found

    @cached_property
    def misses(self) -> Misses:
        """The number outside and the number expected by chance."""
        return count_misses(len(self.outside), self.chances.values())

    def statement(self, titles: Mapping[str, str]) -> tuple[str, ...]:
        """Return paragraphs on the table as a whole, given the titles of columns."""
        n, misses = len(self.judged), self.misses
        if not n:
            reasons = Counter(v.reason for v in self.counted if v.reason)
            why = ", ".join(f"{reason} ({n})" for reason, n in reasons.items())
            return (f"None of the printed numbers can be compared{': ' * bool(why)}{why}.",)
        found = (
            f"Inside: {n - misses.outside} of {n}, outside: {misses.outside}. If all stemmed from "
            f"splits like ours, {misses.expected:.1f} would be outside on average, "
            f"{misses.low} to {misses.high} in {COVERAGE:.0%} of tables, and "
        )
        if misses.p_more <= misses.p_fewer:
            found += f"{misses.outside} or more with {p_text(misses.p_more)}."
        else:
            number = f"{misses.outside} or fewer" if misses.outside else "none"
            found += f"{number} with {p_text(misses.p_fewer)}."
        return (found, *self._single(titles), *self._clusters(titles))

    def _single(self, titles: Mapping[str, str]) -> Iterator[str]:
        """Name the single numbers that are off."""
        if not self.outside:
            return
        n, names = len(self.judged), [name_of(v.row, v.column, titles) for v in self.surely_off]
        if not names:
            yield f"No single number is off once all {n} are counted (Holm, {LEVEL:g})."
            return
        listed = few(names, NAMED, "; ")
        yield f"Off even if all {n} are counted (Holm, {LEVEL:g}): {listed}."

    def _clusters(self, titles: Mapping[str, str]) -> Iterator[str]:
        """Name a row and a column in which several are outside."""
        columns = Counter(v.column for v in self.judged)
        by_column = {c: independent_misses(n) for c, n in columns.items()}
        for place, chances in (("row", self.chances), ("column", by_column)):
            counts = Counter(getattr(v, place) for v in self.outside)
            if len(chances) < 2 or max(counts.values(), default=0) < 2:
                continue
            [(name, worst)] = counts.most_common(1)
            of = sum(getattr(v, place) == name for v in self.judged)
            p = chance_of_a_group(worst, list(chances.values()))
            yield (
                f"Most are outside in the {place} {titles.get(name, name)}: {worst} of {of}; by "
                f"chance, some {place} has {worst} or more with {p_text(p)}."
            )


def repeated(of: MeanOf, n_splits: int, folds: int) -> int:
    """Return how many cross-validations like the printed one ours are; 0 if too few, or others."""
    times = n_splits // folds if folds and of.cv == folds else 0
    return times if times >= LEAST_SPLITS else 0


def like_print(
    splits: Sequence[float],
    of: MeanOf,
    folds: int,
    n_test: int | None = None,
    sizes: Sequence[int] = (),
) -> tuple[list[float], int, int | None]:
    """Return our numbers in the form of a printed one, how many it is the mean of, and on what.

    If print is a cross-validation and ours is `repeated`, these are the means of our
    cross-validations: they differ by the choice of folds alone, as a printed one does. Else they
    are our single splits, or folds. The `sizes` of our test sets are for errors that are pooled.
    """
    times = repeated(of, len(splits), folds)
    if not times:
        return list(splits), of.n, n_test
    each = [slice(i * folds, (i + 1) * folds) for i in range(times)]
    means = [fmean(splits[of_one], sizes[of_one] if of.pooled else None) for of_one in each]
    return means, of.repeats, None


def of_further_splits(entry: Verdict, ours: Sequence[float]) -> Verdict:
    """Judge a printed number by the interval for the mean of further splits."""
    if reason := _fault(ours, 2):
        return replace(entry, reason=reason)
    rounding, further = entry.rounding, entry.further
    place = placement(ours, float(entry.printed), rounding, further=further, n_test=entry.n_test)
    low, high = place.low - rounding, place.high + rounding
    return replace(entry, ours=place.mean, low=low, high=high, p_value=place.p_value)


def of_two_means(entry: Verdict, ours: Sequence[float], printed: Moments) -> Verdict:
    """Judge a printed mean with a deviation by Welch's test."""
    # With two splits, chance alone puts a tenth outside.
    if reason := _fault(ours, LEAST_SPLITS):
        return replace(entry, reason=reason)
    mean = fmean(ours)
    test = welch_test(Moments(mean, stdev(ours), len(ours)), printed, rounding=entry.rounding)
    reach = (test.high - test.low) / 2
    return replace(entry, ours=mean, low=mean - reach, high=mean + reach, p_value=test.p_value)


def _fault(ours: Sequence[float], least: int) -> str:
    """Return why a printed number cannot be compared with ours; empty if it can."""
    if len(ours) < least:
        return ("no result", "one split", "two splits")[len(ours)]
    return "a split without a number" if np.isnan(ours).any() else ""
