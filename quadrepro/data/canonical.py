"""Canonical tables: reading them, putting their rows in one order, hashing their content.

A canonical CSV has a header line, commas, one column per attribute in the order of the card, the
label in a last column `target`, and an empty field for a missing value. Reading normalises what
may differ between two copies of the same data, so that equal content has an equal hash.
"""

from __future__ import annotations

import csv
import dataclasses
import gzip
import hashlib
import io
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quadrepro.data.card import Attribute, Card
from quadrepro.errors import DataError

Column = NDArray[np.float64] | NDArray[np.str_]

_WHOLE_NUMBER = re.compile(r"(-?\d+)\.0+")


@dataclasses.dataclass(frozen=True, eq=False)
class RawTable:
    """The rows of a data set, column by column, before anything is coded by number.

    Attributes
    ----------
    attributes : tuple of Attribute
        The columns' names and kinds.
    columns : dict of str to ndarray of shape (n_rows,)
        By attribute name: float64 with NaN for a missing number, str with ``""`` for a missing
        code.
    target : ndarray of str, shape (n_rows,)
        The labels.
    """

    attributes: tuple[Attribute, ...]
    columns: dict[str, Column]
    target: NDArray[np.str_]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a value is missing, shape (n_rows, n_attributes)."""
        return np.column_stack([_is_missing(self.columns[a.name]) for a in self.attributes])

    @property
    def label_counts(self) -> dict[str, int]:
        """How many rows carry each label, labels sorted."""
        return dict(sorted(Counter(self.target.tolist()).items()))


def numeric_column(values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers as float64, NaN where missing, with 0.0 for -0.0."""
    # -0.0 + 0.0 is 0.0; the two are equal numbers, but not equal bytes in a hash.
    return np.asarray(values, dtype=np.float64) + 0.0


def nominal_column(codes: Iterable[str]) -> NDArray[np.str_]:
    """Return codes without surrounding blanks, and ``1`` for a whole number written ``1.0``."""
    written = list(codes)
    plain = {code: _plain(code.strip()) for code in set(written)}
    return np.array([plain[code] for code in written], dtype=np.str_)


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
    rows, lines = _rows(path)
    if not rows:
        raise DataError(f"{path}: the file is empty")
    _check_header(path, rows[0], (*card.attribute_names, card.target.name))
    if len(rows) == 1:
        raise DataError(f"{path}: there is a header but no row")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise DataError(
                f"{path}, line {line}: {len(row)} fields, the header has {len(rows[0])}"
            )
    *fields, labels = zip(*rows[1:], strict=True)
    columns: dict[str, Column] = {}
    for attribute, column in zip(card.attributes, fields, strict=True):
        if attribute.kind == "nominal":
            columns[attribute.name] = nominal_column(column)
        else:
            columns[attribute.name] = _read_numbers(column, path, lines[1:], attribute.name)
    target = nominal_column(labels)
    if _is_missing(target).any():
        line = lines[1:][int(np.argmax(_is_missing(target)))]
        raise DataError(f"{path}, line {line}: no label in column {card.target.name}")
    return RawTable(card.attributes, columns, target)


def sort_rows(table: RawTable) -> RawTable:
    """Return the rows of `table` in an order that depends on nothing but their content.

    The first attribute is the primary key and the label the last; numbers ascend with missing
    ones at the end, codes are in the order of their characters with missing ones first.
    """
    keys = [table.target, *(table.columns[a.name] for a in reversed(table.attributes))]
    order = np.lexsort(keys)
    columns = {name: column[order] for name, column in table.columns.items()}
    return dataclasses.replace(table, columns=columns, target=table.target[order])


def content_hash(table: RawTable) -> str:
    """Return the hash of what `table` contains, whatever the order of its rows.

    Parameters
    ----------
    table : RawTable
        Any table with normalised columns, sorted or not.

    Returns
    -------
    str
        ``sha256:`` and 64 hexadecimal digits, over the attributes' names and kinds and the sorted
        columns: numbers as little-endian float64, codes as lines of UTF-8. The order of codes
        that a card gives an attribute is not content.
    """
    table = sort_rows(table)
    digest = hashlib.sha256()
    digest.update(json.dumps([[a.name, a.kind] for a in table.attributes]).encode())
    for column in (*(table.columns[a.name] for a in table.attributes), table.target):
        if column.dtype.kind == "f":
            # NaN has many bit patterns; a hash needs one.
            digest.update(np.where(np.isnan(column), np.nan, column).astype("<f8").tobytes())
        else:
            digest.update("".join(f"{code}\n" for code in column.tolist()).encode())
    return f"sha256:{digest.hexdigest()}"


def _is_missing(column: Column) -> NDArray[np.bool_]:
    return np.isnan(column) if column.dtype.kind == "f" else column == ""


def _plain(code: str) -> str:
    whole = _WHOLE_NUMBER.fullmatch(code)
    return whole[1] if whole else code


def _rows(path: Path) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for row in reader:
            if row:
                rows.append(row)
                lines.append(reader.line_num)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not UTF-8 text") from error
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    return rows, lines


def _check_header(path: Path, header: Sequence[str], expected: Sequence[str]) -> None:
    for place, (name, right) in enumerate(zip(header, expected, strict=False), start=1):
        if name.strip() != right:
            raise DataError(f"{path}, line 1: column {place} is {name!r}, the card says {right!r}")
    if len(header) != len(expected):
        raise DataError(
            f"{path}, line 1: {len(header)} columns, the card says {len(expected)}"
            f" (the last is {expected[-1]!r})"
        )


def _read_numbers(
    fields: Sequence[str], path: Path, lines: Sequence[int], name: str
) -> NDArray[np.float64]:
    try:
        # Where no value is missing, which is most columns, this is several times faster.
        values = np.array(list(map(float, fields)))
        if np.isfinite(values).all():
            return numeric_column(values)
    except ValueError:
        pass
    numbers = []
    for field, line in zip(fields, lines, strict=True):
        number = _number(field)
        if number is None:
            raise DataError(f"{path}, line {line}, column {name}: {field!r} is not a number")
        numbers.append(number)
    return numeric_column(numbers)


def _number(field: str) -> float | None:
    if not field.strip():
        return math.nan
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
