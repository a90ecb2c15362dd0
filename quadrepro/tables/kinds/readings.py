"""Readings of a paper's protocol, by how well they fit the printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import log
from statistics import fmean
from typing import Any

import numpy as np

from quadrepro import stats
from quadrepro.base.models import Model
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.seeds import generator
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import SD, Holds, Printed
from quadrepro.stats import LEVEL
from quadrepro.tables.judge import judge_entry
from quadrepro.tables.kinds import Context, Kind, Made, closing_notes
from quadrepro.tables.kinds.margins import margins_of_splits
from quadrepro.tables.render import MISSING, CsvField, Entry, number_text

QUANTITIES: dict[str, tuple[Callable[[FloatArray], FloatArray], Callable[..., FloatArray]]] = {
    "mean": (lambda x: x.mean(axis=-2), stats.log_probability_of_means),
    "sd": (lambda x: x.std(axis=-2, ddof=1), stats.log_probability_of_deviations),
    "margin mean": (lambda x: x.mean(axis=-2), stats.log_probability_of_means),
    "margin sd": (lambda x: np.sqrt(x.mean(axis=-2)), stats.log_probability_of_pooled_deviations),
}
"""The printed numbers of an entry: mean and deviation of its errors, and of its margins. Each with
the function of values of splits, shape (..., n_splits, n_columns), and its log-probability."""

KINDS = {"means": ("mean",), "deviations": ("sd",), "margins": ("margin mean", "margin sd")}
"""The quantities of each kind of number."""

TABLES = 500
"""Number of simulated tables."""


@dataclass(frozen=True)
class OurSplits:
    """Our splits of the columns with a printed quantity."""

    values: FloatArray  # (n_splits, n_columns)
    rounding: FloatArray
    n_printed: int

    def like(self, other: OurSplits) -> FloatArray:
        """Return the values shifted and scaled to another reading's means and deviations."""
        sd, target = (x.values.std(axis=0) for x in (self, other))
        scale = np.divide(target, sd, out=np.ones_like(sd), where=sd > 0)
        centred = self.values - self.values.mean(axis=0)
        return np.asarray(other.values.mean(axis=0) + centred * scale)


@dataclass(frozen=True)
class RowEvidence:
    """The printed numbers of a row against ours."""

    inside: list[bool]
    """Whether each printed mean is inside, as its verdict is."""
    distances: dict[str, list[float]]
    """Distance of each printed number from ours, by quantity."""
    logs: dict[str, Any]
    """Log-probability of the printed numbers, by quantity."""
    splits: dict[str, OurSplits]
    """Our splits, by quantity."""


def evidence(
    outcomes: Outcomes, means: Printed, margins: Printed, row: str, folds: int = 0
) -> RowEvidence | None:
    """Compare a row with its printed numbers; None if there are none, or if a split is missing."""
    columns = [c for c in outcomes.columns if means.text(row, means.mean_column(c))]
    if not columns or outcomes.repeats < 2 or not all(outcomes.complete(row, c) for c in columns):
        return None
    words = [judge_entry(means, outcomes, row, c, folds).word for c in columns]
    inside = [word == "inside" for word in words if word != "not comparable"]
    part = RowEvidence(inside, {}, {}, {})
    errors = {c: np.array(outcomes.values(row, c)) for c in columns}
    kept = {c: m for c in outcomes.columns if (m := margins_of_splits(outcomes, row, c))}
    margin_means = {c: np.array([m.mean() for m in splits]) for c, splits in kept.items()}
    squares = {
        c: np.array([np.mean((m - margin_means[c].mean()) ** 2) for m in splits])
        for c, splits in kept.items()
    }
    for name, printed, ours in (
        ("mean", means, errors),
        ("sd", means, errors),
        ("margin mean", margins, margin_means),
        ("margin sd", margins, squares),
    ):
        is_sd, n = name.endswith("sd"), printed.sample.n
        statistic, log_probability = QUANTITIES[name]
        places = {c: c + SD if is_sd else printed.mean_column(c) for c in outcomes.columns}
        places = {c: column for c, column in places.items() if printed.text(row, column)}
        if places and ours.keys() >= places.keys():
            numbers = np.array([printed.number(row, column) for column in places.values()])
            rounding = np.array([printed.rounding(row, column) for column in places.values()])
            splits = OurSplits(np.stack([ours[c] for c in places], axis=1), rounding, n)
            part.distances[name] = abs(statistic(splits.values) - numbers).tolist()
            part.logs[name] = log_probability(splits.values, numbers, rounding, n)
            part.splits[name] = splits
    return part


def log_factors(logs: dict[str, Any], base_logs: dict[str, Any]) -> dict[str, Any]:
    """Return the log Bayes factor of a row for each kind of number that both readings have."""
    return {
        kind: sum(logs[q] - base_logs[q] for q in names)
        for kind, names in KINDS.items()
        if logs.keys() & base_logs.keys() >= {*names}
    }


BASE = "as in the config"
"""Name of the config's own reading."""

EvidenceByRow = dict[str, RowEvidence]
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
    # The needed factor is the number of one of the tables, up to rounding.
    reached = [simulated[name] >= needed[name] * (1 - 1e-9) for name in needed]
    return float(np.mean(np.any(reached, axis=0)))


def simulate(rows_by_reading: dict[str, EvidenceByRow], seed: int) -> dict[str, FloatArray]:
    """Return the log Bayes factors of each reading in tables where no reading differs.

    A table is printed from repeats of the base, drawn with replacement, and scored by further draws
    of our number. These are the same repeats for all readings, which keeps their dependence, after
    each got the base's means and deviations.
    """
    totals = {name: np.zeros(TABLES) for name in rows_by_reading if name != BASE}
    for row, base in rows_by_reading[BASE].items():
        draws = generator(seed, row, "simulated tables")
        n = len(base.splits["mean"].values)
        ours = draws.integers(n, size=(TABLES, n))
        theirs = draws.integers(n, size=(TABLES, max(x.n_printed for x in base.splits.values())))
        base_logs = _simulated_logs(base, base, ours, theirs)
        for name, total in totals.items():
            if row in rows_by_reading[name]:
                logs = _simulated_logs(rows_by_reading[name][row], base, ours, theirs)
                total += sum(log_factors(logs, base_logs).values())
    return totals


def _simulated_logs(
    reading: RowEvidence, base: RowEvidence, ours: IntArray, theirs: IntArray
) -> dict[str, FloatArray]:
    """Return the log-probabilities of a row of the simulated tables under a reading."""
    logs = {}
    for name in reading.splits.keys() & base.splits.keys():
        splits, (statistic, log_probability) = base.splits[name], QUANTITIES[name]
        digit, n = 2 * splits.rounding, splits.n_printed
        printed = np.round(statistic(splits.values[theirs[:, :n]]) / digit) * digit
        sample = reading.splits[name].like(splits)[ours]
        logs[name] = log_probability(sample, printed, splits.rounding, n)
    return logs


class Readings(Model):
    """Printed tables that readings are compared with."""

    means: str
    """The printed table of errors, or of RMSEs."""
    margins: str = ""
    """The printed table of training margins."""


def _distances(parts: Sequence[RowEvidence], quantities: Iterable[str], percent: bool) -> list[str]:
    """Return the number of printed means inside, and the mean distances from the printed ones."""
    inside = [verdict for part in parts for verdict in part.inside]
    texts = [f"{sum(inside)} of {len(inside)}" if inside else MISSING]
    for quantity in quantities:
        distances = [d for part in parts for d in part.distances.get(quantity, ())]
        in_percent = percent and not quantity.startswith("margin")
        mean = fmean(distances) if distances else None
        texts.append(MISSING if mean is None else number_text(mean, 3, percent=in_percent))
    return texts


def _factors(factors: Factors, kinds: Iterable[str], needed: float | None) -> list[Entry]:
    """Return the log Bayes factors of a reading by kind of number, in total, and needed."""
    logs = [[row[kind] for row in factors.values() if kind in row] for kind in kinds]
    by_kind = [Entry(sum(x) if x else None, digits=1) for x in logs]
    total = sum(sum(row.values()) for row in factors.values())
    in_total = Entry() if needed is None else Entry(total, bold=total >= needed, digits=1)
    return [*by_kind, in_total, Entry(needed, digits=1)]


def _notes(
    context: Context[Readings], needed: dict[str, float], simulated: dict[str, FloatArray]
) -> tuple[str, ...]:
    tried, repeats = len(context.config.readings), context.config.repeats
    splits = context.printed(context.option.means).sample.n
    behind = "split behind each is" if splits == 1 else f"{splits} splits behind them are"
    share = share_by_chance(needed, simulated)
    error = np.sqrt(share * (1 - share) / TABLES)
    return (
        f"{tried} other readings of the protocol were tried. Inside: printed means inside our "
        f"intervals (p > {LEVEL:g}). Off by: the mean distance from the printed numbers. In "
        "parentheses: the config's own reading on the same rows.",
        "log BF: the logarithm of how much more probable the printed numbers, as they are rounded, "
        f"are under the reading than under the config's own, if the {behind} drawn like our "
        f"{repeats}. Columns of a row are taken jointly; data sets, and the "
        "kinds of number, as if they were independent.",
        f"Bold: a log BF of at least what is needed, log(20 × {tried}) = "
        f"{np.log(tried / LEVEL):.1f} or what our splits give by chance. In {TABLES} tables "
        "simulated as if the config's own reading were the paper's, some reading had what it needs "
        f"in {100 * share:.1f}% (± {100 * error:.1f}). The best reading may still be wrong.",
    )


def _check(context: Context[Readings]) -> None:
    """Refuse a config without readings, and printed tables that do not judge them."""
    if not context.config.readings:
        raise context.error("nothing to compare: give readings of the protocol")
    holds: dict[str, Holds] = {"means": "errors", "margins": "margins"}
    for option, name in vars(context.option).items():
        context.check_printed(name, holds[option])
        if option == "means":
            context.check_metric(name, option)
        printed = context.printed(name) if name else None
        if printed and printed.sample.n < 2 and any(c.endswith(SD) for c in printed.columns):
            message = "a deviation is that of several splits: set their number in the paper's "
            message += f"paper.yaml, as printed: {{{name}: {{of: {{splits: 20}}}}}}"
            raise context.error(message, option)


def _make(context: Context[Readings], outcomes: Outcomes) -> Made:
    """How well each reading of the protocol fits the printed tables."""
    means, margins = (context.printed(name) for name in vars(context.option).values())
    judged = context.judged(outcomes, means) or outcomes
    names = (BASE, *(reading.name for reading in context.config.readings))
    by_reading: dict[str, EvidenceByRow] = {name: {} for name in names}
    for place in context.config.rows:
        row = place.title
        folds = context.experiment.protocols[row].split.outer_folds
        if part := evidence(judged, means, margins, row, folds):
            by_reading[place.reading or BASE][place.parent] = part
    base = by_reading[BASE]
    factors: dict[str, Factors] = {
        name: {row: log_factors(rows[row].logs, base[row].logs) for row in rows if row in base}
        for name, rows in by_reading.items()
        if name != BASE
    }
    simulated = simulate(by_reading, context.config.seed)
    compared = {name: simulated[name] for name, rows in factors.items() if rows}
    needed = needed_factors(compared, len(factors))
    kinds = [kind for kind in KINDS if context.option.margins or kind != "margins"]
    quantities = [quantity for kind in kinds for quantity in KINDS[kind]]
    rows, data = list[tuple[str, tuple[Entry, ...]]](), list[tuple[CsvField, ...]]()
    for name, parts in by_reading.items():
        # A reading and the config's own are compared on the same rows.
        row_factors = factors.get(name, {})
        ours = [part for row, part in parts.items() if name == BASE or row in row_factors]
        texts, own = _distances(ours, quantities, means.in_percent), [""] * (1 + len(quantities))
        if row_factors:
            own = _distances([base[row] for row in row_factors], quantities, means.in_percent)
        distances = map(Entry, texts, repeat(None), own)
        entries = _factors(row_factors, kinds, needed.get(name))
        rows.append((name, (Entry(str(len(ours))), *distances, *entries)))
        for row, part in parts.items():
            logs, off_by = row_factors.get(row, {}), map(part.distances.get, quantities)
            numbers = sum(part.inside), len(part.inside), *(fmean(d) if d else None for d in off_by)
            total = sum(logs.values()) if logs else None
            log_p = map(part.logs.get, quantities)
            data.append((name, row, *numbers, *log_p, *map(logs.get, kinds), total))
    off_by_titles = [f"{quantity} off by" for quantity in quantities]
    log_factor = [*(f"log BF: {kind}" for kind in kinds), "log BF"]
    log_p_titles = [f"log p: {quantity}" for quantity in quantities]
    subject = "readings by their fit to the printed numbers"
    notes = *_notes(context, needed, simulated), *closing_notes(context, outcomes)
    header = ("Reading", "rows", "inside", *off_by_titles, *log_factor, "needed")
    columns = ("reading", "dataset", "inside", "compared", *off_by_titles, *log_p_titles)
    return Made(context.table(subject, header, rows, notes, (*columns, *log_factor), data))


READINGS = Kind(Readings, _make, _check)
