"""Which reading of a paper's protocol the printed numbers fit best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import log
from statistics import fmean
from typing import Any

import numpy as np
from pydantic import Field

from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.seeds import generator
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import SD, Holds, Printed
from quadrepro.stats import (
    LEVEL,
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
)
from quadrepro.tables.kinds.base import Context, Kind, Made, closing_notes
from quadrepro.tables.kinds.margins import margins_of_splits
from quadrepro.tables.table import MISSING, Table, Value, entry
from quadrepro.tables.verdicts import Verdict, of_two_means


@dataclass(frozen=True)
class Quantity:
    """A printed quantity: how it follows from values of splits, and its log-probability."""

    statistic: Callable[[FloatArray], FloatArray]  # of shape (..., n_splits, n_columns)
    log_probability: Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]


QUANTITIES = {
    "mean": Quantity(lambda x: x.mean(axis=-2), log_probability_of_means),
    "sd": Quantity(lambda x: x.std(axis=-2, ddof=1), log_probability_of_deviations),
    "margin mean": Quantity(lambda x: x.mean(axis=-2), log_probability_of_means),
    "margin sd": Quantity(lambda x: np.sqrt(x.mean(axis=-2)), log_probability_of_pooled_deviations),
}
"""What is printed of an entry: mean and deviation of its errors, and of its margins."""

KINDS = {"means": ("mean",), "deviations": ("sd",), "margins": ("margin mean", "margin sd")}
"""The quantities of each kind of number."""

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
    """The printed numbers of a row against ours."""

    inside: tuple[bool, ...] = ()
    """Whether each mean that is printed with a deviation is inside, as its verdict is."""
    distances: dict[str, list[float]] = field(default_factory=dict)
    """Distance of each printed number from ours, by quantity."""
    logs: dict[str, Any] = field(default_factory=dict)
    """Log-probability of the printed numbers, by quantity."""
    splits: dict[str, OurSplits] = field(default_factory=dict)
    """Our splits, by quantity."""


def evidence(outcomes: Outcomes, means: Printed, margins: Printed, row: str) -> RowEvidence | None:
    """Compare a row with what is printed of it; None if nothing is, or if a split is missing."""
    columns = [c for c in outcomes.columns if means.text(row, means.mean_column(c))]
    if not columns or outcomes.repeats < 2:
        return None
    if not all(outcomes.complete(row, c) for c in columns):
        return None
    unit = 1 if outcomes.regression(row) else 100
    errors = {c: unit * np.array(outcomes.values(row, c)) for c in columns}
    kept = {c: m for c in outcomes.columns if (m := margins_of_splits(outcomes, row, c))}
    at_margins = {c: np.array([m.mean() for m in splits]) for c, splits in kept.items()}
    squares = {
        c: np.array([np.mean((m - at_margins[c].mean()) ** 2) for m in splits])
        for c, splits in kept.items()
    }
    verdicts = [
        of_two_means(Verdict(row, c, "", means.text(row, means.mean_column(c))), [*values], beside)
        for c, values in errors.items()
        if (beside := means.moments(row, c)) is not None
    ]
    found = RowEvidence(tuple(v.word == "inside" for v in verdicts if v.p_value is not None))
    kinds = {"mean": errors, "sd": errors, "margin mean": at_margins, "margin sd": squares}
    for name, ours in kinds.items():
        printed, quantity = margins if name.startswith("margin") else means, QUANTITIES[name]
        at = {
            c: c + SD if name.endswith("sd") else printed.mean_column(c) for c in outcomes.columns
        }
        at = {c: column for c, column in at.items() if printed.text(row, column)}
        if at and ours.keys() >= at.keys():
            numbers = np.array([printed.number(row, column) for column in at.values()])
            rounding = np.array([printed.rounding(row, column) for column in at.values()])
            of = OurSplits(np.stack([ours[c] for c in at], axis=1), rounding, printed.of.n)
            found.distances[name] = abs(quantity.statistic(of.values) - numbers).tolist()
            found.logs[name] = quantity.log_probability(of.values, numbers, rounding, of.n_printed)
            found.splits[name] = of
    return found


def log_factors(reading: RowEvidence, base: RowEvidence) -> dict[str, Any]:
    """Return the log Bayes factor of a row for each kind of number that both readings have."""
    both = reading.logs.keys() & base.logs.keys()
    return {
        kind: sum(reading.logs[q] - base.logs[q] for q in names)
        for kind, names in KINDS.items()
        if both >= {*names}
    }


BASE = "as in the config"
"""Name of the config's own reading."""

Rows = dict[str, RowEvidence]
"""Evidence of the rows of one reading, by the title of the data set's entry."""

Factors = dict[str, dict[str, float]]
"""Log Bayes factors of a reading, by row and kind of number."""


def needed_factors(simulated: dict[str, FloatArray], tried: int) -> dict[str, float]:
    """Return the log Bayes factor from which the printed numbers support each reading.

    A reading needs a Bayes factor of k/0.05 at least, where k is the number tried. If the base were
    true and the probabilities known, one of k readings would have it with a probability of at most
    0.05 (Markov's inequality, as a Bayes factor then has expectation 1). The probabilities are
    estimated, and over many rows the errors of two estimates alone give larger factors: among eight
    readings of 20 rows that differ from the base in nothing, one had it in 57% of simulated cases.
    A reading therefore also needs c standard deviations of its log Bayes factors in tables
    simulated without a difference, with one c for all readings, which any of them reaches in 5% of
    these tables.
    """
    if not simulated:
        return {}
    tables = np.array([*simulated.values()])
    # A reading that is the same as the base on every split has factors of 0 only.
    sd = tables.std(axis=1, ddof=1)
    standard = np.divide(tables.T, sd, out=np.zeros_like(tables.T), where=sd > 0)
    largest = float(np.quantile(standard.max(axis=1), 1 - LEVEL, method="higher"))
    needed = np.maximum(log(tried / LEVEL), largest * sd).tolist()
    return dict(zip(simulated, needed, strict=True))


def share_by_chance(needed: dict[str, float], simulated: dict[str, FloatArray]) -> float:
    """Return the share of simulated tables in which some reading has what it needs."""
    # What is needed is the number of one of the tables, up to rounding.
    reached = [simulated[name] >= needed[name] * (1 - 1e-9) for name in needed]
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
    for name in reading.splits.keys() & base.splits.keys():
        of, quantity = base.splits[name], QUANTITIES[name]
        digit = 2 * of.rounding
        printed = np.round(quantity.statistic(of.values[theirs[:, : of.n_printed]]) / digit) * digit
        sample = reading.splits[name].like(of)[ours]
        logs[name] = quantity.log_probability(sample, printed, of.rounding, of.n_printed)
    return RowEvidence(logs=logs)


class Readings(Model):
    """Printed tables that readings are compared with."""

    means: str = Field(description="The printed table of errors, or of RMSEs.")
    margins: str = Field("", description="The printed table of training margins.")


def _distances(parts: Sequence[RowEvidence], quantities: Iterable[str]) -> list[str]:
    """Return how many printed means are inside, and the mean distances from print."""
    inside = [verdict for part in parts for verdict in part.inside]
    texts = [f"{sum(inside)} of {len(inside)}" if inside else MISSING]
    for quantity in quantities:
        found = [distance for part in parts for distance in part.distances.get(quantity, ())]
        texts.append(f"{fmean(found):.3f}" if found else MISSING)
    return texts


def _factors(of_rows: Factors, kinds: Iterable[str], needed: float | None) -> list[str]:
    """Return the log Bayes factors of a reading by kind of number, in total, and needed."""
    found = [[of_row[kind] for of_row in of_rows.values() if kind in of_row] for kind in kinds]
    by_kind = [f"{sum(logs):.1f}" if logs else MISSING for logs in found]
    if needed is None:
        return [*by_kind, MISSING, MISSING]
    total = sum(sum(of_row.values()) for of_row in of_rows.values())
    return [*by_kind, entry(f"{total:.1f}", bold=total >= needed), f"{needed:.1f}"]


def _notes(
    context: Context[Readings], needed: dict[str, float], simulated: dict[str, FloatArray]
) -> tuple[str, ...]:
    tried, repeats = len(context.config.readings), context.config.repeats
    splits = context.printed(context.option.means).of.n
    share = share_by_chance(needed, simulated)
    error = np.sqrt(share * (1 - share) / TABLES)
    return (
        f"{tried} other readings of the protocol were tried. Inside: printed means that Welch's "
        f"t-test does not find to differ from ours (p > {LEVEL:g}). Off by: the mean distance from "
        "print. In parentheses: the config's own reading on the same rows.",
        "log BF: the logarithm of how much more probable the printed numbers, as they are rounded, "
        f"are under the reading than under the config's own, if the {splits} splits behind them "
        f"are drawn like our {repeats}. Columns of a row are taken jointly; data sets, and the "
        "kinds of number, as if they were independent.",
        f"Bold: a log BF of at least what is needed, log(20 × {tried}) = "
        f"{np.log(tried / LEVEL):.1f} or what our splits give by chance. In {TABLES} tables "
        "simulated as if the config's own reading were the paper's, some reading had what it needs "
        f"in {100 * share:.1f}% (± {100 * error:.1f}). The best reading may still be wrong.",
    )


def _check(context: Context[Readings]) -> None:
    """Refuse a config without readings, and printed tables that cannot judge them."""
    if not context.config.readings:
        raise context.error("there is nothing to compare: give readings of the protocol")
    holds: dict[str, Holds] = {"means": "errors", "margins": "margins"}
    for option, name in vars(context.option).items():
        context.check_printed(name, holds[option])
        if name and context.printed(name).of.n < 2:
            raise context.error(
                "a deviation is that of several splits: set their number in the paper's "
                f"paper.yaml, as printed: {{{name}: {{of: {{splits: 20}}}}}}",
                option,
            )


def _table(context: Context[Readings], outcomes: Outcomes) -> Table:
    """Return the table of readings: distances from print, and Bayes factors."""
    means, margins = (context.printed(name) for name in vars(context.option).values())
    found: dict[str, Rows] = {BASE: {}, **{r.name: {} for r in context.config.readings}}
    for place in context.config.rows:
        part = evidence(outcomes, means, margins, place.entry.title)
        if part is not None:
            found[place.reading or BASE][place.of] = part
    base = found[BASE]
    factors: dict[str, Factors] = {
        name: {row: log_factors(part, base[row]) for row, part in rows.items() if row in base}
        for name, rows in found.items()
        if name != BASE
    }
    simulated = simulate(found, context.config.seed)
    compared = {name: simulated[name] for name, of_rows in factors.items() if of_rows}
    needed = needed_factors(compared, len(factors))
    kinds = [kind for kind in KINDS if context.option.margins or kind != "margins"]
    quantities = [quantity for kind in kinds for quantity in KINDS[kind]]
    rows, data = [], list[tuple[Value, ...]]()
    for name, parts in found.items():
        # A reading and the config's own are compared on the same rows.
        of_rows = factors.get(name, {})
        same = [base[row] for row in of_rows]
        ours = [part for row, part in parts.items() if name == BASE or row in of_rows]
        beside = _distances(same, quantities) if same else [""] * (1 + len(quantities))
        distances = map(entry, _distances(ours, quantities), beside)
        texts = str(len(ours)), *distances, *_factors(of_rows, kinds, needed.get(name))
        rows.append((name, texts))
        for row, part in parts.items():
            of_row = factors.get(name, {}).get(row, {})
            numbers: list[Value] = [sum(part.inside), len(part.inside)]
            numbers += [
                fmean(part.distances[q]) if q in part.distances else None for q in quantities
            ]
            numbers += [part.logs.get(quantity) for quantity in quantities]
            numbers += [of_row.get(kind) for kind in kinds]
            data.append((name, row, *numbers, sum(of_row.values()) if of_row else None))
    off_by = [f"{quantity} off by" for quantity in quantities]
    log_factor = [*(f"log BF: {kind}" for kind in kinds), "log BF"]
    log_p = [f"log p: {quantity}" for quantity in quantities]
    return Table(
        f"{context.config.title}: what the printed numbers say of the readings",
        ("Reading", "rows", "inside", *off_by, *log_factor, "needed"),
        tuple(rows),
        (*_notes(context, needed, simulated), *closing_notes(context, outcomes)),
        ("reading", "dataset", "inside", "compared", *off_by, *log_p, *log_factor),
        tuple(data),
    )


READINGS = Kind(
    "readings",
    Readings,
    "How well each reading of the protocol fits the printed tables.",
    lambda context, outcomes: Made(_table(context, outcomes)),
    _check,
)
