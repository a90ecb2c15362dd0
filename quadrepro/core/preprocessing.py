"""Preparing examples: a data set in a view as arrays, filled and normalised by the training rows.

Columns become numeric, and the target labels or numbers. Noise is added before normalising.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, cast

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, NumberArray
from quadrepro.core import elementary
from quadrepro.data.canonical import Column, RawTable, default_order, is_missing, is_text, numbers
from quadrepro.data.card import Attribute, View
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
    beside: Mapping[str, Column] = field(default_factory=dict)


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
    """Refuse what `encode` refuses, and return only `Encoded.y` and `Encoded.beside`."""
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
        wanted = values if is_text(column) else numbers(values)
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
    if not is_text(column):
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


@dataclass(frozen=True, eq=False)
class Normaliser:
    """Normalises every column to tanh((x - mean) / std), once missing values are filled.

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
        """Compute the parameters from training rows.

        A missing value becomes the training mean or, if it is to be "low", the training minimum
        less one deviation (1 for a constant column); 0 in a column without any value.
        """
        # A sum over rows rounds differently in another memory layout.
        X = np.ascontiguousarray(X, dtype=np.float64)
        seen = ~np.isnan(X)
        low, mean, std = _moments(X)
        fill = mean if missing == "mean" else np.where(seen.any(axis=0), low - std, 0.0)
        if not seen.all():
            _, mean, std = _moments(np.where(seen, X, fill))
        return cls(fill, mean, std)

    def transform(self, X: FloatArray) -> FloatArray:
        """Normalise rows."""
        # With a tiny deviation, a distant value overflows to infinity, whose tanh is 1 as well.
        with np.errstate(over="ignore"):
            return elementary.tanh_each((self.fill_in(X) - self.mean) / self.std)

    def fill_in(self, X: FloatArray) -> FloatArray:
        """Fill in missing values without normalising."""
        missing = np.isnan(X)
        return np.where(missing, self.fill, X) if missing.any() else X


def column_ranges(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return minimum and maximum of each column without its NaN; 0 for a column without values."""
    # These leave NaN out.
    low = np.fmin.reduce(X, axis=0, initial=np.inf)
    high = np.fmax.reduce(X, axis=0, initial=-np.inf)
    nothing = low > high
    return np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)


def _moments(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return minimum, mean and deviation of each column; 0, 0, 1 without values."""
    missing = np.isnan(X)
    # Without gaps this is the same sum, and takes no copy.
    total = np.nansum if missing.any() else np.sum
    n_seen = np.maximum(len(X) - missing.sum(axis=0), 1)
    low, high = column_ranges(X)
    # The mean of equal values can differ from them by a rounding error, which is not a spread.
    mean = np.clip(total(X, axis=0) / n_seen, low, high)
    with np.errstate(over="ignore", invalid="ignore"):
        std = np.sqrt(total((X - mean) ** 2, axis=0) / n_seen)
    if not np.isfinite(std).all():
        column = int(np.argmin(np.isfinite(std))) + 1
        raise ValueError(f"column {column} has values beyond 1e150, whose squares are not numbers")
    return low, mean, np.where(std > 0.0, std, 1.0)


def change_labels(
    y: FloatArray, rows: IntArray, share: float, n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Return the labels with another class for a share of the given rows.

    A random round(share * n) of n rows are changed; every other class is as likely (T. Dietterich,
    "An experimental comparison of three methods for constructing ensembles of decision trees",
    Machine Learning 40, 2000). With equal generators, the rows of a smaller share are among those
    of a larger one.
    """
    drawn = rng.permutation(rows)
    steps = rng.integers(1, n_classes, size=len(rows))
    n_changed = round(share * len(rows))
    changed, steps = drawn[:n_changed], steps[:n_changed]
    found = y.copy()
    found[changed] = -y[changed] if n_classes == 2 else (y[changed] + steps) % n_classes
    return found


BLOCK = 128
"""Rows at a time, few enough for a processor's own memory."""


def add_noise(
    X: FloatArray,
    rng: np.random.Generator,
    deviation: float,
    contrast: float = 1.0,
    train: IntArray | None = None,
) -> FloatArray:
    """Add normal noise to every attribute, clipped to its range.

    x' = clip(x + N(0, deviation²) · range, min, max) (CB-Boost, section 5.4 and appendix F). The
    range is that of the training rows; another row whose value is beyond it is not taken further.
    The same generator gives the same normal numbers for every deviation. Before noise is added,
    values are narrowed to the share `contrast` of their range, about its middle.
    """
    # A column without values has no range, and stays NaN.
    low, high = column_ranges(X if train is None else X[train])
    middle, scale = (low + high) / 2, deviation * (high - low)
    noisy = np.empty_like(X)
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK]
        noise = rng.standard_normal(rows.shape) if deviation else np.zeros(rows.shape)
        noise *= scale
        still = rows if contrast == 1.0 else middle + contrast * (rows - middle)
        noise += still
        ends = (low, high) if train is None else (np.fmin(low, still), np.fmax(high, still))
        np.clip(noise, *ends, out=noisy[start : start + BLOCK])
    return noisy
