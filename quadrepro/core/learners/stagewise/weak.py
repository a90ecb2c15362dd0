"""Weak learners that are fitted in every round: weighted trees, or any estimator with weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.gradient.trees import GrownTrees, LeafArray
from quadrepro.core.learners.gradient.weighted_trees import WeightedTreeFitter

LEAST_SHARE = 2e-9
"""Least share of the total weight in a leaf; that of less would be lost in rounding."""

WeakName = str | dict[str, Any]
"""Name or import path of an estimator, or a mapping of one to its parameters."""

Asked = Literal["classes", "probabilities", "numbers"]
"""What a rule asks of a weak learner."""


class WeakFit(ABC):
    """What was fitted in a round."""

    @abstractmethod
    def means(self, X: FloatArray) -> FloatArray:
        """Return what it gives for each target of each example, shape (n_targets, n_examples).

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_features)
            Examples; trees follow them faster in Fortran's order.
        """


class WeakLearner(ABC):
    """Fits the rounds of one run."""

    @abstractmethod
    def fit(self, targets: FloatArray, weights: FloatArray) -> tuple[WeakFit, FloatArray]:
        """Fit by weighted least squares; return what was fitted, and its means on the examples.

        Parameters
        ----------
        targets : ndarray of shape (n_fits, n_targets, n_examples)
            Targets of each fit: several ones, or -1 and +1, for classes.
        weights : ndarray of shape (n_fits, n_examples)
            Weights of the examples, with a mean of 1.
        """


@dataclass(frozen=True, eq=False)
class FittedTrees(WeakFit):
    """A tree for all targets, or one for each."""

    trees: GrownTrees

    def means(self, X: FloatArray) -> FloatArray:
        """Return the means in the leaves of the examples."""
        return self.at(self.trees.leaves(X.T))

    def at(self, leaves: LeafArray) -> FloatArray:
        """Return the means in some leaves."""
        if len(leaves) == len(self.trees.values):
            return self.trees.answers(leaves)
        return np.asarray(self.trees.values[:, leaves[0]])


class WeakTrees(WeakLearner):
    """Trees of our own; see `quadrepro.core.learners.gradient.weighted_trees`."""

    def __init__(self, X: FloatArray, cuts: int, depth: int | None) -> None:
        self._fitter = WeightedTreeFitter(X, np.ones(len(X)), cuts, depth, LEAST_SHARE)

    def fit(self, targets: FloatArray, weights: FloatArray) -> tuple[FittedTrees, FloatArray]:
        """Grow the trees."""
        trees, leaves = self._fitter.grow(targets, weights)
        fitted = FittedTrees(trees)
        return fitted, fitted.at(leaves)


@dataclass(frozen=True, eq=False)
class FittedEstimators(WeakFit):
    """Estimators, one for each fit."""

    estimators: Sequence[Any]
    asked: Asked
    n_classes: int
    signed: bool

    def means(self, X: FloatArray) -> FloatArray:
        """Return their predictions; for classes, 1 for that of an example, or its probability."""
        if self.asked == "numbers":
            found = [estimator.predict(X) for estimator in self.estimators]
            return np.asarray(found, dtype=np.float64)
        [estimator] = self.estimators
        means = np.zeros((self.n_classes, len(X)))
        if self.asked == "classes":
            means[estimator.predict(X).astype(np.intp), np.arange(len(X))] = 1.0
        else:
            means[estimator.classes_.astype(np.intp)] = estimator.predict_proba(X).T
        return means[1:] - means[:1] if self.signed else means


class WeakEstimators(WeakLearner):
    """Estimators with scikit-learn's interface, each made and fitted anew."""

    def __init__(
        self,
        weak: Any,
        asked: Asked,
        X: FloatArray,
        codes: IntArray,
        n_classes: int,
        rng: np.random.Generator,
    ) -> None:
        self._weak, self._asked, self._X, self._codes = weak, asked, X, codes
        self._n_classes, self._rng = n_classes, rng

    def fit(self, targets: FloatArray, weights: FloatArray) -> tuple[FittedEstimators, FloatArray]:
        """Fit new estimators."""
        numbers = self._asked == "numbers"
        estimators = [
            self._new().fit(self._X, own[0] if numbers else self._codes, sample_weight=w)
            for own, w in zip(targets, weights, strict=True)
        ]
        signed = targets.shape[1] == 1
        fitted = FittedEstimators(estimators, self._asked, self._n_classes, signed)
        return fitted, fitted.means(self._X)

    def _new(self) -> Any:
        from sklearn.base import clone

        from quadrepro.core.learners.contestants.building import build_step, parts, settle

        named = isinstance(self._weak, str | Mapping)
        estimator = build_step(self._weak) if named else clone(self._weak)
        for part in parts(estimator):
            settle(part, int(self._rng.integers(2**31)))
        return estimator


def _paths(weak: Any) -> tuple[str, ...]:
    """Return the import paths of a weak learner that has a name, and of what it holds."""
    if not isinstance(weak, str | Mapping):
        return ()
    from quadrepro.core.learners.contestants.building import paths_in, step_of
    from quadrepro.core.learners.contestants.paths import full_path

    name, parameters = step_of(weak)
    return paths_in(full_path(name), parameters)


def modules_of_weak(weak: Any) -> tuple[str, ...]:
    """Return the modules of a weak learner whose code counts besides the version of a package."""
    paths = _paths(weak)
    if not paths:
        return ()
    from quadrepro.core.learners.contestants.paths import modules_of

    return tuple(name for path in paths for name in modules_of(path))


def packages_of_weak(weak: Any) -> tuple[str, ...]:
    """Return the packages that a weak learner comes from."""
    paths = _paths(weak)
    if not paths:
        return ()
    from quadrepro.core.learners.contestants.paths import distributions_of

    found = (name for path in paths for name in distributions_of(path))
    return tuple(dict.fromkeys(("scipy", "scikit-learn", *found)))


def fault_of_weak(weak: Any, asked: Asked) -> str | None:
    """Return why an estimator cannot be a weak learner, or None if it can."""
    from sklearn.utils.validation import has_fit_parameter

    from quadrepro.core.learners.contestants.building import build_step, fault_of, step_of
    from quadrepro.core.learners.contestants.paths import full_path
    from quadrepro.core.learners.contestants.predictor import task_of

    estimator = weak
    if isinstance(weak, str | Mapping):
        try:
            name, parameters = step_of(weak)
            if wrong := fault_of(full_path(name), parameters):
                return wrong
            estimator = build_step(weak)
        except (KeyError, ValueError) as error:
            return str(error.args[0])
    what = type(estimator).__name__
    wanted = "regression" if asked == "numbers" else "classification"
    if task_of(estimator) != wanted:
        return f"the weak learner must be for {wanted}, but {what} is not"
    if not has_fit_parameter(estimator, "sample_weight"):
        return f"a weak learner must take sample_weight, but {what} does not"
    if asked == "probabilities" and not hasattr(estimator, "predict_proba"):
        return f"the weak learner must give probabilities, but {what} does not"
    return None
