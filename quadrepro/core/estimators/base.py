"""Base of all estimators: scikit-learn's interface over a learner."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.arguments import ClassWeight, validated, weighted_examples
from quadrepro.core.learners.learner import Algorithm, Learner
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import ZERO_VOTE
from quadrepro.core.voters.stumps import Stumps
from quadrepro.core.voters.voter_set import (
    Voters,
    VoterSet,
    input_options,
    voter_matrix,
    voter_set,
)


class LearnerEstimator(BaseEstimator):
    """Base of all estimators: their parameters are a learner's settings and one candidate."""

    learner: ClassVar[type[Learner]]

    def _settings(self) -> dict[str, Any]:
        """Return the parameters that are settings of the learner."""
        parameters = self.get_params(deep=False)
        names = [f.name for f in fields(self.learner) if f.name in parameters]
        return {name: parameters[name] for name in names}

    def _candidate(self, learner: Learner, total: float) -> dict[str, float]:
        """Return the parameters that are hyper-parameters of the learner; ValueError if wrong.

        `total` is the number of examples as weights count them, on which only defaults depend.
        """
        known = [(h, getattr(self, h.name)) for h in learner.hyperparameters]
        given = {h.name: value for h, value in known if not (h.optional and value is None)}
        learner.check_candidate(**given)
        return given


class DecisionClassifier(ClassifierMixin, LearnerEstimator):
    """Base of the classifiers whose label, of two classes, is the sign of a decision function."""

    classes_: NDArray[Any]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each example: of two classes, a decision of zero is the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix if `voters` is ``"precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from `classes_`.
        """
        return self._labels(self.decision_function(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the labels after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix if `voters` is ``"precomputed"``.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels from `classes_` after 1, 2, ... rounds.
        """
        yield from map(self._labels, self.staged_decision_function(X))

    @abstractmethod
    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return a number for each example, above zero for the second class."""

    @abstractmethod
    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield these numbers after each round."""

    def _labels(self, decisions: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[(decisions > 0).astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.learner.many_classes
        return tags


class LinkedClassifier(DecisionClassifier):
    """Base of the classifiers whose loss ties decisions F to probabilities 1 / (1 + exp(-c F))."""

    @property
    @abstractmethod
    def _link(self) -> float:
        """C."""

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities of both classes, by the link of the loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix if `voters` is ``"precomputed"``.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Probabilities, in the order of `classes_`.
        """
        return self._probabilities(self.decision_function(X))

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the probabilities of both classes after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix if `voters` is ``"precomputed"``.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            Probabilities after 1, 2, ... rounds, in the order of `classes_`.
        """
        yield from map(self._probabilities, self.staged_decision_function(X))

    def _probabilities(self, decisions: FloatArray) -> FloatArray:
        return np.stack([expit(-self._link * decisions), expit(self._link * decisions)], axis=1)


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


SMALLEST_VOTER = 1e-6
"""The largest value of a voter is at least this: smaller ones would be lost in rounding."""

BLOCK = 2**14
"""Examples whose voters are in memory at a time when a vote is applied."""


@dataclass(eq=False, repr=False, kw_only=True)
class VoteClassifier(DecisionClassifier):
    """Base of the classifiers that are a weighted vote over voters, for two classes.

    A vote has no probabilities unless its loss ties them to decisions, as that of AdaBoost does:
    use ``sklearn.calibration.CalibratedClassifierCV``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        Number of rounds that were run, which is that of the stages; 1 if all weights come from one
        program.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights; only for voters that each ask for known
        attributes, such as stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.
    """

    learner: ClassVar[type[Algorithm]]
    voters: Voters = None
    class_weight: ClassWeight = None
    min_weight_fraction_leaf: float = 0.0

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the vote.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples, or their voter matrix if `voters` is ``"precomputed"``. Sparse and
            missing values are taken if the voters take them.
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
            If there are not two classes, a parameter or a weight is out of range, a voter has a
            value outside [-1, 1] or only values near 0, or a solver finds no optimum.
        """
        voters = self._new_voters()
        given, labels = validated(self, X, y, **input_options(voters))
        check_classification_targets(labels)
        X, y, weights = weighted_examples(given, labels, sample_weight, self.class_weight)
        self.classes_, signs = two_classes(y)
        self.voters_ = None if voters is None else fitted(voters, X, y, weights)
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
        if isinstance(self.voters_, Stumps):
            blocks = (H.astype(np.int8) for H in blocks)
        for parts in zip(*[self._stages(H) for H in blocks], strict=True):
            votes, [total, *_] = zip(*parts, strict=True)
            yield _without_rounding(np.concatenate(votes), total)

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each attribute in the absolute weights; all 0 if the vote is empty."""
        sizes, voters = np.abs(self._fitted().voter_weights_), self.voters_
        if not (voters is None or isinstance(voters, Stumps)):
            raise AttributeError(f"{type(voters).__name__} does not know the attributes of a voter")
        sums = sizes if voters is None else voters.over_attributes(sizes)
        total = sums.sum()
        return np.asarray(sums / total if total > 0 else sums)

    def _algorithm(self) -> Algorithm:
        """Return the algorithm with its settings."""
        return self.learner(**self._settings())

    def _learn(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the voter weights, given attributes and signs; `voters_` is fitted.

        If the examples have no weights, each counts once.
        """
        H = self._matrix(X)
        if not isinstance(self.voters_, Stumps):
            refuse_tiny_voters(H)
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, total_of(y, weights))
        sample = None if weights is None else weights[None]
        return self._solve(algorithm.reduced(H, y, sample), candidate)

    @abstractmethod
    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        """Return the voter weights of a problem; keep what `_stages` needs."""

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        """Yield the vote on the rows of `H`, of any type of numbers, after each round.

        With it comes the sum of the absolute weights at that time. By default, all weights come
        at once.
        """
        yield H @ self.voter_weights_, float(np.abs(self.voter_weights_).sum())

    def _new_voters(self) -> VoterSet | None:
        """Return voters with the user's parameters, not yet fitted; None if X holds them."""
        given = voter_set(self.voters)
        # Voters without parameters that scikit-learn knows are copied.
        voters: VoterSet | None = None if given is None else clone(given, safe=False)
        if self.min_weight_fraction_leaf:
            if not isinstance(voters, Stumps):
                raise ValueError("min_weight_fraction_leaf is for stumps, not for other voters")
            voters.set_params(min_weight_fraction_leaf=self.min_weight_fraction_leaf)
        return voters

    def _fitted(self) -> Self:
        check_is_fitted(self)
        return self

    def _checked(self, X: ArrayLike) -> FloatArray:
        checked = validated(self._fitted(), X, reset=False, **input_options(self.voters_))
        return checked  # type: ignore[no-any-return]  # an array or a sparse matrix

    def _matrix(self, X: FloatArray) -> FloatArray:
        return X if self.voters_ is None else voter_matrix(self.voters_, X)

    def _voter_blocks(self, X: FloatArray) -> Iterator[FloatArray]:
        """Yield the voter matrix of some examples after the other, or X itself if it is one."""
        if self.voters_ is None:
            yield X
            return
        for start in range(0, X.shape[0], BLOCK):
            yield self._matrix(X[start : start + BLOCK])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            options = input_options(voter_set(self.voters))
        except ValueError:  # raised again by `fit`
            options = {}
        tags.input_tags.sparse = bool(options.get("accept_sparse"))
        tags.input_tags.allow_nan = options.get("ensure_all_finite") == "allow-nan"
        return tags


def fitted(
    voters: VoterSet, X: FloatArray, y: NDArray[Any], weights: FloatArray | None
) -> VoterSet:
    """Return voters fitted to examples, with their weights if the voters take them."""
    takes = weights is not None and has_fit_parameter(voters, "sample_weight")
    found: VoterSet = voters.fit(X, y, **({"sample_weight": weights} if takes else {}))
    return found


def _without_rounding(votes: FloatArray, total: float) -> FloatArray:
    """Return votes, with zero for those that are rounding error relative to the total weight."""
    return np.where(np.abs(votes) <= ZERO_VOTE * total, 0.0, votes)


def total_of(y: FloatArray, weights: FloatArray | None) -> float:
    """Return the total weight of some examples, or their number if that is more."""
    return float(len(y) if weights is None else max(len(y), weights.sum()))


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
