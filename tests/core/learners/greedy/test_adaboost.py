from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost

from quadrepro import AdaBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid

Problem = tuple[FloatArray, FloatArray]

small_problems = st.tuples(
    arrays(np.float64, (9, 5), elements=st.sampled_from([-1.0, 1.0])),
    arrays(np.float64, 9, elements=st.sampled_from([-1.0, 1.0])),
)


def lecture(H: FloatArray, y: FloatArray, n_rounds: int) -> tuple[FloatArray, list[float]]:
    """AdaBoost as section 4 of the lecture reads, over voters and their complements."""
    m, n = H.shape
    w, weights, errors = np.ones(m), np.zeros(n), []
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
        errors.append(float(epsilon))
    return weights, errors


@settings(max_examples=150)
@given(small_problems, st.integers(1, 12))
def test_weights_are_the_lectures(problem: Problem, n_rounds: int) -> None:
    found = AdaBoost().path(*problem, Grid.of({"n_rounds": [n_rounds]}))[0]
    np.testing.assert_allclose(found, lecture(*problem, n_rounds)[0], atol=1e-7)


@settings(max_examples=150)
@given(small_problems, st.integers(1, 30))
def test_training_error_is_below_the_product_bound(problem: Problem, n_rounds: int) -> None:
    H, y = problem
    weights = AdaBoost().path(H, y, Grid.of({"n_rounds": [n_rounds]}))
    _, epsilons = lecture(H, y, n_rounds)
    # sign(0) = +1 in the lecture; an error is counted in either convention when the vote is even.
    error = (y * (H @ weights[0]) <= 1e-12).mean()
    if epsilons:
        product = np.prod([2 * np.sqrt(e * (1 - e)) for e in epsilons])
        gamma = 0.5 - max(epsilons)
        assert error <= product + 1e-9
        assert product <= np.exp(-2 * gamma**2 * len(epsilons)) + 1e-9


def test_a_perfect_voter_is_the_whole_vote(problem: Problem) -> None:
    H, y = problem
    H = np.column_stack([H, -y])
    weights = AdaBoost().path(H, y, Grid.of({"n_rounds": [1, 50]}))
    expected = np.zeros((2, H.shape[1]))
    expected[:, -1] = -1
    np.testing.assert_array_equal(weights, expected)


def test_without_an_edge_the_vote_is_empty_and_nothing_is_nan() -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    assert AdaBoost().path(H, y, Grid.of({"n_rounds": [10]})).tolist() == [[0.0]]


def test_nested_rounds_are_separate_fits(make_problem: Callable[..., Problem]) -> None:
    problem = make_problem(m=120, n=20)
    path = AdaBoost().path(*problem, Grid.of({"n_rounds": [1, 10, 100, 1000]}))
    for t, weights in zip([1, 10, 100, 1000], path, strict=True):
        alone = AdaBoost().path(*problem, Grid.of({"n_rounds": [t]}))[0]
        np.testing.assert_array_equal(weights, alone)


def test_merged_voters_and_examples_give_the_weights_of_the_plain_problem(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=40, n=6)
    twice = np.vstack([H, H]), np.concatenate([y, y])
    grid = Grid.of({"n_rounds": [3, 30, 300]})
    plain = AdaBoost().path(H, y, grid)
    np.testing.assert_allclose(AdaBoost().path(*twice, grid), plain, atol=1e-9)
    doubled = AdaBoost().path(np.hstack([H, -H]), y, grid)
    np.testing.assert_array_equal(doubled[:, :6], plain)
    assert not doubled[:, 6:].any()


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
