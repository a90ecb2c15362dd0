"""Canonical tables: normalised columns, sorted rows, and a hash of their content.

Two copies of the same data can differ in blanks, in ``1.0`` for the code ``1``, or in the order of
their rows. Their canonical tables do not, so equal content has an equal hash, whatever its source.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray, NumberArray
from quadrepro.data.schema import Attribute

TextArray = NDArray[np.str_] | NDArray[np.object_]
ColumnValues = NumberArray | TextArray

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_WHOLE_NUMBER = re.compile(r"\A(-?\d+)\.0+\Z", re.ASCII)
CURRENCY = "([A-Z]{0,3}[$]|[€£¥₹₩₽₺₦₫₴₪₱฿])"
"""Sign of a currency in front of a number, such as $ or US$."""

_MARKED = (
    rf"^[-+]?{CURRENCY}?[\s\pZ]?"
    r"[-+]?(\d{1,3}([\s\pZ'’]\d{3})+([.,]\d*)?|\d[\d.,]*)"
    rf"[\s\pZ]?(%|{CURRENCY})?$"
)
"""Numbers with blanks or apostrophes between thousands, or with the sign of a currency or %."""


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
    """Return texts as an array of objects, as one long text would widen all others."""
    return np.array([*texts], dtype=np.object_)


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


def parse_numbers(texts: Iterable[str], decimal: str = ".", thousands: bool = False) -> FloatArray:
    """Return the numbers in texts, NaN for empty texts, infinity for texts that are not numbers.

    Blanks or apostrophes between thousands and the sign of a currency are left out, and so is % if
    all have it. Parentheses around a number mean a minus sign.

    Examples
    --------
    >>> parse_numbers(["1,5", "$1 000", "a", ""], ",").tolist()
    [1.5, 1000.0, inf, nan]
    >>> parse_numbers(["12 %", "(5)%"]).tolist(), parse_numbers(["12%", "5"]).tolist()
    ([12.0, -5.0], [inf, 5.0])
    >>> parse_numbers(["1,234.5"]).tolist(), parse_numbers(["1,234.5"], thousands=True).tolist()
    ([inf], [1234.5])
    """
    import pyarrow as pa  # slow
    import pyarrow.compute as pc

    texts = pa.array(texts, pa.large_string())
    if decimal == "." and (numbers := _plain_numbers(texts)) is not None:
        return numbers
    point, comma = (".", ",") if decimal == "." else (",", ".")
    plain = rf"^[-+]?(\d+[{point}]?\d*|[{point}]\d+)([eE][-+]?\d+)?$"
    grouped = rf"^[-+]?[1-9]\d{{0,2}}([{comma}]\d{{3}})+([{point}]\d*)?$"
    written = pc.replace_substring(pc.utf8_trim_whitespace(texts), "\N{MINUS SIGN}", "-")
    is_share = pc.ends_with(written, "%")
    written = pc.replace_substring_regex(written, r"^\(([^()]*)\)", r"-\1")
    for pattern, signs in ((_MARKED, r"[^-+\d.,]"), (grouped, f"[{comma}]"))[: 1 + thousands]:
        cleared = pc.replace_substring_regex(written, signs, "")
        written = pc.if_else(pc.match_substring_regex(written, pattern), cleared, written)
    is_number = pc.match_substring_regex(written, plain)
    if pc.any(pc.and_not(is_number, is_share)).as_py():  # all must have the same unit
        is_number = pc.and_not(is_number, is_share)
    numbers = pc.replace_substring(pc.if_else(is_number, written, None), ",", ".")
    is_word = pc.if_else(is_number, False, pc.not_equal(written, ""))
    values = pc.if_else(is_word, np.inf, pc.cast(numbers, pa.float64()))
    return numeric_column(values.to_numpy(zero_copy_only=False))


def _plain_numbers(texts: Any) -> FloatArray | None:
    """Return the numbers in an array of texts, NaN for empty ones; None if one needs a closer look.

    Most columns have nothing but numbers, for which this takes a tenth of the time.
    """
    import pyarrow as pa  # slow
    import pyarrow.compute as pc

    try:
        values = pc.cast(pc.if_else(pc.equal(texts, ""), None, texts), pa.float64())
    except pa.ArrowInvalid:
        return None
    # Arrow takes the words nan and inf for numbers.
    is_finite = pc.all(pc.is_finite(values)).as_py() is not False
    return numeric_column(values.to_numpy(zero_copy_only=False)) if is_finite else None


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
