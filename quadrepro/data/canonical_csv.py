"""Canonical CSVs: a header, the attributes in the order of the card, then the target.

Fields are separated by commas, and a missing value is an empty field. pyarrow reads the file. If it
fails, or if the values are not valid, Python's csv module reads the file again to find the line
that is wrong.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import RawTable, is_missing, nominal_column, number, numeric_column
from quadrepro.data.card import Card
from quadrepro.data.sources.formats import text_of, unpack
from quadrepro.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def read_csv(path: Path, card: Card) -> RawTable:
    """Read a canonical CSV."""
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
        else numeric_column(_numbers(column))
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
        # A block must hold a whole row, and that of MNIST's header takes kilobytes.
        arrow_csv.ReadOptions(use_threads=False, block_size=1 << 24),
        arrow_csv.ParseOptions(newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types={name: text if name in card.nominal_names else real for name in names},
            null_values=[""],
            strings_can_be_null=False,
        ),
    )


def _clean(column: pa.ChunkedArray) -> bool:
    """Whether a column has only text, or only finite numbers and missing values."""
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return True
    # pyarrow counts empty fields as null; a NaN was written as such, and is not allowed.
    return bool(np.isfinite(_numbers(column)).sum() + column.null_count == len(column))


def _numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return the numbers of a column, with NaN for missing ones."""
    # to_numpy would import pandas, which takes longer than to read a small file.
    parts = []
    for chunk in column.chunks:
        rows = slice(chunk.offset, chunk.offset + len(chunk))
        valid, values = chunk.buffers()
        part = np.frombuffer(values, dtype=np.float64)[rows]
        if chunk.null_count:
            bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")
            part = np.where(bits[rows], part, np.nan)
        parts.append(part)
    return np.concatenate(parts)


def _explain(content: bytes, path: Path, card: Card) -> None:
    """Raise a `DataError` for the first fault of a canonical CSV, if there is one."""
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
                f"{path}, line {line}: {len(fields)} fields, but the header has {len(names)}"
            )
        for name, field in zip(names, fields, strict=True):
            if name not in card.nominal_names and number(field) is None:
                raise DataError(f"{path}, line {line}, column {name}: {field!r} is not a number")
        if not fields[-1].strip():
            raise DataError(f"{path}, line {line}: column {names[-1]} has no label")
    if not n_rows:
        raise DataError(f"{path}: the file has a header but no rows")


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
            raise DataError(f"{path}, line 1: column {place} must be {right!r}, not {name!r}")
    if len(header) != len(expected):
        raise DataError(
            f"{path}, line 1: {len(header)} columns, but the card has {len(expected)}"
            f" (the last one is {expected[-1]!r})"
        )
