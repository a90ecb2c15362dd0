"""Training margins pooled over the splits: a table of their moments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.papers.printed import MEAN, SD
from quadrepro.report.kinds.base import Context, Kind
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import MISSING, Entry, Table, VerdictWord
from quadrepro.report.verdicts import Verdict, Verdicts, of_further_splits
from quadrepro.stats import COVERAGE

FILES = "margins"
"""Name of the table's and of the figure's files without ending."""


def margins_of_splits(outcomes: Outcomes, row: str, column: str) -> list[FloatArray]:
    """Return the training margins of an entry.

    Returns
    -------
    list of ndarray of shape (n_train,)
        One per split; empty unless every split was computed and kept its margins.
    """
    records = outcomes.cell(row, column)
    if not all(record.ok and record.margins for record in records):
        return []
    return [record.training_margins() for record in records]


def margins_table(context: Context[str], outcomes: Outcomes) -> Table:
    """Return the table of means and standard deviations of the training margins.

    Returns
    -------
    Table
        One row per data set; in the CSV, one per entry.
    """
    printed = context.printed(context.option)
    verdicts = margin_verdicts(context, outcomes)
    words: dict[tuple[str, str], VerdictWord] = {}
    for v in verdicts.judged:
        if words.get((v.row, v.column)) != "outside":
            words[v.row, v.column] = v.word
    rows, data = [], []
    for row in outcomes.rows:
        entries = []
        for c in outcomes.columns:
            splits = margins_of_splits(outcomes, row, c)
            text = MISSING
            numbers: tuple[float | str, ...] = (0, "", "")
            if splits:
                pooled = np.concatenate(splits)
                mean, sd = float(pooled.mean()), float(pooled.std(ddof=1))
                text, numbers = f"{mean:.2f} ± {sd:.2f}", (len(pooled), mean, sd)
            word = words.get((row, c), "")
            mark = "†" if word == "outside" else ""
            beside = printed.spread(row, c + MEAN, c + SD)
            entries.append(Entry(text, beside, mark=mark, verdict=word))
            texts = (printed.text(row, c + MEAN), printed.text(row, c + SD))
            data.append((row, c, *numbers, *texts, word))
        rows.append((row, tuple(entries)))
    pools = "all training examples"
    if outcomes.repeats > 1:
        pools += f" of all {outcomes.repeats} splits"
    beside = ", in parentheses the printed ones" if printed.cells else ""
    judged: tuple[str, ...] = ()
    if words:
        judged = (
            "† marks an entry whose printed mean or deviation lies outside the interval in which "
            f"that of {printed.splits} further splits falls with probability {COVERAGE:g} "
            "(Student's t over the splits).",
        )
    return Table(
        f"{context.config.title}: training margins",
        ("Data set", *context.titles.values()),
        tuple(rows),
        (
            f"Mean ± standard deviation of the margins of {pools}{beside}.",
            *judged,
            *context.config.notes,
        ),
        ("dataset", "algorithm", "margins", "mean", "sd", "printed mean", "printed sd", "verdict"),
        tuple(data),
    )


def margin_verdicts(context: Context[str], outcomes: Outcomes) -> Verdicts:
    """Return where printed means and deviations of the margins lie among our splits."""
    printed = context.printed(context.option)
    found: list[tuple[Verdict, list[float]]] = []
    for row in outcomes.rows:
        for c in outcomes.columns:
            splits = margins_of_splits(outcomes, row, c)
            for ending, quantity, ours in (
                (MEAN, "margin mean", [float(s.mean()) for s in splits]),
                (SD, "margin sd", [float(s.std(ddof=1)) for s in splits]),
            ):
                if not (text := printed.text(row, c + ending)):
                    continue
                entry = Verdict(row, c, quantity, text)
                if printed.splits is None:
                    found.append((replace(entry, reason="printed without a number of splits"), []))
                    continue
                rounding = printed.rounding(row, c + ending)
                judged = of_further_splits(entry, ours, rounding, further=printed.splits)
                found.append((judged, ours))
    return Verdicts.of(printed.name, found, printed.splits or 1)


MARGINS = Kind(
    key=FILES,
    option=str,
    meaning="Means and deviations of training margins, beside a printed table: its name.",
    check=lambda context: context.check_printed("margins"),
    table=margins_table,
    verdicts=margin_verdicts,
)
