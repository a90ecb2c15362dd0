"""Stumps on random directions instead of attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state

from quadrepro.base.types import FloatArray


class Directions(TransformerMixin, BaseEstimator):
    """Voters that ask on which side of a hyperplane an example lies.

    Parameters
    ----------
    n_directions : int, default 50
        Number of hyperplanes.
    random_state : int, RandomState instance or None, default None
        Where the directions come from. A run draws it anew for every split.
    """

    def __init__(self, n_directions: int = 50, random_state: Any = None) -> None:
        self.n_directions = n_directions
        self.random_state = random_state

    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> Self:
        """Draw directions, each with a threshold at the value of a random example."""
        rng = check_random_state(self.random_state)
        self.directions_ = rng.normal(size=(X.shape[1], self.n_directions))
        rows = rng.randint(len(X), size=self.n_directions)
        self.thresholds_ = np.array(
            [self._along(X[[row]], i)[0] for i, row in enumerate(rows.tolist())]
        )
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return +1 beyond the threshold of a direction, else -1, shape (n, n_directions)."""
        columns = [self._along(X, i) > t for i, t in enumerate(self.thresholds_)]
        return np.where(np.column_stack(columns), 1.0, -1.0)

    def _along(self, X: FloatArray, i: int) -> FloatArray:
        # A sum over the outer axis is rounded in the same way for one example and for many.
        return np.asarray((X.T * self.directions_[:, i, None]).sum(axis=0))
