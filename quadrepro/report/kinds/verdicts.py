"""Where each printed risk lies in the distribution of our repeats."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.papers.printed import Printed
from quadrepro.report.kinds.base import Context, Kind
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table
from quadrepro.stats import COVERAGE, Placement, placement


@dataclass(frozen=True)
class Verdict:
    """A printed risk against our repeats.

    Attributes
    ----------
    row, column : str
        The entry.
    printed : float
        The printed risk.
    placement : Placement
        Where it lies.
    """

    row: str
    column: str
    printed: float
    placement: Placement


def verdicts(outcomes: Outcomes, printed: Printed) -> list[Verdict]:
    """Place every printed risk of which two or more repeats were computed.

    Parameters
    ----------
    outcomes : Outcomes
        The records.
    printed : Printed
        The printed risks, with rows under the titles of ours.
    """
    found = []
    for row in outcomes.rows:
        for column in outcomes.columns:
            number = printed.number(row, column)
            risks = outcomes.risks(row, column)
            if number is not None and len(risks) >= 2:
                where = placement(risks, number, printed.rounding(row, column))
                found.append(Verdict(row, column, number, where))
    return found


def verdicts_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the quantile of each printed risk among our repeats, and whether it is inside.

    Returns
    -------
    Table
        One row per data set; in the CSV, one per printed risk.
    """
    found = verdicts(outcomes, context.printed(context.option))
    by_cell = {(v.row, v.column): v.placement for v in found}
    inside = sum(v.placement.inside for v in found)
    middle = sum(0.025 <= v.placement.quantile <= 0.975 for v in found)
    rows = [
        (row, tuple(_entry(by_cell.get((row, column))) for column in outcomes.columns))
        for row in outcomes.rows
    ]
    data = [
        (
            v.row,
            v.column,
            v.printed,
            float(outcomes.mean_of_computed(v.row, v.column)),
            v.placement.sd,
            v.placement.quantile,
            v.placement.low,
            v.placement.high,
            "inside" if v.placement.inside else "outside",
        )
        for v in found
    ]
    return Table(
        f"{context.config.title}: where the printed risks lie in our distribution",
        ("Data set", *context.titles.values()),
        tuple(rows),
        (
            f"Share of our {outcomes.repeats} splits below the printed risk, ties counted half. "
            f"† marks a printed risk outside the interval in which one further split falls with "
            f"probability {COVERAGE:g} (Student's t).",
            f"Inside that interval: {inside} of {len(found)}. With a quantile from 0.025 to "
            f"0.975: {middle} of {len(found)}.",
        ),
        ("dataset", "algorithm", "printed", "mean", "sd", "quantile", "low", "high", "verdict"),
        tuple(data),
    )


def _entry(placement: Placement | None) -> Entry:
    if placement is None:
        return Entry(MISSING)
    text = f"{placement.quantile:.2f}"
    if placement.inside:
        return Entry(text, verdict="inside")
    return Entry(text, mark="†", verdict="outside")


def _several_splits_beside_print(context: Context[str]) -> bool:
    return context.config.repeats > 1 and bool(context.printed(context.option).cells)


VERDICTS = Kind(
    key="risks",
    option=str,
    default="",
    stem="verdicts",
    written=_several_splits_beside_print,
    table=verdicts_table,
)
