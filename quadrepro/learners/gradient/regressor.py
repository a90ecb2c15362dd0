"""Gradient boosting as scikit-learn estimators: one candidate, trained on all of X."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from quadrepro._typing import FloatArray
from quadrepro._validation import validated
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import LearnerEstimator, two_classes
from quadrepro.learners.gradient.boosting import Bound, GradientBoost, StepName
from quadrepro.learners.gradient.steps import follow
from quadrepro.learners.gradient.watchers import Ensemble, TrainingLoss

CLASS_LOSSES = ("logistic", "exponential")
"""The losses of a class."""


class _GradientBoosting(LearnerEstimator):
    """Trees and the steps along them."""

    learner = GradientBoost

    def __init__(
        self,
        step: StepName = "rescale",
        *,
        n_rounds: int = 100,
        nu: float = 0.1,
        u: float = 10.0,
        eps: float = 0.1,
        cuts: int = 1,
        depth: int | None = None,
        bound: Bound | None = None,
    ) -> None:
        self.step = step
        self.n_rounds = n_rounds
        self.nu = nu
        self.u = u
        self.eps = eps
        self.cuts = cuts
        self.depth = depth
        self.bound = bound

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        algorithm = GradientBoost(**self._settings())
        candidate = self._candidate(algorithm, y)
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        n_rounds = int(candidate[N_ROUNDS.name])
        ensemble, losses = Ensemble(), TrainingLoss(n_rounds, 1)
        algorithm.run(X, y, value, n_rounds, [ensemble, losses])
        self.rounds_ = ensemble.rounds
        self.train_loss_ = losses.path[0]

    def _staged_scores(self, X: ArrayLike) -> Iterator[FloatArray]:
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        columns = np.ascontiguousarray(np.asarray(X).T)
        scores = np.zeros((1, columns.shape[1]))
        for trees, step in self.rounds_:
            follow(scores, trees, trees.leaves(columns), step)
            yield scores[0].copy()

    def _scores(self, X: ArrayLike) -> FloatArray:
        *_, last = self._staged_scores(X)
        return last


class GradientBoostRegressor(RegressorMixin, _GradientBoosting):
    """Boosting of regression trees by the squared loss, with one of seven ways to step.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", \
            "rescale-epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting, ε-boosting (Re-scale boosting, section IV),
        re-scale RTboosting or re-scale ε-boosting (its Remark 1).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``step="shrink"``; 0.1 is what Remark 2 recommends,
        as for ``eps``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``step="rescale"`` and ``"rescale-truncate"``.
    eps : float, default 0.1
        Length ε of a step in units of y, for ``step="epsilon"`` and
        ``"rescale-epsilon"``.
    cuts : int, default 1
        Number of cuts J of a tree; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    bound : {"tree", "unit"} or None, default None
        For the truncated steps: whether the weight is bounded for a tree as it was fitted, or for
        one with a root mean square of 1; None for "tree".

    Attributes
    ----------
    rounds_ : list of (Trees, Step)
        What each round added.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean squared error on the training examples after each round.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    S. Lin, Y. Wang and L. Xu, "Re-scale boosting for regression and classification", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import GradientBoostRegressor
    >>> X = np.arange(8.0)[:, None]
    >>> model = GradientBoostRegressor("rescale", n_rounds=50).fit(X, X[:, 0] ** 2)
    >>> model.predict([[2.0], [6.0]]).round(1)
    array([ 4. , 35.1])
    >>> model.train_loss_[[0, 9, 49]].round(2)
    array([57.83,  4.4 ,  0.25])
    """

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"loss": "l2"}

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Numbers to predict.

        Returns
        -------
        GradientBoostRegressor
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        """
        X, y = validated(self, X, y, y_numeric=True)
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


class GradientBoostClassifier(ClassifierMixin, _GradientBoosting):
    """Boosting of regression trees by the loss of two classes, with one of seven ways to step.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", \
            "rescale-epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting, ε-boosting (Re-scale boosting, section IV),
        re-scale RTboosting or re-scale ε-boosting (its Remark 1).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``step="shrink"``; 0.1 is what Remark 2 recommends,
        as for ``eps``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``step="rescale"`` and ``"rescale-truncate"``.
    eps : float, default 0.1
        Length ε of a step in units of the score, for ``step="epsilon"`` and
        ``"rescale-epsilon"``.
    cuts : int, default 1
        Number of cuts J of a tree; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    bound : {"tree", "unit"} or None, default None
        For the truncated steps: whether the weight is bounded for a tree as it was fitted, or for
        one with a root mean square of 1; None for "unit".
    loss : {"logistic", "exponential"}, default "logistic"
        The loss of a score F at a label y of -1 or +1: log(1 + exp(-y F)), or AdaBoost's
        exp(-y F), with which ``step="rescale"`` is re-scale AdaBoost.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; a score above zero is the second.
    rounds_ : list of (Trees, Step)
        What each round added.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean loss on the training examples after each round.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    S. Lin, Y. Wang and L. Xu, "Re-scale boosting for regression and classification", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import GradientBoostClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> y = np.array(["no", "no", "yes", "no", "yes", "yes"])
    >>> model = GradientBoostClassifier("shrink", nu=0.5, n_rounds=20).fit(X, y)
    >>> model.predict([[0.5], [4.8]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.train_loss_[[0, 9, 19]].round(2)
    array([0.46, 0.13, 0.05])
    """

    def __init__(
        self,
        step: StepName = "rescale",
        *,
        n_rounds: int = 100,
        nu: float = 0.1,
        u: float = 10.0,
        eps: float = 0.1,
        cuts: int = 1,
        depth: int | None = None,
        bound: Bound | None = None,
        loss: Literal["logistic", "exponential"] = "logistic",
    ) -> None:
        super().__init__(
            step, n_rounds=n_rounds, nu=nu, u=u, eps=eps, cuts=cuts, depth=depth, bound=bound
        )
        self.loss = loss

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
            If there are not two classes or a parameter is out of range.
        """
        if self.loss not in CLASS_LOSSES:
            known = ", ".join(map(repr, CLASS_LOSSES))
            raise ValueError(f"loss must be {known}, not {self.loss!r}")
        X, y = validated(self, X, y)
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
