"""A table of scores that a user gives to be ranked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from quadrepro.data.canonical import number
from quadrepro.errors import DataError

NO_SCORE = frozenset({"", "na", "nan", "n/a", "-", "–"})
"""Texts for a missing score, in lower case."""


@dataclass(frozen=True)
class Scores:
    """Scores of methods."""

    methods: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[str, ...]
    """Name of each row in messages."""
    values: tuple[tuple[float, ...], ...]
    """The scores of each row; NaN where one is missing."""
    source: str = "scores"
    """Their origin."""
    of_rows: str = ""
    """Header of the names of the rows."""

    @property
    def gaps(self) -> list[str]:
        """Names of the rows in which a score is missing."""
        return [name for name, row in zip(self.rows, self.values, strict=True) if has_gap(row)]


def read_scores(path: Path) -> Scores:
    """Return the scores in a text file, whose first line names the methods.

    If the first column has no name, or none of its fields is a number, it names the rows. Empty
    fields, NA, NaN and dashes are missing scores. Commas can be decimal signs if other signs
    separate the fields.
    """
    from quadrepro.data.files import detect, read_file  # imports pandas

    layout = detect(path)
    frame = read_file(path, layout)
    names, body = frame.iloc[0].tolist(), frame.iloc[1:]
    if body.empty:
        raise DataError(f"{path}: a table of scores has a line of names and a line per data set")
    numbers = body.map(lambda field: _number(field, commas=layout.separator != ","))
    first = int(not names[0] or not np.isfinite(numbers[0]).any())
    methods = names[first:]
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
    values = tuple(map(tuple, numbers.iloc[:, first:].to_numpy().tolist()))
    return Scores(tuple(methods), tuple(rows), values, str(path), names[0] if first else "")


def scores_of(scores: Any) -> Scores:
    """Return scores of any form that `rank` takes."""
    if isinstance(scores, str | Path):
        return read_scores(Path(scores))
    rows: Sequence[Any] = ()
    if hasattr(scores, "iloc"):
        first = scores.iloc[:, 0]
        named = first.dtype.kind not in "iufb"
        rows = list(first if named else scores.index)
        scores = scores.iloc[:, 1:] if named else scores
    elif not isinstance(scores, Mapping):
        raise DataError(f"scores must be a file, a data frame or a mapping, not {type(scores)}")
    columns = {str(name): list(scores[name]) for name in scores}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise DataError(f"scores: every method must have the same number of scores: {sizes}")
    try:
        values = tuple(tuple(map(float, row)) for row in zip(*columns.values(), strict=True))
    except (TypeError, ValueError) as error:
        raise DataError(f"scores: not a table of numbers: {error}") from None
    return Scores(tuple(columns), tuple(map(str, rows or range(len(values)))), values)


def _number(text: str, *, commas: bool) -> float:
    """Return a finite number, NaN for a missing score, or infinity for anything else."""
    if text.lower() in NO_SCORE:
        return math.nan
    value = number(text)
    if value is None and commas:
        value = number(text, ",")
    return math.inf if value is None else value


BETTER_HIGHER = frozenset(
    ("acc", "accuracies", "accuracy", "auc", "auroc", "f1", "kappa", "precision", "recall")
)
BETTER_LOWER = frozenset(("err", "error", "errors", "loss", "mae", "mse", "rmse", "risk", "risks"))
"""Words for scores that are better when higher, and when lower."""

HIGH = 0.7
"""Median of shares above which they look like accuracies."""


def doubt_of_direction(scores: Scores, *, higher_is_better: bool) -> str:
    """Return why the other direction may be the better one, or an empty text.

    Words count in the name of the file, above the names of the rows, or in the name of each method.
    """
    named: set[str] = set()
    for names in ((Path(scores.source).stem,), (scores.of_rows,), scores.methods):
        named |= set.intersection(*(set(re.findall("[a-z]+1?", name.lower())) for name in names))
    if higher_is_better:
        best, turn, fitting, doubtful = "highest", "leave out", BETTER_HIGHER, BETTER_LOWER
    else:
        best, turn, fitting, doubtful = "lowest", "give", BETTER_LOWER, BETTER_HIGHER
    values = [x for row in scores.values for x in row if not math.isnan(x)]
    middle, unit = median(values), 1 if max(values) <= 1 else 100
    shares = min(values) >= 0 and max(values) <= unit
    if named & fitting:
        return ""
    if words := named & doubtful:
        reason = f"The word {min(words)!r} is in the names"
    elif shares and middle > HIGH * unit and not higher_is_better:
        reason = f"The scores look like accuracies (median {middle:.2g})"
    else:
        return ""
    option = "--higher-is-better (higher_is_better=True)"
    return f"{reason}, and the {best} counts as the best. If it is the worst, {turn} {option}."


def has_gap(row: Sequence[float]) -> bool:
    """Return whether a score is missing."""
    return any(map(math.isnan, row))
