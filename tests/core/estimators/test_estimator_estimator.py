from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from quadrepro import (
    AdaBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GradientBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from tests.core.learners.variants import ALL, BY_GRADIENT, CLASSIFIERS, STAGEWISE, VOTES

LINKED = [AdaBoostClassifier(20), *BY_GRADIENT]


def examples(estimator: Any = None, seed: int = 0) -> tuple[FloatArray, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(1)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(0, 0.5, 60)
    number = estimator is not None and is_regressor(estimator)
    return X, (y if number else np.where(y > 0.3, "yes", "no"))


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *STAGEWISE], ids=repr)
def test_the_label_is_the_sign_of_the_decision_in_every_round(estimator: Any) -> None:
    X, y = examples()
    fitted = clone(estimator).fit(X, y)
    stages = list(fitted.staged_decision_function(X))
    labels = list(fitted.staged_predict(X))
    # All weights of CqBoost's last round come at once.
    n_stages = 1 if isinstance(estimator, CqBoostClassifier) else fitted.n_iter_
    assert n_stages == len(stages) == len(labels) > 0
    for decisions, found in zip(
        [*stages, fitted.decision_function(X)], [*labels, fitted.predict(X)], strict=True
    ):
        assert np.array_equal(found, fitted.classes_[(decisions > 0).astype(int)])
    assert np.array_equal(labels[-1], fitted.predict(X))


def test_a_vote_that_is_even_but_for_rounding_is_zero() -> None:
    fitted = QuadBoostClassifier(voters="precomputed", n_rounds=1).fit(np.eye(3), [0, 1, 1])
    fitted.voter_weights_ = np.array([0.1, 0.2, -0.3])
    assert 0.1 + 0.2 - 0.3 != 0
    assert fitted.decision_function(np.ones((1, 3))).tolist() == [0.0]
    assert fitted.predict(np.ones((1, 3))).tolist() == [0]


def test_a_stage_that_is_even_but_for_rounding_is_zero() -> None:
    fitted = QuadBoostClassifier(voters="precomputed", n_rounds=1).fit(np.eye(3), [0, 1, 1])
    fitted._picks, fitted._steps = np.array([0, 1, 2]), np.array([0.1, 0.2, -0.3])
    *_, last = fitted.staged_decision_function(np.ones((1, 3)))
    assert last.tolist() == [0.0]


@pytest.mark.parametrize("estimator", LINKED, ids=repr)
def test_probabilities_add_up_to_1_and_are_on_the_side_of_the_label(estimator: Any) -> None:
    X, y = examples()
    fitted = clone(estimator).fit(X, y)
    found = fitted.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.array_equal(fitted.classes_[found.argmax(axis=1)], fitted.predict(X))
    *_, last = fitted.staged_predict_proba(X)
    np.testing.assert_allclose(last, found, atol=1e-12)


@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostClassifier(1),
        GradientBoostClassifier("full", n_rounds=30),
        GradientBoostClassifier("full", n_rounds=30, loss="exponential"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_are_the_frequencies_of_the_classes(estimator: Any, weighted: bool) -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y, n = np.array([0, 1, 0, 1]), np.array([60, 20, 20, 60])
    fitted = clone(estimator)
    if weighted:
        fitted.fit(X, y, sample_weight=n / 7)
    else:
        fitted.fit(X.repeat(n, axis=0), y.repeat(n))
    np.testing.assert_allclose(fitted.predict_proba(X[1:3]), [[0.75, 0.25], [0.25, 0.75]])


@pytest.mark.parametrize("estimator", VOTES, ids=repr)
def test_votes_without_a_link_have_no_probabilities(estimator: Any) -> None:
    assert hasattr(estimator, "predict_proba") == isinstance(estimator, AdaBoostClassifier)


@pytest.mark.parametrize(
    "estimator", [QuadBoostClassifier("l2", n_rounds=30), MinCqClassifier(), EBBoostClassifier()]
)
def test_votes_can_be_calibrated(estimator: Any) -> None:
    X, y = examples()
    new, truth = examples(seed=1)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    calibrated = CalibratedClassifierCV(clone(estimator), cv=3).fit(X, y, sample_weight=weights)
    found = calibrated.predict_proba(new)[:, 1]
    assert brier_score_loss(truth, found, pos_label="yes") < 0.2


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_importances_are_shares_of_the_attributes(estimator: Any) -> None:
    X, y = examples(estimator)
    X = np.column_stack([X, np.zeros(len(X))])
    found = clone(estimator).fit(X, y).feature_importances_
    assert found.shape == (4,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1.0)
    # Only the programs that give weights to all stumps give them to constant ones.
    assert found[3] == 0 or not isinstance(estimator, GradientBoostClassifier)


def test_the_importance_of_an_attribute_is_the_weight_of_its_stumps() -> None:
    X, y = examples()
    fitted = QuadBoostClassifier(n_rounds=20, voters=Stumps(4)).fit(X, y)
    sizes = np.abs(fitted.voter_weights_).reshape(3, 4).sum(axis=1)
    np.testing.assert_allclose(fitted.feature_importances_, sizes / sizes.sum())


def test_an_empty_vote_gives_no_attribute_a_share() -> None:
    fitted = QuadBoostClassifier("l1", lam=100.0).fit(*examples())
    assert fitted.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert fitted.n_iter_ == 0


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_a_fitted_estimator_can_be_pickled(estimator: Any) -> None:
    X, y = examples(estimator)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert [a.tolist() for a in again.staged_predict(X)] == [
        a.tolist() for a in fitted.staged_predict(X)
    ]


def test_rounds_and_stumps_can_be_searched() -> None:
    X, y = examples()
    search = GridSearchCV(
        AdaBoostClassifier(voters=Stumps()),
        {"n_rounds": [1, 20], "voters__per_attribute": [1, 5]},
        cv=3,
    ).fit(X, y)
    best = search.best_params_
    assert best["voters__per_attribute"] == 5
    assert search.best_estimator_.voters_.thresholds_.shape == (3, 5)
    assert search.best_estimator_.n_iter_ == best["n_rounds"]


@pytest.mark.parametrize("reduction", [OneVsRestClassifier, OneVsOneClassifier])
@pytest.mark.parametrize(
    "estimator",
    [
        AdaBoostClassifier(20),
        QuadBoostClassifier("l2", lam=0.1, n_rounds=30, class_weight="balanced"),
        LPBoostClassifier(0.1),
        GradientBoostClassifier(n_rounds=10),
    ],
    ids=repr,
)
def test_more_classes_are_reduced_to_two(reduction: Any, estimator: Any) -> None:
    X, y = load_iris(return_X_y=True)
    fitted = reduction(clone(estimator)).fit(X[::2], y[::2])
    assert fitted.score(X[1::2], y[1::2]) > 0.9
