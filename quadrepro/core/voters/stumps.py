"""Decision stumps: one attribute, one threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.arguments import check_leaf, validated_data, weighted_examples
from quadrepro.core.voters.coded import CodedVoters, sums_above
from quadrepro.core.voters.thresholds import (
    column_blocks,
    even_thresholds,
    quantile_thresholds,
    ranges_of,
    stumps_on,
)

Missing = Literal["error", "branch"]
Spacing = Literal["quantile", "even"]


@dataclass(eq=False, repr=False)
class Stumps(TransformerMixin, BaseEstimator):
    """Decision stumps with a fixed number of thresholds per attribute.

    A stump is +1 if its attribute is above its threshold, else -1. The complement of a stump needs
    no column, since it is the stump with a negative weight in a vote. A constant attribute gives
    constant stumps, so that every data set has ``per_attribute`` voters per attribute.

    Parameters
    ----------
    per_attribute : int, default 10
        Number of thresholds per attribute, between its training minimum and maximum.
    min_weight_fraction_leaf : float, default 0.0
        Least share of the training weight on either side of a threshold. A stump with less becomes
        constant, by an infinite threshold, and acts as an intercept of the vote.
    missing : {"error", "branch"}, default "error"
        Treatment of missing values (NaN): raise an error, or give them their own branch. A missing
        value is not above any threshold, and each attribute with missing values in training gets
        one more voter, which is +1 where the value is missing and -1 elsewhere. With such voters,
        one last voter is always +1, so that a vote can give missing values any sum. All voters have
        the values -1 and +1.
    spacing : {"quantile", "even"}, default "quantile"
        Positions of the thresholds. ``"quantile"`` puts about equal weights of the training
        examples between neighbouring thresholds; a value with more than its share has its own
        interval, and an attribute with few values has a threshold between any two of them.
        Increasing transformations of an attribute have no effect. ``"even"`` spaces thresholds
        evenly between the minimum and the maximum (QuadBoost, section 4), which suits attributes
        without long tails; the paper therefore applies tanh to standardised attributes first.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_features, per_attribute)
        Thresholds, increasing along each row.
    gaps_ : ndarray of int, shape (n_gaps,)
        Attributes with a voter for missing values.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the attributes, if all of them are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import Stumps
    >>> stumps = Stumps(per_attribute=2).fit(np.array([[0.0], [2.0], [9.0]]))
    >>> stumps.thresholds_.tolist()
    [[1.0, 5.5]]
    >>> stumps.transform(np.array([[0.5], [1.5]])).tolist()
    [[-1.0, -1.0], [1.0, -1.0]]
    >>> stumps.get_feature_names_out().tolist()
    ['x0 > 1', 'x0 > 5.5']

    Missing values with their own branch:

    >>> stumps = Stumps(per_attribute=1, missing="branch")
    >>> stumps.fit_transform(np.array([[0.0], [3.0], [np.nan]])).tolist()
    [[-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]
    >>> stumps.get_feature_names_out().tolist()
    ['x0 > 1.5', 'x0 is missing', 'always']

    The number of thresholds is searched over as a parameter of the classifier:

    >>> from sklearn.model_selection import GridSearchCV
    >>> from quadrepro import AdaBoostClassifier
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) % 20 > 6
    >>> search = GridSearchCV(
    ...     AdaBoostClassifier(voters=Stumps()), {"voters__per_attribute": [1, 12]}
    ... )
    >>> search.fit(X, y).best_params_
    {'voters__per_attribute': 12}
    """

    per_attribute: int = 10
    min_weight_fraction_leaf: float = 0.0
    _: KW_ONLY
    missing: Missing = "error"
    spacing: Spacing = "quantile"

    def fit(
        self, X: FloatArray, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Place the thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples.
        y : ignored
            Present for API consistency.
        sample_weight : array-like of shape (n_samples,) or None, default None
            Weights, for `min_weight_fraction_leaf`; None for equal ones. Examples of weight 0 are
            left out.

        Returns
        -------
        Stumps
            The fitted stumps.

        Raises
        ------
        ValueError
            If a parameter or a weight is out of range, or X has infinite values or, unless they
            are a branch, missing ones.
        """
        if not isinstance(self.per_attribute, (int, np.integer)) or self.per_attribute < 1:
            raise ValueError(
                f"per_attribute must be a whole number of at least 1, not {self.per_attribute!r}"
            )
        if self.missing not in ("error", "branch"):
            raise ValueError(f"missing must be 'error' or 'branch', not {self.missing!r}")
        if self.spacing not in ("quantile", "even"):
            raise ValueError(f"spacing must be 'quantile' or 'even', not {self.spacing!r}")
        check_leaf(self.min_weight_fraction_leaf)
        X = validated_data(self, X)
        X, _, weights = weighted_examples(X, np.zeros(X.shape[0]), sample_weight)
        low, high, gaps = ranges_of(X)
        self.gaps_ = np.flatnonzero(gaps)
        self.thresholds_ = (
            even_thresholds(low, high, self.per_attribute)
            if self.spacing == "even"
            else quantile_thresholds(X, self.per_attribute, weights)
        )
        if self.min_weight_fraction_leaf:
            weights = np.ones(X.shape[0]) if weights is None else weights
            # A missing value is not above any threshold. The slack allows for rounding of the sums.
            above = stumps_on(X, self.thresholds_)
            shares = sums_above(above.codes, above.first, weights) / weights.sum()
            right, least = shares.reshape(self.thresholds_.shape), self.min_weight_fraction_leaf
            self.thresholds_[1.0 - right < least - 1e-9] = -np.inf
            self.thresholds_[right < least - 1e-9] = np.inf
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_voters)
            Values -1 and +1; the stumps of one attribute are in adjacent columns. Voters for
            missing values follow.
        """
        check_is_fitted(self)
        return self.coded(validated_data(self, X, reset=False)).matrix()

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the condition of each voter, such as ``"x0 > 0.5"``.

        Parameters
        ----------
        input_features : array-like of str or None, default None
            Names of the attributes; None for those seen in training, or ``x0``, ``x1``, ...

        Returns
        -------
        ndarray of str objects, shape (n_voters,)
            The names. Repeated names, such as those on a constant attribute, are numbered.
        """
        check_is_fitted(self)
        names = [str(name) for name in _check_feature_names_in(self, input_features)]
        stumps = zip(self.attributes(), self.thresholds_.ravel(), strict=True)
        conditions = [f"{names[attribute]} > {threshold:.6g}" for attribute, threshold in stumps]
        gaps = [f"{names[attribute]} is missing" for attribute in self.gaps_]
        return numbered_names([*conditions, *gaps, "always"] if gaps else conditions)

    def attributes(self) -> IntArray:
        """Return the attribute of each stump, shape (n_features * per_attribute,)."""
        return np.repeat(np.arange(len(self.thresholds_)), self.per_attribute)

    def over_attributes(self, sizes: FloatArray) -> FloatArray:
        """Return the sums of numbers of the voters, by the attribute that a voter uses.

        Parameters
        ----------
        sizes : ndarray of shape (n_voters,)
            Numbers, such as absolute weights.

        Returns
        -------
        ndarray of shape (n_features,)
            Their sums.
        """
        attributes = np.append(self.attributes(), self.gaps_)
        sums = np.zeros(self.n_features_in_)
        # The voter that is always +1 uses none.
        np.add.at(sums, attributes, sizes[: len(attributes)])
        return sums

    def coded(self, X: FloatArray) -> CodedVoters:
        """Return the voters on checked examples, shape (n_samples, n_features)."""
        stumps = stumps_on(X, self.thresholds_)
        if not len(self.gaps_):
            return stumps
        codes = np.vstack([stumps.codes, self._missing(X)])
        alone = np.arange(1, len(self.gaps_) + 2)
        return CodedVoters(codes, np.append(stumps.first, stumps.n_voters + alone))

    def vote(self, weights: FloatArray, X: FloatArray) -> FloatArray:
        """Return the sums of votes, shape (n_candidates, n_samples), on checked examples."""
        n_votes, n_stumps = len(weights), self.thresholds_.size
        stump_weights = weights[:, :n_stumps].reshape(n_votes, *self.thresholds_.shape)
        used = np.flatnonzero(stump_weights.any(axis=(0, 2)))
        stumps = stumps_on(X[:, used], self.thresholds_[used])
        sums = stumps.vote(stump_weights[:, used].reshape(n_votes, -1))
        if len(self.gaps_):
            sums += weights[:, n_stumps:] @ np.where(self._missing(X), 1.0, -1.0)
        return sums

    def _missing(self, X: FloatArray) -> BoolArray:
        """Return masks of missing values, (n_gaps + 1, n_samples); the last row is always true."""
        missing = np.ones((len(self.gaps_) + 1, X.shape[0]), dtype=np.bool_)
        for columns, block in column_blocks(X[:, self.gaps_]):
            missing[columns] = np.isnan(block).T
        return missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "branch"
        return tags


def numbered_names(names: Iterable[str]) -> NDArray[Any]:
    """Return names, shape (n_names,), with (2), (3), ... appended to repeated ones."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return np.array(distinct, dtype=object)
