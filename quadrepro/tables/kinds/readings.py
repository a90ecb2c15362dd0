"""Which reading of a paper's protocol its printed numbers speak for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.seeds import generator
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import MEAN, SD, Holds, Printed
from quadrepro.stats import (
    LEVEL,
    Moments,
    ReadingScore,
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
    score_readings,
    welch_test,
)
from quadrepro.tables.kinds.base import Context, closing_notes
from quadrepro.tables.kinds.legacy import TableKind, legacy
from quadrepro.tables.kinds.margins import margins_of_splits
from quadrepro.tables.printed import check_printed
from quadrepro.tables.table import MISSING, Table, Value, entry

STATISTICS: dict[str, tuple[Callable[[FloatArray], FloatArray], Callable[..., Any]]] = {
    "mean": (lambda x: x.mean(axis=-2), log_probability_of_means),
    "sd": (lambda x: x.std(axis=-2, ddof=1), log_probability_of_deviations),
    "margin mean": (lambda x: x.mean(axis=-2), log_probability_of_means),
    "margin sd": (lambda x: np.sqrt(x.mean(axis=-2)), log_probability_of_pooled_deviations),
}
"""What is printed of an entry: mean and deviation of its errors and of its margins, each with how
it follows from values of splits, of shape (..., n_splits, n_columns), and its log-probability."""

NUMBERS = {
    "means": ("mean",),
    "deviations": ("sd",),
    "margins": ("margin mean", "margin sd"),
}
"""The quantities of each kind of printed number."""

TABLES = 500
"""Number of simulated tables."""


@dataclass(frozen=True)
class OurSplits:
    """Our splits of the columns of which a quantity is printed."""

    values: FloatArray  # (n_splits, n_columns)
    rounding: FloatArray
    n_printed: int

    def like(self, other: OurSplits) -> FloatArray:
        """Return the values shifted and scaled to another reading's means and deviations."""
        sd, wanted = (x.values.std(axis=0) for x in (self, other))
        scale = np.divide(wanted, sd, out=np.ones_like(sd), where=sd > 0)
        centred = self.values - self.values.mean(axis=0)
        return np.asarray(other.values.mean(axis=0) + centred * scale)


@dataclass(frozen=True)
class RowEvidence:
    """The printed numbers of a row, or of several, beside ours."""

    inside: tuple[bool, ...] = ()  # per mean: Welch's test finds no difference
    distances: dict[str, tuple[float, ...]] = field(default_factory=dict)  # per column, by quantity
    logs: dict[str, Any] = field(
        default_factory=dict
    )  # log-probability of what is printed, by quantity
    splits: dict[str, OurSplits] = field(default_factory=dict)  # by quantity

    def distance(self, quantity: str) -> float | None:
        """Return the mean distance from print, or None if there is none."""
        return fmean(found) if (found := self.distances.get(quantity)) else None


def evidence(outcomes: Outcomes, means: Printed, margins: Printed, row: str) -> RowEvidence | None:
    """Compare a row with what is printed of it."""
    columns = [c for c in outcomes.columns if means.text(row, means.mean_column(c))]
    if not columns or outcomes.repeats < 2:
        return None
    if not all(outcomes.complete(row, c) for c in columns):
        return None
    unit = 1 if outcomes.regression(row) else 100
    errors = {c: unit * np.array(outcomes.values(row, c)) for c in columns}
    margin_means, margin_squares = _margins(outcomes, row)
    compared = (
        ("mean", means, MEAN, errors),
        ("sd", means, SD, errors),
        ("margin mean", margins, MEAN, margin_means),
        ("margin sd", margins, SD, margin_squares),
    )
    distances, logs, splits = {}, {}, {}
    for quantity, printed, ending, ours in compared:
        at = {c: printed.mean_column(c) if ending == MEAN else c + ending for c in outcomes.columns}
        at = {c: column for c, column in at.items() if printed.text(row, column)}
        if at and ours.keys() >= at.keys():
            statistic, log_probability = STATISTICS[quantity]
            rounding = np.array([printed.rounding(row, column) for column in at.values()])
            of = OurSplits(np.stack([ours[c] for c in at], axis=1), rounding, printed.splits)
            numbers = np.array([printed.number(row, column) for column in at.values()])
            distances[quantity] = tuple(abs(statistic(of.values) - numbers).tolist())
            logs[quantity] = log_probability(of.values, numbers, rounding, of.n_printed)
            splits[quantity] = of
    inside = tuple(
        welch_test(_moments(errors[c]), beside).p_value > LEVEL
        for c in columns
        if (beside := means.moments(row, c)) is not None
    )
    return RowEvidence(inside, distances, logs, splits)


def together(parts: Iterable[RowEvidence]) -> RowEvidence:
    """Return the distances of several rows as if they were one."""
    found = list(parts)
    return RowEvidence(
        tuple(verdict for part in found for verdict in part.inside),
        {q: tuple(x for part in found for x in part.distances.get(q, ())) for q in STATISTICS},
    )


def log_factors(reading: RowEvidence, base: RowEvidence) -> dict[str, Any]:
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


def _moments(values: FloatArray) -> Moments:
    return Moments(float(values.mean()), float(values.std(ddof=1)), len(values))


BASE = "as in the config"
"""Name of the config's own reading."""

Rows = dict[str, RowEvidence]
"""Evidence of the rows of one reading, by the title of the data set's entry."""


class Readings(Model):
    """What readings are compared with."""

    means: str
    """The printed table of errors, or of RMSEs."""
    margins: str = ""
    """The printed table of training margins."""


def _evidence(context: Context[Readings], outcomes: Outcomes) -> dict[str, Rows]:
    """Return the evidence by reading and data set; rows without any are left out."""
    means, margins = (context.printed(name) for name in vars(context.option).values())
    found: dict[str, Rows] = {BASE: {}, **{r.name: {} for r in context.config.readings}}
    for row in context.config.rows:
        of_row = evidence(outcomes, means, margins, row.entry.title)
        if of_row is not None:
            found[row.reading or BASE][row.of] = of_row
    return found


def _factors(rows: Rows, base: Rows) -> dict[str, dict[str, float]]:
    """Return the log Bayes factors of each row that the base has too, by kind of number."""
    return {row: log_factors(part, base[row]) for row, part in rows.items() if row in base}


def _scores(
    factors: dict[str, dict[str, dict[str, float]]], simulated: dict[str, FloatArray]
) -> dict[str, ReadingScore]:
    """Return the scores of the readings with rows; all that the config lists were tried."""
    totals = {
        name: {row: sum(of_row.values()) for row, of_row in of_rows.items()}
        for name, of_rows in factors.items()
        if of_rows
    }
    zero = {row: 0.0 for of_rows in totals.values() for row in of_rows}
    return score_readings(zero, totals, len(factors), {name: simulated[name] for name in totals})


def share_by_chance(scores: dict[str, ReadingScore], simulated: dict[str, FloatArray]) -> float:
    """Return the share of simulated tables in which some reading has what it needs."""
    # What is needed is the number of one of the tables, up to rounding.
    reached = [simulated[name] >= score.needed * (1 - 1e-9) for name, score in scores.items()]
    return float(np.mean(np.any(reached, axis=0)))


def simulate(found: dict[str, Rows], seed: int) -> dict[str, FloatArray]:
    """Return the log Bayes factors of each reading in tables where no reading differs.

    A table is printed from repeats of the base, drawn with replacement, and scored by further draws
    of our number. These are the same repeats for all readings, which keeps their dependence, after
    each got the base's means and deviations.
    """
    totals = {name: np.zeros(TABLES) for name in found if name != BASE}
    for row, base in found[BASE].items():
        draws = generator(seed, row, "simulated tables")
        n = len(base.splits["mean"].values)
        ours = draws.integers(n, size=(TABLES, n))
        theirs = draws.integers(n, size=(TABLES, max(x.n_printed for x in base.splits.values())))
        of_base = _simulated(base, base, ours, theirs)
        for name, total in totals.items():
            if row in found[name]:
                of_reading = _simulated(found[name][row], base, ours, theirs)
                total += sum(log_factors(of_reading, of_base).values())
    return totals


def _simulated(
    reading: RowEvidence, base: RowEvidence, ours: IntArray, theirs: IntArray
) -> RowEvidence:
    """Return the log-probabilities of a row of the simulated tables under a reading."""
    logs = {}
    for quantity in reading.splits.keys() & base.splits.keys():
        statistic, log_probability = STATISTICS[quantity]
        of = base.splits[quantity]
        digit = 2 * of.rounding
        printed = np.round(statistic(of.values[theirs[:, : of.n_printed]]) / digit) * digit
        sample = reading.splits[quantity].like(of)[ours]
        logs[quantity] = log_probability(sample, printed, of.rounding, of.n_printed)
    return RowEvidence(logs=logs)


def _distances(rows: Rows, same: Rows, quantities: list[str]) -> list[str]:
    """Return number of rows, means inside and mean distances, beside the base's on these rows."""
    ours, base = together(rows.values()), together(same.values())
    entries = [entry(str(len(rows))), entry(_share(ours), _share(base) if same else "")]
    for quantity in quantities:
        other = base.distance(quantity)
        beside = "" if other is None else f"{other:.3f}"
        entries.append(entry(_text(ours.distance(quantity), 3), beside))
    return entries


def _entries_of_factors(
    of_rows: dict[str, dict[str, float]], kinds: list[str], score: ReadingScore | None
) -> list[str]:
    """Return the log Bayes factors of a reading by kind, in total and needed."""
    if score is None:
        return [entry(MISSING) for _ in (*kinds, "total", "needed")]
    found = {kind: [of[kind] for of in of_rows.values() if kind in of] for kind in kinds}
    return [
        *(entry(_text(sum(logs) if logs else None, 1)) for logs in found.values()),
        entry(f"{score.log_bayes_factor:.1f}", bold=score.supported),
        entry(f"{score.needed:.1f}"),
    ]


def _share(part: RowEvidence) -> str:
    return f"{sum(part.inside)} of {len(part.inside)}" if part.inside else MISSING


def _text(value: float | None, digits: int) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _numbers(
    part: RowEvidence, factors: dict[str, float], quantities: list[str], kinds: list[str]
) -> tuple[Value, ...]:
    """Return the numbers of one row for the CSV."""
    return (
        *(sum(part.inside), len(part.inside)),
        *(part.distance(quantity) for quantity in quantities),
        *(part.logs.get(quantity) for quantity in quantities),
        *(factors.get(kind) for kind in kinds),
        sum(factors.values()) if factors else None,
    )


def _notes(
    context: Context[Readings], scores: dict[str, ReadingScore], simulated: dict[str, FloatArray]
) -> tuple[str, ...]:
    tried = len(context.config.readings)
    splits = context.printed(context.option.means).splits
    share = share_by_chance(scores, simulated)
    error = np.sqrt(share * (1 - share) / TABLES)
    return (
        f"{tried} other readings of the protocol were tried, each on the data sets that it is for. "
        "Inside: printed means that Welch's t-test does not find to differ from ours (p > "
        f"{LEVEL:g}). Off by: the mean distance of our numbers from the printed ones, whatever its "
        "sign. In parentheses: the same of the config's own reading on the same rows.",
        "log BF: the logarithm of how much more probable the printed numbers are under the reading "
        "than under the config's own, on the rows that it is for. The probability of a number is "
        f"that of its rounding, if the {splits} splits behind it are drawn like our "
        f"{context.config.repeats}. Columns of a row share their splits and are taken jointly; "
        "data sets, and the kinds of number, as if they were independent.",
        f"Bold: a log BF of at least what is needed, log(20 × {tried}) = "
        f"{np.log(tried / LEVEL):.1f} or what our splits give by chance. In {TABLES} tables "
        "simulated from draws of them, as if the config's own reading were the paper's and all "
        "readings had its means and deviations, some reading had what it needs in "
        f"{100 * share:.1f}% (± {100 * error:.1f}).",
        "A Bayes factor says which reading is nearer to print, and not that it is near: where "
        "neither is inside, both may be wrong.",
    )


class ReadingsKind(TableKind[Readings]):
    """How near each reading comes to the printed tables."""

    key, option = "readings", Readings
    meaning = "How near each reading of the protocol comes to the printed tables."

    def check(self, context: Context[Readings]) -> None:
        """Refuse a config without readings, and printed tables that cannot judge them."""
        if not context.config.readings:
            raise context.error("there is nothing to compare: give readings of the protocol")
        holds: dict[str, Holds] = {"means": "errors", "margins": "margins"}
        for option, name in vars(context.option).items():
            check_printed(context.experiment, context.key, name, holds[option])
            if name:
                context.check_splits(name, option)

    def table(self, context: Context[Readings], outcomes: Outcomes) -> Table:
        """Return the table of readings: distances from print, and Bayes factors."""
        found = _evidence(context, outcomes)
        base = found[BASE]
        factors = {name: _factors(rows, base) for name, rows in found.items() if name != BASE}
        simulated = simulate(found, context.config.seed)
        scores = _scores(factors, simulated)
        beside = bool(context.option.margins)
        kinds = [name for name in NUMBERS if beside or name != "margins"]
        quantities = [q for q in STATISTICS if beside or not q.startswith("margin")]
        rows = [(BASE, (*_distances(base, {}, quantities), *_entries_of_factors({}, kinds, None)))]
        for name, of_rows in factors.items():
            ours, same = ({row: part[row] for row in of_rows} for part in (found[name], base))
            entries = _distances(ours, same, quantities)
            rows.append((name, (*entries, *_entries_of_factors(of_rows, kinds, scores.get(name)))))
        off_by = [f"{q} off by" for q in quantities]
        of_kinds = [f"log BF: {name}" for name in kinds]
        return Table(
            f"{context.config.title}: what the printed numbers say of the readings",
            ("Reading", "rows", "inside", *off_by, *of_kinds, "log BF", "needed"),
            tuple(rows),
            (*_notes(context, scores, simulated), *closing_notes(context, outcomes)),
            (
                *("reading", "dataset", "inside", "compared", *off_by),
                *(f"log p: {q}" for q in quantities),
                *(*of_kinds, "log BF"),
            ),
            tuple(
                (name, row, *_numbers(part, factors.get(name, {}).get(row, {}), quantities, kinds))
                for name, of_rows in found.items()
                for row, part in of_rows.items()
            ),
        )


READINGS = legacy(ReadingsKind())
