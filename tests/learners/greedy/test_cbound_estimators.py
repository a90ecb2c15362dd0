from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro._typing import FloatArray
from quadrepro.learners.algorithm import Algorithm
from quadrepro.learners.estimators import VoteClassifier
from quadrepro.learners.greedy.cbboost import (
    CBBoost,
    CBBoostClassifier,
    GBCBBoost,
    GBCBBoostClassifier,
)
from quadrepro.learners.grid import Grid
from quadrepro.voters.stumps import Stumps

Problem = tuple[FloatArray, FloatArray]

ESTIMATORS = [
    CBBoostClassifier(20),
    CBBoostClassifier(20, allow_repeats=False),
    GBCBBoostClassifier(20),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "algorithm"),
    [
        (ESTIMATORS[0], CBBoost()),
        (ESTIMATORS[1], CBBoost(allow_repeats=False)),
        (ESTIMATORS[2], GBCBBoost()),
    ],
    ids=repr,
)
def test_weights_are_those_of_the_algorithms_path(
    problem: Problem, estimator: VoteClassifier, algorithm: Algorithm
) -> None:
    H, y = problem
    H = np.hstack([H, -H])
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    expected = algorithm.path(H, y, Grid.of({"n_rounds": [20]}))[0]
    np.testing.assert_array_equal(fitted.voter_weights_, expected)
    assert np.abs(fitted.voter_weights_).sum() == pytest.approx(1.0, rel=1e-14)


@each_estimator
def test_stages_are_shorter_runs(problem: Problem, estimator: VoteClassifier) -> None:
    H, y = problem
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    stages = list(fitted.staged_decision_function(H))
    for t in (1, 4, 9):
        alone = clone(fitted).set_params(n_rounds=t).fit(H, y).decision_function(H)
        np.testing.assert_allclose(stages[t - 1], alone, atol=1e-12)
    np.testing.assert_allclose(stages[-1], fitted.decision_function(H), atol=1e-12)


@each_estimator
def test_labels_come_back_as_they_were_given(estimator: VoteClassifier) -> None:
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] > 17, "yes", "no")
    fitted = clone(estimator).fit(X, y)
    assert set(fitted.predict(X)) == {"no", "yes"}
    assert (fitted.predict(X) == y).mean() > 0.9


@each_estimator
def test_learns_a_real_data_set(estimator: VoteClassifier) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    single = clone(estimator).set_params(voters=Stumps(per_attribute=1))
    assert cross_val_score(single, X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (CBBoostClassifier(0), "n_rounds must be positive"),
        (GBCBBoostClassifier(2.5), "n_rounds takes whole numbers"),
        (CBBoostClassifier(voters="stumps"), "voters must be Stumps"),
    ],
)
def test_impossible_settings_are_refused_by_name(estimator: VoteClassifier, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 1])
