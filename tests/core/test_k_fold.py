from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from quadrepro import QuadBoostClassifier
from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.cell import Choice, least
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm, NoSolutionError
from quadrepro.core.learners.quadboost import QuadBoostL2
from quadrepro.core.learners.voting import MatrixVotes
from tests.core.limited import FOLD, ONE_VOTER, Limited, weights

Problem = tuple[FloatArray, FloatArray]


def k_fold_search(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, fold: IntArray, grids: Sequence[Grid]
) -> Choice:
    return least(MatrixVotes(grids, algorithm, H, y, H).losses(fold))


def test_agrees_with_scikit_learns_grid_search(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=100, n=12)
    fold = np.arange(100) % 5
    values = {"lam": [100.0, 10.0, 1.0], "n_rounds": [1, 10, 100]}
    choice = k_fold_search(QuadBoostL2(), H, y, fold, [Grid.of(values)])
    search = GridSearchCV(
        QuadBoostClassifier("l2", voters="precomputed"),
        values,
        cv=PredefinedSplit(fold),
        scoring=lambda estimator, X, y: -(estimator.predict(X) != y).sum(),
    ).fit(H, y)
    np.testing.assert_array_equal(choice.losses, -5 * search.cv_results_["mean_test_score"])
    assert choice.fitted.candidate == search.best_params_
    np.testing.assert_array_equal(choice.fitted.weights, search.best_estimator_.voter_weights_)


def test_ties_go_to_the_first_candidate() -> None:
    H = np.array([[1.0], [-1.0]] * 10)
    y = H[:, 0]
    for grids in ([[3, 5, 9]], [[3], [5, 9]]):
        axes = [Grid.of({"n_rounds": rounds}) for rounds in grids]
        choice = k_fold_search(AdaBoost(), H, y, np.arange(20) % 5, axes)
        assert choice.losses.tolist() == [0, 0, 0]
        assert choice.fitted.candidate == {"n_rounds": 3}


@pytest.mark.parametrize("infeasible", [2.0, 3.0])
def test_a_candidate_without_a_solution_on_some_sample_is_never_chosen(infeasible: float) -> None:
    y = ONE_VOTER[:, 0]
    for grids in ([weights(infeasible, -1.0)], [weights(infeasible), weights(-1.0)]):
        choice = k_fold_search(Limited(), ONE_VOTER, y, FOLD, grids)
        assert choice.fitted.candidate == {"weight": -1.0}
        assert choice.fitted.weights.tolist() == [-1.0]
        np.testing.assert_array_equal(choice.losses, [np.nan, 4.0])


def test_what_limits_the_candidates_is_said_where_none_has_a_solution() -> None:
    message = "no candidate of Limited has a solution: weight must be at most 1 for 3 samples"
    with pytest.raises(NoSolutionError, match=message):
        k_fold_search(Limited(), ONE_VOTER, ONE_VOTER[:, 0], FOLD, [weights(2.0), weights(3.0)])


def test_several_grids_are_searched_like_one(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=100, n=12)
    fold, rounds = np.arange(100) % 5, [1, 10, 100]
    one = Grid.of({"lam": [100.0, 1.0], "n_rounds": rounds})
    several = [Grid.of({"lam": [lam], "n_rounds": rounds}) for lam in (100.0, 1.0)]
    together = k_fold_search(QuadBoostL2(), H, y, fold, [one])
    apart = k_fold_search(QuadBoostL2(), H, y, fold, several)
    assert apart.fitted.candidate == together.fitted.candidate
    np.testing.assert_array_equal(apart.losses, together.losses)
    np.testing.assert_array_equal(apart.fitted.weights, together.fitted.weights)
    np.testing.assert_array_equal(
        MatrixVotes(several, QuadBoostL2(), H, y, H).path().weights, QuadBoostL2().path(H, y, one)
    )
