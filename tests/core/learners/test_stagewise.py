from __future__ import annotations

from typing import Any

import numpy as np
import pytest
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
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.learners.trainers import OneVsRest, trainer_of
from tests.core.learners import stagewise_transcriptions as transcriptions

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
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    staged = zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True)
    assert all((a == b).all() for a, b in staged)


@pytest.mark.parametrize("z_max", [1.5, 4.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_logitboost_clips_z(z_max: float, n_classes: int) -> None:
    X, y, _ = draw(n_classes)
    counts = weights_of_all(X)
    found = LogitBoostClassifier(30, z_max=z_max).fit(X, y, counts).decision_function(X)
    expected = transcriptions.logitboost(X, y, counts, 30, z_max, max_depth=1)[-1]
    np.testing.assert_allclose(found.T, expected, atol=1e-9)


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
    [last] = late.estimators_[-1]
    np.testing.assert_array_equal(late.predict(noisy), last.predict(noisy))


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
    signs, learner = np.where(y == 1, 1.0, -1.0), ALGORITHMS[name].make({"depth": 6})
    rounds = [1, 4, 30]

    def found(axis: list[int]) -> FloatArray:
        rng = np.random.default_rng(0)
        return learner.predictions(X, signs, [Grid.of({"n_rounds": axis})], new, rng)  # type: ignore[union-attr]

    np.testing.assert_array_equal(found(rounds), np.concatenate([found([T]) for T in rounds]))


@pytest.mark.parametrize("name", NAMES)
def test_in_a_config_two_class_algorithms_tell_each_class_from_the_rest(name: str) -> None:
    X, y, new = draw(3)
    learner = ALGORITHMS[name].make({"cuts": 4}).for_task("multiclass")
    train, test, rng = Part(X, y * 1.0), Part(new, np.zeros(80)), lambda _: np.random.default_rng(0)
    data = TrainingData(train, test, None, None, rng, "multiclass", 3)  # type: ignore[arg-type]
    trainer = trainer_of(learner, data, [Grid.of({"n_rounds": [3, 20]})])  # type: ignore[arg-type]
    by_rest = name in ("real-adaboost", "gentle-adaboost")
    assert isinstance(trainer, OneVsRest) == by_rest
    fitted = trainer.outputs(1)
    estimator = learner.estimator({"n_rounds": 20}, 0)  # type: ignore[union-attr]
    if by_rest:
        models = [clone(estimator).fit(X, y == k) for k in range(3)]
        expected = np.column_stack([model.decision_function(new) for model in models])
    else:
        expected = estimator.fit(X, y).decision_function(new)
    assert fitted.scores is not None
    np.testing.assert_array_equal(fitted.scores.argmax(axis=1), fitted.predicted)
    assert (expected.argmax(axis=1) == fitted.predicted).mean() > 0.95  # equal cuts differ by seed


def test_any_estimator_with_weights_can_be_the_weak_learner() -> None:
    X, y, new = draw(2)
    tree = DecisionTreeRegressor(max_leaf_nodes=4)
    given, own = (
        GentleAdaBoostClassifier(6, random_state=0, **size).fit(X, y).decision_function(new)
        for size in ({"weak": tree}, {"cuts": 3})
    )
    np.testing.assert_array_equal(given, own)
    assert RealAdaBoostClassifier(6, weak=LogisticRegression()).fit(X, y).n_iter_ == 6


def test_seeds_of_weak_learners_differ_from_round_to_round_and_are_the_same_twice() -> None:
    X, y, new = draw(2)
    weak = DecisionTreeClassifier(max_depth=2, max_features=1)
    first, second = (SAMMEClassifier(6, weak=weak, random_state=3).fit(X, y) for _ in range(2))
    assert len({of_round.random_state for [of_round] in first.estimators_}) == 6
    assert (first.decision_function(new) == second.decision_function(new)).all()
    assert weak.random_state is None


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("samme", {"weak": "sklearn:KNeighborsClassifier"}, "must take sample_weight, but KN"),
    ("samme", {"weak": "DecisionTreeRegressor"}, "must be for classification, but Dec"),
    ("gentle-adaboost", {"weak": "DecisionTreeClassifier"}, "must be for regression, but"),
    ("real-adaboost", {"weak": "LinearSVC"}, "must give probabilities, but LinearSVC"),
    ("samme", {"weak": {"DecisionTreeClassifier": {"max_dept": 2}}}, "did you mean 'max_depth'"),
    ("samme", {"weak": "os:system"}, "unknown module 'os'"),
    ("samme", {"weak": "DecisionTreeClassifier", "cuts": 3}, "leave out cuts and depth"),
    ("samme", {"cuts": 0}, "'cuts' parameter of SAMMEClassifier must be an int in the range"),
    ("logitboost", {"depth": 2, "cuts": 2}, "depth replaces cuts"),
    ("logitboost", {"z_max": 0.5}, "'z_max' parameter of LogitBoostClassifier must be a float"),
    ("samme", {"z_max": 4.0}, "SAMMEClassifier has no parameter 'z_max'"),
]


@pytest.mark.parametrize(("name", "settings", "message"), REFUSED)
def test_impossible_settings_are_refused_by_name(
    name: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ALGORITHMS[name].make(settings)


def test_a_weak_learners_code_and_packages_count() -> None:
    own = ALGORITHMS["samme"].make({})
    weak = ALGORITHMS["samme"].make({"weak": "lightgbm:LGBMClassifier"})
    assert own.packages == ("scipy", "scikit-learn")
    assert weak.packages == ("scipy", "scikit-learn", "lightgbm")
    assert own.modules == weak.modules
    assert "quadrepro.core.learners.stagewise" in own.modules
    assert own.content != weak.content


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="y holds 1 class"):
        SAMMEClassifier().fit(np.zeros((4, 1)), np.zeros(4))
