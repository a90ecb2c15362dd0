"""Verdicts on a printed table: its numbers one by one, and the table as a whole.

A kind of table with printed numbers returns `Verdicts`; the file ``verdicts``, the scoreboard and
the pages of the report read them all alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quadrepro import stats
from quadrepro.base.text import few
from quadrepro.base.types import FloatArray
from quadrepro.config.config import Experiment
from quadrepro.papers.printed import half_a_unit
from quadrepro.stats import COVERAGE, LEVEL, Misses, p_text, rounded_p
from quadrepro.tables.judge import Verdict, VerdictWord
from quadrepro.tables.render import csv_text, printed_text, significant
from quadrepro.tables.table import CsvField, Table, words

DATA_HEADER = (
    *("printed table", "dataset", "algorithm", "quantity"),
    *("printed", "ours", "low", "high", "p", "verdict", "reason"),
)

SCORE_HEADER = (
    *("printed table", "numbers", "inside", "outside", "not comparable"),
    *("expected outside", "low", "high", "p", "p more", "p fewer"),
    *("outside after holm", "deviations inside", "deviations outside"),
)
"""Columns of the table with one row per printed table."""

NAMED = 12
"""Maximum number of significant entries that a statement names."""


def name_of(row: str, column: str, titles: Mapping[str, str]) -> str:
    """Return row and column of a printed number, algorithms by their titles."""
    return f"{titles.get(row, row)}, {titles.get(column, column)}"


def _named(verdicts: Sequence[Verdict], titles: Mapping[str, str]) -> str:
    """Return the first names of some printed numbers, and how many more there are."""
    return few([name_of(v.row, v.column, titles) for v in verdicts], NAMED, "; ")


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on a printed table.

    Attributes
    ----------
    printed : str
        Name of the printed table.
    entries : tuple of Verdict
        One per printed number that the config has a row and a column for.
    description : str
        The meaning of the printed numbers, in a sentence.
    own_rows : frozenset of str or None
        The rows that count in the table as a whole, so that no printed number counts twice; by
        default all.
    percent : bool
        Whether the numbers are shown in percent.
    one_sample : bool
        Whether one split serves the whole table, and not one split per row.
    """

    printed: str
    entries: tuple[Verdict, ...]
    description: str = ""
    own_rows: frozenset[str] | None = None
    percent: bool = False
    one_sample: bool = False

    @property
    def counted(self) -> list[Verdict]:
        """Those that count in the table as a whole."""
        return [v for v in self.entries if self.own_rows is None or v.row in self.own_rows]

    @cached_property
    def judged(self) -> list[Verdict]:
        """Those that count and are inside or outside."""
        return [v for v in self.counted if v.p_value is not None]

    @property
    def outside(self) -> list[Verdict]:
        """Those that count and are outside."""
        return [v for v in self.judged if v.word == "outside"]

    @property
    def deviations(self) -> list[Verdict]:
        """The verdicts on printed standard deviations that count."""
        deviations = [v.deviation for v in self.counted if v.deviation]
        return [v for v in deviations if v.p_value is not None]

    @property
    def numbers(self) -> list[Verdict]:
        """All verdicts, each with the one on its deviation after it."""
        return [v for verdict in self.entries for v in (verdict, verdict.deviation) if v]

    @property
    def outside_numbers(self) -> list[Verdict]:
        """All numbers and deviations that are outside."""
        return [v for v in self.numbers if v.word == "outside"]

    @property
    def outside_places(self) -> set[tuple[str, str, str]]:
        """Row, column and quantity of each number and deviation that is outside."""
        return {(v.row, v.column, v.quantity) for v in self.outside_numbers}

    @cached_property
    def words(self) -> dict[tuple[str, str], VerdictWord]:
        """The verdict on each entry, by row and column; outside if any of its numbers is."""
        judged = sorted(self.entries, key=lambda v: v.word == "outside")
        return {(v.row, v.column): v.word for v in judged if v.p_value is not None}

    @cached_property
    def _nulls(self) -> dict[str, FloatArray]:
        """Null p-values by row, for numbers that are drawn from our splits."""
        rows = defaultdict[str, list[Verdict]](list)
        for verdict in self.judged:
            rows["" if self.one_sample else verdict.row].append(verdict)
        return {row: _null(verdicts) for row, verdicts in rows.items()}

    @cached_property
    def chances(self) -> dict[str, FloatArray]:
        """Distribution of the number outside by chance, by row."""
        return {
            row: stats.chance_of_misses(p) if len(p) else stats.independent_misses(p.shape[1])
            for row, p in self._nulls.items()
        }

    @cached_property
    def outside_after_holm(self) -> list[Verdict]:
        """Those that are outside after Holm's correction over all that are judged.

        Their p-values are at least the shares of equal ones among numbers drawn from our splits.
        """
        p_values = [v.p_value or 0.0 for v in self.judged]
        null = np.concatenate([np.zeros(0), *map(np.ravel, self._nulls.values())])
        adjusted = stats.holm(stats.tail_p_values(p_values, null)) if len(null) else []
        return [v for v, p in zip(self.judged, adjusted, strict=False) if p <= LEVEL]

    @cached_property
    def misses(self) -> Misses:
        """The number outside and the number expected by chance."""
        return stats.count_misses(len(self.outside), self.chances.values())

    @property
    def score(self) -> tuple[CsvField, ...]:
        """The verdict on the table as a whole, as a row of `SCORE_HEADER`."""
        n_all, n, m = len(self.counted), len(self.judged), self.misses
        chance = m.expected, m.low, m.high, m.p_value, m.p_more, m.p_fewer
        places = [(v.row, v.column) for v in self.outside_after_holm]
        off = sum(v.word == "outside" for v in self.deviations)
        counts = self.printed, n_all, n - m.outside, m.outside, n_all - n
        by_chance = chance if n else (None,) * len(chance)
        text = json.dumps(places, ensure_ascii=False)
        return (*counts, *by_chance, text, len(self.deviations) - off, off)

    def statement(self, titles: Mapping[str, str]) -> Iterator[str]:
        """Yield paragraphs on the table as a whole, given the titles of columns."""
        n, misses = len(self.judged), self.misses
        if not n:
            reasons = Counter(v.reason for v in self.counted if v.reason)
            why = ", ".join(f"{reason} ({count})" for reason, count in reasons.items())
            yield f"None of the printed numbers can be compared{': ' * bool(why)}{why}."
            return
        yield (
            f"Inside: {n - misses.outside} of {n}, outside: {misses.outside}. If all were drawn "
            f"like ours, {misses.expected:.1f} would be outside on average, and {misses.low} to "
            f"{misses.high} in {COVERAGE:.0%} of tables ({p_text(misses.p_value)})."
        )
        if self.outside:
            names = _named(self.outside_after_holm, titles) or "none"
            yield f"Outside after Holm's correction for {n} numbers ({LEVEL:g}): {names}."
        yield from self._row(titles)
        if n_deviations := len(self.deviations):
            outside = [v for v in self.deviations if v.word == "outside"]
            names = f"; outside: {_named(outside, titles)}" * bool(outside)
            n_inside = n_deviations - len(outside)
            yield f"Standard deviations inside: {n_inside} of {n_deviations}{names}."

    def _row(self, titles: Mapping[str, str]) -> Iterator[str]:
        """Name the row in which most are outside, if several are."""
        counts = Counter(v.row for v in self.outside)
        if self.one_sample or len(self.chances) < 2 or max(counts.values(), default=0) < 2:
            return
        [(name, worst)] = counts.most_common(1)
        n = sum(v.row == name for v in self.judged)
        p = stats.chance_of_a_group(worst, list(self.chances.values()))
        yield (
            f"Most are outside in the row {titles.get(name, name)}: {worst} of {n}; by chance, "
            f"some row has {worst} or more with {p_text(p)}."
        )


NO_VERDICTS = Verdicts("", ())
"""The verdicts where nothing is printed."""


def _null(verdicts: Sequence[Verdict]) -> FloatArray:
    """Return null p-values of a row, empty if its columns do not have the same splits."""
    repeats = [v.repeats for v in verdicts if v.repeats is not None]
    sizes = {len(r.values) for r in repeats}
    if len(sizes) != 1:
        return np.zeros((0, len(verdicts)))
    return stats.null_p_values(
        np.array([r.values for r in repeats]).T,
        n_printed=verdicts[0].n_printed,
        rounding=[half_a_unit(v.printed) for v in verdicts],
        n_test=repeats[0].n_test,
        one_test_set=repeats[0].one_test_set,
    )


def verdicts_table(
    experiment: Experiment, every: Sequence[Verdicts], notes: Sequence[str]
) -> Table:
    """Return the printed numbers outside our intervals, with notes on each table as a whole."""
    titles = experiment.titles
    rows = [
        (name_of(v.row, v.column, titles), words(texts_of(v, table.percent)))
        for table in every
        for v in table.outside_numbers
    ]
    paragraphs = []
    if any(verdicts.judged for verdicts in every):
        paragraphs.append(
            f"Interval: a printed number lies in it with probability {COVERAGE:g} if it is drawn "
            "like ours, half a unit of its last digit allowed for. It has the width of Student's t "
            "by our deviation (Welch's test by both for a mean with a deviation), and at least the "
            "width that the sampling of test examples gives."
        )
    paragraphs += [f"Printed {v.printed}: {v.description}" for v in every if v.description]
    paragraphs += notes
    for verdicts in every:
        start = f"Printed {verdicts.printed}: " if len(every) > 1 else ""
        paragraphs += [start + text for text in verdicts.statement(titles)]
    return Table(
        f"{experiment.config.title}: printed numbers outside our intervals",
        ("Outside", "quantity", "printed", "ours", "interval", "p"),
        tuple(rows),
        tuple(paragraphs),
        DATA_HEADER,
        tuple(_data(table.printed, v) for table in every for v in table.numbers),
    )


def score_sentence(printed: str, score: Sequence[Any]) -> str:
    """Return in a sentence how the printed numbers of a table compare with ours.

    The score is a row of `SCORE_HEADER`.
    """
    facts = dict(zip(SCORE_HEADER, score, strict=True))
    name = re.sub(r"^(table|figure)(?=\d)", lambda word: f"{word[0].title()} ", printed)
    n = facts["inside"] + facts["outside"]
    return (
        f"{facts['inside']:g} of {n:g} printed numbers of {name} are inside our intervals, where "
        f"{n - facts['expected outside']:.0f} are expected ({p_text(facts['p'])})."
    )


def score_text(every: Sequence[Verdicts]) -> str:
    """Return the verdicts on each printed table as a whole, as CSV."""
    return csv_text(SCORE_HEADER, [verdicts.score for verdicts in every])


def texts_of(v: Verdict, percent: bool) -> tuple[str, ...]:
    """Return quantity, printed number, ours, interval and p-value of a verdict as texts.

    An RMSE has the unit of its target, also in a table in percent.
    """
    percent = percent and "RMSE" not in v.quantity
    ours, low, high = (significant(x or 0.0, percent=percent) for x in (v.ours, v.low, v.high))
    texts = v.quantity + " in percent" * percent, printed_text(v.printed, percent), ours
    return (*texts, f"{low} to {high}", rounded_p(v.p_value or 0.0))


def _data(printed: str, v: Verdict) -> tuple[CsvField, ...]:
    place = printed, v.row, v.column, v.quantity
    return (*place, v.printed, v.ours, v.low, v.high, v.p_value, v.word, v.reason)
