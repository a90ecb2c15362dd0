"""Preparation of examples: a data set in a view becomes arrays, filled in and normalised.

Columns become numbers, and targets labels or numbers. Noise is added before normalising.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self, cast

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, NumberArray
from quadrepro.core import elementary
from quadrepro.core.features import Feature
from quadrepro.core.voters.thresholds import ranges_of
from quadrepro.data.canonical import (
    ColumnValues,
    RawTable,
    default_order,
    is_missing,
    is_text,
    parse_numbers,
)
from quadrepro.data.card import Attribute, Card, View
from quadrepro.data.schema import Threshold
from quadrepro.data.store import Dataset, Found
from quadrepro.errors import ConfigError


@dataclass(frozen=True, eq=False)
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
    missing : {"mean", "low"}
        Fill value of missing values, see `Normaliser.fit`.
    features : tuple of Feature
        Names of the columns of `X`, and the codes whose positions they hold.
    rows : ndarray of int, shape (n_rows,)
        Index of each row in the data set.
    """

    X: NumberArray
    y: FloatArray
    classes: tuple[str, ...]
    missing: Literal["mean", "low"]
    features: tuple[Feature, ...]
    rows: IntArray


def encode(dataset: Dataset, view: View) -> Encoded:
    """Turn a data set into arrays, or raise ConfigError if the view does not fit it.

    The order of a nominal attribute's codes is taken from the view, or else from the card, or else
    it is the `default_order` of the codes in the data. With ordinal encoding, a code becomes its
    position, counted from 0. With one-hot encoding, every code becomes a column of zeros and ones.
    A missing code is missing in all of these columns, or becomes a column ``attribute=`` if the
    view treats missing values as a value.
    """
    card, table = dataset.card, dataset.table
    for mistake in card.mistakes(view):
        raise ConfigError(mistake.message)
    kept = [a for a in table.attributes if a.name not in view.exclude]
    rows = np.flatnonzero(_rows(table, view, kept))
    if not len(rows):
        raise ConfigError(f"no row of {card.name} is left in this view")
    classes = card.classes_of(view)
    y = _targets(table.target[rows], view, classes)
    if classes and np.ptp(y) == 0:
        only = classes[int(y[0] > 0 if len(classes) == 2 else y[0])]
        raise ConfigError(f"all rows of {card.name} in this view are {only}")
    columns = [pair for a in kept for pair in _columns(a, table.columns[a.name], rows, view)]
    if view.target_as:
        columns.append((Feature(view.target_as), y))
    X = np.column_stack([column for _, column in columns])
    if view.duplicates == "drop":
        first = np.unique(equal_rows(np.column_stack([X, y])), return_index=True)[1]
        X, y, rows = X[first], y[first], rows[first]
    missing: Literal["mean", "low"] = "low" if view.missing == "low" else "mean"
    return Encoded(X, y, classes, missing, tuple(feature for feature, _ in columns), rows)


def equal_rows(X: NumberArray) -> IntArray:
    """Return a code for each row, shape (n_rows,); equal rows share one, in order of occurrence."""
    import pandas as pd

    frame = pd.DataFrame(X)
    codes: IntArray = frame.groupby([*frame], sort=False, dropna=False).ngroup().to_numpy(np.intp)
    return codes


def count_rows(stored: Found, view: View) -> int:
    """Return the number of rows in a view, from the card if possible, else from the data."""
    card = stored.card
    if view.duplicates == "drop":
        return len(encode(stored.load(), view).rows)
    drops = view.missing == "drop" and card.rows_with_missing > 0
    match bool(view.where), bool(view.part), bool(view.kept_labels), drops:
        case False, False, _, False:
            return sum(view.class_sizes(card.target)) or card.rows
        case False, True, False, False:
            first, last = card.parts[view.part]
            return last - first + 1
        case False, False, False, True if not view.exclude:
            return card.rows - card.rows_with_missing
    kept = [a for a in card.attributes if drops and a.name not in view.exclude]
    table = stored.columns(frozenset({*view.where, *(a.name for a in kept)}))
    return int(_rows(table, view, kept).sum())


def count_columns(card: Card, view: View) -> int:
    """Return the approximate number of columns in a view, from the card alone."""
    kept = [a for a in card.attributes if a.name not in view.exclude]
    codes = [view.order.get(a.name, a.codes) or "_" for a in kept]
    return bool(view.target_as) + (sum(map(len, codes)) if view.nominal == "one-hot" else len(kept))


def _rows(table: RawTable, view: View, kept: Iterable[Attribute]) -> BoolArray:
    rows = np.ones(table.n_rows, dtype=bool)
    if view.part:
        rows &= table.part == view.part
    for name, values in view.where.items():
        column = table.columns[name]
        rows &= np.isin(column, values if is_text(column) else parse_numbers(values))
    if view.kept_labels:
        rows &= np.isin(table.target, view.kept_labels)
    if view.missing == "drop":
        for attribute in kept:
            rows &= ~is_missing(table.columns[attribute.name])
    return rows


def _targets(target: ColumnValues, view: View, classes: tuple[str, ...]) -> FloatArray:
    match view.positive:
        case None if not classes:
            return target.astype(np.float64)
        case None:
            codes = {label: float(code) for code, label in enumerate(classes)}
            y = np.array([codes[label] for label in target.tolist()])
            return 2.0 * y - 1.0 if len(classes) == 2 else y
        case Threshold() as threshold:
            positive = threshold.holds(target.astype(np.float64))
        case labels:
            positive = np.isin(target, labels)
    return np.where(positive, 1.0, -1.0)


def _columns(
    attribute: Attribute, column: ColumnValues, rows: IntArray, view: View
) -> Iterator[tuple[Feature, NumberArray]]:
    """Yield the columns of an attribute, shape (n_rows,) each."""
    name = attribute.name
    if attribute.kind == "numeric":
        yield Feature(name), cast("NumberArray", column[rows])
        return
    codes = _codes(attribute, column, view)
    is_listed = view.order.get(name, attribute.codes) is not None
    is_text = not is_listed and 2 * len(codes) > (column != "").sum()  # most values differ
    column = column[rows]
    if view.nominal == "ordinal":
        kind: Any = "date" if attribute.date else "text" if is_text else "category"
        position = {"": np.nan} | {code: float(i) for i, code in enumerate(codes)}
        values = np.array([position[code] for code in column.tolist()])
        yield Feature(name, kind, codes, attribute.date or ""), values
        return
    missing = column == ""
    for code in codes:
        indicators = np.where(missing, 0.0 if view.missing == "low" else np.nan, column == code)
        yield Feature(f"{name}={code}"), indicators
    if view.missing == "low" and missing.any():
        yield Feature(f"{name}="), missing.astype(np.float64)


def _codes(attribute: Attribute, column: ColumnValues, view: View) -> tuple[str, ...]:
    name, occurring = attribute.name, {*column.tolist()} - {""}
    order = view.order.get(name, attribute.codes)
    if order is None:
        return default_order(occurring)
    if lacking := default_order(occurring.difference(order)):
        raise ConfigError(
            f"the order of {name} is {', '.join(order)}, but the data also contain"
            f" {', '.join(lacking)}"
        )
    return order


@dataclass(frozen=True, eq=False)
class Normaliser:
    """Fills in missing values and normalises columns to tanh((x - mean) / std).

    Attributes
    ----------
    fill : ndarray of float64, shape (n_attributes,)
        The values that replace missing values.
    mean, std : ndarray of float64, shape (n_attributes,)
        Mean and population standard deviation of the training columns after missing values are
        filled in; `std` is 1 for a constant column.
    """

    fill: FloatArray
    mean: FloatArray
    std: FloatArray

    @classmethod
    def fit(cls, X: FloatArray, missing: Literal["mean", "low"] = "mean") -> Self:
        """Compute the parameters from training rows, shape (n_rows, n_attributes).

        A missing value becomes the training mean or, with "low", the training minimum less one
        deviation (1 for a constant column). In a column without values it becomes 0.
        """
        # A sum over rows rounds differently in another memory layout.
        X = np.ascontiguousarray(X, dtype=np.float64)
        gaps = np.isnan(X)
        low, mean, std = _moments(X)
        fill = mean if missing == "mean" else np.where(gaps.all(axis=0), 0.0, low - std)
        if gaps.any():
            _, mean, std = _moments(np.where(gaps, fill, X))
        return cls(fill, mean, std)

    def transform(self, X: FloatArray) -> FloatArray:
        """Normalise rows, shape (n_rows, n_attributes)."""
        # With a tiny deviation, a distant value overflows to infinity, whose tanh is 1 as well.
        with np.errstate(over="ignore"):
            return elementary.tanh_each((self.fill_in(X) - self.mean) / self.std)

    def fill_in(self, X: FloatArray) -> FloatArray:
        """Fill in missing values without normalising, shape (n_rows, n_attributes)."""
        missing = np.isnan(X)
        return np.where(missing, self.fill, X) if missing.any() else X


def _moments(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return minimum, mean and deviation of columns, shape (n_attributes,); 0, 0, 1 if empty."""
    n_seen = np.maximum((~np.isnan(X)).sum(axis=0), 1)
    low, high, _ = ranges_of(X)
    # The mean of equal values can differ from them by a rounding error, which is not a spread.
    mean = np.clip(np.nansum(X, axis=0) / n_seen, low, high)
    with np.errstate(over="ignore"):
        std = np.sqrt(np.nansum((X - mean) ** 2, axis=0) / n_seen)
    if np.isinf(std).any():
        column = int(np.argmax(std)) + 1
        raise ValueError(f"column {column} has values beyond 1e150, whose squares are not numbers")
    return low, mean, np.where(std > 0.0, std, 1.0)


def change_labels(
    y: FloatArray, rows: IntArray, share: float, n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Return labels, shape (n_rows,), with another class for a share of the given rows.

    Each of round(share * n) random rows gets one of the other classes with equal probability
    (T. Dietterich, "An experimental comparison of three methods for constructing ensembles of
    decision trees", Machine Learning 40, 2000). With equal generators, a smaller share changes a
    subset of the rows that a larger one changes.
    """
    drawn = rng.permutation(rows)
    steps = rng.integers(1, n_classes, size=len(rows))
    n_changed = round(share * len(rows))
    changed, steps = drawn[:n_changed], steps[:n_changed]
    labels = y.copy()
    labels[changed] = -y[changed] if n_classes == 2 else (y[changed] + steps) % n_classes
    return labels


def add_noise(
    X: FloatArray, rng: np.random.Generator, deviation: float, contrast: float, train: IntArray
) -> FloatArray:
    """Add normal noise to every attribute, clipped to its range, shape (n_rows, n_attributes).

    x' = clip(x + N(0, deviation²) · range, min, max) (CB-Boost, section 5.4 and appendix F). The
    training rows determine the range; noise does not move a value outside it any further out. The
    same generator gives the same normal numbers for every deviation. Before noise is added, values
    are narrowed to the share `contrast` of their range, about its middle.
    """
    # A column without values has no range, and stays NaN.
    low, high, _ = ranges_of(X[train])
    middle = (low + high) / 2
    still = X if contrast == 1.0 else middle + contrast * (X - middle)
    noisy = still + deviation * (high - low) * rng.standard_normal(X.shape)
    return np.clip(noisy, np.fmin(low, still), np.fmax(high, still), out=noisy)
