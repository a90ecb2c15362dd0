"""Estimators of the algorithms whose weak learner is fitted in every round."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.arguments import validated, weighted_examples
from quadrepro.core.estimators.base import DecisionClassifier, two_classes
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.stagewise.additive import GentleAdaBoost, LogitBoost, RealAdaBoost
from quadrepro.core.learners.stagewise.boosting import (
    ROUNDING,
    StagewiseBoost,
    probabilities_of,
    rounded,
    scores_after,
)
from quadrepro.core.learners.stagewise.samme import SAMME, AdaBoostM1
from quadrepro.core.learners.trainers import first_of_largest
from quadrepro.core.seeds import generator


def _gives_probabilities(estimator: StagewiseClassifier) -> bool:
    return estimator.learner(**estimator._settings()).rule.gives_probabilities


@dataclass(eq=False, repr=False)
class StagewiseClassifier(DecisionClassifier):
    """Base of the classifiers whose weak learner is fitted to the current weights in every round.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    rounds_ : list of Addition
        What each round added to the decision.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.
    """

    learner: ClassVar[type[StagewiseBoost]]

    n_rounds: int = 100
    _: KW_ONLY
    cuts: int = 1
    depth: int | None = None
    weak: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the weak learners.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        StagewiseClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If the labels have one class, or more than the algorithm takes, or a parameter or a
            weight is out of range.
        """
        X, y = validated(self, X, y)
        check_classification_targets(y)
        X, y, weights = weighted_examples(np.asarray(X), np.asarray(y), sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) == 1 or not self.learner.many_classes:
            two_classes(y)  # refuses another number
        algorithm = self.learner(**self._settings())
        n_rounds = int(self._candidate(algorithm, float(len(y)))[N_ROUNDS.name])
        n_classes, rng = len(self.classes_), generator(0, "weak")
        self.rounds_ = algorithm.fitted(X, codes, n_classes, n_rounds, rng, weights)
        self.n_iter_ = len(self.rounds_)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the sums of what all rounds add.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, numbers above zero for the second; else one column per class.
        """
        return _decisions(self._scores(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the sums after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            As from `decision_function`, after 1, 2, ... rounds.
        """
        yield from map(_decisions, self._staged_scores(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return probabilities_of(self._scores(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn's
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            Probabilities after 1, 2, ... rounds, in the order of `classes_`.
        """
        yield from map(probabilities_of, self._staged_scores(X))

    def _staged_scores(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield F after each round; an empty one if no round added anything."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        rounds = range(1, max(self.n_iter_, 1) + 1)
        return scores_after(rounds, self.rounds_, np.asarray(X), len(self.classes_))

    def _scores(self, X: ArrayLike) -> FloatArray:
        return deque(self._staged_scores(X), maxlen=1).pop()

    def _labels(self, decisions: FloatArray) -> NDArray[Any]:
        if decisions.ndim == 1:
            return super()._labels(decisions)
        return np.asarray(self.classes_[first_of_largest(decisions.T, ROUNDING)])


def _decisions(scores: FloatArray) -> FloatArray:
    return rounded(scores[0]) if len(scores) == 1 else np.ascontiguousarray(scores.T)


class RealAdaBoostClassifier(StagewiseClassifier):
    """Real AdaBoost (algorithm 2), for two classes.

    A round adds half the log-odds of the classes in each leaf, by the weights exp(-y F).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator, str, dict or None, default None
        A classifier of scikit-learn's kind that takes ``sample_weight``, instead of trees, or its
        name as in a config. If it has no seed, it gets another one in every round.
        It must have ``predict_proba``.

    Attributes
    ----------
    classes_, rounds_, n_iter_, n_features_in_, feature_names_in_
        As of `StagewiseClassifier`.

    References
    ----------
    J. Friedman, T. Hastie and R. Tibshirani, "Additive logistic regression: a statistical view of
    boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import RealAdaBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> RealAdaBoostClassifier(20).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = RealAdaBoost


class GentleAdaBoostClassifier(StagewiseClassifier):
    """Gentle AdaBoost (algorithm 4), for two classes.

    A round adds what is fitted to y by least squares, with the weights exp(-y F).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator, str, dict or None, default None
        A regressor of scikit-learn's kind that takes ``sample_weight``, instead of trees, or its
        name as in a config. If it has no seed, it gets another one in every round.

    Attributes
    ----------
    classes_, rounds_, n_iter_, n_features_in_, feature_names_in_
        As of `StagewiseClassifier`.

    References
    ----------
    J. Friedman, T. Hastie and R. Tibshirani, "Additive logistic regression: a statistical view of
    boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import GentleAdaBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> GentleAdaBoostClassifier(20).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = GentleAdaBoost


@dataclass(eq=False, repr=False)
class LogitBoostClassifier(StagewiseClassifier):
    """LogitBoost (algorithms 3 and 6).

    A round takes a Newton step for the logistic loss: z = (y* - p) / (p (1 - p)) is fitted by least
    squares with the weights p (1 - p), of each class against the rest if there are more than two.

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator, str, dict or None, default None
        A regressor of scikit-learn's kind that takes ``sample_weight``, instead of trees, or its
        name as in a config. If it has no seed, it gets another one in every round.
    z_max : float, default 4.0
        Largest size of z; the paper recommends 2 to 4.

    Attributes
    ----------
    classes_, rounds_, n_iter_, n_features_in_, feature_names_in_
        As of `StagewiseClassifier`.

    References
    ----------
    J. Friedman, T. Hastie and R. Tibshirani, "Additive logistic regression: a statistical view of
    boosting", Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import LogitBoostClassifier
    >>> X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    >>> LogitBoostClassifier(20).fit(X, y).predict([[1.0], [4.0], [7.0]])
    array(['a', 'b', 'c'], dtype='<U1')
    """

    learner = LogitBoost

    _: KW_ONLY
    z_max: float = 4.0


class AdaBoostM1Classifier(StagewiseClassifier):
    """AdaBoost.M1, for any number of classes.

    A weak learner of weighted error ε votes with log((1 - ε) / ε); ε must be below 1/2.

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends after a weak learner without error, which decides
        alone, and before one with ε ≥ 1/2.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator, str, dict or None, default None
        A classifier of scikit-learn's kind that takes ``sample_weight``, instead of trees, or its
        name as in a config. If it has no seed, it gets another one in every round.

    Attributes
    ----------
    classes_, rounds_, n_iter_, n_features_in_, feature_names_in_
        As of `StagewiseClassifier`.

    References
    ----------
    Y. Freund and R. Schapire, "Experiments with a new boosting algorithm", ICML 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import AdaBoostM1Classifier
    >>> X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    >>> AdaBoostM1Classifier(20, cuts=2).fit(X, y).predict([[1.0], [4.0], [7.0]])
    array(['a', 'b', 'c'], dtype='<U1')
    """

    learner = AdaBoostM1


class SAMMEClassifier(StagewiseClassifier):
    """SAMME, for any number of classes; AdaBoost over fitted classifiers if there are two.

    A weak learner of weighted error ε votes with log((1 - ε) / ε) + log(K - 1).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends after a weak learner without error, which decides
        alone, and before one that is no better than chance.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator, str, dict or None, default None
        A classifier of scikit-learn's kind that takes ``sample_weight``, instead of trees, or its
        name as in a config. If it has no seed, it gets another one in every round.

    Attributes
    ----------
    classes_, rounds_, n_iter_, n_features_in_, feature_names_in_
        As of `StagewiseClassifier`.

    References
    ----------
    J. Zhu, H. Zou, S. Rosset and T. Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2,
    2009.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import SAMMEClassifier
    >>> X, y = np.arange(9.0)[:, None], np.repeat(["a", "b", "c"], 3)
    >>> SAMMEClassifier(20).fit(X, y).predict([[1.0], [4.0], [7.0]])
    array(['a', 'b', 'c'], dtype='<U1')
    """

    learner = SAMME
