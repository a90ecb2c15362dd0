"""Made-up papers: folders with printed tables, honest ones and others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from calibration.learners import BoolArray, risks
from quadrepro.papers.paper import load_paper
from quadrepro.papers.printed import MEAN, SD
from quadrepro.tables.audit.check import Finding
from quadrepro.tables.audit.report import Audit, audit

UP, EVEN = ROUND_HALF_UP, ROUND_HALF_EVEN
"""Ways to round what is halfway between two printed numbers."""

Lines = dict[str, dict[str, str]]
"""Printed numbers by row and column."""


def rounded(value: Fraction | float, digits: int, half: str = UP) -> str:
    """Return a number as it is printed."""
    exact = Fraction(value)
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    return f"{decimal.quantize(Decimal(1).scaleb(-digits), half):f}"


def mean_and_deviation(
    wrong: BoolArray, tested: BoolArray, digits: int, half: str, *, pooled: bool = False
) -> tuple[str, str]:
    """Return the mean risk of splits in percent and its deviation, as printed."""
    counts = zip(wrong.sum(axis=1).tolist(), tested.sum(axis=1).tolist(), strict=True)
    if pooled:
        mean = Fraction(int(wrong.sum()), int(tested.sum()))
    else:
        mean = sum((Fraction(k, n) for k, n in counts), Fraction()) / len(wrong)
    sd = float(risks(wrong, tested).std(ddof=1))
    return rounded(100 * mean, digits, half), rounded(100 * sd, digits, half)


def errors(cells: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return the columns of a row with means and deviations."""
    return {
        column + ending: text
        for column, texts in cells.items()
        for ending, text in zip((MEAN, SD), texts, strict=True)
    }


def changed_digit(rng: np.random.Generator, text: str) -> str:
    """Return a number with another last digit."""
    return f"{text[:-1]}{(int(text[-1]) + int(rng.integers(1, 10))) % 10}"


PERCENT: dict[str, Any] = {"unit": "percent", "of": {"splits": 20}}
"""What means are by default."""


def _has_means(rows: Lines) -> bool:
    return any(column.endswith(MEAN) for of_row in rows.values() for column in of_row)


def audited(
    lines: Mapping[str, Lines],
    facts: Mapping[str, Mapping[str, Any]],
    claims: Mapping[str, Any] | None = None,
) -> Audit:
    """Write a paper with printed tables, facts on them and claims, and return its audit.

    Means are in percent and of 20 splits, other numbers fractions of one, unless facts say
    otherwise.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "paper" / "printed").mkdir(parents=True)
        columns = [c for rows in lines.values() for of_row in rows.values() for c in of_row]
        names = {c.removesuffix(MEAN).removesuffix(SD): c for c in columns}
        printed = {
            table: {
                **(PERCENT if _has_means(rows) else {"unit": "fraction"}),
                **facts.get(table, {}),
            }
            for table, rows in lines.items()
        }
        file = {"title": "Made up", "names": names, "printed": printed, "claims": claims or {}}
        # JSON is YAML as well.
        (folder / "paper" / "paper.yaml").write_text(json.dumps(file))
        for table, rows in lines.items():
            header = ["row", *next(iter(rows.values()))]
            texts = [[row, *of_row.values()] for row, of_row in rows.items()]
            text = "\n".join(map(",".join, [header, *texts])) + "\n"
            (folder / "paper" / "printed" / f"{table}.csv").write_text(text)
        return audit(load_paper("./paper", folder))


def failed(audit: Audit, *checks: str) -> list[Finding]:
    """Return the findings of some checks that fail, or that fail unless a condition does."""
    return [f for key in checks for f in audit.findings.get(key, ()) if f.holds is False]
