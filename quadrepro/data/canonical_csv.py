"""Canonical CSVs: a header, commas, the attributes in the order of the card, then `target`.

A missing value is an empty field. pyarrow reads; where it finds a file wanting, or what it read is
not clean, Python's csv module goes through the file once more to say what is wrong on which line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.data.canonical import (
    RawTable,
    is_missing,
    nominal_column,
    number,
    numeric_column,
)
from quadrepro.data.card import Card
from quadrepro.data.sources.formats import text_of, unpack
from quadrepro.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def read_csv(path: Path, card: Card) -> RawTable:
    """Read a canonical CSV.

    Parameters
    ----------
    path : Path
        NAME.csv or NAME.csv.gz, UTF-8.
    card : Card
        Gives the columns' names and kinds.

    Returns
    -------
    RawTable
        The rows in the order of the file.

    Raises
    ------
    DataError
        If the file cannot be read, is not UTF-8, is empty, or has another header than the card,
        a row of another length, something that is not a finite number in a numeric column, or a
        row without a label. The message names the file and the line.
    """
    import pyarrow as pa

    _, content = unpack(path)
    try:
        table = _parse(content, card)
    except pa.ArrowException as error:
        _explain(content, path, card)
        raise DataError(f"{path}: {error}") from error
    names = (*card.attribute_names, card.target.name)
    if tuple(table.schema.names) != names or not table.num_rows or not all(map(_clean, table)):
        _explain(content, path, card)
    columns = {
        name: nominal_column(column.to_pylist())
        if name in card.nominal_names
        else numeric_column(column.to_numpy())
        for name, column in zip(names, table, strict=True)
    }
    target = columns.pop(card.target.name)
    if is_missing(target).any():
        _explain(content, path, card)
    return RawTable(card.attributes, columns, target)


def _parse(content: bytes, card: Card) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = (*card.attribute_names, card.target.name)
    text, real = pa.string(), pa.float64()
    return arrow_csv.read_csv(
        pa.BufferReader(content),
        # One row of MNIST's header alone is some kilobytes.
        arrow_csv.ReadOptions(use_threads=False, block_size=1 << 24),
        arrow_csv.ParseOptions(newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types={name: text if name in card.nominal_names else real for name in names},
            null_values=[""],
            strings_can_be_null=False,
        ),
    )


def _clean(column: pa.ChunkedArray) -> bool:
    """Whether a column is of text, or its numbers are finite where there is one."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return True
    # A gap is no value of pyarrow's; a NaN that is one was written so.
    return bool(np.isfinite(column.to_numpy()).sum() + column.null_count == len(column))


def _explain(content: bytes, path: Path, card: Card) -> None:
    """Raise a `DataError` for the first thing that is wrong with a canonical CSV, if any is."""
    names = (*card.attribute_names, card.target.name)
    rows = _rows(content, path)
    header, _ = next(rows, (None, 0))
    if header is None:
        raise DataError(f"{path}: the file is empty")
    _check_header(path, header, names)
    n_rows = 0
    for fields, line in rows:
        n_rows += 1
        if len(fields) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(fields)} fields, the header has {len(names)}"
            )
        for name, field in zip(names, fields, strict=True):
            if name not in card.nominal_names and number(field) is None:
                raise DataError(f"{path}, line {line}, column {name}: {field!r} is not a number")
        if not fields[-1].strip():
            raise DataError(f"{path}, line {line}: no label in column {names[-1]}")
    if not n_rows:
        raise DataError(f"{path}: there is a header but no row")


def _rows(content: bytes, path: Path) -> Iterator[tuple[list[str], int]]:
    """Yield every row that is not blank, with the line on which it ends."""
    reader = csv.reader(io.StringIO(text_of(content, str(path)), newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield fields, reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error


def _check_header(path: Path, header: Sequence[str], expected: Sequence[str]) -> None:
    for place, (name, right) in enumerate(zip(header, expected, strict=False), start=1):
        if name != right:
            raise DataError(f"{path}, line 1: column {place} is {name!r}, the card says {right!r}")
    if len(header) != len(expected):
        raise DataError(
            f"{path}, line 1: {len(header)} columns, the card says {len(expected)}"
            f" (the last is {expected[-1]!r})"
        )
