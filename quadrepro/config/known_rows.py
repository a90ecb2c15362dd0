"""What a split may know of the rows: their classes, and what the columns say that divide them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Self

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray, IntArray, NumberArray
from quadrepro.config.split_rule import SplitRule
from quadrepro.data.canonical import Column, is_missing
from quadrepro.errors import ConfigError, nearest

PARTS = ("train", "valid", "test")
"""What a column can say of a row."""

TASK = ""
"""The column with the splits of an OpenML task; no attribute has an empty name."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class KnownRows:
    """What a split may know of the rows, each of shape (n_rows,) or None.

    Attributes
    ----------
    classes : ndarray of int or None, default None
        Codes of the classes, from 0; None for a regression.
    groups : ndarray of int or None, default None
        Codes of the groups, from 0.
    times : ndarray of int or float, or None, default None
        What rows are sorted by.
    part : ndarray of int or None, default None
        The place of each row's part in `PARTS`.
    tested : ndarray of int or None, default None
        The repeat that tests each row; -1 for rows that are never tested.
    splits : ndarray of uint8, shape (n_rows, n_splits), or None, default None
        What an OpenML task makes of each row, see `quadrepro.data.task_splits`.
    """

    classes: IntArray | None = None
    groups: IntArray | None = None
    times: NumberArray | None = None
    part: IntArray | None = None
    tested: IntArray | None = None
    splits: NDArray[np.uint8] | None = None

    @classmethod
    def of(
        cls, y: FloatArray | None, beside: Mapping[str, Column], rule: SplitRule, title: str
    ) -> Self:
        """Return what a rule needs to know of rows.

        Parameters
        ----------
        y : ndarray of shape (n_rows,) or None
            The classes; None for a regression.
        beside : mapping of str to ndarray of shape (n_rows,)
            The attributes that the rule names, and as `TASK` the splits of its task.
        rule : SplitRule
            How rows are divided.
        title : str
            The row of the table, for messages.

        Raises
        ------
        ConfigError
            If a column lacks a value, or has one that cannot be used.
        """
        columns = {key: beside[name] for key, name in rule.columns}
        for key, name in rule.columns:
            if lacking := int(is_missing(columns[key]).sum()):
                rows_are = "1 row is" if lacking == 1 else f"{lacking} rows are"
                raise ConfigError(f"{rows_are} without {name}, by which {title} is divided")
        classes = None if y is None else _codes(y)
        groups = _codes(columns["groups"]) if "groups" in columns else None
        times = _times(columns["time"], f"{rule.time} of {title}") if rule.time else None
        part = tested = None
        if rule.column:
            part, tested = _given(columns["column"], f"{rule.column} of {title}")
        if rule.leave_out == "groups":
            tested = groups
        splits = None if rule.openml_task is None else beside[TASK].astype(np.uint8)
        return cls(classes, groups, times, part, tested, splits)

    def take(self, rows: IntArray) -> Self:
        """Return what is known of some of the rows."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{k: None if v is None else v[rows] for k, v in found.items()})


def _codes(column: Column) -> IntArray:
    return np.unique(column, return_inverse=True)[1].astype(np.intp)


def _times(column: Column, what: str) -> NumberArray:
    """Return numbers as they are, and dates in microseconds."""
    if column.dtype.kind != "U":
        return column  # type: ignore[return-value]
    texts = sorted(set(column.tolist()))
    try:
        known = {text: float(text) for text in texts}
        return np.array([known[text] for text in column.tolist()])
    except ValueError:
        moments = {text: _moment(text, what) for text in texts}
        # Whole numbers, since float64 does not tell microseconds of distant years apart.
        return np.array([moments[text] for text in column.tolist()], dtype=np.int64)


def _moment(text: str, what: str) -> int:
    for written in (text, f"{text}-01"):
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            continue
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(microseconds=1)
    raise ConfigError(f"{what} has {text!r}, which is neither a number nor a date as 2024-12-31")


def _given(column: Column, what: str) -> tuple[IntArray | None, IntArray | None]:
    """Return the part of each row, or the repeat that tests it."""
    values = column.tolist()
    distinct = set(values)
    if distinct <= set(PARTS):
        if not {"train", "test"} <= distinct:
            raise ConfigError(f"{what} names no row {min({'train', 'test'} - distinct)}")
        return np.array([PARTS.index(value) for value in values]), None
    try:
        numbers = np.array([float(value) for value in values])
    except ValueError:
        odd = min(value for value in distinct if value not in PARTS)
        raise ConfigError(
            f"{what} has {odd!r}{nearest(odd, PARTS)}; it must say train, valid or test of each"
            " row, or number the test parts"
        ) from None
    if not np.all(numbers == np.rint(numbers)):
        odd = float(numbers[numbers != np.rint(numbers)][0])
        raise ConfigError(f"{what} has {odd:g}, but test parts are numbered by whole numbers")
    found = _codes(np.maximum(numbers, -1.0)) - bool(numbers.min() < 0)
    if found.max() < 1 and numbers.min() >= 0:
        raise ConfigError(f"{what} is {numbers[0]:g} in every row, so nothing is left to train on")
    if found.max() < 0:
        raise ConfigError(f"{what} is negative in every row, so no row is tested")
    return None, found
