from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import ExtraTreeClassifier

from quadrepro.core.learners.contestants import predictor
from quadrepro.core.learners.contestants.predictor import predict, predict_proba

DRAWS = np.random.default_rng(7)
X = DRAWS.normal(size=(60, 5))
NEW = DRAWS.normal(size=(501, 5))
TWO = np.where(X[:, 0] + DRAWS.normal(size=60) > 0, 1, 0)
THREE = TWO + (X[:, 1] > 1.0)

# Of two trees or four, many examples have tied classes.
ESTIMATORS = [
    BaggingClassifier(n_estimators=4, max_features=0.5, random_state=0),
    BaggingClassifier(ExtraTreeClassifier(max_depth=2), n_estimators=2, random_state=0),
    BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0),
    RandomForestClassifier(n_estimators=2, random_state=0),
    ExtraTreesClassifier(n_estimators=4, random_state=0),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    AdaBoostClassifier(n_estimators=2, random_state=0),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictor, "BLOCK_BYTES", 100 * 8 * 5)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_classes_and_probabilities_are_those_of_scikit_learn(estimator: Any, y: Any) -> None:
    estimator.fit(X, y)
    probabilities = predict_proba(estimator, NEW)
    np.testing.assert_array_equal(probabilities, estimator.predict_proba(NEW))
    for known in (None, probabilities):
        np.testing.assert_array_equal(predict(estimator, NEW, known), estimator.predict(NEW))


def test_bagging_of_trees_predicts_blocks_of_rows_and_no_more_than_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    class Counted(BaggingClassifier):  # type: ignore[misc]
        def predict_proba(self, X: Any) -> Any:
            sizes.append(len(X))
            return super().predict_proba(X)

    Counted.__name__, Counted.__module__ = "BaggingClassifier", "sklearn.ensemble"
    estimator = Counted(n_estimators=3, random_state=0).fit(X, TWO)
    predict(estimator, NEW, predict_proba(estimator, NEW))
    assert sizes == [100] * 5 + [1]
    del sizes[:]
    predict_proba(Counted(LogisticRegression(), n_estimators=3).fit(X, TWO), NEW)
    assert sizes == [501]


def test_a_data_frame_is_predicted_as_a_whole() -> None:
    frame = pd.DataFrame(X, columns=list("abcde"))
    estimator = BaggingClassifier(n_estimators=3, random_state=0).fit(frame, TWO)
    np.testing.assert_array_equal(predict(estimator, frame), estimator.predict(frame))


def test_numbers_are_one_column() -> None:
    estimator = BaggingRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    np.testing.assert_array_equal(predict(estimator, NEW), estimator.predict(NEW))
