"""The vocabulary in which a figure of the notes is said to follow from committed results.

A list reads a table: ``[table, column]``, then where, then what its values are per. The table is a
CSV of the folder, or ``other-folder/table``. A mapping of one key applies an operation:
``{difference: [x, y]}``, ``{count: {below: [x, y]}}``. A number stands for itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"

NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d*\.?\d+)(?:e-?\d+|\^-?\d+)?(?!\w)")
"""A number in a text; names such as L2 and figure4 are none."""

CONDITIONS: dict[str, Callable[[pd.Series, Any], pd.Series]] = {
    "above": lambda values, limit: values > limit,
    "below": lambda values, limit: values < limit,
    "not": lambda values, others: ~values.isin(others if isinstance(others, list) else [others]),
    "like": lambda values, pattern: values.astype(str).str.contains(pattern),
}

AGGREGATES: dict[str, Callable[[pd.Series], float]] = {
    "min": lambda values: values.min(),
    "max": lambda values: values.max(),
    "mean": lambda values: values.mean(),
    "sum": lambda values: values.sum(),
    "sd": lambda values: values.std(),
    "count": lambda values: values.sum() if values.dtype == bool else values.count(),
    "distinct": lambda values: values.nunique(),
}

ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "difference": lambda x, y: x - y,
    "ratio": lambda x, y: x / y,
    "product": lambda x, y: x * y,
    "above": lambda x, y: x > y,
    "total": lambda x, y: x + y,
    "abs": abs,
    "log": math.log,
    "square": lambda x: x * x,
}

UNARY = ("abs", "log", "square")


@cache
def read_table(folder: Path, name: str) -> pd.DataFrame:
    """Return a CSV of a results folder."""
    return pd.read_csv(folder / f"{name}.csv")


def evaluate(expression: Any, folder: Path) -> float:
    """Return the one value of an expression for the notes of a results folder."""
    found = _values(expression, folder)
    if isinstance(found, pd.Series):
        if len(found) != 1:
            raise ValueError(f"{len(found)} values instead of one: {expression}")
        found = found.iloc[0]
    return float(found)


def _values(expression: Any, folder: Path) -> Any:
    if isinstance(expression, int | float):
        return expression
    if isinstance(expression, list):
        return _column(folder, *expression)
    ((name, argument),) = expression.items()
    if name == "claim":
        return _claimed(folder, *argument)
    if name == "remark":
        return _remarked(folder, *argument)
    if name == "setting":
        return _setting(*argument)
    if name in AGGREGATES:
        return AGGREGATES[name](_values(argument, folder))
    arguments = [argument] if name in UNARY else argument
    return ELEMENTWISE[name](*_aligned([_values(each, folder) for each in arguments]))


def _column(folder: Path, table: str, column: str, where: Any = None, per: Any = None) -> pd.Series:
    """Return the values of a column in the rows where all conditions hold."""
    other, _, name = table.rpartition("/")
    rows = read_table(folder.parent / other if other else folder, name)
    for field, wanted in (where or {}).items():
        if isinstance(wanted, dict):
            for condition, limit in wanted.items():
                rows = rows[CONDITIONS[condition](rows[field], limit)]
        else:
            rows = rows[rows[field].isin(wanted if isinstance(wanted, list) else [wanted])]
    if per:
        rows = rows.set_index(per)
        if not rows.index.is_unique:
            raise ValueError(f"{table} has several rows per {per} where {where}")
    return rows[column]


def _aligned(values: list[Any]) -> list[Any]:
    """Check that series have the same rows; a single value stands for each row of the other."""
    values = [
        value.iloc[0] if isinstance(value, pd.Series) and len(value) == 1 else value
        for value in values
    ]
    series = [value for value in values if isinstance(value, pd.Series)]
    missing = series[0].index.symmetric_difference(series[-1].index) if series else []
    if len(missing):
        raise ValueError(f"rows on one side only: {[*missing]}")
    return values


def _claimed(
    folder: Path, claim: str, which: int, column: str = "ours", other: str | None = None
) -> float:
    """Return one of the numbers, counted from 1, that a claim's row says."""
    rows = read_table(folder.parent / other if other else folder, "claims")
    rows = rows[rows["claim"].str.startswith(claim)]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} claims begin with {claim!r}")
    return value_of(NUMBER.findall(rows[column].iloc[0])[which - 1])


def _remarked(folder: Path, file: str, phrase: str) -> float:
    """Return the number for which ``#`` stands in a phrase of a text file of the folder."""
    text = " ".join((folder / file).read_text(encoding="utf-8").split())
    before, after = map(re.escape, phrase.split("#"))
    found = re.findall(f"{before}({NUMBER.pattern}){after}", text)
    if len(found) != 1:
        raise ValueError(f"{phrase!r} occurs {len(found)} times in {file}")
    return value_of(found[0])


def _setting(file: str, path: str) -> float:
    """Return the value at a dotted path of a YAML or JSON file; a list as its length."""
    found = read_yaml(ROOT / file)
    for part in path.split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return float(len(found) if isinstance(found, list) else found)


@cache
def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file."""
    return YAML(typ="safe", pure=True).load(path)


WORDS = {"no": 0, "none": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
WORDS |= {"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
"""Numbers that notes write as words."""


def value_of(number: str) -> float:
    """Return the value of a number as a text writes it."""
    if number.lower() in WORDS:
        return float(WORDS[number.lower()])
    base, power, exponent = number.replace(",", "").replace("−", "-").partition("^")
    return float(base) ** int(exponent) if power else float(base)


def agrees(number: str, value: float) -> bool:
    """Tell whether a value, rounded to the digits that a text writes, is the number there."""
    written = re.search(r"(?:\.(\d+))?(?:e(-?\d+))?$", number)
    decimals, power = written.groups() if written else (None, None)
    last = int(power or 0) - len(decimals or "")
    return abs(value_of(number) - value) <= 0.5 * 10.0**last * (1 + 1e-6)
