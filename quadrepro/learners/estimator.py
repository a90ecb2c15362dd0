"""The bases of all scikit-learn estimators, which train one candidate, and of all classifiers.

Parameters of an estimator that are fields of its learner are settings; those that are
hyper-parameters make up the candidate.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Learner


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


class TwoClassClassifier(ClassifierMixin, LearnerEstimator):
    """Base of the classifiers of two classes, whose label is the sign of a decision function."""

    classes_: NDArray[Any]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each example; a decision of zero is the first class.

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
        tags.classifier_tags.multi_class = False
        return tags


class LinkedClassifier(TwoClassClassifier):
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
