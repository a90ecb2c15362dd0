"""Whether all numbers of a row fit the same coding of its data set, by results at hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from quadrepro.base.files import is_regular
from quadrepro.config.config import Experiment
from quadrepro.errors import DataError
from quadrepro.papers.printed import Printed
from quadrepro.stats import LEVEL, placement
from quadrepro.tables.audit.check import Check, Finding, PrintedPlace, Subject
from quadrepro.tables.table import read_rows

CELLS = "cells.csv"
"""The file of a results folder with one line per cell."""


class Coding(NamedTuple):
    """A row of a config with the risks that were computed."""

    title: str
    row: str  # the printed row
    risks: dict[str, list[float]]  # by column, over two or more splits


def judge(subject: Subject) -> Iterator[Finding | str]:
    """Place each printed risk among the splits that were computed, row by row."""
    found = [finding for table in subject.holding("errors") for finding in _judged(subject, table)]
    yield from found
    if found:
        yield (
            "codings: whether a further split of those in the results folder would give the "
            "printed risk (Student's t, two-sided). The other codings of a data set are those of "
            "the configs that paper.yaml lists."
        )


def _judged(subject: Subject, table: Printed) -> Iterator[Finding]:
    """Judge a table with the results of the configs that it lists, of which the first must be."""
    codings: list[list[Coding]] = []
    for i, name in enumerate(table.facts.codings):
        experiment = subject.experiment(name, table.name, "codings", i)
        path = subject.results / experiment.name / CELLS
        if not i and not is_regular(path):
            yield Finding(PrintedPlace(table.name), "", None, f"there is no {path}")
            return
        codings.append(_codings(table, experiment, path))
    for own in codings[0] if codings else ():
        yield from _judged_row(table, own, [c for others in codings[1:] for c in others])


def _judged_row(table: Printed, own: Coding, others: list[Coding]) -> Iterator[Finding]:
    """Judge each number of a row under the paper's coding."""
    for column, p_value in _p_values(table, own).items():
        risks = own.risks[column]
        why = f"ours are {fmean(risks):.3f} ± {stdev(risks):.3f} (p = {p_value:.2g})"
        if p_value <= LEVEL:
            why += "".join(_elsewhere(table, c, column) for c in others if c.row == own.row)
        place = PrintedPlace(table.name, own.row, column)
        text = table.text(own.row, table.mean_column(column))
        yield Finding(place, text, p_value > LEVEL, why, p_value)


def _elsewhere(table: Printed, coding: Coding, column: str) -> str:
    """Return the verdict of another coding on the row, if it fits the column."""
    p_values = _p_values(table, coding)
    if p_values.get(column, 0.0) <= LEVEL:
        return ""
    outside = [other for other, p_value in p_values.items() if p_value <= LEVEL]
    rest = f", which does not fit {', '.join(outside)}" if outside else " with the whole row"
    return f"; it fits the coding {coding.title}{rest}"


def _p_values(table: Printed, coding: Coding) -> dict[str, float]:
    """Return the p-value of each number of the printed row."""
    return {
        column: placement(
            risks, value, table.rounding(coding.row, at), further=table.splits
        ).p_value
        for column, risks in coding.risks.items()
        if (value := table.number(coding.row, at := table.mean_column(column))) is not None
    }


def _codings(table: Printed, experiment: Experiment, path: Path) -> list[Coding]:
    """Return the rows of a config that are compared with printed ones; none without results."""
    if not is_regular(path):
        return []
    risks = _read(path)
    return [
        Coding(entry.title, row, columns)
        for entry in experiment.config.entries
        if (row := table.row_of(entry)) is not None
        and (columns := {c: r for (t, c), r in risks.items() if t == entry.title and len(r) > 1})
    ]


def _read(path: Path) -> dict[tuple[str, str], list[float]]:
    risks: dict[tuple[str, str], list[float]] = defaultdict(list)
    try:
        for _, line in read_rows(path):
            if line["status"] == "ok":
                risks[line["dataset"], line["algorithm"]].append(float(line["value"]))
    except (KeyError, ValueError):
        raise DataError(f"{path}: not a file of cells that quadrepro has written") from None
    return risks


CODINGS = Check("codings", "Do all numbers of a row fit the same coding of its data set?", judge)
