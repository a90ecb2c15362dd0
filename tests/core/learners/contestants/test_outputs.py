from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from quadrepro.core.learners.contestants.predictor import estimator_outputs
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.learners.learner import Outputs, Part, TrainingData
from quadrepro.core.learners.voting import FixedStumps

X, CODES = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NEW = X[::3]


def outputs(estimator: Any, y: FloatArray, task: Task, n_classes: int) -> Outputs:
    """Fit an estimator to the indices of the labels, as a predictor does."""
    part = Part(X[: len(y)], y)
    data = TrainingData(
        part, part, None, FixedStumps(1), lambda name: np.random.default_rng(), task, n_classes
    )
    labels, codes = np.unique(y, return_inverse=True)
    return estimator_outputs(estimator.fit(part.X, codes), labels, data, NEW)


TWO = np.where(CODES == 1, 1.0, -1.0)


@pytest.mark.parametrize("estimator", [LogisticRegression(), SVC(), KNeighborsClassifier()])
def test_two_classes_have_one_score_and_two_probabilities(estimator: Any) -> None:
    found = outputs(estimator, TWO, "classification", 2)
    np.testing.assert_array_equal(found.predicted, estimator.predict(NEW))
    if hasattr(estimator, "decision_function"):
        np.testing.assert_array_equal(found.scores, estimator.decision_function(NEW))
    else:
        assert found.scores is None
    if hasattr(estimator, "predict_proba"):
        np.testing.assert_array_equal(found.probabilities, estimator.predict_proba(NEW))
    else:
        assert found.probabilities is None


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), DecisionTreeClassifier()])
def test_more_classes_have_one_column_each(estimator: Any) -> None:
    y = CODES.astype(float)
    found = outputs(estimator, y, "multiclass", 3)
    np.testing.assert_array_equal(found.predicted, estimator.predict(NEW))
    for ours, name in ((found.scores, "decision_function"), (found.probabilities, "predict_proba")):
        theirs = getattr(estimator, name)(NEW) if hasattr(estimator, name) else None
        np.testing.assert_array_equal(ours, theirs)


def test_scores_of_pairs_are_left_out() -> None:
    y = CODES.astype(float)
    pairs = SVC(decision_function_shape="ovo")
    assert outputs(pairs, y, "multiclass", 3).scores is None
    assert pairs.decision_function(NEW).shape[1] == 3


@pytest.mark.parametrize("codes", [[0, 1, 3], [0, 3]])
def test_a_class_that_was_not_seen_has_a_column_of_its_own(codes: list[int]) -> None:
    y = np.array(codes, dtype=float)[CODES % len(codes)]
    model = LogisticRegression()
    found = outputs(model, y, "multiclass", 4)
    assert set(found.predicted.tolist()) <= set(codes)
    assert found.scores is not None
    assert found.probabilities is not None
    assert (found.scores[:, 2] == -np.inf).all()
    assert not found.probabilities[:, 2].any()
    np.testing.assert_array_equal(found.probabilities[:, codes], model.predict_proba(NEW))
    np.testing.assert_array_equal(found.scores.argmax(axis=1), found.predicted)


def test_a_single_class_has_its_probability_and_no_score() -> None:
    y = np.ones(20)
    found = outputs(DecisionTreeClassifier(), y, "classification", 2)
    assert found.predicted.tolist() == [1] * len(NEW)
    np.testing.assert_array_equal(found.probabilities, np.tile([0.0, 1.0], (len(NEW), 1)))
    assert found.scores is None


def test_a_number_has_neither() -> None:
    model, part = Ridge().fit(X, X[:, 0]), Part(X, X[:, 0])
    rng = np.random.default_rng
    data = TrainingData(part, part, None, FixedStumps(1), lambda name: rng(), "regression", 0)
    found = estimator_outputs(model, None, data, NEW)
    np.testing.assert_array_equal(found.predicted, model.predict(NEW))
    assert (found.scores, found.probabilities) == (None, None)
