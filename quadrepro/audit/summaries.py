"""Whether bold numbers and column means follow from the numbers they sum up."""

from __future__ import annotations

from fractions import Fraction

from quadrepro.audit.check import Check, Finding, Found, Place
from quadrepro.audit.counts import denominator
from quadrepro.audit.subject import Subject
from quadrepro.papers.printed import MEAN, MEAN_ROW, SD


def judge_bold(subject: Subject) -> Found:
    """Compare the bold numbers that ``paper.yaml`` lists with the lowest of their rows."""
    findings = []
    for table in subject.holding("risks", "errors"):
        ending = MEAN if table.holds == "errors" else ""
        for row, columns in subject.facts(table).bold.items():
            subject.known(row, table.rows, "row", table.name, "bold", row)
            numbers = {c: x for c in table.algorithms if (x := table.text(row, c + ending))}
            for i, column in enumerate(columns):
                subject.known(column, numbers, "column", table.name, "bold", row, i)
            least = min(map(Fraction, numbers.values()))
            lowest = [c for c, text in numbers.items() if Fraction(text) == least]
            why = f"the lowest is {float(least):g} ({', '.join(lowest)})"
            holds = set(columns) == set(lowest)
            findings.append(Finding(Place(table.name, row), ", ".join(columns), holds, why))
    return Found(tuple(findings))


def judge_means(subject: Subject) -> Found:
    """Compare printed means of columns with the means of what is printed above them."""
    findings = []
    for table in subject.tables:
        for column in table.columns:
            text = table.text(MEAN_ROW, column)
            texts = [table.text(row, column) for row in table.rows]
            if not text or column.endswith(SD):
                continue
            place = Place(table.name, MEAN_ROW, column)
            if not texts or not all(texts):
                findings.append(Finding(place, text, None, "not all rows are printed"))
                continue
            mean = sum(map(Fraction, texts), Fraction()) / len(texts)
            own, *above = (Fraction(1, 2 * denominator(t)) for t in (text, *texts))
            slack = own + sum(above, Fraction()) / len(texts)
            holds = abs(mean - Fraction(text)) <= slack
            findings.append(Finding(place, text, holds, f"the mean is {float(mean):.6g}"))
    return Found(tuple(findings))


BOLD = Check("bold", "Are the numbers in bold the lowest of their rows?", judge_bold)
MEANS = Check("means", "Are the means of columns those of the numbers above?", judge_means)
