from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from quadrepro.core.learners.contestants.building import build
from quadrepro.core.learners.contestants.predictor import nested_predictions, size_name
from sklearn.utils import all_estimators

from quadrepro.base.types import FloatArray

Examples = tuple[FloatArray, FloatArray, FloatArray]

pytestmark = pytest.mark.usefixtures("one_thread")


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
    grows: set[str] = set()
    for name, _ in all_estimators(type_filter=["classifier", "regressor"]):
        try:
            grows |= {name} if size_name(made(name)) else set()
        except ValueError:
            continue  # it needs another estimator
    assert grows == names


def made(name: str, **parameters: Any) -> Any:
    return build(f"sklearn:{name}", parameters)


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


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("BaggingClassifier", {"oob_score": True}),
        ("RandomForestClassifier", {"class_weight": "balanced"}),
    ],
)
def test_what_scikit_learn_does_not_grow_has_no_size(name: str, settings: dict[str, Any]) -> None:
    assert size_name(made(name, **settings)) == ""


def test_only_ensembles_of_scikit_learn_are_grown() -> None:
    class Staged:
        def get_params(self, deep: bool) -> dict[str, Any]:
            return {"n_estimators": 5, "warm_start": False}

        def staged_predict(self, X: FloatArray) -> None: ...

    assert size_name(Staged()) == ""
