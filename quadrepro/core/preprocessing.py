"""Preparing attributes: filling and normalising by the training rows, and noise."""

from __future__ import annotations

import dataclasses
from typing import Literal, Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core import elementary


@dataclasses.dataclass(frozen=True, eq=False)
class Normaliser:
    """Normalises every column to tanh((x - mean) / std) after missing values are filled in.

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
        filled = self.fill_in(X)
        # With a tiny deviation, a distant value overflows to infinity, whose tanh is 1 as well.
        with np.errstate(over="ignore"):
            return elementary.tanh((filled - self.mean) / self.std)

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
    """Return minimum, mean and deviation of each column; 0, 0, 1 for a column without values."""
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
