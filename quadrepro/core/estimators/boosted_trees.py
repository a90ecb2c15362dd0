"""Gradient boosting of regression trees, as estimators of scikit-learn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from quadrepro.base.types import FloatArray
from quadrepro.core.arguments import ClassWeight, validated_data, weighted_examples
from quadrepro.core.estimators.decision import (
    DecisionClassifier,
    candidate_of,
    learner_of,
    two_classes,
)
from quadrepro.core.learners.gradient import Bound, GradientBoost, Init, StepName
from quadrepro.core.learners.rounds import in_range
from quadrepro.core.training.contract import Learner, Part
from quadrepro.core.training.grid import N_ROUNDS


@dataclass(eq=False, repr=False)
class BoostedTrees(BaseEstimator):
    """Base of the estimators of gradient boosting, with one of seven ways to step.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", \
            "rescale-epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting, ε-boosting (Re-scale boosting, section IV),
        re-scale RTboosting or re-scale ε-boosting (its Remark 1).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``step="shrink"``; Remark 2 recommends 0.1, as
        for ``eps``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``step="rescale"`` and ``"rescale-truncate"``.
    eps : float, default 0.1
        Length ε of a step in units of y or of the score, for ``step="epsilon"`` and
        ``"rescale-epsilon"``.
    truncation : float, default 1.0
        c of the bound c k^(-2/3) of the weight in round k, for ``step="truncate"``; Remark
        2 recommends 1.
    cuts : int, default 1
        Number of cuts J of a tree; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    bound : {"tree", "unit"} or None, default None
        For the truncated steps: whether the weight is bounded for the fitted tree, or for a tree
        scaled to a root mean square of 1; None for "tree" in regression and "unit" for classes.
    min_weight_fraction_leaf : float, default 0.0
        Least share of the weight of all examples in a leaf.

    Attributes
    ----------
    rounds_ : list of Round
        Trees and step of each round.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean loss on the training examples after each round.
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
    """

    learner: ClassVar[type[Learner]] = GradientBoost

    step: StepName = "rescale"
    _: KW_ONLY
    n_rounds: int = 100
    nu: float = 0.1
    u: float = 10.0
    eps: float = 0.1
    truncation: float = 1.0
    cuts: int = 1
    depth: int | None = None
    bound: Bound | None = None
    min_weight_fraction_leaf: float = 0.0

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the decrease of squared errors; all 0 if no tree has a cut."""
        check_is_fitted(self)
        return np.asarray(self._gains / (self._gains.sum() or 1.0))

    def _train(self, X: FloatArray, y: FloatArray, weights: FloatArray | None, loss: Any) -> None:
        algorithm = learner_of(self, loss=loss)
        candidate = candidate_of(self, algorithm)
        values = np.array([candidate.get(algorithm.value_name, 1.0)], dtype=np.float64)
        n_rounds = int(candidate[N_ROUNDS.name])
        if weights is not None:
            # The mean loss does not depend on the scale, but the limits of a line search do.
            weights = in_range(weights) / in_range(weights).mean()
        counts = np.ones(len(y)) if weights is None else weights
        self._intercept = algorithm.start(y, counts)
        y = y - self._intercept
        self.rounds_, losses, self._gains = [], [], np.zeros(X.shape[1])
        for added, mean_loss in algorithm.rounds(Part(X, y), values, n_rounds, weights):
            self.rounds_.append(added)
            losses.append(mean_loss()[0])
            np.add.at(self._gains, added.trees.features[0], np.square(added.trees.gains[0]))
        self.train_loss_, self.n_iter_ = np.array(losses), len(losses)

    def _staged_decisions(self, X: ArrayLike) -> Iterator[FloatArray]:
        check_is_fitted(self)
        X = validated_data(self, X, reset=False)
        columns = np.ascontiguousarray(np.asarray(X).T)
        scores = np.zeros((1, columns.shape[1]))
        for added in self.rounds_:
            added.follow(scores, added.trees.leaves(columns))
            yield scores[0] + self._intercept

    def _scores(self, X: ArrayLike) -> FloatArray:
        return deque(self._staged_decisions(X), maxlen=1).pop()


@dataclass(eq=False, repr=False)
class GradientBoostRegressor(RegressorMixin, BoostedTrees):
    """Boosting of regression trees by the squared loss (Re-scale boosting).

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", \
            "rescale-epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting, ε-boosting (Re-scale boosting, section IV),
        re-scale RTboosting or re-scale ε-boosting (its Remark 1).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``step="shrink"``; Remark 2 recommends 0.1, as
        for ``eps``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``step="rescale"`` and ``"rescale-truncate"``.
    eps : float, default 0.1
        Length ε of a step in units of y or of the score, for ``step="epsilon"`` and
        ``"rescale-epsilon"``.
    truncation : float, default 1.0
        c of the bound c k^(-2/3) of the weight in round k, for ``step="truncate"``; Remark
        2 recommends 1.
    cuts : int, default 1
        Number of cuts J of a tree; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    bound : {"tree", "unit"} or None, default None
        For the truncated steps: whether the weight is bounded for the fitted tree, or for a tree
        scaled to a root mean square of 1; None for "tree" in regression and "unit" for classes.
    min_weight_fraction_leaf : float, default 0.0
        Least share of the weight of all examples in a leaf.
    init : {"mean", "zero"}, default "mean"
        Prediction to which the trees add: the mean of the targets, so that adding a constant to all
        targets adds it to all predictions, or 0, as in the paper.

    Attributes
    ----------
    intercept_ : float
        Prediction to which the trees add.
    rounds_ : list of Round
        Trees and step of each round.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean loss on the training examples after each round.
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
    array([ 4.5, 35.4])
    >>> model.train_loss_[[0, 9, 49]].round(2)
    array([57.83,  0.63,  0.32])

    Trees of depth 2 fit interactions of two attributes:

    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> y = X[:, 0] * X[:, 1]
    >>> for depth in (1, 2):
    ...     model = GradientBoostRegressor("shrink", n_rounds=200, depth=depth).fit(X, y)
    ...     print(round(model.score(X, y), 2))
    0.33
    0.98
    """

    _: KW_ONLY
    init: Init = "mean"

    @property
    def intercept_(self) -> float:
        """Prediction to which the trees add: the mean of the targets, or 0."""
        check_is_fitted(self)
        return float(self._intercept)

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
        examples, numbers = validated_data(self, X, y, y_numeric=True)
        numbers = numbers.astype(np.float64)
        self._train(*weighted_examples(examples, numbers, sample_weight), "l2")
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the predicted numbers, shape (n_samples,)."""
        return self._scores(X)

    def staged_predict(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the predicted numbers after 1, 2, ... rounds."""
        return self._staged_decisions(X)


@dataclass(eq=False, repr=False)
class GradientBoostClassifier(BoostedTrees, DecisionClassifier):
    """Boosting of regression trees by the loss of two classes (Re-scale boosting).

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", \
            "rescale-epsilon"}, default "rescale"
        Boosting, RSboosting, RTboosting, RBoosting, ε-boosting (Re-scale boosting, section IV),
        re-scale RTboosting or re-scale ε-boosting (its Remark 1).
    n_rounds : int, default 100
        Number of rounds.
    nu : float, default 0.1
        Share ν of the line search's step, for ``step="shrink"``; Remark 2 recommends 0.1, as
        for ``eps``.
    u : float, default 10.0
        u of α_k = min(1, 2 / (k + u)), for ``step="rescale"`` and ``"rescale-truncate"``.
    eps : float, default 0.1
        Length ε of a step in units of y or of the score, for ``step="epsilon"`` and
        ``"rescale-epsilon"``.
    truncation : float, default 1.0
        c of the bound c k^(-2/3) of the weight in round k, for ``step="truncate"``; Remark
        2 recommends 1.
    cuts : int, default 1
        Number of cuts J of a tree; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    bound : {"tree", "unit"} or None, default None
        For the truncated steps: whether the weight is bounded for the fitted tree, or for a tree
        scaled to a root mean square of 1; None for "tree" in regression and "unit" for classes.
    min_weight_fraction_leaf : float, default 0.0
        Least share of the weight of all examples in a leaf.
    loss : {"logistic", "exponential"}, default "logistic"
        The loss of a score F at a label y of -1 or +1: log(1 + exp(-y F)), or AdaBoost's
        exp(-y F), with which ``step="rescale"`` is re-scale AdaBoost.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a score above zero is for the second one.
    rounds_ : list of Round
        Trees and step of each round.
    train_loss_ : ndarray of shape (n_rounds,)
        Mean loss on the training examples after each round.
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
    >>> from quadrepro import GradientBoostClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> y = np.array(["no", "no", "yes", "no", "yes", "yes"])
    >>> model = GradientBoostClassifier("shrink", nu=0.5, n_rounds=20).fit(X, y)
    >>> model.predict([[0.5], [4.8]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.train_loss_[[0, 9, 19]].round(2)
    array([0.46, 0.13, 0.05])
    """

    _: KW_ONLY
    loss: Literal["logistic", "exponential"] = "logistic"
    class_weight: ClassWeight = None

    @property
    def _link(self) -> float:  # type: ignore[override]
        # The mean loss is least at F = ½ ln(p/(1-p)) if exponential, at ln(p/(1-p)) if logistic.
        return 2.0 if self.loss == "exponential" else 1.0

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels, two distinct ones.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        GradientBoostClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are more than two classes or a parameter or a weight is out of range.
        """
        if self.loss not in ("logistic", "exponential"):
            raise ValueError(f"loss must be 'logistic' or 'exponential', not {self.loss!r}")
        examples, labels = validated_data(self, X, y)
        X, y, weights = weighted_examples(examples, labels, sample_weight, self.class_weight)
        self.classes_, signs = two_classes(y)
        self._train(X, signs, weights, self.loss)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores, shape (n_samples,); above zero for the second class."""
        return self._scores(X)
