"""What the printed numbers of a row say of ours: distances and log-probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.papers.printed import MEAN, SD, Printed
from quadrepro.report.kinds.margins import margins_of_splits
from quadrepro.report.outcomes import Outcomes
from quadrepro.stats import (
    LEVEL,
    Moments,
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
    welch_test,
)

QUANTITIES = ("mean", "sd", "margin mean", "margin sd")
"""What is printed of an entry: mean and deviation of its errors and of its margins."""

NUMBERS = {
    "means": ("mean",),
    "deviations": ("sd",),
    "margins": ("margin mean", "margin sd"),
}
"""The quantities of each kind of printed number."""


@dataclass(frozen=True)
class Evidence:
    """The printed numbers of a row, or of several, beside ours.

    Attributes
    ----------
    inside : tuple of bool
        One per printed mean with a deviation: whether Welch's test finds no difference.
    distances : dict of str to tuple of float
        By quantity: the distance from print of each column.
    logs : dict of str to float
        By quantity: the log-probability of what is printed, all columns together. A quantity that
        is not printed, or not known of ours, is left out.
    """

    inside: tuple[bool, ...] = ()
    distances: dict[str, tuple[float, ...]] = field(default_factory=dict)
    logs: dict[str, float] = field(default_factory=dict)

    def distance(self, quantity: str) -> float | None:
        """Return the mean distance from print, or None if there is none."""
        return fmean(found) if (found := self.distances.get(quantity)) else None


def evidence(outcomes: Outcomes, means: Printed, margins: Printed, row: str) -> Evidence | None:
    """Compare a row with what is printed of it.

    Parameters
    ----------
    outcomes : Outcomes
        The records.
    means, margins : Printed
        Printed errors and margins under the titles of our rows, with the number of their splits;
        `margins` may be without numbers.
    row : str
        The row.

    Returns
    -------
    Evidence or None
        None if nothing of the row is printed, an entry with printed errors lacks a split, or there
        is one split only.
    """
    columns = [c for c in outcomes.columns if means.text(row, c + MEAN)]
    if not columns or outcomes.repeats < 2:
        return None
    if not all(outcomes.complete(row, c) for c in columns):
        return None
    unit = 1 if outcomes.regression(row) else 100
    errors = {c: unit * np.array(outcomes.values(row, c)) for c in columns}
    margin_means, margin_squares = _margins(outcomes, row)
    compared = (
        ("mean", means, MEAN, errors, _mean, log_probability_of_means),
        ("sd", means, SD, errors, _deviation, log_probability_of_deviations),
        ("margin mean", margins, MEAN, margin_means, _mean, log_probability_of_means),
        ("margin sd", margins, SD, margin_squares, _root, log_probability_of_pooled_deviations),
    )
    distances, logs = {}, {}
    for quantity, printed, ending, ours, statistic, log_probability in compared:
        at = _printed(outcomes, printed, row, ending)
        if at and ours.keys() >= at.keys() and printed.splits is not None:
            distances[quantity] = tuple(abs(statistic(ours[c]) - x) for c, x in at.items())
            sample = np.stack([ours[c] for c in at], axis=1)
            rounding = [printed.rounding(row, c + ending) for c in at]
            logs[quantity] = log_probability(sample, [*at.values()], rounding, printed.splits)
    inside = tuple(
        welch_test(_moments(errors[c]), Moments(mean, sd, means.splits)).p_value > LEVEL
        for c, mean in _printed(outcomes, means, row, MEAN).items()
        if (sd := means.number(row, c + SD)) is not None and means.splits is not None
    )
    return Evidence(inside, distances, logs)


def together(parts: Iterable[Evidence]) -> Evidence:
    """Return the distances of several rows as if they were one."""
    found = list(parts)
    return Evidence(
        tuple(verdict for part in found for verdict in part.inside),
        {q: tuple(x for part in found for x in part.distances.get(q, ())) for q in QUANTITIES},
    )


def log_factors(reading: Evidence, base: Evidence) -> dict[str, float]:
    """Return the log Bayes factor of a row for each kind of number that both readings have."""
    return {
        numbers: sum(reading.logs[q] - base.logs[q] for q in quantities)
        for numbers, quantities in NUMBERS.items()
        if all(q in reading.logs and q in base.logs for q in quantities)
    }


def _margins(outcomes: Outcomes, row: str) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Return each split's mean margin and mean squared distance from the mean of all splits."""
    kept = {c: margins_of_splits(outcomes, row, c) for c in outcomes.columns}
    means = {c: np.array([m.mean() for m in splits]) for c, splits in kept.items() if splits}
    squares = {
        c: np.array([np.mean((margins - of_splits.mean()) ** 2) for margins in kept[c]])
        for c, of_splits in means.items()
    }
    return means, squares


def _printed(outcomes: Outcomes, printed: Printed, row: str, ending: str) -> dict[str, float]:
    """Return the printed numbers of a row by column of ours."""
    numbers = {c: printed.number(row, c + ending) for c in outcomes.columns}
    return {c: number for c, number in numbers.items() if number is not None}


def _moments(values: FloatArray) -> Moments:
    return Moments(_mean(values), _deviation(values), len(values))


def _mean(values: FloatArray) -> float:
    return float(values.mean())


def _deviation(values: FloatArray) -> float:
    return float(values.std(ddof=1))


def _root(squares: FloatArray) -> float:
    return float(np.sqrt(squares.mean()))
