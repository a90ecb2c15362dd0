"""Rounds are those of the algorithms line by line as printed, over scikit-learn's trees."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro import (
    AdaBoostM1Classifier,
    GentleAdaBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
)
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.core.training.contract import Part, TrainingData
from quadrepro.core.training.fitted import FittedOneVsRest, fit
from quadrepro.core.training.grid import Grid

EPS = np.finfo(float).eps


def additive_trees(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, *, real: bool, **size: int
) -> list[FloatArray]:
    """Return the votes of Real AdaBoost by probabilities, or of Gentle AdaBoost by regressions."""
    signs, w = 2 * y - 1, c / c.sum()
    F, found = np.zeros(len(X)), []
    for _ in range(n_rounds):
        if real:
            tree = DecisionTreeClassifier(**size).fit(X, y, w)
            p = np.maximum(tree.predict_proba(X), EPS)
            f = 0.5 * np.log(p[:, 1] / p[:, 0])
        else:
            f = DecisionTreeRegressor(**size).fit(X, signs, w).predict(X)
        w = w * np.exp(-signs * f)
        w /= w.sum()
        F = F + f
        found.append(F)
    return found


def logitboost(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, z_max: float = 4.0, **size: int
) -> list[FloatArray]:
    if y.max() > 1:
        return logitboost_of_classes(X, y, c, n_rounds, z_max, **size)
    F, found = np.zeros(len(y)), []
    for _ in range(n_rounds):
        p = 1 / (1 + np.exp(-2 * F))
        z = np.where(y == 1, np.minimum(1 / p, z_max), -np.minimum(1 / (1 - p), z_max))
        tree = DecisionTreeRegressor(**size)
        tree.fit(X, z, c * (y - p) / z)
        F = F + 0.5 * tree.predict(X)
        found.append(F)
    return found


def logitboost_of_classes(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, z_max: float, **size: int
) -> list[FloatArray]:
    J = y.max() + 1
    F, found = np.zeros((J, len(y))), []
    for _ in range(n_rounds):
        p = np.exp(F) / np.exp(F).sum(axis=0)
        f = np.empty(F.shape)
        for j in range(J):
            z = np.minimum(1 / p[j], z_max)
            z[y != j] = -np.minimum(1 / (1 - p[j]), z_max)[y != j]
            tree = DecisionTreeRegressor(**size)
            tree.fit(X, z, c * ((y == j) - p[j]) / z)
            f[j] = tree.predict(X)
        F = F + (J - 1) / J * (f - f.mean(axis=0))
        found.append(F)
    return found


def first_of_equal(shares: FloatArray) -> IntArray:
    """Return the first class of largest share: repeated reweighting makes many of them equal."""
    return (shares >= shares.max(axis=1, keepdims=True) - 1e-10).argmax(axis=1)


def votes(
    X: Any, y: IntArray, c: FloatArray, n_rounds: int, bonus: float, **size: int
) -> list[FloatArray]:
    """Return SAMME's or M1's votes, for two classes half their difference."""
    K, w = y.max() + 1, c / c.sum()
    total, found = np.zeros((K, len(X))), []
    for _ in range(n_rounds):
        tree = DecisionTreeClassifier(**size).fit(X, y, w)
        voted = first_of_equal(tree.predict_proba(X))
        wrong = voted != y
        error = w[wrong].sum()
        alpha = np.log((1 - error) / error) + bonus
        if alpha <= 1e-10:
            break
        w = w * np.exp(alpha * wrong)
        w /= w.sum()
        total = total + alpha * (voted == np.arange(K)[:, None])
        found.append((total[1] - total[0]) / 2 if K == 2 else total)
    return found


def samme(X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int) -> list[FloatArray]:
    return votes(X, y, c, n_rounds, float(np.log(y.max())), **size)


def adaboost_m1(X: Any, y: IntArray, c: FloatArray, n_rounds: int, **size: int) -> list[FloatArray]:
    return votes(X, y, c, n_rounds, 0.0, **size)


PRINTED: list[tuple[Any, dict[str, float], Callable[..., list[FloatArray]], tuple[int, ...]]] = [
    (RealAdaBoostClassifier, {}, partial(additive_trees, real=True), (2,)),
    (GentleAdaBoostClassifier, {}, partial(additive_trees, real=False), (2,)),
    (LogitBoostClassifier, {}, logitboost, (2, 3)),
    (LogitBoostClassifier, {"z_max": 1.5}, logitboost, (2, 3)),
    (AdaBoostM1Classifier, {}, adaboost_m1, (2, 3)),
    (SAMMEClassifier, {}, samme, (2, 3)),
]
SIZES = [
    ({}, {"max_depth": 1}),
    ({"cuts": 4}, {"max_leaf_nodes": 5}),
    ({"depth": 2}, {"max_depth": 2}),
]


def draw(n_classes: int, seed: int = 0, m: int = 300) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return examples that single precision holds, their classes, and new examples."""
    rng = np.random.default_rng(seed)
    X, new = (rng.normal(size=(n, 4)).astype(np.float32).astype(np.float64) for n in (m, 80))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=m)
    return X, noisy.argsort().argsort() * n_classes // m, new


def weights_of_all(X: FloatArray) -> FloatArray:
    """Return weights that are all different, so that no two examples are as good as one another.

    Two attributes may still set the same examples apart, which shows on other examples alone.
    """
    return np.random.default_rng(9).uniform(0.5, 2.0, len(X))


@pytest.mark.parametrize(("ours", "theirs"), SIZES, ids=str)
@pytest.mark.parametrize(("estimator", "options", "printed", "classes"), PRINTED)
def test_every_round_is_that_of_the_algorithm_as_printed(
    estimator: Any, options: Any, printed: Any, classes: tuple[int, ...], ours: Any, theirs: Any
) -> None:
    for n_classes in classes:
        X, y, _ = draw(n_classes)
        counts = weights_of_all(X)
        expected = printed(X, y, counts, 15, **options, **theirs)
        model = estimator(15, **options, **ours).fit(X, y, counts)
        assert model.n_iter_ == len(expected)
        for found, F in zip(model.staged_decision_function(X), expected, strict=False):
            np.testing.assert_allclose(found.T, F, atol=1e-9)


@pytest.mark.parametrize("z_max", [1.5, 4.0])
def test_mean_probabilities_of_logitboost_are_the_shares_of_rare_classes(z_max: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = np.digitize(X[:, 0] + rng.logistic(size=1000), [2.5, 4.0])
    for labels in (y, y > 0):
        shares = np.unique(labels, return_counts=True)[1] / len(labels)
        assert shares[-1] < 0.2
        means = LogitBoostClassifier(60, z_max=z_max).fit(X, labels).predict_proba(X).mean(axis=0)
        np.testing.assert_allclose(means, shares, atol=5e-3)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_samme_is_that_of_scikit_learn(n_classes: int) -> None:
    X, y, _ = draw(n_classes)
    counts = weights_of_all(X)
    ours = SAMMEClassifier(10, cuts=2).fit(X, y, counts)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=10).fit(X, y, counts)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    staged = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    assert all((a == b).all() for a, b in staged)


@pytest.mark.parametrize("estimator", [SAMMEClassifier, AdaBoostM1Classifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_vote_without_error_decides_alone_and_ends_the_run(
    estimator: Any, n_classes: int
) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 20)
    X = np.column_stack([rng.normal(size=len(y)), y])
    assert estimator(9, cuts=n_classes - 1).fit(X, y).n_iter_ == 1
    noisy = np.column_stack([y + rng.normal(size=len(y)) / 2.5, rng.permutation(len(y))])
    late = estimator(400, depth=5, random_state=0).fit(noisy, y)
    assert 1 < late.n_iter_ < 400
    assert late.estimator_weights_[-1] == 1 + sum(late.estimator_weights_[:-1])
    last = late.estimators_[-1]
    [votes] = last.answers(last.leaves(noisy.T.copy()))
    np.testing.assert_array_equal(late.predict(noisy), votes)


def test_adaboost_m1_ends_before_a_vote_with_an_error_of_a_half() -> None:
    X, y, new = draw(5)
    model = AdaBoostM1Classifier(5).fit(X, y)  # a stump errs on three of five classes
    assert model.n_iter_ == 0
    assert (model.predict(new) == 0).all()
    assert SAMMEClassifier(5).fit(X, y).n_iter_ == 5
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize(
    "name", ["real-adaboost", "gentle-adaboost", "logitboost", "adaboost-m1", "samme"]
)
def test_in_a_config_two_class_algorithms_tell_each_class_from_the_rest(name: str) -> None:
    X, y, new = draw(3)
    learner = ALGORITHMS[name].make({"cuts": 4}).for_task("multiclass")
    train, test, rng = Part(X, y * 1.0), Part(new, np.zeros(80)), lambda _: np.random.default_rng(0)
    data = TrainingData(train, test, None, None, rng, "multiclass", 3)  # type: ignore[arg-type]
    fitted = fit(learner, data, [Grid.from_values({"n_rounds": [3, 20]})])  # type: ignore[arg-type]
    by_rest = name in ("real-adaboost", "gentle-adaboost")
    assert isinstance(fitted, FittedOneVsRest) == by_rest
    outputs = fitted.outputs(1)
    estimator = learner.estimator({"n_rounds": 20}, 0)  # type: ignore[union-attr]
    if by_rest:
        models = [clone(estimator).fit(X, y == k) for k in range(3)]
        expected = np.column_stack([model.decision_function(new) for model in models])
    else:
        expected = estimator.fit(X, y).decision_function(new)
    np.testing.assert_array_equal(outputs.scores.argmax(axis=1), outputs.predicted)
    assert (expected.argmax(axis=1) == outputs.predicted).mean() > 0.95  # equal cuts differ by seed


@st.composite
def rounded(draw: st.DrawFn) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Draw examples with equal values, their classes, whole weights, and an order of all copies."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(draw(st.integers(6, 40)), 3)).round(draw(st.integers(0, 1)))
    y = np.arange(len(X)) % 2
    counts = rng.integers(1, 4, len(X))
    return X, y, counts, rng.permutation(counts.sum())


@settings(max_examples=15)
@given(problem=rounded(), size=st.sampled_from([{}, {"cuts": 3}, {"depth": 3}]))
@pytest.mark.parametrize("estimator", [row[0] for row in PRINTED if not row[1]])
def test_whole_weights_are_repeated_rows_in_any_order_to_the_last_bit(
    problem: tuple[FloatArray, IntArray, IntArray, IntArray], size: dict[str, int], estimator: Any
) -> None:
    X, y, counts, order = problem
    weighted = estimator(30, **size).fit(X, y, counts)
    repeated = estimator(30, **size).fit(X.repeat(counts, axis=0)[order], y.repeat(counts)[order])
    np.testing.assert_array_equal(weighted.decision_function(X), repeated.decision_function(X))


def test_any_estimator_with_weights_can_be_the_weak_learner_with_a_seed_for_each_round() -> None:
    X, y, new = draw(2)
    tree = DecisionTreeRegressor(max_leaf_nodes=4)
    given, own = (
        GentleAdaBoostClassifier(6, random_state=0, **size).fit(X, y).decision_function(X)
        for size in ({"weak": tree}, {"cuts": 3})
    )
    np.testing.assert_allclose(given, own, atol=1e-9)
    assert RealAdaBoostClassifier(6, weak=LogisticRegression()).fit(X, y).n_iter_ == 6
    weak = DecisionTreeClassifier(max_depth=2, max_features=1)
    first, second = (SAMMEClassifier(6, weak=weak, random_state=3).fit(X, y) for _ in range(2))
    assert len({of_round.random_state for [of_round] in first.estimators_}) == 6
    assert (first.decision_function(new) == second.decision_function(new)).all()
    assert weak.random_state is None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("samme", {"weak": "sklearn:KNeighborsClassifier"}, "must take sample_weight, but KN"),
        ("samme", {"weak": "DecisionTreeRegressor"}, "must be for classification, but Dec"),
        ("gentle-adaboost", {"weak": "DecisionTreeClassifier"}, "must be for regression, but"),
        ("real-adaboost", {"weak": "LinearSVC"}, "must give probabilities, but LinearSVC"),
        ("samme", {"weak": "DecisionTreeClassifier", "cuts": 3}, "leave out cuts and depth"),
        ("samme", {"cuts": 0}, "'cuts' parameter of SAMMEClassifier must be an int in the range"),
        ("logitboost", {"depth": 2, "cuts": 2}, "depth replaces cuts"),
        ("logitboost", {"z_max": 0.5}, "'z_max' parameter of LogitBoostClassifier must be a fl"),
        ("samme", {"z_max": 4.0}, "SAMMEClassifier has no parameter 'z_max'"),
    ],
)
def test_impossible_settings_are_refused_by_name(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ALGORITHMS[name].make(options)


@pytest.mark.parametrize("estimator", [row[0] for row in PRINTED if not row[1]])
def test_many_rounds_after_the_last_training_error_leave_decisions_finite(estimator: Any) -> None:
    X, y, new = draw(2, m=40)
    model = estimator(200, depth=4).fit(X, y)  # weights fall below the smallest numbers
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.decision_function(new)).all()
