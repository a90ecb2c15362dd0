from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost

from quadrepro import AdaBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from tests.core.learners.greedy.problems import small_problems

Problem = tuple[FloatArray, FloatArray]


def lecture(H: FloatArray, y: FloatArray, n_rounds: int) -> FloatArray:
    """AdaBoost as section 4 of the lecture reads, over voters and their complements."""
    m, n = H.shape
    w, weights = np.ones(m), np.zeros(n)
    for _ in range(n_rounds):
        p = w / w.sum()
        # Rounded, so that errors equal but for rounding tie to the lowest index.
        wrong = np.round([[p[s * H[:, j] != y].sum() for s in (1, -1)] for j in range(n)], 11)
        j = int(wrong.min(axis=1).argmin())
        sign = 1 if wrong[j, 0] <= wrong[j, 1] else -1
        epsilon = p[sign * H[:, j] != y].sum()
        if epsilon == 0:
            weights[j] += sign
            break
        if epsilon > 0.5 - 1e-9:
            break
        alpha = 0.5 * np.log(1 / epsilon - 1)
        w = w * np.exp(-alpha * y * sign * H[:, j])
        weights[j] += sign * alpha
    return weights


@settings(max_examples=150)
@given(small_problems, st.integers(1, 12))
def test_weights_are_the_lectures(problem: Problem, n_rounds: int) -> None:
    found = AdaBoost().path(*problem, Grid.of({"n_rounds": [n_rounds]}))[0]
    np.testing.assert_allclose(found, lecture(*problem, n_rounds), atol=1e-7)


class LeastError(ClassifierMixin, BaseEstimator):
    """The weak learner of the lecture: the column, or its negative, of least weighted error."""

    def fit(self, X: FloatArray, y: FloatArray, sample_weight: FloatArray) -> LeastError:
        self.classes_ = np.unique(y)
        edges = np.round((sample_weight * y) @ X, 11)
        self.voter_ = int(np.abs(edges).argmax())
        self.sign_ = np.sign(edges[self.voter_])
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.sign_ * X[:, self.voter_])


def test_agrees_with_scikit_learn_up_to_its_factor_of_two(
    make_problem: Callable[..., Problem],
) -> None:
    # scikit-learn's weights lack the factor 1/2. Its own stumps minimise an impurity and not the
    # weighted error, so it is given the lecture's weak learner.
    H, y = make_problem(m=301, n=8, seed=5)
    ours = AdaBoostClassifier(40, voters="precomputed").fit(H, y)
    theirs = SklearnAdaBoost(LeastError(), n_estimators=40).fit(H, y)
    weights = np.zeros(8)
    for weak, weight in zip(theirs.estimators_, theirs.estimator_weights_, strict=True):
        weights[weak.voter_] += weak.sign_ * weight / 2
    np.testing.assert_allclose(ours.voter_weights_, weights, rtol=1e-9)


def test_real_valued_voters_are_refused() -> None:
    with pytest.raises(ValueError, match=r"values -1 and \+1"):
        AdaBoost().path(np.array([[0.5], [1.0]]), np.array([1.0, -1.0]), Grid.of({"n_rounds": [1]}))
