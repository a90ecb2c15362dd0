r"""Boosting of weak learners, each fitted to the example weights of its round.

F(x) has one number per class and starts at 0. Round t adds :math:`\alpha_t f_t(x)`. The predicted
class has the largest F; for two classes, :math:`F = (F_2 - F_1) / 2` is above zero for the second.
Unless stated otherwise, the round fits its weak learner to the weights

.. math:: w_i \propto c_i \exp(-F_{y_i}(x_i)),

in which :math:`c_i` is the weight of the example in the data; for two classes these are
:math:`c_i \exp(-y_i F(x_i))` with :math:`y_i = \pm 1`.

`StagewiseClassifier.fit` is the loop, and `_boost` of a subclass is one round of its algorithm. By
default weak learners are the trees of `trees.py`, which sort the examples once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    _fit_context,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.arguments import validated_data, weighted_examples
from quadrepro.core.elementary import exp, exp_each, log, log_each
from quadrepro.core.jit import njit
from quadrepro.core.learners.rounds import in_range
from quadrepro.core.learners.trees import TreeFitter, Trees
from quadrepro.core.training.estimator import RegisteredEstimator

EPS = float(np.finfo(np.float64).eps)
"""Least probability, so that logarithms and quotients are finite."""

LEAST_WEIGHT = 1e-100
"""Least share of the largest example weight, so that no leaf has a weight of 0."""

NO_WEIGHT = 1e-10
"""Largest weight of a vote that counts as zero, due to rounding."""

TIED_SHARES = 1e-10
"""Largest difference between the shares of classes that tie in a leaf; the first is chosen."""

ONLY_BINARY = "Only binary classification is supported"

SIGNS = np.array([-1.0, 1.0])
"""Signs of the first and of the second of two classes."""

FittedLearners = Trees | list[Any]
"""Weak learners of a round: trees, or fitted estimators."""


@dataclass(frozen=True)
class TreeLearner:
    """Fits trees to the training examples, with labels y of shape (n_examples,)."""

    fitter: TreeFitter
    y: IntArray
    n_classes: int
    answers_of: Callable[[FloatArray], FloatArray]
    """Function from shares of classes, (n_leaves, n_classes), to answers, (n_leaves,)."""

    def fit_classes(self, weights: FloatArray) -> tuple[Trees, FloatArray]:
        """Return a classification tree and its answers, shape (1, n_examples)."""
        trees, leaves, shares = self.fitter.fit_classes(self.y, weights, self.n_classes)
        trees = trees._replace(values=self.answers_of(shares)[None])
        return trees, trees.answers(leaves)

    def fit_numbers(self, targets: FloatArray, weights: FloatArray) -> tuple[Trees, FloatArray]:
        """Return one regression tree per target and their answers, (n_targets, n_examples)."""
        trees, leaves = self.fitter.fit(targets, weights)
        return trees, trees.answers(leaves)


@dataclass(frozen=True)
class EstimatorLearner:
    """Fits estimators to the training examples, with the methods of `TreeLearner`."""

    make: Callable[[], Any]
    X: FloatArray
    y: IntArray
    answers: Callable[[list[Any], FloatArray], FloatArray]

    def fit_classes(self, weights: FloatArray) -> tuple[list[Any], FloatArray]:
        """Return a classifier and its answers, shape (1, n_examples)."""
        fitted = [self.make().fit(self.X, self.y, sample_weight=weights)]
        return fitted, self.answers(fitted, self.X)

    def fit_numbers(self, targets: FloatArray, weights: FloatArray) -> tuple[list[Any], FloatArray]:
        """Return one regressor per target and their answers, shape (n_targets, n_examples)."""
        pairs = zip(targets, weights, strict=True)
        fitted = [self.make().fit(self.X, target, sample_weight=w) for target, w in pairs]
        return fitted, self.answers(fitted, self.X)


WeakLearner = TreeLearner | EstimatorLearner
WeakRound = tuple[FittedLearners, FloatArray, float]
"""Weak learners of a round, their answers on training examples, and the round's weight."""


@dataclass(eq=False, repr=False)
class StagewiseClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers that fit weak learners to the example weights of each round.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A weak learner that takes ``sample_weight``, instead of trees.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learners of each round: one, or one per class in LogitBoost with more than two
        classes.
    estimator_weights_ : list of float
        The weight of each round in F.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.
    """

    fits: ClassVar[Literal["classes", "probabilities", "numbers"]]
    """Targets or used outputs of weak learners."""
    has_probabilities: ClassVar[bool] = True
    many_classes: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [Interval(Integral, 1, 10**9, closed="both")],
        "cuts": [Interval(Integral, 1, 10**9, closed="both")],
        "depth": [Interval(Integral, 1, 10**9, closed="both"), None],
        "weak": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }

    n_rounds: int = 100
    _: KW_ONLY
    cuts: int = 1
    depth: int | None = None
    weak: Any = None
    random_state: Any = None

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
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
        """
        examples, labels = validated_data(self, X, y)
        check_classification_targets(labels)
        examples, labels, weights = weighted_examples(examples, labels, sample_weight)
        c = np.ones(len(labels)) if weights is None else in_range(weights)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        n_classes = len(self.classes_)
        if n_classes > 2 and not self.many_classes:
            raise ValueError(f"{ONLY_BINARY}: y holds {n_classes} classes")
        if self.weak is None:
            examples, codes, c = merged_examples(examples, codes, c)
        weak = self._weak_learner(examples, codes)
        self.estimators_: list[FittedLearners] = []
        self.estimator_weights_: list[float] = []
        F = np.zeros((len(codes), n_classes))
        for _ in range(self.n_rounds if n_classes > 1 else 0):
            fitted, answers, weight = self._boost(weak, codes, c, F)
            if weight <= NO_WEIGHT:
                break
            decides = weight == np.inf
            weight = 1.0 + sum(self.estimator_weights_) if decides else weight
            self.estimators_.append(fitted)
            self.estimator_weights_.append(weight)
            F += weight * self._added(answers)
            if decides:
                break
        self.n_iter_ = len(self.estimators_)
        return self

    @abstractmethod
    def _boost(self, weak: WeakLearner, y: IntArray, c: FloatArray, F: FloatArray) -> WeakRound:
        """Take one round, given y and c of shape (n_samples,) and F of (n_samples, n_classes).

        A weight of zero ends the run without the round. An infinite weight ends the run with the
        round, which then decides alone.
        """

    def _added(self, answers: FloatArray) -> FloatArray:
        """Return the step of F for a weight of 1, shape (n_samples, n_classes): -f and f."""
        return in_two_columns(answers[0])

    @staticmethod
    def _answers_of(shares: FloatArray) -> FloatArray:
        """Return answers, shape (n,), given shares of the classes, shape (n, n_classes)."""
        raise NotImplementedError

    def _weak_learner(self, X: FloatArray, y: IntArray) -> WeakLearner:
        """Return the object that fits weak learners to X, (n_samples, n_features), and y."""
        if self.weak is None:
            fitter = TreeFitter(X, self.cuts, self.depth)
            return TreeLearner(fitter, y, len(self.classes_), self._answers_of)
        rng = check_random_state(self.random_state)

        def seeded() -> Any:
            weak = clone(self.weak)
            names = sorted(key for key in weak.get_params() if key.endswith("random_state"))
            return weak.set_params(**{name: int(rng.randint(2**31 - 1)) for name in names})

        return EstimatorLearner(seeded, X, y, self._answers)

    def _answers(self, fitted: list[Any], X: FloatArray) -> FloatArray:
        """Return the answers of fitted estimators, shape (n_estimators, n_samples)."""
        if self.fits == "probabilities":
            return np.stack([self._answers_of(weak.predict_proba(X)) for weak in fitted])
        return np.stack([weak.predict(X) for weak in fitted])

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return F.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, numbers above zero for the second; else one column per class.
        """
        return last(self.staged_decision_function(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield F after each round; see `decision_function`."""
        for F in self._staged(X):
            yield np.asarray((F[:, -1] - F[:, 0]) / 2) if F.shape[1] <= 2 else F

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the largest F, or the first such class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from `classes_`.
        """
        return last(self.staged_predict(X))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after each round; see `predict`."""
        for F in self._staged(X):
            yield self.classes_[F.argmax(axis=1)]

    @available_if(lambda self: self.has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities of the classes, in proportion to exp(F).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return last(self.staged_predict_proba(X))

    @available_if(lambda self: self.has_probabilities)  # type: ignore[untyped-decorator]
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield the probabilities after each round; see `predict_proba`."""
        yield from map(probabilities_of, self._staged(X))

    def _staged(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Yield F, shape (n_samples, n_classes), after each round, or once without rounds."""
        check_is_fitted(self)
        examples = validated_data(self, X, reset=False)
        columns = np.ascontiguousarray(examples.T)
        F = np.zeros((len(examples), len(self.classes_)))
        if not self.estimators_:
            yield F
        for fitted, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            if isinstance(fitted, Trees):
                answers = fitted.answers(fitted.leaves(columns))
            else:
                answers = self._answers(fitted, examples)
            F = F + weight * self._added(answers)
            yield F

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.depth is not None and self.cuts != 1:
            raise ValueError("depth replaces cuts: leave out one of them")
        if self.weak is None:
            return
        if self.cuts != 1 or self.depth is not None:
            raise ValueError("weak replaces trees: leave out cuts and depth")
        number, name = self.fits == "numbers", type(self.weak).__name__
        if not (is_regressor if number else is_classifier)(self.weak):
            task = "regression" if number else "classification"
            raise ValueError(f"the weak learner must be for {task}, but {name} is not")
        if not has_fit_parameter(self.weak, "sample_weight"):
            raise ValueError(f"the weak learner must take sample_weight, but {name} does not")
        if self.fits == "probabilities" and not hasattr(self.weak, "predict_proba"):
            raise ValueError(f"the weak learner must give probabilities, but {name} does not")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.many_classes
        return tags


def merged_examples(
    X: FloatArray, y: IntArray, c: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the distinct examples, sorted, with the total weight of each, shape (n_distinct,).

    Hence the order of the rows, or repeated rows in place of weights, do not change the rounding of
    sums. Boosting of separable classes would amplify such differences from round to round.
    """
    rows = np.ascontiguousarray(np.column_stack([X, y])) + 0.0  # -0 becomes 0
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
    _, firsts, places = np.unique(keys, return_index=True, return_inverse=True)
    return X[firsts], y[firsts], np.bincount(places, c).astype(np.float64)


def last(stages: Iterator[NDArray[Any]]) -> NDArray[Any]:
    """Return the last stage."""
    return deque(stages, maxlen=1).pop()


def probabilities_of(F: FloatArray) -> FloatArray:
    """Return exp(F_k) / Σ_j exp(F_j), shape (n_examples, n_classes)."""
    shares = exp_each(F - F.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def weights_of(y: IntArray, c: FloatArray, F: FloatArray) -> FloatArray:
    """Return the weights c exp(-F_y), with a mean of 1, shape (n_examples,)."""
    own = F[np.arange(len(F)), y]
    w = c * np.maximum(exp_each(own.min() - own), LEAST_WEIGHT)
    return np.asarray(w / w.mean())


@njit
def write_newton_targets(
    y: IntArray, c: FloatArray, F: FloatArray, z_max: float, z: FloatArray, w: FloatArray
) -> None:
    """Write the targets z of the last classes, and weights w with a mean of 1.

    y and c have shape (n_examples,), F has shape (n_examples, n_classes), and z and w have shape
    (n_targets, n_examples).
    """
    first, shares = F.shape[1] - len(z), np.empty(F.shape[1])
    for i in range(len(y)):
        largest, total = F[i, 0], 0.0
        for k in range(1, len(shares)):
            largest = max(largest, F[i, k])
        for k in range(len(shares)):
            shares[k] = exp(F[i, k] - largest)
            total += shares[k]
        for t in range(len(z)):
            p, is_class = shares[first + t] / total, y[i] == first + t
            # z is 1 / p for the class, and -1 / (1 - p) for all others.
            size = 1.0 / max(p if is_class else 1.0 - p, EPS)
            clipped = min(size, z_max)
            z[t, i] = clipped if is_class else -clipped
            w[t, i] = c[i] * max(p * (1.0 - p), 2.0 * EPS) * (size / clipped)
    for t in range(len(w)):
        w[t] /= w[t].mean()


def in_two_columns(f: FloatArray) -> FloatArray:
    """Return the columns -f and f, shape (n_examples, 2)."""
    return np.asarray(f[:, None] * SIGNS)


class RealAdaBoostClassifier(StagewiseClassifier):
    r"""Real AdaBoost (Friedman, Hastie and Tibshirani 2000, algorithm 2), for two classes.

    With p(x) the probability of the second class by the weak learner, a round adds

    .. math:: f(x) = \tfrac12 \log \frac{p(x)}{1 - p(x)}.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A classifier with ``predict_proba`` that takes ``sample_weight``, instead of trees.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learner of each round.
    estimator_weights_ : list of float
        The weight of each round in F, which is 1.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    fits = "probabilities"

    def _boost(self, weak: WeakLearner, y: IntArray, c: FloatArray, F: FloatArray) -> WeakRound:
        fitted, f = weak.fit_classes(weights_of(y, c, F))
        return fitted, f, 1.0

    @staticmethod
    def _answers_of(shares: FloatArray) -> FloatArray:
        p = np.maximum(shares, EPS)
        return np.asarray(0.5 * log_each(p[:, 1] / p[:, 0]))


class GentleAdaBoostClassifier(StagewiseClassifier):
    r"""Gentle AdaBoost (Friedman, Hastie and Tibshirani 2000, algorithm 4), for two classes.

    A round adds f, which the weak learner fits to :math:`y = \pm 1` by weighted least squares.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A regressor that takes ``sample_weight``, instead of trees.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learner of each round.
    estimator_weights_ : list of float
        The weight of each round in F, which is 1.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    fits = "numbers"

    def _boost(self, weak: WeakLearner, y: IntArray, c: FloatArray, F: FloatArray) -> WeakRound:
        signs = np.where(y == 1, 1.0, -1.0)
        fitted, f = weak.fit_numbers(signs[None], weights_of(y, c, F)[None])
        return fitted, f, 1.0


@dataclass(eq=False, repr=False)
class LogitBoostClassifier(StagewiseClassifier):
    r"""LogitBoost (Friedman, Hastie and Tibshirani 2000, algorithms 3 and 6).

    A round takes a Newton step for the logistic loss. With :math:`y^*_k = 1` for the examples of
    class k and 0 for all others, and :math:`p_k \propto \exp(F_k)`, regressors :math:`g_k` are
    fitted by least squares to

    .. math:: z_k = \frac{y^*_k - p_k}{p_k (1 - p_k)}
       \quad\text{with the weights}\quad w_k = c\, p_k (1 - p_k),

    where :math:`|z_k|` is at most `z_max`. Where it would be larger, :math:`w_k` is raised so that
    :math:`w_k z_k`, the gradient, stays as it is. With the weight of the paper instead, the
    probabilities of rare classes are too small. Of J classes, the round adds

    .. math:: f_k(x) = \frac{J - 1}{J} \Big(g_k(x) - \frac1J \sum_j g_j(x)\Big).

    With two classes, :math:`g_1 = -g_2`, so that one regressor is fitted, and
    :math:`F \leftarrow F + \tfrac12 g_2`.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A regressor that takes ``sample_weight``, instead of trees.
    z_max : float, default 4.0
        Largest size of z; the paper recommends 2 to 4.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learners of each round: one for two classes, else one per class.
    estimator_weights_ : list of float
        The weight of each round in F, which is 1.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    fits = "numbers"
    many_classes = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StagewiseClassifier._parameter_constraints,
        "z_max": [Interval(Real, 1, 10**6, closed="both")],
    }

    _: KW_ONLY
    z_max: float = 4.0

    def _boost(self, weak: WeakLearner, y: IntArray, c: FloatArray, F: FloatArray) -> WeakRound:
        # With two classes, only the second has a regressor.
        n_targets = 1 if F.shape[1] == 2 else F.shape[1]
        z, w = np.empty((2, n_targets, len(y)))
        write_newton_targets(y, c, F, self.z_max, z, w)
        fitted, g = weak.fit_numbers(z, w)
        return fitted, g, 1.0

    def _added(self, answers: FloatArray) -> FloatArray:
        n_classes = len(answers)
        if n_classes == 1:
            return in_two_columns(0.5 * answers[0])
        return np.asarray((n_classes - 1) / n_classes * (answers - answers.mean(axis=0)).T)


class AdaBoostM1Classifier(StagewiseClassifier):
    r"""AdaBoost.M1 (Freund and Schapire 1996, figure 1), for any number of classes.

    A weak learner h of weighted error :math:`\varepsilon` is a vote: with
    :math:`\beta = \varepsilon / (1 - \varepsilon)`, the round adds

    .. math:: \alpha f_k(x) = \log(1 / \beta)\, [h(x) = k],

    by which the weights of the examples that h classifies correctly are multiplied by
    :math:`\beta`. A run ends before a weak learner with :math:`\varepsilon \ge 1/2`, and after one
    without error, which decides alone.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A classifier that takes ``sample_weight``, instead of trees.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learner of each round.
    estimator_weights_ : list of float
        The weight α of each round.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    fits = "classes"
    has_probabilities = False
    many_classes = True

    def _boost(self, weak: WeakLearner, y: IntArray, c: FloatArray, F: FloatArray) -> WeakRound:
        w = weights_of(y, c, F)
        fitted, votes = weak.fit_classes(w)
        missed, hit = np.bincount(votes[0] == y, w, minlength=2)
        return fitted, votes, self._alpha(missed, hit) if missed > 0 else np.inf

    def _alpha(self, missed: float, hit: float) -> float:
        """Return log((1 - error) / error), given the weights of missed and of hit examples."""
        return log(hit / missed)

    @staticmethod
    def _answers_of(shares: FloatArray) -> FloatArray:
        # Reweighting makes shares equal, and without a tolerance rounding would decide.
        tied = shares >= shares.max(axis=1, keepdims=True) - TIED_SHARES
        return np.asarray(tied.argmax(axis=1), dtype=np.float64)

    def _added(self, answers: FloatArray) -> FloatArray:
        return np.asarray(answers[0][:, None] == np.arange(len(self.classes_)), dtype=np.float64)


class SAMMEClassifier(AdaBoostM1Classifier):
    r"""SAMME (Zhu, Zou, Rosset and Hastie 2009, algorithm 2), for any number of classes.

    As in `AdaBoostM1Classifier`, a weak learner is a vote, but of K classes its weight is

    .. math:: \alpha = \log\frac{1 - \varepsilon}{\varepsilon} + \log(K - 1),

    so that it only has to be better than chance. For two classes this is AdaBoost.

    Parameters
    ----------
    n_rounds : int, default 100
        Largest number of rounds.
    cuts : int, default 1
        Number of cuts of a tree, the best first; 1 gives a stump.
    depth : int or None, default None
        Depth of the trees, instead of a number of cuts.
    weak : estimator or None, default None
        A classifier that takes ``sample_weight``, instead of trees.
    random_state : int, RandomState instance or None, default None
        Seed of `weak`, which gets another one in every round, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order.
    estimators_ : list of Trees, or of lists of estimators
        The weak learner of each round.
    estimator_weights_ : list of float
        The weight α of each round.
    n_iter_ : int
        Number of rounds that added something.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

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

    has_probabilities = True

    def _alpha(self, missed: float, hit: float) -> float:
        """Return log((1 - error) / error) + log(K - 1)."""
        return super()._alpha(missed, hit) + log(len(self.classes_) - 1.0)


ROUNDS = {"n_rounds": [1, 2, 5, 10, 20, 50, 100, 200, 500]}
"""Default numbers of rounds of a config."""


def _registered(name: str, label: str, source: str) -> RegisteredEstimator:
    return RegisteredEstimator(f"quadrepro:{name}Classifier", label, source, ROUNDS)


FHT = "Friedman, Hastie and Tibshirani 2000"

REAL_ADABOOST = _registered("RealAdaBoost", "Real AdaBoost", f"{FHT}, algorithm 2")
GENTLE_ADABOOST = _registered("GentleAdaBoost", "Gentle AdaBoost", f"{FHT}, algorithm 4")
LOGITBOOST = _registered("LogitBoost", "LogitBoost", f"{FHT}, algorithms 3 and 6")
ADABOOST_M1 = _registered("AdaBoostM1", "AdaBoost.M1", "Freund and Schapire 1996, figure 1")
SAMME = _registered("SAMME", "SAMME", "Zhu, Zou, Rosset and Hastie 2009, algorithm 2")
