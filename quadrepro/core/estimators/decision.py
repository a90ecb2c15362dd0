"""Labels, probabilities and parameters of votes and boosted trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from quadrepro.base.models import faults_at
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.training.contract import Algorithm, Learner, validator


def two_classes(y: ArrayLike) -> tuple[NDArray[Any], FloatArray]:
    """Return at most two sorted classes, and labels -1 and +1, shape (n_samples,)."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported: y holds {len(classes)} classes, not 2"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


def _has_link(estimator: DecisionClassifier) -> bool:
    return estimator._link > 0


def _is_staged(estimator: DecisionClassifier) -> bool:
    return not issubclass(estimator.learner, Algorithm) or issubclass(
        estimator.learner, BoostingAlgorithm
    )


class DecisionClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of two classes by the sign of a decision function."""

    learner: ClassVar[type[Learner]]
    classes_: NDArray[Any]

    _link: ClassVar[float] = 0.0
    """c of the probability 1 / (1 + exp(-c F)) that belongs to the loss; 0 if it has none."""

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return decisions, shape (n_samples,), above zero for the second class."""
        raise NotImplementedError

    def _staged_decisions(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the decisions after each round."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return labels, shape (n_samples,), from `classes_`; a decision of zero is the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix if `voters` is ``"precomputed"``.
        """
        return self._labels(self.decision_function(X))

    @available_if(_has_link)  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities of both classes, by the link of the loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return self._probabilities(self.decision_function(X))

    @available_if(_is_staged)  # type: ignore[untyped-decorator]  # scikit-learn's
    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the decisions after 1, 2, ... rounds."""
        return self._staged_decisions(X)

    @available_if(_is_staged)  # type: ignore[untyped-decorator]  # scikit-learn's
    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the labels after 1, 2, ... rounds."""
        return map(self._labels, self._staged_decisions(X))

    @available_if(_has_link)  # type: ignore[untyped-decorator]  # scikit-learn's
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the probabilities of both classes after 1, 2, ... rounds."""
        return map(self._probabilities, self._staged_decisions(X))

    def _labels(self, decisions: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[(decisions > 0).astype(np.intp)])

    def _probabilities(self, decisions: FloatArray) -> FloatArray:
        if len(self.classes_) == 1:
            return np.ones((len(decisions), 1))
        return np.stack([expit(-self._link * decisions), expit(self._link * decisions)], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def learner_of(estimator: Any, **others: Any) -> Any:
    """Return the learner with the parameters that are its settings, or raise ValueError."""
    values = estimator.get_params(deep=False) | others
    settings = {f.name: values[f.name] for f in fields(estimator.learner) if f.name in values}
    with faults_at():
        return validator(estimator.learner).validate_python(settings)


def candidate_of(estimator: Any, learner: Learner) -> dict[str, float]:
    """Return the parameters that are hyper-parameters of a learner, or raise ValueError."""
    parameters = [(h, getattr(estimator, h.name)) for h in learner.hyperparameters]
    return checked_candidate(
        learner, {h.name: v for h, v in parameters if v is not None or not h.optional}
    )


def checked_candidate(learner: Learner, candidate: Mapping[str, Any]) -> dict[str, float]:
    """Return values of hyper-parameters as Python's own numbers, or raise ValueError.

    Each loop is compiled for one type of numbers.
    """
    candidate = {n: v.item() if isinstance(v, np.generic) else v for n, v in candidate.items()}
    learner.check_candidate(**candidate)
    whole = [h.name for h in learner.hyperparameters if h.kind == "integer"]
    return {name: (int if name in whole else float)(v) for name, v in candidate.items()}
