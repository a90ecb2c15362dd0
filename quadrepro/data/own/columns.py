"""The columns of a user's file: whether they contain numbers or codes."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray, IntArray
from quadrepro.data.canonical import Column, is_missing, nominal_column, number, numeric_column
from quadrepro.data.sources.frame import Frame
from quadrepro.errors import ConfigError, DataError

GAPS = ("?", "", "NA", "NaN", "nan", "N/A", "null")
"""Words that always stand for a missing value."""

MOST_LABELS = 20
"""A target of whole numbers is a label if it has at most this number of distinct values."""

_WITH_COMMAS = re.compile(r"[-+]?\d+(,\d+)+(\.\d+)?")


@dataclass(frozen=True, eq=False)
class OwnColumn:
    """A column of the file.

    Attributes
    ----------
    name : str
        Its name in the file.
    frame : Frame
        The whole file, for messages.
    held : ndarray of str or float64, shape (n_rows,)
        Its fields, with empty text or NaN for missing values.
    """

    name: str
    frame: Frame
    held: Column

    @cached_property
    def codes(self) -> NDArray[np.str_]:
        """The fields as codes, shape (n_rows,)."""
        held = self.held
        if held.dtype.kind == "f":
            held = np.where(np.isnan(held), "", held.astype(np.str_))
        return nominal_column(held.tolist())

    @cached_property
    def numbers(self) -> FloatArray:
        """The fields as numbers, shape (n_rows,); infinite if a field is not a finite number."""
        if self.held.dtype.kind == "f":
            return numeric_column(self.held)
        found = (number(text) for text in self.held.tolist())
        return numeric_column([math.inf if value is None else value for value in found])

    @cached_property
    def words(self) -> IntArray:
        """The indices of rows whose fields are not finite numbers."""
        return np.flatnonzero(np.isinf(self.numbers))

    def values(self, advice: str) -> Column:
        """Return numbers if all fields are numbers, otherwise codes.

        Parameters
        ----------
        advice : str
            What to do about a word among numbers; WORD in the advice is replaced by the word.

        Raises
        ------
        DataError
            If more than half of the fields are numbers but not all, or if the first field that is
            not a number is infinite or has a comma. The message names its line.
        """
        if not len(self.words):
            return self.numbers
        row = int(self.words[0])
        if _is_infinite(str(self.held[row])):
            raise self.refusal(row, "which is not a finite number")
        if _WITH_COMMAS.fullmatch(str(self.held[row])):
            raise self.refusal(row, "but numbers are written with a point and without commas")
        n_values = int((~is_missing(self.held)).sum())
        n_numbers = n_values - len(self.words)
        if n_numbers > len(self.words):
            word = shlex.quote(str(self.held[row]))
            hint = advice.replace("WORD", word)
            raise self.refusal(row, f"but {n_numbers} of its {n_values} values are numbers; {hint}")
        return self.codes

    def refusal(self, row: int, why: str) -> DataError:
        """Return an error that names the place and the field of a row."""
        place = f"{self.frame.origin}, {self.frame.place(row)}"
        return DataError(f"{place}: {self.name} is {str(self.held[row])!r}, {why}")


def used_gaps(frame: Frame, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the words for missing values that occur in a file.

    Parameters
    ----------
    frame : Frame
        The file.
    missing : sequence of str
        The user's words for missing values, in addition to `GAPS`.

    Raises
    ------
    ConfigError
        If one of the user's words does not occur.
    """
    words = dict.fromkeys((*GAPS, *missing))
    found: set[str] = set()
    for column in frame.columns:
        if column.dtype.kind != "f":
            found |= words.keys() & set(column.tolist())
    for word in missing:
        if word not in found:
            raise ConfigError(f"{frame.origin}: no field is {word!r}, given for missing values")
    return tuple(word for word in words if word in found)


def own_columns(frame: Frame, gaps: Sequence[str]) -> dict[str, OwnColumn]:
    """Return the columns of a file by name; columns without a name are left out.

    Parameters
    ----------
    frame : Frame
        The file.
    gaps : sequence of str
        The words for missing values.
    """
    columns = {}
    for name, held in zip(frame.names or (), frame.columns, strict=True):
        if name:
            seen = held if held.dtype.kind == "f" else np.where(np.isin(held, gaps), "", held)
            columns[name] = OwnColumn(name, frame, seen)
    return columns


def attribute_values(column: OwnColumn, *, as_codes: bool) -> Column:
    """Return the numbers or codes of an attribute.

    Parameters
    ----------
    column : OwnColumn
        The attribute.
    as_codes : bool
        Whether the user says that it has codes.

    Raises
    ------
    DataError
        If the column contains both numbers and words.
    """
    if as_codes:
        return column.codes
    return column.values(
        "say --missing WORD if it stands for a missing value, or --nominal "
        f"{shlex.quote(column.name)} if the column holds codes"
    )


def target_values(column: OwnColumn, task: str) -> Column:
    """Return the labels of a classification as texts, or the numbers of a regression.

    Parameters
    ----------
    column : OwnColumn
        The target.
    task : {"", "classification", "regression"}
        If empty, the task is a regression if there are more than `MOST_LABELS` distinct numbers
        or numbers that are not whole.

    Raises
    ------
    DataError
        If a row has no value, a value of a regression is not a finite number, or all values are
        equal.
    """
    unlabelled = np.flatnonzero(is_missing(column.held))
    if len(unlabelled):
        place = f"{column.frame.origin}, {column.frame.place(int(unlabelled[0]))}"
        raise DataError(f"{place}: the target {column.name} has no value")
    if task == "regression" and len(column.words):
        raise column.refusal(int(column.words[0]), "which is not a finite number")
    values = (
        column.codes
        if task == "classification"
        else column.values("say --task classification if these are labels")
    )
    if not task and values.dtype.kind == "f":
        distinct = np.unique(column.numbers)
        if len(distinct) <= MOST_LABELS and np.all(distinct == np.round(distinct)):
            values = column.codes
    if len(set(values.tolist())) == 1:
        raise DataError(
            f"{column.frame.origin}: {column.name} is {str(values[0])!r} in every row, so there is"
            " nothing to learn"
        )
    return values


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False
