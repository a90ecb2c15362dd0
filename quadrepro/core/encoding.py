"""Encoding: a data set in a view, as numeric columns and a target of labels or numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, cast

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, NumberArray
from quadrepro.data.canonical import Column, RawTable, default_order, is_missing
from quadrepro.data.card import Attribute, View
from quadrepro.data.schema import Threshold
from quadrepro.data.store import Dataset, Found
from quadrepro.errors import ConfigError


@dataclasses.dataclass(frozen=True, eq=False)
class Encoded:
    """A data set as arrays, rows in canonical order.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        float64, or a smaller type that holds the same numbers; NaN where a value is missing.
    y : ndarray of float64, shape (n_rows,)
        -1 for the first and +1 for the second of two classes, codes from 0 for more classes, or
        the numbers of a regression.
    classes : tuple of str
        Names of the classes, see `quadrepro.data.card.Card.classes_of`; empty for a regression.
    attributes : tuple of str
        The names of the columns of `X`: that of the attribute, or ``attribute=code`` for a one-hot
        code.
    missing : {"mean", "low"}
        How to fill in missing values, see `quadrepro.core.preprocessing.Normaliser`.
    n_codes : tuple of int
        Of each column of `X` the number of codes whose positions it holds; 0 for numbers.
    beside : mapping of str to ndarray of shape (n_rows,), default {}
        By name: attributes as they are in the data set, which the rows are divided by.
    """

    X: NumberArray
    y: FloatArray
    classes: tuple[str, ...]
    attributes: tuple[str, ...]
    missing: Literal["mean", "low"]
    n_codes: tuple[int, ...]
    beside: Mapping[str, Column] = dataclasses.field(default_factory=dict)


def encode(dataset: Dataset, view: View, beside: Collection[str] = ()) -> Encoded:
    """Turn a data set into arrays.

    The codes of a nominal attribute have the order of the view, or else that of the card, or else
    the `default_order` of the codes that occur in any row. With ordinal encoding, a code becomes
    its position, counted from 0. With one-hot encoding, every code becomes a column of zeros and
    ones. A missing code is missing in all of these columns, or has a column ``attribute=`` if the
    view gives missing values a value of their own.
    """
    kept, codes, rows, y = _fitted(dataset, view)
    table = dataset.table.take(rows)
    columns: dict[str, NumberArray] = {}
    n_codes: list[int] = []
    for attribute in kept:
        of_attribute = codes.get(attribute.name, ())
        found = dict(_columns(attribute, table, of_attribute, view))
        n_codes += [len(of_attribute) if view.nominal == "ordinal" else 0] * len(found)
        columns |= found
    if view.target_as:
        columns[view.target_as] = y
        n_codes.append(0)
    return Encoded(
        X=np.column_stack([*columns.values()]),
        y=y,
        classes=dataset.card.classes_of(view),
        attributes=tuple(columns),
        missing="low" if view.missing == "low" else "mean",
        beside={name: table.columns[name] for name in beside},
        n_codes=tuple(n_codes),
    )


def check_view(
    dataset: Dataset, view: View, beside: Collection[str] = ()
) -> tuple[FloatArray, dict[str, Column]]:
    """Refuse what `encode` refuses, and return `Encoded.y` and `Encoded.beside` alone."""
    _, _, rows, y = _fitted(dataset, view)
    return y, {name: dataset.table.columns[name][rows] for name in beside}


def count_rows(found: Found, view: View) -> int:
    """Return the number of rows in a view, from the card if that tells, or else from the data."""
    card = found.card
    drops = view.missing == "drop" and card.rows_with_missing > 0
    match bool(view.part), bool(view.kept_labels), drops:
        case _ if view.where or (drops and view.exclude):
            pass
        case False, False, False:
            return card.rows
        case True, False, False:
            first, last = card.parts[view.part]
            return last - first + 1
        case False, True, False:
            return sum(card.target.labels[label] for label in view.kept_labels)
        case False, False, True:
            return card.rows - card.rows_with_missing
    kept = [a for a in card.attributes if drops and a.name not in view.exclude]
    table = found.load(only={*view.where, *(a.name for a in kept)}).table
    return int(_rows(table, view, kept).sum())


def count_columns(attributes: Iterable[Attribute], view: View) -> int:
    """Return about how many columns a view has.

    Columns for missing values and for codes that neither card nor view lists are not counted.
    """
    return bool(view.target_as) + sum(
        len(view.order.get(a.name, a.codes) or "_")
        if a.kind == "nominal" and view.nominal == "one-hot"
        else 1
        for a in attributes
        if a.name not in view.exclude
    )


def _fitted(
    dataset: Dataset, view: View
) -> tuple[list[Attribute], dict[str, tuple[str, ...]], BoolArray, FloatArray]:
    """Return attributes, their codes, rows and targets of a view, or raise ConfigError."""
    card, table = dataset.card, dataset.table
    for mistake in card.mistakes(view):
        raise ConfigError(mistake.message)
    kept = [a for a in table.attributes if a.name not in view.exclude]
    codes = {
        a.name: _codes(a, table, view.order.get(a.name, a.codes))
        for a in kept
        if a.kind == "nominal"
    }
    rows = _rows(table, view, kept)
    if not rows.any():
        raise ConfigError(f"no row of {card.name} is left in this view")
    classes = card.classes_of(view)
    y = _targets(table.target[rows], view, classes)
    if classes and np.all(y == y[0]):
        only = classes[int(y[0] > 0 if len(classes) == 2 else y[0])]
        raise ConfigError(f"all rows of {card.name} in this view are {only}")
    return kept, codes, rows, y


def _codes(attribute: Attribute, table: RawTable, order: tuple[str, ...] | None) -> tuple[str, ...]:
    occurring = {str(code) for code in set(table.columns[attribute.name].tolist())} - {""}
    if order is None:
        return default_order(occurring)
    if lacking := default_order(occurring.difference(order)):
        raise ConfigError(
            f"the order of {attribute.name} is {', '.join(order)}, but the data also contain"
            f" {', '.join(lacking)}"
        )
    return order


def _rows(table: RawTable, view: View, kept: Iterable[Attribute]) -> BoolArray:
    rows = np.ones(table.n_rows, dtype=bool)
    if view.part:
        rows &= table.part == view.part
    for name, values in view.where.items():
        column = table.columns[name]
        wanted = values if column.dtype.kind == "U" else [float(value) for value in values]
        rows &= np.isin(column, wanted)
    if view.kept_labels:
        rows &= np.isin(table.target, view.kept_labels)
    if view.missing == "drop":
        for attribute in kept:
            rows &= ~is_missing(table.columns[attribute.name])
    return rows


def _targets(target: Column, view: View, classes: tuple[str, ...]) -> FloatArray:
    match view.positive:
        case None if not classes:
            return target.astype(np.float64)
        case None:
            codes = {label: float(code) for code, label in enumerate(classes)}
            found = np.array([codes[label] for label in target.tolist()])
            return 2.0 * found - 1.0 if len(classes) == 2 else found
        case Threshold() as threshold:
            positive = threshold.holds(target.astype(np.float64))
        case labels:
            positive = np.isin(target, labels)
    return np.where(positive, 1.0, -1.0)


def _columns(
    attribute: Attribute, table: RawTable, codes: tuple[str, ...], view: View
) -> Iterator[tuple[str, NumberArray]]:
    column = table.columns[attribute.name]
    if column.dtype.kind != "U":
        yield attribute.name, cast(NumberArray, column)
    elif view.nominal == "ordinal":
        position = {"": np.nan} | {code: float(place) for place, code in enumerate(codes)}
        yield attribute.name, np.array([position[code] for code in column.tolist()])
    else:
        missing = column == ""
        gap = 0.0 if view.missing == "low" else np.nan
        for code in codes:
            yield f"{attribute.name}={code}", np.where(missing, gap, column == code)
        if view.missing == "low" and missing.any():
            yield f"{attribute.name}=", missing.astype(np.float64)
