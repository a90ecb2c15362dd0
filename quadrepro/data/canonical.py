"""Canonical tables: normalised columns, sorted rows, and a hash of their content.

Two copies of the same data can differ in blanks, in ``1.0`` for the code ``1``, or in the order of
their rows. Their canonical tables do not, so equal content has an equal hash, whatever its source.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray, NumberArray
from quadrepro.data.schema import Attribute

TextArray = NDArray[np.str_] | NDArray[np.object_]
ColumnValues = NumberArray | TextArray

LONGEST = 32
"""Length of the longest text of an array in which all texts are given the same width."""

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_WHOLE_NUMBER = re.compile(r"\A(-?\d+)\.0+\Z", re.ASCII)
_SWAPPED = str.maketrans(",.", ".,")
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
"""Numbers with commas between thousands and a decimal point."""


@dataclasses.dataclass(frozen=True, eq=False)
class RawTable:
    """The rows of a data set as columns of numbers and codes, before they are encoded.

    Attributes
    ----------
    attributes : tuple of Attribute
        Names and kinds of the columns.
    columns : mapping of str to ndarray of shape (n_rows,)
        By the name of the attribute: numbers with NaN for a missing one, as float64 or in a smaller
        type that holds them exactly, or texts with ``""`` for a missing code.
    target : ndarray of text or float64, shape (n_rows,)
        The labels, or the numbers of a regression.
    part : ndarray of str, shape (n_rows,), or None, default None
        The part of the data set that each row belongs to, or None if the card has no parts.
    places : ndarray of int, shape (n_rows,), or None, default None
        The line or the number of each row in its file, or None if the rows are not from a file.
    """

    attributes: tuple[Attribute, ...]
    columns: Mapping[str, ColumnValues]
    target: ColumnValues
    part: NDArray[np.str_] | None = None
    places: IntArray | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def missing(self) -> BoolArray:
        """Whether each value is missing, shape (n_rows, n_attributes)."""
        return np.column_stack([is_missing(self.columns[a.name]) for a in self.attributes])

    @property
    def label_counts(self) -> dict[str, int]:
        """The number of rows with each label, sorted by label."""
        return dict(sorted(Counter(self.target.tolist()).items()))

    def take(self, rows: IntArray | BoolArray) -> RawTable:
        """Return the rows that an array of indices or a mask selects."""
        if rows.dtype == bool:
            # Faster for many columns than a mask that is read again for each.
            rows = np.flatnonzero(rows)
        columns = {name: column[rows] for name, column in self.columns.items()}
        part = None if self.part is None else self.part[rows]
        places = None if self.places is None else self.places[rows]
        return RawTable(self.attributes, columns, self.target[rows], part, places)


def numeric_column(values: ArrayLike) -> FloatArray:
    """Return numbers as float64, with NaN for missing values and 0.0 for -0.0."""
    # -0.0 + 0.0 is 0.0. The two are equal as numbers, but not as the bytes that are hashed.
    return np.asarray(values, dtype=np.float64) + 0.0


def text_column(texts: Iterable[str]) -> TextArray:
    """Return texts as an array, as objects if one is so long that its width would fill the memory.

    Examples
    --------
    >>> text_column(["a", "bc"]).dtype, text_column(["a", "b" * 1000]).dtype
    (dtype('<U2'), dtype('O'))
    """
    held = list(texts)
    if max(map(len, held), default=0) > LONGEST:
        return np.array(held, dtype=np.object_)
    return np.array(held, dtype=np.str_)


def nominal_column(codes: Iterable[str]) -> TextArray:
    """Return codes without surrounding blanks, and whole numbers without a decimal point.

    Examples
    --------
    >>> nominal_column([" a", "1.0", "1.5"]).tolist()
    ['a', '1', '1.5']
    """
    written = list(codes)
    plain = {code: _WHOLE_NUMBER.sub(r"\1", code.strip()) for code in set(written)}
    return text_column(plain[code] for code in written)


def is_text(column: ColumnValues) -> bool:
    """Return whether a column has texts instead of numbers."""
    return column.dtype.kind in "UO"


def is_missing(column: ColumnValues) -> BoolArray:
    """Return whether each value of a column is missing."""
    return column == "" if is_text(column) else np.isnan(column)


def number(text: str, decimal: str = ".", *, thousands: bool = False) -> float | None:
    """Return the finite number in a text, NaN for an empty text, None for any other text.

    Examples
    --------
    >>> number("1,5", ","), number("1,234.5"), number("1,234.5", thousands=True)
    (1.5, None, 1234.5)
    """
    text = text.strip()
    if decimal == ",":
        text = text.translate(_SWAPPED)
    if thousands and _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if not text:
        return math.nan
    # For Python, 3_2 is 32, and digits of any script are digits.
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_numbers(
    texts: Iterable[str], decimal: str = ".", *, thousands: bool = False
) -> FloatArray:
    """Return the numbers in texts, NaN for empty texts, infinity for texts that are not numbers."""
    values = (number(text, decimal, thousands=thousands) for text in texts)
    return numeric_column([math.inf if value is None else value for value in values])


def sort_rows(table: RawTable) -> RawTable:
    """Return the rows in an order that depends only on their content.

    Rows are sorted by the first attribute, then by the other attributes, by the target and by the
    part. Numbers are in ascending order, with missing ones last; codes are sorted as text, with
    missing ones first.
    """
    order = canonical_order(table)
    return table if np.all(np.diff(order) == 1) else table.take(order)


def canonical_order(table: RawTable) -> IntArray:
    """Return the index of each row of `sort_rows`; equal rows keep their order."""
    keys = [*(table.columns[a.name] for a in table.attributes), table.target]
    if table.part is not None:
        keys.append(table.part)
    order = np.argsort(keys[0], kind="stable")
    # The first key decides for most rows, and each of the others takes as long.
    after, before = keys[0][order[1:]], keys[0][order[:-1]]
    equal = (after == before) | (is_missing(after) & is_missing(before))
    tied = (np.append(equal, False) | np.insert(equal, 0, False))[: len(order)]
    if tied.any():
        rows = order[tied]
        order[tied] = rows[np.lexsort([key[rows] for key in reversed(keys)])]
    return order


def content_hash(table: RawTable) -> str:
    """Return the hash of a table, which does not depend on the order of the rows.

    The hash covers the names and kinds of the attributes, the sorted columns, the target, and the
    parts if there are any. Numbers are hashed as little-endian float64, codes as lines of UTF-8.
    The order of codes in a card does not matter.
    """
    table = sort_rows(table)
    digest = hashlib.sha256()
    digest.update(json.dumps([[a.name, a.kind] for a in table.attributes]).encode())
    columns = [*(table.columns[a.name] for a in table.attributes), table.target]
    for column in columns if table.part is None else [*columns, table.part]:
        if not is_text(column):
            # NaN has many bit patterns, but the hash needs one.
            digest.update(np.where(np.isnan(column), np.nan, column).astype("<f8").tobytes())
        else:
            digest.update("\n".join([*column.tolist(), ""]).encode())
    return f"sha256:{digest.hexdigest()}"


def default_order(codes: Iterable[str]) -> tuple[str, ...]:
    """Return distinct codes, sorted as numbers if all of them are numbers, otherwise as text.

    Examples
    --------
    >>> default_order(["10", "9", "9"]), default_order(["10", "9", "a"])
    (('9', '10'), ('10', '9', 'a'))
    """
    distinct = sorted(set(codes))
    if all(_NUMBER.fullmatch(code) for code in distinct):
        # The sort is stable: 00 and 000, which are equal as numbers, stay sorted as text.
        distinct.sort(key=float)
    return tuple(distinct)
