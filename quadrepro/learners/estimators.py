"""The bases of the scikit-learn estimators, which train one candidate on all of X.

Parameters of an estimator that are fields of its learner are settings; those that are
hyper-parameters make up the candidate. A classifier by vote turns X and y into voters and signs,
and its algorithm finds the vote.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from quadrepro._typing import FloatArray
from quadrepro._validation import validated
from quadrepro.learners.algorithm import Algorithm, positive_votes
from quadrepro.learners.base import Learner
from quadrepro.voters.stumps import Stumps

Voters = Stumps | Literal["precomputed"] | None

SMALLEST_VOTER = 1e-6
"""The largest value of a voter is at least this: smaller ones would be lost in rounding."""

BLOCK = 2**14
"""Examples whose voters are in memory at a time when a vote is applied."""


class LearnerEstimator(BaseEstimator):
    """Base of all estimators: their parameters are a learner's settings and one candidate."""

    learner: ClassVar[type[Learner]]

    def _settings(self) -> dict[str, Any]:
        """Return the parameters that are settings of the learner."""
        parameters = self.get_params(deep=False)
        names = [f.name for f in fields(self.learner) if f.name in parameters]
        return {name: parameters[name] for name in names}

    def _candidate(self, learner: Learner, y: FloatArray) -> dict[str, float]:
        """Return the parameters that are hyper-parameters of the learner; ValueError if wrong."""
        known = [(h, getattr(self, h.name)) for h in learner.hyperparameters]
        given = {h.name: value for h, value in known if not (h.optional and value is None)}
        learner.check_candidate(**given)
        return given


class VoteClassifier(ClassifierMixin, LearnerEstimator):
    """Base of the classifiers that are a weighted vote over voters, for two classes.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps or None
        The fitted stumps; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_features_in_ : int
        Number of columns of X.
    """

    learner: ClassVar[type[Algorithm]]
    voters: Voters

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples, or their voter matrix if `voters` is ``"precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        VoteClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, a parameter is out of range, a precomputed voter has a
            value outside [-1, 1] or only values near 0, or a solver finds no optimum.
        """
        X, y = validated(self, X, y)
        X = np.asarray(X)
        if self._precomputed:
            refuse_tiny_voters(X)
        self.classes_, signs = two_classes(y)
        self.voters_ = None if self._precomputed else clone(self._stumps()).fit(X, signs)
        self.voter_weights_ = self._learn(X, signs)
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
            The sums; above zero for the second class.
        """
        blocks = self._voter_blocks(self._checked(X))
        return np.concatenate([H @ self.voter_weights_ for H in blocks])

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
            yield np.concatenate(parts)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each example; an even vote is the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from `classes_`.
        """
        blocks = self._voter_blocks(self._checked(X))
        weights = self.voter_weights_[None, :]
        positive = np.concatenate([positive_votes(H, weights)[:, 0] for H in blocks])
        return np.asarray(self.classes_[positive.astype(np.intp)])

    def _algorithm(self) -> Algorithm:
        """Return the algorithm with its settings."""
        return self.learner(**self._settings())

    def _learn(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the voter weights, given attributes and signs; `voters_` is fitted."""
        return self._train(X if self.voters_ is None else self.voters_.transform(X), y)

    @abstractmethod
    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        """Return the voter weights; keep what `_stages` needs."""

    @abstractmethod
    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        """Yield the vote on the rows of `H`, of any type of numbers, after each round."""

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

    def _checked(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(validated(self, X, reset=False))

    def _voter_blocks(self, X: FloatArray) -> Iterator[FloatArray]:
        """Yield the voter matrix of some examples after the other, or X itself if it is one."""
        if self.voters_ is None:
            yield X
            return
        for start in range(0, len(X), BLOCK):
            yield self.voters_.transform(X[start : start + BLOCK])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


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


def two_classes(y: ArrayLike) -> tuple[NDArray[Any], FloatArray]:
    """Return the two classes of a problem, and the labels as -1 and +1.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    classes : ndarray of shape (2,)
        The labels in sorted order.
    signs : ndarray of shape (n_samples,)
        -1 for the first class, +1 for the second.

    Raises
    ------
    ValueError
        If there are not two classes.
    """
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        kind = "class" if len(classes) == 1 else "classes"
        raise ValueError(
            f"Only binary classification is supported: y holds {len(classes)} {kind}, not 2"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)
