"""A table of scores of a user, to be ranked."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from quadrepro.data.canonical import number
from quadrepro.data.files import detect, read_file
from quadrepro.errors import DataError

NO_SCORE = frozenset({"", "na", "nan", "n/a", "-", "–"})
"""Texts for a missing score, in lower case."""

NUMBERED = re.compile("id|no|nr|row|index|fold|split|repeat|resample", re.IGNORECASE)
"""Names of a column that counts rows."""


def read_scores(path: Path) -> pd.DataFrame:
    """Return the scores in a text file, whose first line names the methods.

    If the first column has no name, or none of its fields is a number, or if it is called id, fold
    or the like and counts the rows, it names the rows. Empty
    fields, NA, NaN and dashes are missing scores. Commas can be decimal signs if other signs
    separate the fields.
    """
    layout = detect(path)
    frame = read_file(path, layout)
    header, body = frame.iloc[0].tolist(), frame.iloc[1:]
    if body.empty:
        raise DataError(f"{path}: a table of scores has a line of names and a line per data set")
    numbers = body.map(lambda field: _number(field, commas=layout.separator != ","))
    counted = NUMBERED.fullmatch(header[0]) and (numbers[0].diff().iloc[1:] == 1).all()
    first = int(not header[0] or bool(counted) or not np.isfinite(numbers[0]).any())
    methods = header[first:]
    for j, name in enumerate(methods):
        if not name or name in methods[:j]:
            fault = f"duplicate {name!r}" if name else "the column has no name"
            raise DataError(f"{path}, line {frame.index[0]}, column {first + j + 1}: {fault}")
    for i, j in np.argwhere(np.isinf(numbers.iloc[:, first:].to_numpy())):
        place = f"{path}, line {body.index[i]}, column {methods[j]!r}"
        raise DataError(f"{place}: {body.iloc[i, first + j]!r} is not a number such as 0.035")
    rows = [f"line {line}" for line in body.index]
    if first:
        rows = [f"{row} ({name})" for row, name in zip(rows, body[0], strict=True)]
    return pd.DataFrame(numbers.iloc[:, first:].to_numpy(), rows, methods)


def scores_of(scores: Any) -> pd.DataFrame:
    """Return scores of any form that `rank` takes: methods as columns, NaN for a missing score."""
    if isinstance(scores, str | Path):
        return read_scores(Path(scores))
    try:
        table = pd.DataFrame(scores)
        if pd.to_numeric(table.iloc[:, 0], errors="coerce").isna().all():
            table = table.set_index(table.columns[0])
        table = table.set_axis([*map(str, table.columns)], axis="columns").astype(float)
    except (TypeError, ValueError, IndexError) as error:
        raise DataError(f"scores: not a table of numbers: {error}") from None
    if table.columns.has_duplicates:
        raise DataError(f"scores: duplicate {table.columns[table.columns.duplicated()][0]!r}")
    return table


def gaps_of(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return the methods without a score in a row, by the name of the row."""
    missing = table.isna()
    return {
        str(row): [*table.columns[gaps]]
        for row, gaps in zip(missing.index, missing.to_numpy(), strict=True)
        if gaps.any()
    }


def _number(text: str, *, commas: bool) -> float:
    """Return a finite number, NaN for a missing score, or infinity for anything else."""
    if text.lower() in NO_SCORE:
        return math.nan
    value = number(text)
    if value is None and commas:
        value = number(text, ",")
    return math.inf if value is None else value
