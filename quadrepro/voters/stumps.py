"""Decision stumps: one attribute, one threshold."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quadrepro._typing import FloatArray, IntArray
from quadrepro._validation import validated
from quadrepro.voters.bits import Bits, pack_stumps


class Stumps(TransformerMixin, BaseEstimator):
    """Decision stumps with evenly spaced thresholds (QuadBoost, section 4).

    A stump is +1 if its attribute is above its threshold, else -1. The complement of a stump has
    no column of its own: a negative weight in a vote stands for it. A constant attribute gives
    constant stumps, so that there are ``per_attribute`` voters per attribute on every data set, as
    in the paper.

    Parameters
    ----------
    per_attribute : int, default 10
        Number of thresholds per attribute, strictly between its training minimum and maximum.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_features, per_attribute)
        Thresholds, increasing along each row.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import Stumps
    >>> stumps = Stumps(per_attribute=2).fit(np.array([[0.0], [3.0]]))
    >>> stumps.thresholds_.tolist()
    [[1.0, 2.0]]
    >>> stumps.transform(np.array([[0.5], [1.5]])).tolist()
    [[-1.0, -1.0], [1.0, -1.0]]
    """

    def __init__(self, per_attribute: int = 10) -> None:
        self.per_attribute = per_attribute

    def fit(self, X: FloatArray, y: ArrayLike | None = None) -> Self:
        """Place the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : ignored
            Present for API consistency.

        Returns
        -------
        Stumps
            The fitted stumps.

        Raises
        ------
        ValueError
            If `per_attribute` is below 1 or X has missing or infinite values.
        """
        steps = self._steps()
        X = validated(self, X)
        self._place(X.min(axis=0), X.max(axis=0), steps)
        return self

    def fit_ranges(self, low: FloatArray, high: FloatArray) -> Self:
        """Place the thresholds, given the range of each attribute.

        Parameters
        ----------
        low, high : ndarray of shape (n_features,)
            Smallest and largest value of each attribute.

        Returns
        -------
        Stumps
            The fitted stumps, the same as from examples with these ranges.

        Raises
        ------
        ValueError
            If `per_attribute` is below 1.
        """
        steps = self._steps()
        self.n_features_in_ = len(low)
        self._place(low, high, steps)
        return self

    def _steps(self) -> FloatArray:
        if self.per_attribute < 1:
            raise ValueError(f"per_attribute must be at least 1, not {self.per_attribute}")
        return np.arange(1, self.per_attribute + 1) / (self.per_attribute + 1)

    def _place(self, low: FloatArray, high: FloatArray, steps: FloatArray) -> None:
        with np.errstate(over="ignore"):
            ranges = high - low
        # A range beyond 1.8e308 is divided in half; powers of two change no digit.
        unit = np.where(np.isinf(ranges), 0.5, 1.0)
        low, high = low * unit, high * unit
        self.thresholds_ = (low[:, None] + (high - low)[:, None] * steps) / unit[:, None]

    @property
    def n_voters(self) -> int:
        """Number of columns of the voter matrix."""
        return int(self.thresholds_.size)

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_features * per_attribute)
            Values -1 and +1; the stumps of one attribute are in adjacent columns.
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        above = X[:, :, None] > self.thresholds_
        return np.where(above, 1.0, -1.0).reshape(len(X), -1)

    def varying(self, X: FloatArray) -> IntArray:
        """Return the columns of the voter matrix of `X` that are not constant."""
        low, high = X.min(axis=0)[:, None], X.max(axis=0)[:, None]
        return np.flatnonzero((low <= self.thresholds_) & (self.thresholds_ < high))

    def columns(self, X: FloatArray, chosen: IntArray) -> FloatArray:
        """Return some columns of the voter matrix of `X`, one after the other in memory."""
        attributes, places = np.divmod(chosen, self.per_attribute)
        above = X.T[attributes] > self.thresholds_[attributes, places][:, None]
        return np.where(above, 1.0, -1.0).T

    def pack(self, X: FloatArray) -> Bits:
        """Return the voters on some examples as bits, see `quadrepro.voters.bits.pack`."""
        return pack_stumps(X, self.thresholds_)
