from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quadrepro import (
    AdaBoostM1Classifier,
    GentleAdaBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
)
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.registry import ALGORITHMS
from tests.core.learners.stagewise import transcriptions
from tests.loops import set_compiled

TWO = {
    RealAdaBoostClassifier: transcriptions.real_adaboost,
    GentleAdaBoostClassifier: transcriptions.gentle_adaboost,
}
MANY = {
    LogitBoostClassifier: transcriptions.logitboost,
    AdaBoostM1Classifier: transcriptions.adaboost_m1,
    SAMMEClassifier: transcriptions.samme,
}
PAIRS = [(a, t, 2) for a, t in {**TWO, **MANY}.items()] + [(a, t, 3) for a, t in MANY.items()]
NAMES = ["real-adaboost", "gentle-adaboost", "logitboost", "adaboost-m1", "samme"]
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
@pytest.mark.parametrize(("estimator", "printed", "n_classes"), PAIRS)
def test_every_round_is_that_of_the_algorithm_as_printed(
    estimator: Any, printed: Any, n_classes: int, ours: Any, theirs: Any
) -> None:
    X, y, _ = draw(n_classes)
    counts = weights_of_all(X)
    expected = printed(X, y, counts, 12, **theirs)
    model = estimator(12, **ours).fit(X, y, counts)
    assert model.n_iter_ == len(expected)
    for found, F in zip(model.staged_decision_function(X), expected, strict=False):
        np.testing.assert_allclose(found.T, F, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_samme_is_that_of_scikit_learn(n_classes: int) -> None:
    X, y, _ = draw(n_classes)
    counts = weights_of_all(X)
    ours = SAMMEClassifier(10, cuts=2).fit(X, y, counts)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=10).fit(X, y, counts)
    weights = [addition.weight for addition in ours.rounds_]
    np.testing.assert_allclose(weights, theirs.estimator_weights_, rtol=1e-9)
    staged = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    assert all((a == b).all() for a, b in staged)


@pytest.mark.parametrize(("estimator", "printed", "n_classes"), PAIRS)
def test_trees_of_scikit_learn_as_weak_learners_give_the_same(
    estimator: Any, printed: Any, n_classes: int
) -> None:
    X, y, _ = draw(n_classes)
    counts = weights_of_all(X)
    expected = printed(X, y, counts, 6, max_leaf_nodes=4)
    numbers = estimator in (GentleAdaBoostClassifier, LogitBoostClassifier)
    tree = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(max_leaf_nodes=4)
    for weak in (tree, {type(tree).__name__: {"max_leaf_nodes": 4}}):
        found = estimator(6, weak=weak).fit(X, y, counts).decision_function(X)
        np.testing.assert_allclose(found.T, expected[-1], atol=1e-9)


def best_stump(X: FloatArray, y: FloatArray, w: FloatArray) -> tuple[int, float]:
    """Return the stump of least weighted squared error by trying all."""
    errors = {}
    for j, column in enumerate(X.T):
        values = np.unique(column)
        for low, high in pairwise(values):
            right = column > low
            fitted = sum(
                (w[s] * (y[s] - np.average(y[s], weights=w[s])) ** 2).sum() for s in (right, ~right)
            )
            errors[j, (low + high) / 2] = fitted
    return min(errors, key=lambda cut: errors[cut])


def test_gentle_adaboosts_stumps_are_the_best_of_all() -> None:
    X, y, _ = draw(2, 2, 60)
    signs, model = 2.0 * y - 1, GentleAdaBoostClassifier(8).fit(X, y)
    F = np.zeros(60)
    for addition in model.rounds_:
        trees: Any = addition.fitted
        found = int(trees.features[0, 0]), float(trees.thresholds[0, 0])
        assert found == best_stump(X, signs, np.exp(-signs * F))
        F += addition.to(X)[0]


def test_a_newton_step_of_logitboost_by_hand() -> None:
    X, y = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    # p = 1/2, w = 1/4, z = ±2: the leaves are -2/3 and 2, and F takes half of them.
    model = LogitBoostClassifier(2).fit(X, y)
    first, second = model.staged_decision_function([[0.0], [1.0]])
    np.testing.assert_allclose(first, [-1 / 3, 1.0], rtol=1e-14)
    p = 1 / (1 + np.exp(2 / 3))
    step = (2 * (-p) + (1 - p)) / (3 * p * (1 - p))  # Σ (y* - p) / Σ p (1 - p)
    np.testing.assert_allclose(second[0], -1 / 3 + step / 2, rtol=1e-12)
    np.testing.assert_allclose(second[1], 1 + (1 + np.exp(-2)) / 2, rtol=1e-12)


@pytest.mark.parametrize("z_max", [1.5, 4.0])
def test_logitboost_clips_z(z_max: float) -> None:
    X, y, _ = draw(2)
    counts = weights_of_all(X)
    found = LogitBoostClassifier(30, z_max=z_max).fit(X, y, counts).decision_function(X)
    expected = transcriptions.logitboost(X, y, counts, 30, z_max, max_depth=1)[-1]
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("estimator", [SAMMEClassifier, AdaBoostM1Classifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_vote_without_error_decides_alone_and_ends_the_run(
    estimator: Any, n_classes: int
) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), 20)
    X = np.column_stack([rng.normal(size=len(y)), y])
    model = estimator(9, cuts=n_classes - 1).fit(X, y)
    assert model.n_iter_ == 1
    noisy = np.column_stack([y + rng.normal(size=len(y)) / 2.5, rng.permutation(len(y))])
    late = estimator(400, depth=5).fit(noisy, y)
    assert 1 < late.n_iter_ < 400
    weights = [addition.weight for addition in late.rounds_]
    assert weights[-1] == 1 + sum(weights[:-1])
    answers = late.rounds_[-1].to(noisy)
    last = answers.argmax(axis=0) if n_classes > 2 else answers[0] > 0
    np.testing.assert_array_equal(late.predict(noisy), last)


def test_adaboost_m1_ends_before_a_vote_with_an_error_of_a_half() -> None:
    X, y, new = draw(5)
    model = AdaBoostM1Classifier(5).fit(X, y)  # a stump errs on three of five classes
    assert model.n_iter_ == 0
    assert (model.predict(new) == 0).all()
    assert SAMMEClassifier(5).fit(X, y).n_iter_ == 5
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("name", NAMES)
def test_one_run_serves_all_numbers_of_rounds_and_later_ones_after_its_end(name: str) -> None:
    X, y, new = draw(2)
    signs, rng = np.where(y == 1, 1.0, -1.0), np.random.default_rng(0)
    learner = ALGORITHMS.find(name).make({"depth": 6})
    rounds = [1, 4, 30]
    together = learner.predictions(X, signs, [Grid.of({"n_rounds": rounds})], new, rng)  # type: ignore[attr-defined]
    for T, scores in zip(rounds, together, strict=True):
        alone = learner.predictions(X, signs, [Grid.of({"n_rounds": [T]})], new, rng)  # type: ignore[attr-defined]
        assert alone.tobytes() == scores.tobytes()


@pytest.mark.parametrize("name", ["logitboost", "adaboost-m1", "samme"])
def test_classes_that_the_training_part_lacks_have_no_score(name: str) -> None:
    X, y, new = draw(3)
    codes = np.array([1.0, 3.0, 4.0])[y]
    learner = ALGORITHMS.find(name).make({"cuts": 4}).for_task("multiclass")
    for kept in (y >= 0, y < 2, y == 2):
        part, rng = Part(X[kept], codes[kept]), lambda name: np.random.default_rng(0)
        data = TrainingData(part, part, None, None, rng, "multiclass", 6)  # type: ignore[arg-type]
        found = learner.outputs(data, {"n_rounds": 5}, new)  # type: ignore[union-attr]
        seen = np.unique(codes[kept]).astype(int)
        assert set(found.predicted) <= set(seen)
        assert (np.isfinite(found.scores).all(axis=0) == np.isin(np.arange(6), seen)).all()
        largest = seen[found.scores[:, seen].argmax(axis=1)]
        np.testing.assert_array_equal(largest, found.predicted)
        if found.probabilities is not None:
            np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
            assert (found.probabilities[:, seen] > 0).all()
        grid = Grid.of({"n_rounds": [5]})
        predicted = learner.predictions(*part, [grid], new, rng("all"))  # type: ignore[union-attr]
        np.testing.assert_array_equal(predicted[0], found.predicted)


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [*TWO, *MANY])
def test_compiled_and_plain_loops_give_the_same_bits(
    estimator: Any, n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if n_classes > 2 and estimator in TWO:
        pytest.skip("two classes only")
    X, y, new = draw(n_classes, 3)
    X[:, 0] = np.round(X[:, 0])
    weights = np.random.default_rng(1).exponential(size=len(y))

    def found() -> bytes:
        model = estimator(12, depth=3).fit(X, y, weights)
        return bytes(np.array(list(model.staged_decision_function(new))).tobytes())

    set_compiled(monkeypatch, True)
    compiled = found()
    set_compiled(monkeypatch, False)
    assert found() == compiled


@pytest.mark.parametrize(
    "estimator", [RealAdaBoostClassifier, LogitBoostClassifier, SAMMEClassifier]
)
def test_probabilities_are_near_the_truth(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (4000, 1)).astype(float)
    truth = np.array([0.1, 0.4, 0.6, 0.8])[X[:, 0].astype(int)]
    y = (rng.random(4000) < truth).astype(int)
    model = estimator(200)
    if estimator is LogitBoostClassifier:
        model.set_params(z_max=100.0)  # clipped targets exaggerate probabilities
    found = model.fit(X, y).predict_proba(X)[:, 1]
    shares = np.array([y[X[:, 0] == v].mean() for v in range(4)])
    np.testing.assert_allclose(found, shares[X[:, 0].astype(int)], atol=0.1)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("samme", {"weak": "sklearn:KNeighborsClassifier"}, "must take sample_weight, but KN"),
        ("samme", {"weak": "DecisionTreeRegressor"}, "must be for classification, but Dec"),
        ("gentle-adaboost", {"weak": "DecisionTreeClassifier"}, "must be for regression, but"),
        ("real-adaboost", {"weak": "LinearSVC"}, "must give probabilities, but LinearSVC"),
        ("samme", {"weak": {"DecisionTreeClassifier": {"max_dept": 2}}}, "max_dept"),
        ("samme", {"weak": "os:system"}, "os"),
        ("samme", {"weak": "no_such_package:Tree"}, "no_such_package"),
        ("samme", {"weak": "DecisionTreeClassifier", "cuts": 3}, "leave out cuts and depth"),
        ("samme", {"cuts": 0}, "cuts must be a whole number from 1"),
        ("logitboost", {"depth": 2, "cuts": 2}, "depth replaces cuts"),
        ("logitboost", {"z_max": 0.5}, "z_max must be between 1 and"),
    ],
)
def test_impossible_settings_are_refused_by_name(name: str, settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ALGORITHMS.find(name).make(settings)


def test_a_weak_learners_code_and_packages_count() -> None:
    own = ALGORITHMS.find("samme").make({})
    weak = ALGORITHMS.find("samme").make({"weak": "lightgbm:LGBMClassifier"})
    assert own.packages == ()
    assert {"scipy", "scikit-learn", "lightgbm"} <= {*weak.packages}
    assert own.content != weak.content


def test_two_class_learners_refuse_more() -> None:
    X, y, _ = draw(3)
    with pytest.raises(ValueError, match="y holds 3 classes, not 2"):
        RealAdaBoostClassifier().fit(X, y)
    with pytest.raises(ValueError, match="y holds 1 class, not 2"):
        SAMMEClassifier().fit(X, np.zeros(len(y)))


def test_seeds_of_weak_learners_differ_from_round_to_round_and_are_the_same_twice() -> None:
    X, y, new = draw(2)
    weak = DecisionTreeClassifier(max_depth=2, max_features=1)
    first, second = (SAMMEClassifier(6, weak=weak).fit(X, y) for _ in range(2))
    seeds = [addition.fitted.estimators[0].random_state for addition in first.rounds_]  # type: ignore[attr-defined]
    assert len(set(seeds)) == 6
    assert (first.decision_function(new) == second.decision_function(new)).all()
    assert weak.random_state is None
