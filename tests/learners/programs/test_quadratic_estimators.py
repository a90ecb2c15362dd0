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
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.cqboost import CqBoost, CqBoostClassifier
from quadrepro.learners.programs.mincq import MinCq, MinCqClassifier

Problem = tuple[FloatArray, FloatArray]
ESTIMATORS = [MinCqClassifier(), CqBoostClassifier(), CqBoostClassifier(n_rounds=5)]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "algorithm", "candidate"),
    [
        (MinCqClassifier(0.1), MinCq(), {"mu": [0.1]}),
        (CqBoostClassifier(0.1), CqBoost(), {"mu": [0.1], "epsilon": [1e-6]}),
        (CqBoostClassifier(0.1, epsilon=0.3), CqBoost(), {"mu": [0.1], "epsilon": [0.3]}),
        (
            CqBoostClassifier(0.1, n_rounds=4),
            CqBoost(),
            {"mu": [0.1], "epsilon": [1e-6], "n_rounds": [4]},
        ),
    ],
    ids=["mincq", "cqboost", "epsilon", "n_rounds"],
)
def test_weights_are_those_of_the_algorithms_path(
    problem: Problem, estimator: VoteClassifier, algorithm: Algorithm, candidate: dict[str, list]
) -> None:
    H, y = problem
    fitted = clone(estimator).set_params(voters="precomputed").fit(H, y)
    np.testing.assert_array_equal(
        fitted.voter_weights_, algorithm.path(H, y, Grid.of(candidate))[0]
    )
    assert fitted.gap_ < 1e-9


def test_stages_of_cqboost_are_shorter_runs(problem: Problem) -> None:
    H, y = problem
    run = CqBoostClassifier(0.1, voters="precomputed").fit(H, y)
    stages = list(run.staged_decision_function(H))
    assert len(stages) > 6
    for t in (1, 2, 6):
        alone = CqBoostClassifier(0.1, n_rounds=t, voters="precomputed").fit(H, y)
        np.testing.assert_allclose(stages[t - 1], alone.decision_function(H), atol=1e-12)
    np.testing.assert_allclose(stages[-1], run.decision_function(H), atol=1e-12)


def test_mincq_has_one_stage(problem: Problem) -> None:
    H, y = problem
    fitted = MinCqClassifier(voters="precomputed").fit(H, y)
    [stage] = fitted.staged_decision_function(H)
    np.testing.assert_allclose(stage, fitted.decision_function(H), atol=1e-12)


@pytest.mark.parametrize("estimator", [MinCqClassifier(), CqBoostClassifier(0.3)], ids=repr)
def test_learns_a_real_data_set(estimator: VoteClassifier) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(clone(estimator), X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize(
    ("estimator", "largest"), [(MinCqClassifier(0.8), 0.375), (CqBoostClassifier(0.8), 0.5)]
)
def test_a_mean_margin_that_no_vote_has_is_refused_with_the_largest_feasible_one(
    estimator: VoteClassifier, largest: float
) -> None:
    H = np.array([[1.0, 1.0], [0.5, 1.0], [-0.5, 1.0], [0.0, 0.0]])
    y = np.array([1, 1, 0, 1])
    message = f"no vote has a mean margin of mu = 0.8: mu can be at most {largest}"
    estimator = clone(estimator).set_params(voters="precomputed")
    with pytest.raises(ValueError, match=message):
        estimator.fit(H, y)
    assert estimator.set_params(mu=largest).fit(H, y).gap_ < 1e-6


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (MinCqClassifier(0.0), "mu must be positive and finite, not 0"),
        (CqBoostClassifier(-1.0), "mu must be positive and finite, not -1"),
        (CqBoostClassifier(epsilon=0.0), "epsilon must be positive and finite, not 0"),
        (CqBoostClassifier(n_rounds=0), "n_rounds must be positive and finite, not 0"),
        (CqBoostClassifier(n_rounds=2.5), "n_rounds takes whole numbers, not 2.5"),
    ],
)
def test_impossible_settings_are_refused_by_name(estimator: VoteClassifier, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 1])
