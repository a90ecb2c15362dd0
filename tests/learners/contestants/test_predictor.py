from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from quadrepro._typing import FloatArray
from quadrepro.learners.contestants.predictor import (
    EstimatorPredictor,
    estimator_classes,
    nested_predictions,
    size_name,
    sklearn_entry,
)
from quadrepro.learners.grid import Grid

Examples = tuple[FloatArray, FloatArray, FloatArray]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of HistGradientBoosting would wait for each other on so few examples."""
    with threadpool_limits(limits=1):
        yield


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
    found = EstimatorPredictor("SVC", {"gamma": 0.5}).predictions(X, y, grid, X_new, rng())
    for row, candidate in zip(found, grid.candidates, strict=True):
        np.testing.assert_array_equal(row, SVC(gamma=0.5, **candidate).fit(X, y).predict(X_new))


def test_numbers_are_predicted_as_the_estimator_predicts_them(examples: Examples) -> None:
    X, y, X_new = examples
    grid = Grid.of({"alpha": [0.1, 10.0]})
    found = EstimatorPredictor("Ridge").predictions(X, y, grid, X_new, rng())
    expected = [Ridge(alpha=a).fit(X, y).predict(X_new) for a in (0.1, 10.0)]
    np.testing.assert_array_equal(found, expected)


def forest(examples: Examples, seed: int, **settings: Any) -> FloatArray:
    X, y, X_new = examples
    predictor = EstimatorPredictor("RandomForestClassifier", {"n_estimators": 3, **settings})
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
    known = {h.name: h for h in EstimatorPredictor("SVC").hyperparameters}
    assert known["C"].fault([1, 2.5]) is None
    assert known["kernel"].fault(["rbf", "poly"]) is None
    assert "'kernel' parameter of SVC must be" in str(known["kernel"].fault(["rbf", "pol"]))


def test_what_results_depend_on_is_part_of_the_contestant() -> None:
    predictor = sklearn_entry("SVC").make({"C": 2.0})
    assert (predictor.name, predictor.settings) == ("SVC", {"C": 2.0})
    assert set(predictor.packages) == {"scipy", "scikit-learn"}


ENSEMBLES: list[tuple[str, dict[str, Any]]] = [
    ("AdaBoostClassifier", {}),
    ("AdaBoostRegressor", {}),
    ("BaggingClassifier", {"max_samples": 0.5, "max_features": 0.5}),
    ("BaggingRegressor", {}),
    ("ExtraTreesClassifier", {"bootstrap": True}),
    ("ExtraTreesRegressor", {}),
    ("GradientBoostingClassifier", {"subsample": 0.5, "max_features": 2}),
    ("GradientBoostingRegressor", {}),
    ("HistGradientBoostingClassifier", {"max_features": 0.5, "min_samples_leaf": 5}),
    ("HistGradientBoostingRegressor", {"early_stopping": True, "n_iter_no_change": 2}),
    ("GradientBoostingClassifier", {"n_iter_no_change": 2}),
    ("RandomForestClassifier", {"max_features": 1}),
    ("RandomForestRegressor", {"max_samples": 0.5}),
]


@pytest.mark.filterwarnings("ignore:Class PassiveAggressive")
def test_these_are_all_estimators_that_can_grow() -> None:
    names = {name for name, _ in ENSEMBLES}
    assert {name for name in estimator_classes() if size_name(made(name))} == names


def made(name: str, **parameters: Any) -> Any:
    return estimator_classes()[name](**parameters)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "settings"), ENSEMBLES)
@pytest.mark.parametrize("seed", [0, 1])
def test_each_size_predicts_what_it_predicts_if_it_is_fitted_alone(
    name: str, settings: dict[str, Any], seed: int, examples: Examples
) -> None:
    X, y, X_new = examples
    y = y if "Classifier" in name else y + X[:, 0]
    ensemble = made(name, random_state=seed, **settings)
    sizes = {1, 2, 7, 20}
    found = nested_predictions(ensemble, sizes, X, y, X_new)
    assert found.keys() == sizes
    for size, ours in found.items():
        alone = made(name, random_state=seed, **settings, **{size_name(ensemble): size})
        np.testing.assert_array_equal(ours, alone.fit(X, y).predict(X_new))


def each_alone(
    name: str, settings: dict[str, Any], grids: list[Grid], examples: Examples, seed: int
) -> list[FloatArray]:
    """Return what scikit-learn predicts for every candidate with the drawn random state."""
    X, y, X_new = examples
    state = int(rng(seed).integers(2**31))
    return [
        made(name, **{"random_state": state, **settings, **candidate}).fit(X, y).predict(X_new)
        for grid in grids
        for candidate in grid.candidates
    ]


CANDIDATES: list[tuple[str, dict[str, Any], list[dict[str, list[Any]]]]] = [
    ("RandomForestClassifier", {}, [{"n_estimators": [9, 2, 5]}]),
    ("RandomForestClassifier", {}, [{"n_estimators": [3, 6], "max_depth": [1, 2, None]}]),
    ("RandomForestClassifier", {}, [{"max_features": [1, 1.0], "n_estimators": [5]}]),
    ("RandomForestClassifier", {"n_estimators": 4}, [{"max_depth": [1, 3]}]),
    ("RandomForestClassifier", {"random_state": 3}, [{"n_estimators": [2, 4]}]),
    ("RandomForestClassifier", {}, [{"random_state": [3, 8], "n_estimators": [2, 4]}]),
    ("BaggingClassifier", {}, [{"n_estimators": [k], "max_samples": [0.5]} for k in (5, 2, 5)]),
    ("GradientBoostingClassifier", {}, [{"n_estimators": [7, 2, 7]}, {"max_depth": [1]}]),
    ("AdaBoostClassifier", {}, [{"n_estimators": [1, 6], "learning_rate": [0.1, 1.0]}]),
    ("HistGradientBoostingClassifier", {}, [{"max_iter": [2, 5]}]),
    ("LogisticRegression", {}, [{"max_iter": [50, 100]}]),
    ("LogisticRegression", {}, [{"C": [2.0]}, {"C": [2.0]}]),
]


@pytest.mark.parametrize(("name", "settings", "axes"), CANDIDATES)
def test_every_candidate_predicts_as_if_it_were_the_only_one(
    name: str, settings: dict[str, Any], axes: list[dict[str, list[Any]]], examples: Examples
) -> None:
    grids = [Grid.of(values) for values in axes]
    predictor = EstimatorPredictor(name, settings)
    found = predictor.all_predictions(examples[0], examples[1], grids, examples[2], rng(7))
    np.testing.assert_array_equal(found, each_alone(name, settings, grids, examples, 7))
    first = predictor.predictions(examples[0], examples[1], grids[0], examples[2], rng(7))
    np.testing.assert_array_equal(first, found[: len(first)])


def test_candidates_of_several_grids_that_differ_in_size_are_fitted_once(
    examples: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, X_new = examples
    fitted: list[tuple[int, int]] = []
    fit = GradientBoostingClassifier.fit

    def counted(self: Any, *args: Any) -> Any:
        fitted.append((self.n_estimators, self.max_depth))
        return fit(self, *args)

    monkeypatch.setattr(GradientBoostingClassifier, "fit", counted)
    points = [(3, 1), (5, 2), (9, 1), (4, 1)]
    grids = [Grid.of({"n_estimators": [k], "max_depth": [depth]}) for k, depth in points]
    predictor = EstimatorPredictor("GradientBoostingClassifier")
    predictor.all_predictions(X, y, grids, X_new, rng())
    assert fitted == [(9, 1), (5, 2)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("BaggingClassifier", {"oob_score": True}),
        ("RandomForestClassifier", {"class_weight": "balanced"}),
    ],
)
def test_what_scikit_learn_does_not_grow_is_fitted_alone(
    name: str, settings: dict[str, Any], examples: Examples
) -> None:
    X, y, X_new = examples
    assert size_name(made(name, **settings)) == ""
    grid = Grid.of({"n_estimators": [30, 60]})
    found = EstimatorPredictor(name, settings).predictions(X, y, grid, X_new, rng(2))
    np.testing.assert_array_equal(found, each_alone(name, settings, [grid], examples, 2))
