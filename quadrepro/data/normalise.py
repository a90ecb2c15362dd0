"""Normalisation: missing values filled and columns squashed, from the training rows alone."""

from __future__ import annotations

import dataclasses
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True, eq=False)
class Normaliser:
    """tanh((x - mean) / std), column by column, with missing values filled first.

    Attributes
    ----------
    fill : ndarray of float64, shape (n_attributes,)
        What stands for a missing value.
    mean, std : ndarray of float64, shape (n_attributes,)
        Mean and population standard deviation of the filled training columns; `std` is 1 for a
        constant column.
    """

    fill: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]

    @classmethod
    def fit(cls, X: NDArray[np.float64], missing: Literal["mean", "low"] = "mean") -> Self:
        """Take the parameters from training rows.

        Parameters
        ----------
        X : ndarray of float64, shape (n_rows, n_attributes)
            Training rows, finite or NaN.
        missing : {"mean", "low"}, default "mean"
            Fill with the training mean, or with a value of its own: the training minimum less
            one training standard deviation (1 for a constant column). A column that is wholly
            missing is filled with 0.

        Returns
        -------
        Normaliser
        """
        # One memory layout: a sum over rows rounds differently in another.
        X = np.ascontiguousarray(X, dtype=np.float64)
        seen = ~np.isnan(X)
        low, mean, std = _moments(X, seen)
        fill = mean if missing == "mean" else np.where(seen.any(axis=0), low - std, 0.0)
        _, mean, std = _moments(np.where(seen, X, fill), np.ones_like(seen))
        return cls(fill, mean, std)

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Normalise training or other rows.

        Parameters
        ----------
        X : ndarray of float64, shape (n_rows, n_attributes)
            Finite or NaN.

        Returns
        -------
        ndarray of float64, shape (n_rows, n_attributes)
            In [-1, 1], never NaN.
        """
        filled = self.fill_in(X)
        # Beside a tiny deviation a distant value overflows to infinity, whose tanh is 1 as well.
        with np.errstate(over="ignore"):
            return np.tanh((filled - self.mean) / self.std)

    def fill_in(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows with their missing values filled, and not normalised.

        Parameters
        ----------
        X : ndarray of float64, shape (n_rows, n_attributes)
            Finite or NaN.

        Returns
        -------
        ndarray of float64, shape (n_rows, n_attributes)
            Never NaN.
        """
        return np.where(np.isnan(X), self.fill, X)


def _moments(
    X: NDArray[np.float64], seen: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return minimum, mean and deviation of what is seen: 0, 0, 1 where nothing is."""
    n_seen = np.maximum(seen.sum(axis=0), 1)
    nothing = ~seen.any(axis=0)
    low = np.where(nothing, 0.0, np.where(seen, X, np.inf).min(axis=0, initial=np.inf))
    high = np.where(nothing, 0.0, np.where(seen, X, -np.inf).max(axis=0, initial=-np.inf))
    # The mean of equal values can miss them by a rounding error, which would pass for spread.
    mean = np.clip(np.where(seen, X, 0.0).sum(axis=0) / n_seen, low, high)
    std = np.sqrt((np.where(seen, X - mean, 0.0) ** 2).sum(axis=0) / n_seen)
    return low, mean, np.where(std > 0.0, std, 1.0)
