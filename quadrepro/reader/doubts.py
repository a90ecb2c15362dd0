"""Rows and columns of a printed table that may not be what they are taken for: the messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import nan
from statistics import fmean

from quadrepro.base.text import few
from quadrepro.reader.roles import (
    TableColumn,
    arrows_in,
    column_role,
    is_well_known,
    summary_kind,
)
from quadrepro.reader.text_grid import Text, parse

OR_WITHOUT = "leave it out with --without {!r}, or list the methods with --methods"
OR_A_DATA_SET = "leave it out with --without {!r}, or state --rows datasets if it is a data set"

SHARES = (
    *("accuracy", "error", "balanced_accuracy", "balanced_error"),
    *("auc", "f1", "average_precision"),
)
"""Metrics with values from 0 to 1."""

FEWEST = 4
"""Least number of rows for one to sum up the others."""

Doubts = Iterator[tuple[str, str]]
"""Messages, each with the name of a column or an empty text."""


def doubts_about_kinds(
    labels: Sequence[TableColumn],
    values: Sequence[TableColumn],
    by_method: bool,
    turned: Sequence[str],
    n_others: int,
) -> Doubts:
    """Yield reasons why rows may be methods, by the `known_names`, or the table a long form."""
    if not by_method and len(turned) > max(1, n_others):
        advice = "state the kind of the rows with --rows methods or --rows datasets"
        names = f"the rows look like methods, or the columns like data sets ({few(turned, 3)})"
        yield f"{names}: {advice}", ""
    repeated = [c.name for c in labels if len({*c.texts}) < len(c.texts)]
    if len(repeated) > 1 and len(values) == 1:
        both = " and ".join(map(repr, repeated))
        yield f"{both} may be data sets and methods: call them 'dataset' and 'method'", ""


def known_names(
    labels: Sequence[TableColumn], values: Sequence[TableColumn]
) -> tuple[list[str], int]:
    """Return well-known methods in rows and data sets in columns, and the number of all others."""
    rows, columns = (labels[-1].texts if labels else []), [c.method or c.name for c in values]
    turned = [name for name in rows if is_well_known(name, "methods")]
    turned += [name for name in columns if is_well_known(name, "datasets")]
    n_others = sum(is_well_known(name, "methods") for name in columns)
    return turned, n_others + sum(is_well_known(name, "datasets") for name in rows)


def doubts_about_columns(
    columns: Sequence[TableColumn], sizes: Sequence[TableColumn], rows: Sequence[int]
) -> Doubts:
    """Yield reasons why columns may not be scores of methods, by their name or their scale."""
    folds = [
        c.name
        for c in columns
        if c.name.isdecimal() or column_role(re.sub(r"[ _-]*\d+$", "", c.name)) == "fold"
    ]
    if len(folds) == len(columns) > 2 and _in_order(folds):
        advice = "put them into rows, with a column 'fold'"
        yield f"the columns {few(folds, 3)} may be folds: {advice}", ""
    means = [c for c in columns if not c.is_spread]
    scales = {c: s for c in means if (s := _scale([c.cells[i] for i in rows]))}
    usual, n_usual = Counter(scales.values()).most_common(1)[0] if scales else (3, 0)
    n_decimals = sum(not c.is_whole for c in columns)
    for column, scale in scales.items():
        described = summary_kind(column.name) or column.named == "unclear"
        n_different = len({*column.texts} - {"0", "1"})
        if described and len(columns) > 1:
            yield _column_doubt("it may not be a method", column)
        if scale > usual and n_usual > 1:
            longest = max(column.texts, key=len)
            yield _column_doubt(f"{longest} has another scale than other columns", column)
        if column.is_whole and n_decimals > 1 and n_different > 1:
            yield _column_doubt("only this column has whole numbers alone", column)
    words = any(len(c.name) > 1 for c in columns)
    for column in (*sizes, *columns):
        letter = len(column.name) == 1 if column.role == "size" else column.name in "dkmp"
        if letter and not n_decimals and (words or column.role == "size"):
            yield _column_doubt("it may be a method or sizes", column)


def doubts_about_rows(rows: Sequence[tuple[str, list[Text]]], metric: str) -> Doubts:
    """Yield reasons why rows may not be scores of a data set, by their numbers alone."""
    if len(rows) < FEWEST:
        return
    values = [[n.value if (n := parse(text)) else nan for text in texts] for _, texts in rows]
    columns, k = [*zip(*values, strict=True)], len(values[0])
    near = (abs(fmean(above) - last) <= 0.0051 * abs(last) for *above, last in columns)
    if k > 1 and all(near) and all(len({*above}) > 2 for *above, _ in columns):
        yield _row_doubt("may be the mean of the others", rows[-1][0])
    # Mean ranks of all methods add up to the same sum, but for rounding.
    are_ranks = [
        all(1 <= x <= k for x in row) and abs(sum(row) - k * (k + 1) / 2) <= 0.0051 * k
        for row in values
    ]
    if k > 2 and are_ranks[-1] and sum(are_ranks) == 1:
        yield _row_doubt("may be mean ranks", rows[-1][0])
    large = [title for (title, _), row in zip(rows, values, strict=True) if any(x > 1 for x in row)]
    if metric in SHARES and large and len(rows) - len(large) > 2:
        yield _row_doubt("has another scale than other rows", large[0])


def doubts_about_arrows(names: Sequence[str]) -> Doubts:
    """Yield a message if names have arrows of both directions."""
    if len(arrows_in(names)) > 1:
        several = few([name for name in names if arrows_in([name])], 3)
        yield f"↑ and ↓ show several metrics ({several}): leave out one kind with --without", ""


def shorten(text: str) -> str:
    """Return at most 60 characters of an untrusted text."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _column_doubt(message: str, column: TableColumn) -> tuple[str, str]:
    return f"{message}: {OR_WITHOUT.format(shorten(column.name))}", column.name


def _row_doubt(message: str, title: str) -> tuple[str, str]:
    name = shorten(title)
    return f"the row {name!r} {message}: {OR_A_DATA_SET.format(name)}", ""


def _in_order(names: Sequence[str]) -> bool:
    """Return whether names end in consecutive numbers."""
    numbers = [int(re.findall(r"\d+", name)[-1]) for name in names]
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _scale(cells: Sequence[Text]) -> int:
    """Return 1 for shares, 2 for percent, 3 for larger numbers, 0 without numbers."""
    numbers = [n.value for cell in cells if (n := parse(cell)) and n.text]
    return 0 if not numbers else 1 if max(numbers) <= 1 else 2 if max(numbers) <= 100 else 3
