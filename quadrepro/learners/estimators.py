"""The base of the classifiers by vote: it turns X and y into voters and signs for an algorithm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from quadrepro._typing import FloatArray
from quadrepro._validation import ClassWeight, validated, weighted_examples
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.estimator import TwoClassClassifier, two_classes
from quadrepro.voters.source import ZERO_VOTE
from quadrepro.voters.stumps import Stumps

Voters = Stumps | Literal["precomputed"] | None

SMALLEST_VOTER = 1e-6
"""The largest value of a voter is at least this: smaller ones would be lost in rounding."""

BLOCK = 2**14
"""Examples whose voters are in memory at a time when a vote is applied."""


class VoteClassifier(TwoClassClassifier):
    """Base of the classifiers that are a weighted vote over voters, for two classes.

    A vote has no probabilities unless its loss ties them to decisions, as that of AdaBoost does:
    use ``sklearn.calibration.CalibratedClassifierCV``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps or None
        The fitted stumps; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        Number of rounds that were run, which is that of the stages; 1 if all weights come from one
        program.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.
    """

    learner: ClassVar[type[Algorithm]]
    voters: Voters
    class_weight: ClassWeight
    min_weight_fraction_leaf: float
    n_iter_: int

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples, or their voter matrix if `voters` is ``"precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        VoteClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, a parameter or a weight is out of range, a precomputed
            voter has a value outside [-1, 1] or only values near 0, or a solver finds no optimum.
        """
        X, y = validated(self, X, y)
        check_classification_targets(y)
        X, y, weights = weighted_examples(
            np.asarray(X), np.asarray(y), sample_weight, self.class_weight
        )
        if self._precomputed:
            if self.min_weight_fraction_leaf:
                raise ValueError("min_weight_fraction_leaf is for stumps, not for given voters")
            refuse_tiny_voters(X)
        self.classes_, signs = two_classes(y)
        self.voters_ = None if self._precomputed else self._fitted_voters(X, signs, weights)
        self.voter_weights_ = self._learn(X, signs, weights)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the weighted sum of the voters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Returns
        -------
        ndarray of shape (n_samples,)
            The sums; above zero for the second class. A sum of at most 1e-12 of the total weight
            is rounding error and counts as zero.
        """
        total = float(np.abs(self._fitted().voter_weights_).sum())
        blocks = self._voter_blocks(self._checked(X))
        return _without_rounding(np.concatenate([H @ self.voter_weights_ for H in blocks]), total)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the weighted sum after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Yields
        ------
        ndarray of shape (n_samples,)
            The vote after 1, 2, ... rounds.
        """
        # One byte per value: the blocks are all in memory, since they take their rounds together.
        blocks = self._voter_blocks(self._checked(X))
        if self.voters_ is not None:
            blocks = (H.astype(np.int8) for H in blocks)
        for parts in zip(*[self._stages(H) for H in blocks], strict=True):
            votes, [total, *_] = zip(*parts, strict=True)
            yield _without_rounding(np.concatenate(votes), total)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each attribute in the absolute weights; all 0 if the vote is empty."""
        sizes = np.abs(self._fitted().voter_weights_)
        sums = sizes if self.voters_ is None else self.voters_.over_attributes(sizes)
        total = sums.sum()
        return np.asarray(sums / total if total > 0 else sums)

    def _algorithm(self) -> Algorithm:
        """Return the algorithm with its settings."""
        return self.learner(**self._settings())

    def _learn(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the voter weights, given attributes and signs; `voters_` is fitted.

        If the examples have no weights, each counts once.
        """
        return self._train(X if self.voters_ is None else self.voters_.transform(X), y, weights)

    @abstractmethod
    def _train(self, H: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the voter weights; keep what `_stages` needs."""

    @abstractmethod
    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        """Yield the vote on the rows of `H`, of any type of numbers, after each round.

        With it comes the sum of the absolute weights at that time.
        """

    @property
    def _precomputed(self) -> bool:
        if self.voters is None or isinstance(self.voters, Stumps):
            return False
        if self.voters == "precomputed":
            return True
        raise ValueError(f"voters must be Stumps(...) or 'precomputed', not {self.voters!r}")

    def _stumps(self) -> Stumps:
        """Return the user's stumps, or the default ones."""
        return self.voters if isinstance(self.voters, Stumps) else Stumps()

    def _fitted_voters(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> Stumps:
        given = {} if weights is None else {"sample_weight": weights}
        return self._new_voters().fit(X, y, **given)

    def _new_voters(self) -> Stumps:
        """Return voters with the user's parameters, not yet fitted."""
        voters: Stumps = clone(self._stumps())
        if self.min_weight_fraction_leaf:
            voters.set_params(min_weight_fraction_leaf=self.min_weight_fraction_leaf)
        return voters

    def _fitted(self) -> Self:
        check_is_fitted(self)
        return self

    def _checked(self, X: ArrayLike) -> FloatArray:
        return np.asarray(validated(self._fitted(), X, reset=False))

    def _voter_blocks(self, X: FloatArray) -> Iterator[FloatArray]:
        """Yield the voter matrix of some examples after the other, or X itself if it is one."""
        if self.voters_ is None:
            yield X
            return
        for start in range(0, len(X), BLOCK):
            yield self.voters_.transform(X[start : start + BLOCK])


def _without_rounding(votes: FloatArray, total: float) -> FloatArray:
    """Return votes, with zero for those that are rounding error beside the total weight."""
    return np.where(np.abs(votes) <= ZERO_VOTE * total, 0.0, votes)


def total_of(y: FloatArray, weights: FloatArray | None) -> float:
    """Return the total weight of some examples, or their number if that is more."""
    return float(len(y) if weights is None else max(len(y), weights.sum()))


def one_sample(weights: FloatArray | None) -> FloatArray | None:
    """Return weights as the counts of one sample, see `Algorithm.path`."""
    return None if weights is None else weights[None]


def refuse_tiny_voters(H: FloatArray) -> None:
    """Refuse voters whose votes are too small to be told from zero.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix.

    Raises
    ------
    ValueError
        If the largest absolute value of a voter is below `SMALLEST_VOTER`, but not 0.
    """
    largest = np.abs(H).max(axis=0)
    tiny = np.flatnonzero((largest > 0) & (largest < SMALLEST_VOTER))
    if len(tiny):
        raise ValueError(
            f"the values of voter {tiny[0]} are at most {largest[tiny[0]]:.2g}: scale it, so that "
            "the largest is near 1"
        )
