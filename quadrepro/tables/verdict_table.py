"""The table of verdicts: all printed numbers of a config in our intervals."""

from __future__ import annotations

from collections.abc import Sequence

from quadrepro.config.config import Experiment
from quadrepro.stats import COVERAGE
from quadrepro.tables.table import MISSING, Entry, Table, csv_text
from quadrepro.tables.verdicts import Verdict, Verdicts

NAME = "verdicts"
"""Name of its files without ending."""

DATA_HEADER = (
    "printed table",
    "dataset",
    "algorithm",
    "quantity",
    "printed",
    "ours",
    "low",
    "high",
    "p",
    "verdict",
    "reason",
)


def verdicts_table(experiment: Experiment, found: Sequence[Verdicts]) -> Table:
    """Return where the printed numbers lie in our intervals, and what that says of the whole table.

    Parameters
    ----------
    experiment : Experiment
        The config.
    found : sequence of Verdicts
        One per printed table.

    Returns
    -------
    Table
        One row per data set and quantity; in the CSV, one per printed number.
    """
    titles = experiment.config.titles
    several = len({(v.printed, e.quantity) for v in found for e in v.entries}) > 1
    rows = []
    for verdicts in found:
        places = {(e.row, e.quantity): None for e in verdicts.entries}
        by_place = {(e.row, e.quantity, e.column): e for e in verdicts.entries}
        for row, quantity in places:
            entries = tuple(_entry(by_place.get((row, quantity, column))) for column in titles)
            rows.append((f"{row}, {quantity}" if several else row, entries))
    return Table(
        f"{experiment.config.title}: where the printed numbers lie in our intervals",
        ("Data set", *titles.values()),
        tuple(rows),
        (
            "0 is the middle of the interval in which a printed number lies with probability "
            f"{COVERAGE:g} if it stems from splits like ours, -1 and 1 are its ends, and † marks "
            "what is outside. For a number of one split it is the interval of one further split "
            "(Student's t), for a mean that of Welch's test, for the margins of several splits "
            "that of the mean of as many; half a unit of the last printed digit is added.",
            *(f"{_of(v, found)}{text}" for v in found for text in v.statement()),
        ),
        DATA_HEADER,
        tuple(_numbers(v.printed, e) for v in found for e in v.entries),
    )


SCORE_HEADER = (
    "printed table",
    "numbers",
    "inside",
    "outside",
    "not comparable",
    "expected outside",
    "low",
    "high",
    "p more",
    "p fewer",
    "surely off",
)
"""Columns of the table with one row per printed table."""


def score_text(found: Sequence[Verdicts]) -> str:
    """Return the verdicts on each printed table as a whole, as CSV."""
    rows = []
    for v in found:
        n, counts = len(v.judged), v.misses
        chance = (counts.expected, counts.low, counts.high, counts.p_more, counts.p_fewer)
        rows.append(
            (
                *(v.printed, len(v.entries), n - counts.outside, counts.outside),
                len(v.entries) - n,
                *(chance if n else [""] * len(chance)),
                "; ".join(f"{e.row}, {e.column}" for e in v.surely_off),
            )
        )
    return csv_text(SCORE_HEADER, tuple(rows))


def _of(verdicts: Verdicts, found: Sequence[Verdicts]) -> str:
    """Return the name of a printed table before what is said of it, if there are several."""
    return f"Printed {verdicts.printed}: " if len(found) > 1 else ""


def _entry(verdict: Verdict | None) -> Entry:
    if verdict is None or verdict.position is None:
        return Entry(MISSING)
    position = verdict.position
    text = f"{position:+.2f}" if abs(position) < 100 else "far off"
    return Entry(text, mark="†" if verdict.word == "outside" else "", verdict=verdict.word)


def _numbers(printed: str, v: Verdict) -> tuple[str | float, ...]:
    numbers = ("" if x is None else x for x in (v.ours, v.low, v.high, v.p_value))
    return (printed, v.row, v.column, v.quantity, v.printed, *numbers, v.word, v.reason)
