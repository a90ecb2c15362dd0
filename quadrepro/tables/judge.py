"""The judge of printed numbers: one number among our repeats, and all numbers of a table.

A kind of table with printed numbers returns `Verdicts`; the file ``verdicts``, the scoreboard and
the pages of the report read them all alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any, Literal

import numpy as np

from quadrepro import stats
from quadrepro.base.text import few
from quadrepro.base.types import FloatArray
from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import SD, Printed, Sample, half_a_unit
from quadrepro.stats import COVERAGE, LEVEL, MIN_SPLITS, Misses, Repeats, p_text, rounded_p
from quadrepro.tables.render import CsvField, Table, csv_text, printed_text, significant, words

VerdictWord = Literal["inside", "outside", "not comparable"]
"""Place of a printed number among ours."""

NO_REPEATS = ("no result", "one split", "two splits")
"""Reasons for no verdict, by the number of our repeats."""

NO_VARIATION = "our splits do not vary, so nothing tells how much a printed number may differ"


@dataclass(frozen=True)
class PrintedNumber:
    """A printed number with its repetitions."""

    text: str
    """The number with all printed digits; a share is a fraction."""
    sample: Sample = field(default_factory=lambda: Sample(splits=1))
    """The repetitions whose mean it is."""
    sd: float | None = None
    """The printed standard deviation over them."""
    sd_rounding: float = 0.0
    """Half a unit of the last digit of the deviation."""
    sd_text: str = ""
    """The deviation as a text, with the printed digits if it is printed."""

    @classmethod
    def at(cls, printed: Printed, row: str, algorithm: str) -> PrintedNumber:
        """Return the number of a row and an algorithm."""
        column, spread = printed.mean_column(algorithm), algorithm + SD
        sd, sd_text = printed.deviation(row, algorithm), printed.text(row, spread)
        rounding = printed.rounding(row, spread) if sd is not None else 0.0
        if sd is not None and printed.facts.spread != "sd":
            sd_text = significant(sd)
        return cls(printed.text(row, column), printed.sample, sd, rounding, sd_text)

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit."""
        return half_a_unit(self.text)


@dataclass(frozen=True)
class Verdict:
    """A printed number among ours."""

    printed: str
    """The printed number with all digits; a share is a fraction."""
    ours: float | None = None
    """Our mean, or our standard deviation."""
    low: float | None = None
    high: float | None = None
    """Ends of the interval in which the printed number lies with probability `COVERAGE` if it is
    drawn like ours, widened by its rounding."""
    p_value: float | None = None
    """Two-sided p-value of that; None without a verdict."""
    reason: str = ""
    """Reason why nothing is judged, or why the number is outside whatever ours are."""
    repeats: Repeats | None = None
    """Our numbers in the form of the printed one."""
    n_printed: int = 1
    """Number of such repeats whose mean is printed."""
    deviation: Verdict | None = None
    """The verdict on the printed standard deviation."""
    row: str = ""
    column: str = ""
    """The entry."""
    quantity: str = ""
    """Name of the number, such as "risk" or "margin mean"."""

    def at(self, row: str, column: str, quantity: str) -> Verdict:
        """Return the verdict with its entry and the name of its number."""
        deviation = self.deviation and self.deviation.at(row, column, f"deviation of {quantity}")
        return replace(self, row=row, column=column, quantity=quantity, deviation=deviation)

    @property
    def word(self) -> VerdictWord:
        """The verdict in a word."""
        if self.p_value is None:
            return "not comparable"
        return "inside" if self.p_value > LEVEL else "outside"

    @property
    def position(self) -> float | None:
        """Place of the printed number: 0 in the middle of the interval, -1 and 1 at its ends."""
        if self.low is None or self.high is None:
            return None
        half = (self.high - self.low) / 2
        off = float(self.printed) - (self.high + self.low) / 2
        return off / half if half > 0 else 0.0 if off == 0 else float(np.copysign(np.inf, off))


def judge(printed: PrintedNumber, ours: Repeats, folds: int = 0) -> Verdict:
    """Judge a printed number, and its standard deviation if there is one, by our repeats.

    These are splits, or cross-validations of some `folds` one after the other.

    ===========================  =====================================================  ==========
    printed                      compared with                                          test rows
    ===========================  =====================================================  ==========
    one split                    one more of our splits                                 one split
    mean of k splits             the mean of k more                                     k splits
    mean ± deviation             our mean, by both deviations (Welch)                   k splits
    cross-validations            the mean of further cross-validations of ours, if      all rows
                                 there are three with as many folds; otherwise folds
                                 count as independent splits
    k runs on one test set       the mean of k more runs                                one split
    ===========================  =====================================================  ==========

    The floor is the binomial sampling of the test rows. It is part of every branch where numbers
    are shares of errors: a number that it explains, at the level of
    `quadrepro.stats.placement.sampling_level`, is inside, however little our splits vary.

    A printed deviation is compared with ours. The mean is judged by our deviation alone if the
    printed one is outside or impossible, so that a misprint hides nothing. At least three repeats
    are needed; equal ones without a floor give no verdict.

    Examples
    --------
    >>> ours = Repeats((0.21, 0.18, 0.25, 0.20, 0.22), n_test=(100,) * 5)
    >>> judge(PrintedNumber("0.29"), ours).word, judge(PrintedNumber("0.35"), ours).word
    ('inside', 'outside')
    """
    sample = printed.sample
    repeats, n_printed = _like_printed(sample, ours, folds)
    verdict = Verdict(printed.text, repeats=repeats, n_printed=n_printed)
    if len(repeats.values) < MIN_SPLITS:
        return replace(verdict, reason=NO_REPEATS[len(repeats.values)])
    if np.isnan(repeats.values).any():
        return replace(verdict, reason="a split without a number")
    if not (repeats.sd or repeats.n_test):
        return replace(verdict, ours=repeats.mean, reason=NO_VARIATION)
    deviation = _judged_deviation(printed, ours, folds)
    # The folds of a cross-validation are not independent, so their deviation says little of it.
    usable = deviation is not None and deviation.word != "outside" and sample.cv is None
    value, half, sd = printed.value, printed.rounding, printed.sd if usable else None
    placement = stats.place_number(repeats, value, half, n_printed=n_printed, printed_sd=sd)
    return replace(verdict, **vars(placement), deviation=deviation)


def judge_entry(printed: Printed, outcomes: Outcomes, row: str, column: str, folds: int) -> Verdict:
    """Judge the printed number of a row and a column; ours count if no split is missing."""
    ours = Repeats(())
    if outcomes.complete(row, column):
        ours = Repeats(tuple(outcomes.values(row, column)), outcomes.n_test(row, column))
    return judge(PrintedNumber.at(printed, row, column), ours, folds)


def repeated(sample: Sample, n_splits: int, folds: int) -> int:
    """Return the number of our cross-validations like the printed one; 0 if too few, or others."""
    times = n_splits // folds if folds and sample.cv == folds else 0
    return times if times >= MIN_SPLITS else 0


def _like_printed(sample: Sample, ours: Repeats, folds: int) -> tuple[Repeats, int]:
    """Return our numbers in the form of the printed one, and the number of them it is a mean of."""
    values, sizes = ours.values, ours.n_test
    times = repeated(sample, len(values), folds)
    if not times:
        return replace(ours, one_test_set=sample.runs is not None), sample.n
    parts = [slice(i * folds, (i + 1) * folds) for i in range(times)]
    weights = [sizes[part] if sample.pooled and sizes else None for part in parts]
    means = (fmean(values[part], weight) for part, weight in zip(parts, weights, strict=True))
    return Repeats(tuple(means), tuple(sum(sizes[part]) for part in parts if sizes)), sample.repeats


def _judged_deviation(printed: PrintedNumber, ours: Repeats, folds: int) -> Verdict | None:
    """Judge a printed standard deviation; None without one, or if ours is of another kind."""
    sample = printed.sample
    like_ours = sample.cv is None or (sample.cv == folds and sample.repeats == 1)
    if printed.sd is None or not like_ours:
        return None
    verdict = Verdict(printed.sd_text, n_printed=sample.n)
    if ours.n_test:
        most = stats.largest_deviation(printed.value, printed.rounding, 0.0, 1.0, sample.n)
        if printed.sd > most + printed.sd_rounding + 1e-12:
            reason = "impossible: a larger deviation than any numbers with this mean have"
            return replace(verdict, ours=ours.sd, low=0.0, high=most, p_value=0.0, reason=reason)
        at_end = min(printed.value, 1 - printed.value) <= printed.rounding
        if at_end and printed.sd <= printed.sd_rounding:
            return None
    placement = stats.place_deviation(ours, printed.sd, printed.sd_rounding, n_printed=sample.n)
    return replace(verdict, **vars(placement)) if placement else verdict


VERDICTS_HEADER = (
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
    def score(self) -> dict[str, CsvField]:
        """The verdict on the table as a whole, by the columns of `SCORE_HEADER`."""
        n_all, n, m = len(self.counted), len(self.judged), self.misses
        chance = m.expected, m.low, m.high, m.p_value, m.p_more, m.p_fewer
        places = [(v.row, v.column) for v in self.outside_after_holm]
        off = sum(v.word == "outside" for v in self.deviations)
        counts = self.printed, n_all, n - m.outside, m.outside, n_all - n
        by_chance = chance if n else (None,) * len(chance)
        text = json.dumps(places, ensure_ascii=False)
        values = *counts, *by_chance, text, len(self.deviations) - off, off
        return dict(zip(SCORE_HEADER, values, strict=True))

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
    splits, first = np.array([r.values for r in repeats]).T, repeats[0]
    n, rounding = verdicts[0].n_printed, [half_a_unit(v.printed) for v in verdicts]
    tested: Any = {"n_test": first.n_test, "one_test_set": first.one_test_set}
    return stats.null_p_values(splits, n_printed=n, rounding=rounding, **tested)


def verdicts_table(
    experiment: Experiment, every: Sequence[Verdicts], notes: Sequence[str]
) -> Table:
    """Return the printed numbers outside our intervals, with notes on each table as a whole."""
    titles = experiment.titles
    outside = [(v, table.percent) for table in every for v in table.outside_numbers]
    rows = [(name_of(v.row, v.column, titles), words(texts_of(v, p))) for v, p in outside]
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
    title = f"{experiment.config.title}: printed numbers outside our intervals"
    header = ("Outside", "quantity", "printed", "ours", "interval", "p")
    data = tuple(_data(table.printed, v) for table in every for v in table.numbers)
    return Table(title, header, tuple(rows), tuple(paragraphs), VERDICTS_HEADER, data)


def score_sentence(score: Mapping[str, Any]) -> str:
    """Return in a sentence how many printed numbers of a table are inside, given its score."""
    name = re.sub(r"^(table|figure)(?=\d)", lambda w: f"{w[0].title()} ", score["printed table"])
    n = score["inside"] + score["outside"]
    return (
        f"{score['inside']:g} of {n:g} printed numbers of {name} are inside our intervals, where "
        f"{n - score['expected outside']:.0f} are expected ({p_text(score['p'])})."
    )


def score_text(every: Sequence[Verdicts]) -> str:
    """Return the verdicts on each printed table as a whole, as CSV."""
    return csv_text(SCORE_HEADER, [[*verdicts.score.values()] for verdicts in every])


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
