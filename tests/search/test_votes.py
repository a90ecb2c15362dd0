from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit

from quadrepro import QuadBoostClassifier
from quadrepro._typing import FloatArray
from quadrepro.learners.base import Algorithm, Hyperparameter
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.quadboost import QuadBoostL2
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.lpboost import LPBoost
from quadrepro.learners.programs.soft_margin import RegularizedLP, RegularizedQP
from quadrepro.search.votes import (
    HoldoutData,
    HoldoutSearch,
    NoSolutionError,
    k_fold_search,
    whole_path,
)
from quadrepro.voters.random_stumps import Coding, RandomStumps, StumpVote
from quadrepro.voters.reduction import VotingProblem

Problem = tuple[FloatArray, FloatArray]


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
    np.testing.assert_array_equal(choice.errors, -5 * search.cv_results_["mean_test_score"])
    assert choice.candidate == search.best_params_
    np.testing.assert_array_equal(choice.weights, search.best_estimator_.voter_weights_)


def test_ties_go_to_the_first_candidate() -> None:
    H = np.array([[1.0], [-1.0]] * 10)
    y = H[:, 0]
    for grids in ([[3, 5, 9]], [[3], [5, 9]]):
        axes = [Grid.of({"n_rounds": rounds}) for rounds in grids]
        choice = k_fold_search(AdaBoost(), H, y, np.arange(20) % 5, axes)
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
    choice = k_fold_search(algorithm, H, y, fold, [Grid.of(grid)])
    expected = np.zeros(2, dtype=int)
    for f in range(3):
        rest, out = fold != f, fold == f
        votes = H[out] @ algorithm.path(H[rest], y[rest], Grid.of(grid)).T
        expected += ((votes > 1e-9) != (y[out] > 0)[:, None]).sum(axis=0)
    assert choice.errors.tolist() == expected.tolist()


@dataclass(frozen=True)
class Limited(Algorithm):
    """Gives every voter one weight, which has no solution above 2, or on one sample above 1."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = (
        Hyperparameter("weight", "any", "small", "weight of every voter"),
    )

    def limit(self, problem: VotingProblem) -> str:
        return f"weight must be at most 1 for {problem.n_samples} samples"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = np.array(grid.axis("weight"), dtype=np.float64)
        found = np.tile(values, (problem.n_samples, 1))
        found[:, values > 2] = np.nan
        found[0, values > 1] = np.nan
        return np.repeat(found[:, :, None], problem.H.shape[1], axis=2)

    def seconds(self, n_examples: int, n_voters: int, n_samples: int, grid: Grid) -> float:
        return 0.0


def weights(*values: float) -> Grid:
    return Grid.of({"weight": values})


ONE_VOTER = np.array([[1.0], [-1.0], [1.0], [-1.0]])
FOLD = np.array([0, 0, 1, 1])


@pytest.mark.parametrize("infeasible", [2.0, 3.0])
def test_a_candidate_without_a_solution_on_some_sample_is_never_chosen(infeasible: float) -> None:
    y = ONE_VOTER[:, 0]
    for grids in ([weights(infeasible, -1.0)], [weights(infeasible), weights(-1.0)]):
        choice = k_fold_search(Limited(), ONE_VOTER, y, FOLD, grids)
        assert choice.candidate == {"weight": -1.0}
        assert choice.weights.tolist() == [-1.0]
        assert choice.errors.tolist() == [4, 4]


def test_a_better_candidate_with_a_solution_is_chosen_before_one_without() -> None:
    choice = k_fold_search(
        Limited(), ONE_VOTER, ONE_VOTER[:, 0], FOLD, [weights(-1.0, 3.0, 1.0, 2.0)]
    )
    assert (choice.candidate, choice.errors.tolist()) == ({"weight": 1.0}, [4, 4, 0, 4])


def test_what_limits_the_candidates_is_said_where_none_has_a_solution() -> None:
    message = "no candidate of Limited has a solution: weight must be at most 1 for 3 samples"
    with pytest.raises(NoSolutionError, match=message):
        k_fold_search(Limited(), ONE_VOTER, ONE_VOTER[:, 0], FOLD, [weights(2.0), weights(3.0)])


def test_a_path_keeps_candidates_without_a_solution_but_must_end_in_one() -> None:
    y = ONE_VOTER[:, 0]
    path = whole_path(Limited(), ONE_VOTER, y, [weights(3.0), weights(1.0, -1.0)])
    np.testing.assert_array_equal(path, [[np.nan], [1.0], [-1.0]])
    with pytest.raises(NoSolutionError, match="weight must be at most 1 for 1 samples"):
        whole_path(Limited(), ONE_VOTER, y, [weights(1.0, 3.0)])


def test_several_grids_are_searched_like_one(make_problem: Callable[..., Problem]) -> None:
    H, y = make_problem(m=100, n=12)
    fold, rounds = np.arange(100) % 5, [1, 10, 100]
    one = Grid.of({"lam": [100.0, 1.0], "n_rounds": rounds})
    several = [Grid.of({"lam": [lam], "n_rounds": rounds}) for lam in (100.0, 1.0)]
    together = k_fold_search(QuadBoostL2(), H, y, fold, [one])
    apart = k_fold_search(QuadBoostL2(), H, y, fold, several)
    assert apart.candidate == together.candidate
    np.testing.assert_array_equal(apart.errors, together.errors)
    np.testing.assert_array_equal(apart.weights, together.weights)
    np.testing.assert_array_equal(
        whole_path(QuadBoostL2(), H, y, several), QuadBoostL2().path(H, y, one)
    )


@pytest.fixture
def held_out() -> tuple[HoldoutSearch, HoldoutData]:
    """Return a search and 80 + 80 noisy examples of a rule over three attributes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=160) > 0, 1.0, -1.0)
    coding = Coding.fit(X[:80])
    data = HoldoutData(coding.transform(X[:80]), y[:80], coding.transform(X[80:]), y[80:])

    def stumps() -> RandomStumps:
        return RandomStumps(data.train, data.y_train, np.random.default_rng(9), per_round=40)

    return HoldoutSearch(stumps, patience=25, max_rounds=500, take="best"), data


def errors_of(vote: StumpVote, data: HoldoutData) -> int:
    return int((vote.positive(data.valid) != (data.y_valid > 0)).sum())


def test_every_value_sees_the_draws_that_adaboost_sees(
    held_out: tuple[HoldoutSearch, HoldoutData],
) -> None:
    search, data = held_out
    alone = search(AdaBoost(), data, Grid.of({}))
    among = search(EBBoost(), data, Grid.of({"lam": [1.0, 0.1, 0.0]}))
    assert among.errors[2] == alone.errors[0] == errors_of(alone.vote, data)
    same = search(EBBoost(), data, Grid.of({"lam": [0.0]}))
    np.testing.assert_array_equal(same.vote.attributes, alone.vote.attributes)
    np.testing.assert_array_equal(same.vote.cuts, alone.vote.cuts)
    np.testing.assert_allclose(same.vote.weights, alone.vote.weights, rtol=1e-12)
    assert same.candidate == {"lam": 0.0, **alone.candidate}


def test_the_candidate_of_fewest_validation_errors_is_chosen_and_the_first_of_equals(
    held_out: tuple[HoldoutSearch, HoldoutData],
) -> None:
    search, data = held_out
    values = [30.0, 3.0, 1.0, 0.3, 0.03]
    choice = search(EBBoost(), data, Grid.of({"lam": values}))
    alone = [search(EBBoost(), data, Grid.of({"lam": [v]})).errors[0] for v in values]
    np.testing.assert_array_equal(choice.errors, alone)
    assert choice.candidate["lam"] == values[int(np.argmin(alone))]
    assert errors_of(choice.vote, data) == min(alone)


@pytest.mark.parametrize(
    ("algorithm", "grid"),
    [
        (RegularizedLP(), Grid.of({"nu": [1.0, 0.5, 0.2, 0.05]})),
        (RegularizedQP(), Grid.of({"C": [0.001, 0.1, 10.0]})),
    ],
)
def test_new_weights_are_for_the_stumps_that_adaboost_found(
    held_out: tuple[HoldoutSearch, HoldoutData], algorithm: Algorithm, grid: Grid
) -> None:
    search, data = held_out
    found = search(AdaBoost(), data, Grid.of({}))
    choice = search(algorithm, data, grid)
    np.testing.assert_array_equal(choice.vote.cuts, found.vote.cuts)
    assert (choice.vote.weights * np.sign(found.vote.weights) >= 0).all()
    assert errors_of(choice.vote, data) == choice.errors.min()
    assert choice.candidate["n_rounds"] == found.candidate["n_rounds"]
    signs = np.sign(found.vote.weights)
    oriented = found.vote.outputs(data.train) * signs
    value = [choice.candidate[name] for name, _ in grid.axes]
    weights = algorithm.reweigh(oriented, data.y_train, value)[0] * signs
    np.testing.assert_allclose(choice.vote.weights, weights, atol=1e-7)
