from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from quadrepro._typing import FloatArray
from quadrepro.learners.grid import Grid
from quadrepro.learners.sklearn_predictor import SklearnPredictor, estimator_classes, sklearn_entry

Examples = tuple[FloatArray, FloatArray, FloatArray]


@pytest.fixture
def examples() -> Examples:
    draws = np.random.default_rng(4)
    X = draws.normal(size=(90, 4))
    return X, np.where(X[:, 0] * X[:, 1] + draws.normal(0, 0.5, 90) > 0, 1.0, -1.0), X[::-1] + 0.1


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_predicts_what_the_estimator_itself_predicts(examples: Examples) -> None:
    X, y, X_new = examples
    grid = Grid.of({"C": [0.1, 10.0], "kernel": ["rbf", "linear"]})
    found = SklearnPredictor("SVC", {"gamma": 0.5}).predictions(X, y, grid, X_new, rng())
    for row, candidate in zip(found, grid.candidates, strict=True):
        np.testing.assert_array_equal(row, SVC(gamma=0.5, **candidate).fit(X, y).predict(X_new))


def test_numbers_are_predicted_as_the_estimator_predicts_them(examples: Examples) -> None:
    X, y, X_new = examples
    grid = Grid.of({"alpha": [0.1, 10.0]})
    found = SklearnPredictor("Ridge").predictions(X, y, grid, X_new, rng())
    expected = [Ridge(alpha=a).fit(X, y).predict(X_new) for a in (0.1, 10.0)]
    np.testing.assert_array_equal(found, expected)


def forest(examples: Examples, seed: int, **settings: Any) -> FloatArray:
    X, y, X_new = examples
    predictor = SklearnPredictor("RandomForestClassifier", {"n_estimators": 3, **settings})
    return predictor.predictions(X, y, Grid.of({"max_depth": [8]}), X_new, rng(seed))[0]


def test_chance_comes_from_the_generator_alone(examples: Examples) -> None:
    np.testing.assert_array_equal(forest(examples, 1), forest(examples, 1))
    assert len({forest(examples, seed).tobytes() for seed in range(5)}) > 1


def test_a_random_state_that_is_given_is_kept(examples: Examples) -> None:
    X, y, X_new = examples
    expected = RandomForestClassifier(3, max_depth=8, random_state=11).fit(X, y).predict(X_new)
    for seed in range(3):
        np.testing.assert_array_equal(forest(examples, seed, random_state=11), expected)


@pytest.mark.parametrize(("name", "task"), [("SVC", "classification"), ("Ridge", "regression")])
def test_an_estimator_does_the_task_of_its_kind_and_no_other(name: str, task: str) -> None:
    predictor = sklearn_entry(name).make({})
    for other in ("classification", "regression"):
        assert predictor.for_task(other) is (predictor if other == task else None)


def test_an_estimator_that_needs_another_is_not_offered() -> None:
    offered = estimator_classes()
    assert {"RandomForestClassifier", "BaggingClassifier", "SVR"} <= offered.keys()
    assert offered.keys().isdisjoint(
        {"VotingClassifier", "StackingRegressor", "OneVsOneClassifier"}
    )
    with pytest.raises(KeyError, match="no classifier or regressor 'VotingClassifier'"):
        sklearn_entry("VotingClassifier")


def test_every_value_of_an_axis_is_put_to_the_estimator() -> None:
    known = {h.name: h for h in SklearnPredictor("SVC").hyperparameters}
    assert known["C"].fault([1, 2.5]) is None
    assert known["kernel"].fault(["rbf", "poly"]) is None
    assert "'kernel' parameter of SVC must be" in str(known["kernel"].fault(["rbf", "pol"]))


def test_what_results_depend_on_is_part_of_the_contestant() -> None:
    import sklearn

    predictor = sklearn_entry("SVC").make({"C": 2.0})
    assert (predictor.name, predictor.settings) == ("SVC", {"C": 2.0})
    assert predictor.release == sklearn.__version__
