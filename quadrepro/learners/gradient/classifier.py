"""The classifier by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import check_classification_targets

from quadrepro._typing import FloatArray
from quadrepro._validation import ClassWeight, validated, weighted_examples
from quadrepro.learners.estimator import LinkedClassifier, two_classes
from quadrepro.learners.gradient.boosting import Bound, StepName
from quadrepro.learners.gradient.estimator import GradientBoostEstimator

CLASS_LOSSES = ("logistic", "exponential")
"""The losses of a class."""


class GradientBoostClassifier(LinkedClassifier, GradientBoostEstimator):
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
    min_weight_fraction_leaf : float, default 0.0
        Least share of the weight of all examples in a leaf.
    loss : {"logistic", "exponential"}, default "logistic"
        The loss of a score F at a label y of -1 or +1: log(1 + exp(-y F)), or AdaBoost's
        exp(-y F), with which ``step="rescale"`` is re-scale AdaBoost.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; a score above zero is the second.
    rounds_ : list of (Trees, Step)
        What each round added.
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

    The right labels of other examples after each round can tell when to stop:

    >>> stages = model.staged_predict(np.array([[0.2], [2.2], [4.2]]))
    >>> [int((labels == ["no", "yes", "yes"]).sum()) for labels in stages][:4]
    [3, 3, 2, 3]
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
        min_weight_fraction_leaf: float = 0.0,
        loss: Literal["logistic", "exponential"] = "logistic",
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(
            step,
            n_rounds=n_rounds,
            nu=nu,
            u=u,
            eps=eps,
            cuts=cuts,
            depth=depth,
            bound=bound,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
        )
        self.loss = loss
        self.class_weight = class_weight

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
            If there are not two classes or a parameter or a weight is out of range.
        """
        if self.loss not in CLASS_LOSSES:
            known = ", ".join(map(repr, CLASS_LOSSES))
            raise ValueError(f"loss must be {known}, not {self.loss!r}")
        X, y = validated(self, X, y)
        check_classification_targets(y)
        X, y, weights = weighted_examples(
            np.asarray(X), np.asarray(y), sample_weight, self.class_weight
        )
        self.classes_, signs = two_classes(y)
        self._train(X, signs, weights)
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

    @property
    def _link(self) -> float:
        # Exponential loss has its least mean at F = ½ ln(p/(1-p)), logistic loss at ln(p/(1-p)).
        return 2.0 if self.loss == "exponential" else 1.0
