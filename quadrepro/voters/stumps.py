"""Decision stumps: one attribute, one threshold."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from quadrepro._typing import FloatArray


class Stumps(TransformerMixin, BaseEstimator):
    """Stumps with evenly spaced thresholds, one column a stump (QuadBoost, section 4).

    h(x) = +1 where x > threshold, else -1. The complement of a stump is its negative and has no
    column of its own: a vote's signed weight carries it. A constant attribute gives constant
    stumps, so that every data set has ``per_attribute`` voters an attribute, as the paper counts.

    Parameters
    ----------
    per_attribute : int, default 10
        Number of thresholds an attribute, strictly between its training minimum and maximum.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_features, per_attribute)
        Thresholds, increasing along each row.
    """

    def __init__(self, per_attribute: int = 10) -> None:
        self.per_attribute = per_attribute

    def fit(self, X: FloatArray, y: object = None) -> Self:
        """Place the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        Stumps
            The fitted stumps.

        Raises
        ------
        ValueError
            If `per_attribute` is below 1 or X holds missing or infinite values.
        """
        if self.per_attribute < 1:
            raise ValueError(f"per_attribute must be at least 1, not {self.per_attribute}")
        X = validate_data(self, X, dtype=np.float64)
        low, high = X.min(axis=0), X.max(axis=0)
        steps = np.arange(1, self.per_attribute + 1) / (self.per_attribute + 1)
        self.thresholds_ = low[:, None] + (high - low)[:, None] * steps
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_features * per_attribute)
            -1 or +1; the stumps of one attribute stand side by side.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        above = X[:, :, None] > self.thresholds_
        return np.where(above, 1.0, -1.0).reshape(len(X), -1)
