"""The algorithms as scikit-learn classifiers: one point of the grid, trained on all of X.

An estimator turns labels and voters into a voting problem and back; how a vote is found is the
business of the algorithm it wraps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Algorithm, positive_votes
from quadrepro.learners.programs.lpboost import LPBoost, generate_columns
from quadrepro.voters.reduction import reduce_problem
from quadrepro.voters.stumps import Stumps

Voters = Stumps | Literal["precomputed"] | None


class VoteClassifier(ClassifierMixin, BaseEstimator):
    """A weighted vote over voters, for two classes; base of the classifiers below.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; a vote above zero is the second.
    voters_ : Stumps or None
        The fitted stumps, None where X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_features_in_ : int
        Number of columns of X.
    """

    voters: Voters

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the vote.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples, or their voter matrix where `voters` is ``"precomputed"``.
        y : array-like of shape (n_samples,)
            Labels, two distinct ones.

        Returns
        -------
        VoteClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, a hyper-parameter is out of range or a precomputed voter
            leaves [-1, 1].
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        X = np.asarray(X)
        self.classes_, signs = two_classes(y)
        self.voters_ = None if self._precomputed else clone(self.voters or Stumps()).fit(X)
        self.voter_weights_ = self._train(self._voter_matrix(X), signs)
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
            Above zero for the second class.
        """
        return np.asarray(self._checked_voter_matrix(X) @ self.voter_weights_)

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
        yield from self._stages(self._checked_voter_matrix(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each example; an even vote is the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels as they were given to `fit`.
        """
        H = self._checked_voter_matrix(X)
        positive = positive_votes(H, self.voter_weights_[None, :])[:, 0]
        return np.asarray(self.classes_[positive.astype(np.intp)])

    @abstractmethod
    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        """Return the voter weights and keep what staging needs."""

    @abstractmethod
    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        """Yield the vote on the rows of `H` after each round."""

    @property
    def _precomputed(self) -> bool:
        if self.voters is None or isinstance(self.voters, Stumps):
            return False
        if self.voters == "precomputed":
            return True
        raise ValueError(f"voters must be Stumps(...) or 'precomputed', not {self.voters!r}")

    def _voter_matrix(self, X: FloatArray) -> FloatArray:
        return np.asarray(X if self.voters_ is None else self.voters_.transform(X))

    def _checked_voter_matrix(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return self._voter_matrix(validate_data(self, X, dtype=np.float64, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def two_classes(y: ArrayLike) -> tuple[NDArray[Any], FloatArray]:
    """Return the two labels of a problem, and -1 and +1 for the first and the second of them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    classes : ndarray of shape (2,)
        The labels in order.
    signs : ndarray of shape (n_samples,)
        -1 or +1.

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
            f"Only binary classification is supported, here are {len(classes)} {kind}: "
            "y must hold 2"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


def check_candidate(algorithm: Algorithm, **candidate: float) -> None:
    """Raise ValueError if the algorithm cannot have these hyper-parameters."""
    known = {h.name: h for h in algorithm.hyperparameters}
    for name, value in candidate.items():
        if fault := known[name].fault([value]):
            raise ValueError(fault)


class LPBoostClassifier(VoteClassifier):
    """LPBoost with a soft margin, by column generation (Demiriz et al. 2002).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the last linear program.
    """

    def __init__(self, C: float = 1.0, *, voters: Voters = None) -> None:
        self.C = C
        self.voters = voters

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        check_candidate(LPBoost(), C=self.C)
        problem = reduce_problem(H, y)
        self._solutions: list[tuple[NDArray[np.intp], FloatArray]] = []
        path = generate_columns(
            problem,
            problem.counts[0],
            [float(self.C)],
            lambda added, solution: self._solutions.append(
                (problem.representatives[added], solution.voter_weights)
            ),
        )
        added, solution = next(path)
        self.gap_ = solution.gap
        weights = np.zeros(problem.H.shape[1])
        weights[added] = solution.voter_weights
        return problem.expand(weights)

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        for voters, weights in self._solutions:
            yield H[:, voters] @ weights
