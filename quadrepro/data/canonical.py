"""Canonical tables: their columns normalised, their rows in one order, their content hashed.

What may differ between two copies of the same data (blanks, ``1.0`` for the code ``1``, the order
of the rows) is taken away, so that equal content has an equal hash whatever its source.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quadrepro.data.schema import Attribute

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
    target : ndarray of str or float64, shape (n_rows,)
        The labels, or the numbers of a regression.
    part : ndarray of str, shape (n_rows,), or None, default None
        The part of the data set that each row belongs to, where the card names parts.
    """

    attributes: tuple[Attribute, ...]
    columns: dict[str, Column]
    target: Column
    part: NDArray[np.str_] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a value is missing, shape (n_rows, n_attributes)."""
        return np.column_stack([is_missing(self.columns[a.name]) for a in self.attributes])

    @property
    def label_counts(self) -> dict[str, int]:
        """How many rows carry each label, labels sorted."""
        return dict(sorted(Counter(self.target.tolist()).items()))

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> RawTable:
        """Return some of the rows, by number or by mask."""
        return RawTable(
            self.attributes,
            {name: column[rows] for name, column in self.columns.items()},
            self.target[rows],
            None if self.part is None else self.part[rows],
        )


def numeric_column(values: ArrayLike) -> NDArray[np.float64]:
    """Return numbers as float64, NaN where missing, with 0.0 for -0.0."""
    # -0.0 + 0.0 is 0.0; the two are equal numbers, but not equal bytes in a hash.
    return np.asarray(values, dtype=np.float64) + 0.0


def nominal_column(codes: Iterable[str]) -> NDArray[np.str_]:
    """Return codes without surrounding blanks, and ``1`` for a whole number written ``1.0``."""
    written = list(codes)
    plain = {code: _plain(code.strip()) for code in set(written)}
    return np.array([plain[code] for code in written], dtype=np.str_)


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Return where a value of a column is missing."""
    return np.isnan(column) if column.dtype.kind == "f" else column == ""


def number(text: str) -> float | None:
    """Return the finite number that a text writes, NaN for blanks, None for anything else."""
    if not text.strip():
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def sort_rows(table: RawTable) -> RawTable:
    """Return the rows of `table` in an order that depends on nothing but their content.

    The first attribute is the primary key, the target and the part are the last; numbers ascend
    with missing ones at the end, codes are in the order of their characters with missing ones
    first.
    """
    keys = [table.target, *(table.columns[a.name] for a in reversed(table.attributes))]
    return table.take(np.lexsort(keys if table.part is None else [table.part, *keys]))


def content_hash(table: RawTable) -> str:
    """Return the hash of what `table` contains, whatever the order of its rows.

    Parameters
    ----------
    table : RawTable
        Any table with normalised columns, sorted or not.

    Returns
    -------
    str
        ``sha256:`` and 64 hexadecimal digits, over the attributes' names and kinds, the sorted
        columns, the target, and the parts where there are any: numbers as little-endian float64,
        codes as lines of UTF-8. What a card says of the codes' order is not content.
    """
    table = sort_rows(table)
    digest = hashlib.sha256()
    digest.update(json.dumps([[a.name, a.kind] for a in table.attributes]).encode())
    columns = [*(table.columns[a.name] for a in table.attributes), table.target]
    for column in columns if table.part is None else [*columns, table.part]:
        if column.dtype.kind == "f":
            # NaN has many bit patterns; a hash needs one.
            digest.update(np.where(np.isnan(column), np.nan, column).astype("<f8").tobytes())
        else:
            digest.update("".join(f"{code}\n" for code in column.tolist()).encode())
    return f"sha256:{digest.hexdigest()}"


def _plain(code: str) -> str:
    whole = _WHOLE_NUMBER.fullmatch(code)
    return whole[1] if whole else code
