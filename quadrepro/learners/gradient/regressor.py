"""The regressor by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from quadrepro._typing import FloatArray
from quadrepro._validation import validated, weighted_examples
from quadrepro.learners.gradient.estimator import GradientBoostEstimator


class GradientBoostRegressor(RegressorMixin, GradientBoostEstimator):
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
    min_weight_fraction_leaf : float, default 0.0
        Least share of the weight of all examples in a leaf.

    Attributes
    ----------
    rounds_ : list of (Trees, Step)
        What each round added.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean squared error on the training examples after each round.
    n_iter_ : int
        Number of rounds that were run, which is `n_rounds`.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of squared errors by the trees' cuts.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    Trees of depth 2 see how two attributes act together:

    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = X[:, 0] * X[:, 1]
    >>> for depth in (1, 2):
    ...     model = GradientBoostRegressor("shrink", n_rounds=200, depth=depth).fit(X, y)
    ...     print(round(model.score(X, y), 2))
    0.33
    0.98
    """

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"loss": "l2"}

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Numbers to predict.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        GradientBoostRegressor
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter or a weight is out of range.
        """
        X, y = validated(self, X, y, y_numeric=True)
        self._train(
            *weighted_examples(np.asarray(X), np.asarray(y, dtype=np.float64), sample_weight)
        )
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
