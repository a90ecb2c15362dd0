"""Encoding: one numeric column per attribute, and labels -1 and +1, as a view says."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.data.canonical import Column
from quadrepro.data.card import Attribute, View
from quadrepro.data.store import Dataset
from quadrepro.errors import ConfigError

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)")


@dataclasses.dataclass(frozen=True, eq=False)
class Encoded:
    """A data set as arrays, rows in canonical order.

    Attributes
    ----------
    X : ndarray of float64, shape (n_rows, n_attributes)
        NaN where a value is missing.
    y : ndarray of float64, shape (n_rows,)
        +1 for the positive labels of the view, -1 for all others.
    attributes : tuple of str
        The names of the columns of `X`.
    missing : {"mean", "low"}
        What is to stand for a missing value, see `quadrepro.data.normalise.Normaliser`.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    attributes: tuple[str, ...]
    missing: Literal["mean", "low"]


def encode(dataset: Dataset, view: View) -> Encoded:
    """Turn a data set into arrays.

    A nominal code becomes its position, from 0, in the order that the view gives, else in that of
    the card, else in `default_order`.

    Parameters
    ----------
    dataset : Dataset
        Loaded and checked.
    view : View
        Of the data set's card, or a config's own.

    Returns
    -------
    Encoded
        Without the columns that the view excludes.

    Raises
    ------
    ConfigError
        If the view names a label or an attribute that does not exist (the nearest is given), if
        an order lacks a code that occurs, or if all rows would get the same label.
    """
    for problem in dataset.card.problems(view):
        raise ConfigError(problem)
    kept = [a for a in dataset.table.attributes if a.name not in view.exclude]
    columns = [
        _numbers(a, dataset.table.columns[a.name], view.order.get(a.name, a.order)) for a in kept
    ]
    return Encoded(
        X=np.column_stack(columns),
        y=np.where(np.isin(dataset.table.target, view.positive), 1.0, -1.0),
        attributes=tuple(a.name for a in kept),
        missing=view.missing,
    )


def default_order(codes: Iterable[str]) -> tuple[str, ...]:
    """Return distinct codes sorted as numbers where all of them are numbers, else as text."""
    distinct = sorted(set(codes))
    if all(_NUMBER.fullmatch(code) for code in distinct):
        # The sort is stable: 00 and 000, equal as numbers, stay in the order of their text.
        distinct.sort(key=float)
    return tuple(distinct)


def _numbers(
    attribute: Attribute, column: Column, order: tuple[str, ...] | None
) -> NDArray[np.float64]:
    if attribute.kind == "numeric":
        return column.astype(np.float64)
    occurring = {str(code) for code in column} - {""}
    if order is None:
        order = default_order(occurring)
    if lacking := default_order(occurring.difference(order)):
        raise ConfigError(
            f"the order of {attribute.name} is {', '.join(order)},"
            f" but the data also have {', '.join(lacking)}"
        )
    position = {"": np.nan} | {code: float(place) for place, code in enumerate(order)}
    return np.array([position[code] for code in column.tolist()])
