from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quadrepro.core.learners.baseline import Baseline
from sklearn.dummy import DummyClassifier, DummyRegressor

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Outputs, Part, TrainingData
from quadrepro.core.learners.registry import find_entry

X_NEW = np.zeros((4, 2))


def outputs(task: Task, y: list[float], n_classes: int) -> Outputs:
    """Return what the baseline of a task says of four new examples."""
    found = Baseline().for_task(task)
    train = Part(np.zeros((len(y), 2)), np.array(y, dtype=np.float64))
    test = Part(X_NEW, np.zeros(4))
    data = TrainingData(train, test, None, None, np.random.default_rng, task, n_classes)  # type: ignore[arg-type]
    return found.outputs(data, {}, X_NEW)


def dummy(y: FloatArray) -> tuple[FloatArray, FloatArray]:
    model = DummyClassifier(strategy="prior").fit(np.zeros((len(y), 2)), y)
    return model.predict(X_NEW), model.predict_proba(X_NEW)


labels = st.lists(st.sampled_from([-1.0, 1.0]), min_size=2).filter(lambda y: len({*y}) == 2)


@given(labels)
def test_of_two_classes_it_is_the_dummy_classifier(y: list[float]) -> None:
    predicted, probabilities = dummy(np.array(y))
    found = outputs("classification", y, 2)
    assert np.array_equal(found.predicted, predicted > 0)
    assert np.array_equal(found.probabilities, probabilities)  # type: ignore[arg-type]
    assert found.scores is None


@given(st.lists(st.integers(0, 2), min_size=3).filter(lambda y: len({*y}) == 3))
def test_of_more_classes_it_is_the_dummy_classifier(y: list[int]) -> None:
    predicted, probabilities = dummy(np.array(y))
    found = outputs("multiclass", list(map(float, y)), 3)
    assert np.array_equal(found.predicted, predicted)
    assert np.array_equal(found.probabilities, probabilities)  # type: ignore[arg-type]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_of_numbers_it_is_the_dummy_regressor(y: list[float]) -> None:
    expected = DummyRegressor().fit(np.zeros((len(y), 2)), y).predict(X_NEW)
    assert outputs("regression", y, 0).predicted == pytest.approx(expected)


def test_it_needs_no_training_for_each_class() -> None:
    assert not Baseline().against_rest("multiclass")


def test_a_class_that_the_training_part_lacks_has_no_probability() -> None:
    found = outputs("multiclass", [0, 2, 2], 4)
    assert found.probabilities is not None
    assert found.probabilities[0].tolist() == [1 / 3, 0, 2 / 3, 0]
    assert found.predicted.tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("task", "y", "n_classes"),
    [
        ("classification", [-1, 1, 1], 2),
        ("classification", [1, -1], 2),
        ("multiclass", [2, 1, 1, 0], 3),
        ("regression", [0.5, 2], 0),
    ],
)
def test_what_a_search_sees_agrees_with_the_outputs(
    task: Task, y: list[float], n_classes: int
) -> None:
    learner = Baseline().for_task(task)
    rng = np.random.default_rng(0)
    [seen] = learner.predictions(np.zeros((len(y), 2)), np.array(y), [Grid.of({})], X_NEW, rng)
    told = outputs(task, y, n_classes).predicted
    assert np.array_equal(seen > 0 if task == "classification" else seen, told)


def test_a_config_has_nothing_to_set() -> None:
    entry = find_entry("baseline")
    assert entry.settings == {}
    assert entry.make({}).for_task("multiclass") == Baseline("multiclass")
    assert not Baseline.draws
