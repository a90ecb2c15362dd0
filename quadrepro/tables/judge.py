"""The judge of printed numbers: where a number of a paper is among our repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

import numpy as np

from quadrepro import stats
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import SD, Printed, Sample, half_a_unit
from quadrepro.stats import LEVEL, MIN_SPLITS, Repeats
from quadrepro.tables.render import significant

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
class OurNumbers:
    """Our results of an entry, in the order of the splits."""

    values: Sequence[float]
    """One number per split or fold."""
    n_test: Sequence[int] = ()
    """Number of test examples of each, if the numbers are shares of errors."""
    folds: int = 0
    """Number of folds, if our splits are cross-validations one after the other."""


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


def judge(printed: PrintedNumber, ours: OurNumbers) -> Verdict:
    """Judge a printed number, and its standard deviation if there is one, by our repeats.

    ===========================  =====================================================  ==========
    printed                      compared with                                          floor: n
    ===========================  =====================================================  ==========
    one split                    one more of our splits                                 one split
    mean of k splits             the mean of k more                                     k splits
    mean ± deviation             our mean, by both deviations (Welch)                   k splits
    cross-validations            the mean of further cross-validations of ours, if      all rows
                                 there are three with as many folds; otherwise folds
                                 count as independent splits
    k runs on one test set       the mean of k more runs                                one split
    ===========================  =====================================================  ==========

    The floor is the binomial sampling of n test examples. It is part of every branch where numbers
    are shares of errors: a number that it explains is inside, however little our splits vary.

    A printed deviation is compared with ours. The mean is judged by our deviation alone if the
    printed one is outside or impossible, so that a misprint hides nothing. At least three repeats
    are needed; equal ones without a floor give no verdict.

    Examples
    --------
    >>> ours = OurNumbers([0.21, 0.18, 0.25, 0.20, 0.22], n_test=[100] * 5)
    >>> judge(PrintedNumber("0.29"), ours).word, judge(PrintedNumber("0.35"), ours).word
    ('inside', 'outside')
    """
    sample = printed.sample
    repeats, n_printed = _like_printed(sample, ours)
    verdict = Verdict(printed.text, repeats=repeats, n_printed=n_printed)
    if len(repeats.values) < MIN_SPLITS:
        return replace(verdict, reason=NO_REPEATS[len(repeats.values)])
    if np.isnan(repeats.values).any():
        return replace(verdict, reason="a split without a number")
    if not (repeats.sd or repeats.n_test):
        return replace(verdict, ours=repeats.mean, reason=NO_VARIATION)
    deviation = _judged_deviation(printed, ours)
    # The folds of a cross-validation are not independent, so their deviation says little of it.
    usable = deviation is not None and deviation.word != "outside" and sample.cv is None
    value, half, sd = printed.value, printed.rounding, printed.sd if usable else None
    placement = stats.place_number(repeats, value, half, n_printed=n_printed, printed_sd=sd)
    return replace(verdict, **vars(placement), deviation=deviation)


def judge_entry(
    printed: Printed, outcomes: Outcomes, row: str, column: str, folds: int = 0
) -> Verdict:
    """Judge the printed number of a row and a column; ours count if no split is missing."""
    ours = OurNumbers((), (), folds)
    if outcomes.complete(row, column):
        ours = OurNumbers(outcomes.values(row, column), outcomes.n_test(row, column), folds)
    return judge(PrintedNumber.at(printed, row, column), ours)


def repeated(sample: Sample, n_splits: int, folds: int) -> int:
    """Return the number of our cross-validations like the printed one; 0 if too few, or others."""
    times = n_splits // folds if folds and sample.cv == folds else 0
    return times if times >= MIN_SPLITS else 0


def _like_printed(sample: Sample, ours: OurNumbers) -> tuple[Repeats, int]:
    """Return our numbers in the form of the printed one, and the number of them it is a mean of."""
    values, sizes, folds = ours.values, ours.n_test, ours.folds
    times = repeated(sample, len(values), folds)
    if not times:
        one_test_set = sample.runs is not None
        return Repeats(tuple(values), tuple(sizes), one_test_set), sample.n
    parts = [slice(i * folds, (i + 1) * folds) for i in range(times)]
    weights = [sizes[part] if sample.pooled and sizes else None for part in parts]
    means = (fmean(values[part], weight) for part, weight in zip(parts, weights, strict=True))
    return Repeats(tuple(means), tuple(sum(sizes[part]) for part in parts if sizes)), sample.repeats


def _judged_deviation(printed: PrintedNumber, ours: OurNumbers) -> Verdict | None:
    """Judge a printed standard deviation; None without one, or if ours is of another kind."""
    sample = printed.sample
    like_ours = sample.cv is None or (sample.cv == ours.folds and sample.repeats == 1)
    if printed.sd is None or not like_ours:
        return None
    verdict = Verdict(printed.sd_text, n_printed=sample.n)
    repeats = Repeats(tuple(ours.values), tuple(ours.n_test))
    if repeats.n_test:
        most = stats.largest_deviation(printed.value, printed.rounding, 0.0, 1.0, sample.n)
        if printed.sd > most + printed.sd_rounding + 1e-12:
            reason = "impossible: a larger deviation than any numbers with this mean have"
            return replace(verdict, ours=repeats.sd, low=0.0, high=most, p_value=0.0, reason=reason)
        at_end = min(printed.value, 1 - printed.value) <= printed.rounding
        if at_end and printed.sd <= printed.sd_rounding:
            return None
    placement = stats.place_deviation(repeats, printed.sd, printed.sd_rounding, n_printed=sample.n)
    return replace(verdict, **vars(placement)) if placement else verdict
