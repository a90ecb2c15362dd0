"""Gradient boosting as scikit-learn estimators: one trajectory, trained on all of X."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from quadrepro._typing import FloatArray
from quadrepro.learners.estimators import two_classes
from quadrepro.learners.gradient.boosting import Ensemble, GradientBoost, LossName, StepName
from quadrepro.learners.gradient.steps import follow


class _GradientBoosting(BaseEstimator):  # type: ignore[misc] # scikit-learn ships no types
    """Trees and the steps along them."""

    _loss: LossName

    def __init__(
        self,
        step: StepName = "rescale",
        *,
        n_rounds: int = 100,
        nu: float = 0.1,
        u: float = 10.0,
        eps: float = 0.1,
        splits: int = 1,
        depth: int | None = None,
    ) -> None:
        self.step = step
        self.n_rounds = n_rounds
        self.nu = nu
        self.u = u
        self.eps = eps
        self.splits = splits
        self.depth = depth

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        algorithm = GradientBoost(self.step, self._loss, self.splits, self.depth)
        for known in algorithm.hyperparameters:
            if fault := known.fault([getattr(self, known.name)]):
                raise ValueError(fault)
        value = np.nan if algorithm.value is None else getattr(self, algorithm.value.name)
        ensemble = Ensemble()
        algorithm.run(X, y, np.array([value], dtype=np.float64), int(self.n_rounds), [ensemble])
        self.rounds_ = ensemble.rounds

    def _staged_scores(self, X: ArrayLike) -> Iterator[FloatArray]:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        columns = np.ascontiguousarray(np.asarray(X).T)
        scores = np.zeros((1, columns.shape[1]))
        for trees, step in self.rounds_:
            follow(scores, trees.outputs(columns), step)
            yield scores[0].copy()

    def _scores(self, X: ArrayLike) -> FloatArray:
        *_, last = self._staged_scores(X)
        return last


class GradientBoostRegressor(RegressorMixin, _GradientBoosting):  # type: ignore[misc]
    """Boosting of regression trees by the squared loss, with one of five ways to step.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting or ε-boosting (Re-scale boosting, section IV).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``"shrink"``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``"rescale"``.
    eps : float, default 0.1
        Length ε of a step in units of y, for ``"epsilon"``.
    splits : int, default 1
        Number of splits J of a tree; 1 is a stump.
    depth : int or None, default None
        Depth of the trees, in place of a number of splits.

    Attributes
    ----------
    rounds_ : list of (Trees, Step)
        What each round added.
    n_features_in_ : int
        Number of columns of X.
    """

    _loss: LossName = "l2"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Numbers to be predicted.

        Returns
        -------
        GradientBoostRegressor
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._train(np.asarray(X), np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        return self._scores(X)

    def staged_predict(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the predicted numbers after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Yields
        ------
        ndarray of shape (n_samples,)
            Numbers after 1, 2, ... rounds.
        """
        yield from self._staged_scores(X)


class GradientBoostClassifier(ClassifierMixin, _GradientBoosting):  # type: ignore[misc]
    """Boosting of regression trees by the logistic loss of two classes.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting or ε-boosting (Re-scale boosting, section IV).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``"shrink"``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``"rescale"``.
    eps : float, default 0.1
        Length ε of a step in scores, for ``"epsilon"``.
    splits : int, default 1
        Number of splits J of a tree; 1 is a stump.
    depth : int or None, default None
        Depth of the trees, in place of a number of splits.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; a score above zero is the second.
    rounds_ : list of (Trees, Step)
        What each round added.
    n_features_in_ : int
        Number of columns of X.
    """

    _loss: LossName = "logistic"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels, two distinct ones.

        Returns
        -------
        GradientBoostClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes or a setting is out of range.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, signs = two_classes(y)
        self._train(np.asarray(X), signs)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Above zero for the second class.
        """
        return self._scores(X)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the scores after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Yields
        ------
        ndarray of shape (n_samples,)
            Scores after 1, 2, ... rounds.
        """
        yield from self._staged_scores(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of each example; a score of zero is the first class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels as they were given to `fit`.
        """
        return self._labels(self._scores(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the labels after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels after 1, 2, ... rounds.
        """
        yield from map(self._labels, self._staged_scores(X))

    def _labels(self, scores: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[(scores > 0).astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
