"""Weak learners that are fitted in every round: weighted trees, or any estimator with weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.old_gradient.trees import GrownTrees
from quadrepro.core.learners.old_gradient.weighted_trees import WeightedTreeFitter

if TYPE_CHECKING:
    from quadrepro.core.learners.learner import Learner

LEAST_SHARE = 1.001e-9
"""Least share of the total weight in a leaf, above the slack of 1e-9: that of less would be lost in
rounding."""

WeakName = str | dict[str, Any]
"""Name or import path of an estimator, or a mapping of one to its parameters."""

Asked = Literal["classes", "probabilities", "numbers"]
"""What a rule asks of a weak learner."""


@dataclass(frozen=True, eq=False)
class FittedEstimators:
    """Estimators, one for each fit."""

    estimators: Sequence[Any]
    asked: Asked
    n_classes: int
    signed: bool
    """Whether the only target is -1 and +1."""

    def means(self, X: FloatArray) -> FloatArray:
        """Return numbers, or for each class 1 for the examples it is predicted of, or its share."""
        if self.asked == "numbers":
            return np.array([estimator.predict(X) for estimator in self.estimators], np.float64)
        [estimator] = self.estimators
        means = np.zeros((self.n_classes, len(X)))
        if self.asked == "classes":
            means[estimator.predict(X).astype(np.intp), np.arange(len(X))] = 1.0
        else:
            means[estimator.classes_.astype(np.intp)] = estimator.predict_proba(X).T
        return means[1:] - means[:1] if self.signed else means


@dataclass(frozen=True, eq=False)
class WeakEstimators:
    """Estimators with scikit-learn's interface, new ones in every round."""

    weak: Any
    asked: Asked
    X: FloatArray
    codes: IntArray
    n_classes: int
    rng: np.random.Generator

    def fit(self, targets: FloatArray, weights: FloatArray) -> tuple[FittedEstimators, FloatArray]:
        """Fit new estimators; return them and their means on the examples."""
        numbers = self.asked == "numbers"
        estimators = [
            self._new().fit(self.X, own[0] if numbers else self.codes, sample_weight=w)
            for own, w in zip(targets, weights, strict=True)
        ]
        fitted = FittedEstimators(estimators, self.asked, self.n_classes, targets.shape[1] == 1)
        return fitted, fitted.means(self.X)

    def _new(self) -> Any:
        from quadrepro.core.learners.contestants.building import parts, settle

        estimator = _unfitted(self.weak)
        for part in parts(estimator):
            settle(part, int(self.rng.integers(2**31)))
        return estimator


WeakFit = GrownTrees | FittedEstimators
"""What was fitted to the targets of a round; its `means` are those of the targets."""

Weak = Callable[[FloatArray, FloatArray], tuple[WeakFit, FloatArray]]
"""Fits to targets, (n_fits, n_targets, n_examples), with weights, (n_fits, n_examples); returns
what was fitted, and the means on the examples."""


def weak_trees(X: FloatArray, cuts: int, depth: int | None) -> Weak:
    """Return what grows trees of our own."""
    fitter = WeightedTreeFitter(X, np.ones(len(X)), cuts, depth, LEAST_SHARE)

    def fit(targets: FloatArray, weights: FloatArray) -> tuple[GrownTrees, FloatArray]:
        trees, leaves = fitter.grow(targets, weights)
        return trees, trees.answers(leaves)

    return fit


def _unfitted(weak: Any) -> Any:
    from sklearn.base import clone

    from quadrepro.core.learners.contestants.building import build_step

    return build_step(weak) if isinstance(weak, str | Mapping) else clone(weak)


def contestant(weak: Any) -> Learner | None:
    """Return what a name in a config stands for; None for an estimator itself, or no weak learner.

    Raises
    ------
    ValueError
        If a config may not name it, or gives it unknown or invalid parameters.
    """
    if not isinstance(weak, str | Mapping):
        return None
    from quadrepro.core.learners.contestants.building import step_of
    from quadrepro.core.learners.contestants.paths import full_path
    from quadrepro.core.learners.contestants.predictor import estimator_entry

    name, parameters = step_of(weak)
    return estimator_entry(full_path(name)).make(parameters)


def check_weak(weak: Any, asked: Asked) -> None:
    """Raise ValueError unless a name, or an estimator, can be a weak learner."""
    from sklearn.utils.validation import has_fit_parameter

    from quadrepro.core.learners.contestants.predictor import task_of

    contestant(weak)
    estimator = _unfitted(weak)
    what, task = type(estimator).__name__, "regression" if asked == "numbers" else "classification"
    if task_of(estimator) != task:
        raise ValueError(f"the weak learner must be for {task}, but {what} is not")
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"the weak learner must take sample_weight, but {what} does not")
    if asked == "probabilities" and not hasattr(estimator, "predict_proba"):
        raise ValueError(f"the weak learner must give probabilities, but {what} does not")
