"""Table 1's layout: test risks, ours beside the printed ones, and where those lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import stdev

from quadrepro.config.dataset_entry import DatasetEntry
from quadrepro.config.loading import Experiment
from quadrepro.papers.printed import TIME_ROW, Printed
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table
from quadrepro.stats.placement import COVERAGE, Placement, place

TIME_LABEL = "Mean running time (s)"


@dataclass(frozen=True)
class Verdict:
    """A printed risk against our repeats.

    Attributes
    ----------
    row, column : str
        Which entry.
    printed : float
        The printed risk.
    placement : Placement
        Where it lies.
    """

    row: str
    column: str
    printed: float
    placement: Placement


def verdicts(outcomes: Outcomes, published: Printed) -> list[Verdict]:
    """Place every printed risk that has two or more computed repeats."""
    found = []
    for row in outcomes.rows:
        for column in outcomes.columns:
            printed = published.number(row, column)
            risks = outcomes.risks(row, column)
            if printed is not None and len(risks) >= 2:
                rounding = published.rounding(row, column)
                found.append(Verdict(row, column, printed, place(risks, printed, rounding)))
    return found


def risks_table(experiment: Experiment, outcomes: Outcomes, published: Printed) -> Table:
    """Return the table of test risks.

    Parameters
    ----------
    experiment : Experiment
        Names, labels and notes.
    outcomes : Outcomes
        The records.
    published : Printed
        The printed table, its rows under the titles of ours.

    Returns
    -------
    Table
        A row a data set, those that cannot be had among them, and a last row of mean running
        times, which are measured and so the only numbers that differ from run to run.
    """
    config = experiment.config
    outside = {(v.row, v.column) for v in verdicts(outcomes, published) if not v.placement.inside}
    times = {c: outcomes.mean_seconds(c) for c in outcomes.columns}
    time_entries = tuple(
        Entry(MISSING if t is None else f"{t:.3f}", published.text(TIME_ROW, c))
        for c, t in times.items()
    )
    kinds = ("", " sd", " printed") if outcomes.repeats > 1 else ("", " printed")
    return Table(
        f"{config.title}: test risks",
        ("Data set", *(a.title for a in config.algorithms)),
        (
            *((d.title, _entries(outcomes, published, d, outside)) for d in config.entries),
            *((absent.name, _dashes(outcomes, published, absent.name)) for absent in config.absent),
            (TIME_LABEL, time_entries),
        ),
        _notes(experiment, outcomes, published),
        ("dataset", *(column + kind for column in outcomes.columns for kind in kinds)),
        (
            *((d.title, *_numbers(outcomes, published, d)) for d in config.entries),
            (TIME_ROW, *_time_numbers(outcomes, published, times)),
        ),
    )


def _entries(
    outcomes: Outcomes, published: Printed, dataset: DatasetEntry, outside: set[tuple[str, str]]
) -> tuple[Entry, ...]:
    row = dataset.title
    best = _lowest({c: outcomes.mean_risk(row, c) for c in outcomes.columns})
    printed_best = _lowest({c: published.number(row, c) for c in outcomes.columns})
    return tuple(
        Entry(
            _risk_text(outcomes, row, column),
            published.text(row, column),
            bold=column in best,
            printed_bold=column in printed_best,
            mark="†" if (row, column) in outside else "",
        )
        for column in outcomes.columns
    )


def _dashes(outcomes: Outcomes, published: Printed, name: str) -> tuple[Entry, ...]:
    """Return the entries of a data set that cannot be had, beside the printed ones."""
    return tuple(Entry(MISSING, published.text(name, column)) for column in outcomes.columns)


def _numbers(
    outcomes: Outcomes, published: Printed, dataset: DatasetEntry
) -> Iterator[float | str]:
    for column in outcomes.columns:
        mean = outcomes.mean_risk(dataset.title, column)
        yield "" if mean is None else mean
        if outcomes.repeats > 1:
            yield "" if mean is None else stdev(outcomes.risks(dataset.title, column))
        yield published.text(dataset.title, column)


def _time_numbers(
    outcomes: Outcomes, published: Printed, times: dict[str, float | None]
) -> Iterator[float | str]:
    for column, seconds in times.items():
        yield "" if seconds is None else seconds
        if outcomes.repeats > 1:
            yield ""
        yield published.text(TIME_ROW, column)


def _risk_text(outcomes: Outcomes, row: str, column: str) -> str:
    mean = outcomes.mean_risk(row, column)
    if mean is None:
        return MISSING
    if outcomes.repeats == 1:
        return f"{mean:.3f}"
    return f"{mean:.3f} ± {stdev(outcomes.risks(row, column)):.3f}"


def _lowest(risks: dict[str, float | None]) -> set[str]:
    """Return the columns of the lowest risk, none where one is missing."""
    present = [r for r in risks.values() if r is not None]
    if len(present) < len(risks):
        return set()
    return {c for c, r in risks.items() if r is not None and r <= min(present) + 1e-12}


def _notes(experiment: Experiment, outcomes: Outcomes, published: Printed) -> tuple[str, ...]:
    if outcomes.repeats > 1:
        first = (
            f"Ours: mean ± standard deviation over {outcomes.repeats} random splits; "
            "in parentheses the printed risk, which is one split's. "
            f"† marks a printed risk outside the interval in which one split of ours falls with "
            f"probability {COVERAGE:g}."
        )
    else:
        first = "Ours, in parentheses the printed risk; the lowest of a row is bold."
    absent = [f"{a.name}: {a.reason.removesuffix('.')}." for a in experiment.config.absent]
    first_if_printed = [first] if published.cells else []
    return (*first_if_printed, *absent, *closing_notes(experiment, outcomes))


def closing_notes(experiment: Experiment, outcomes: Outcomes) -> tuple[str, ...]:
    """Return what stands below any table: the algorithms' notes, missing cells, the config's."""
    config = experiment.config
    notes = [f"{a.title}: {a.note}" for a in config.algorithms if a.note]
    lacking = sum(not record.ok for record in outcomes.records.values())
    if lacking:
        notes.append(
            f"{lacking} of {len(outcomes.records)} cells failed or are missing ({MISSING})."
        )
    return (*notes, *config.notes)


def verdicts_table(experiment: Experiment, outcomes: Outcomes, published: Printed) -> Table:
    """Return where each printed risk lies in the distribution of our repeats."""
    found = verdicts(outcomes, published)
    by_cell = {(v.row, v.column): v for v in found}
    inside = sum(v.placement.inside for v in found)
    middle = sum(0.025 <= v.placement.quantile <= 0.975 for v in found)
    rows = []
    for row in outcomes.rows:
        entries = []
        for column in outcomes.columns:
            verdict = by_cell.get((row, column))
            if verdict is None:
                entries.append(Entry(MISSING))
            else:
                where = verdict.placement
                entries.append(Entry(f"{where.quantile:.2f}", mark="" if where.inside else "†"))
        rows.append((row, tuple(entries)))
    data = tuple(
        (
            v.row,
            v.column,
            v.printed,
            v.placement.mean,
            v.placement.sd,
            v.placement.quantile,
            v.placement.low,
            v.placement.high,
            "inside" if v.placement.inside else "outside",
        )
        for v in found
    )
    return Table(
        f"{experiment.config.title}: where the printed risks lie in our distribution",
        ("Data set", *(a.title for a in experiment.config.algorithms)),
        tuple(rows),
        (
            f"Share of our {outcomes.repeats} splits below the printed risk, ties counted half. "
            f"† marks a printed risk outside the interval in which one further split falls with "
            f"probability {COVERAGE:g} (Student's t).",
            f"Inside that interval: {inside} of {len(found)}. With a quantile from 0.025 to "
            f"0.975: {middle} of {len(found)}.",
        ),
        ("dataset", "algorithm", "printed", "mean", "sd", "quantile", "low", "high", "verdict"),
        data,
    )
