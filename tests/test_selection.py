from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from quadrepro import QuadBoostClassifier
from quadrepro.boosting.adaboost import AdaBoost
from quadrepro.boosting.base import Algorithm
from quadrepro.boosting.grid import Grid
from quadrepro.boosting.lpboost import LPBoost
from quadrepro.boosting.quadboost import QuadBoostL2
from quadrepro.selection import k_fold_search
from quadrepro.voters.reduction import FloatArray

Problem = tuple[FloatArray, FloatArray]


def test_agrees_with_scikit_learns_grid_search(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=100, n=12)
    fold = np.arange(100) % 5
    values = {"lam": [100.0, 10.0, 1.0], "n_rounds": [1, 10, 100]}
    choice = k_fold_search(QuadBoostL2(), H, y, fold, Grid.of(values))
    search = GridSearchCV(
        QuadBoostClassifier("l2", voters="precomputed"),
        values,
        cv=PredefinedSplit(fold),
        scoring=lambda estimator, X, y: -(estimator.predict(X) != y).sum(),
    ).fit(H, y)
    np.testing.assert_array_equal(choice.errors, -5 * search.cv_results_["mean_test_score"])
    assert choice.candidate == search.best_params_
    np.testing.assert_array_equal(choice.weights, search.best_estimator_.voter_weights_)


def test_ties_go_to_the_first_candidate() -> None:
    H = np.array([[1.0], [-1.0]] * 10)
    y = H[:, 0]
    choice = k_fold_search(AdaBoost(), H, y, np.arange(20) % 5, Grid.of({"n_rounds": [3, 5, 9]}))
    assert choice.errors.tolist() == [0, 0, 0]
    assert choice.candidate == {"n_rounds": 3}


@pytest.mark.parametrize(
    ("algorithm", "grid"),
    [(LPBoost(), {"C": [0.01, 1.0]}), (AdaBoost(), {"n_rounds": [2, 20]})],
)
def test_errors_count_every_example_once_when_held_out(
    problem: Problem, algorithm: Algorithm, grid: dict[str, list[float]]
) -> None:
    H, y = problem
    fold = np.arange(len(y)) % 3
    choice = k_fold_search(algorithm, H, y, fold, Grid.of(grid))
    expected = np.zeros(2, dtype=int)
    for f in range(3):
        rest, out = fold != f, fold == f
        votes = H[out] @ algorithm.path(H[rest], y[rest], Grid.of(grid)).T
        expected += ((votes > 1e-9) != (y[out] > 0)[:, None]).sum(axis=0)
    assert choice.errors.tolist() == expected.tolist()
