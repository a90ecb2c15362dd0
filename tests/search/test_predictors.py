from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from quadrepro._typing import FloatArray
from quadrepro.learners.base import Hyperparameter, Task
from quadrepro.learners.grid import Grid
from quadrepro.learners.predictor import Predictor
from quadrepro.learners.sklearn_predictor import SklearnPredictor
from quadrepro.search.predictors import PredictorSearch

NEIGHBOURS = [1, 3, 7, 15, 31]


def rng(name: str) -> np.random.Generator:
    return np.random.default_rng(len(name))


@pytest.fixture
def examples() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 120 attributes' rows, noisy numbers to predict, and 50 new rows."""
    draws = np.random.default_rng(2)
    X = draws.normal(size=(120, 3))
    return X, X[:, 0] + X[:, 1] ** 2 - 1 + draws.normal(0, 1, 120), draws.normal(size=(50, 3))


Examples = tuple[FloatArray, FloatArray, FloatArray]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_agrees_with_scikit_learns_grid_search(examples: Examples, weights: str) -> None:
    X, y, X_new = examples
    labels, fold = np.where(y > 0, 1.0, -1.0), np.arange(120) % 5
    knn = SklearnPredictor("KNeighborsClassifier", {"weights": weights})
    search = PredictorSearch(knn, [Grid.of({"n_neighbors": NEIGHBOURS})], rng)
    choice = search.by_folds(X, labels, fold, X_new)
    theirs = GridSearchCV(
        KNeighborsClassifier(weights=weights),
        {"n_neighbors": NEIGHBOURS},
        cv=PredefinedSplit(fold),
    ).fit(X, labels)
    assert choice.candidate == theirs.best_params_
    assert choice.loss == round(120 * (1 - theirs.best_score_))
    np.testing.assert_array_equal(choice.scores, theirs.predict(X_new))


def test_a_regression_is_chosen_by_its_squared_errors(examples: Examples) -> None:
    X, y, X_new = examples
    fold = np.arange(120) % 4
    depths = [1, 2, 4, 8]
    tree = SklearnPredictor("DecisionTreeRegressor", {"random_state": 0})
    search = PredictorSearch(tree, [Grid.of({"max_depth": depths})], rng)
    choice = search.by_folds(X, y, fold, X_new)
    theirs = GridSearchCV(
        DecisionTreeRegressor(random_state=0),
        {"max_depth": depths},
        cv=PredefinedSplit(fold),
        scoring="neg_mean_squared_error",
    ).fit(X, y)
    assert choice.candidate == theirs.best_params_
    assert choice.loss == pytest.approx(-120 * theirs.best_score_)
    np.testing.assert_array_equal(choice.scores, theirs.predict(X_new))


def test_held_out_examples_choose_and_take_no_part_in_the_training(examples: Examples) -> None:
    X, y, X_new = examples
    labels = np.where(y > 0, 1.0, -1.0)
    train, valid = slice(0, 80), slice(80, 120)
    grids = [Grid.of({"n_neighbors": [k]}) for k in NEIGHBOURS]
    search = PredictorSearch(SklearnPredictor("KNeighborsClassifier"), grids, rng)
    choice = search.by_holdout(X[train], labels[train], X[valid], labels[valid], X_new)
    fitted = [KNeighborsClassifier(k).fit(X[train], labels[train]) for k in NEIGHBOURS]
    errors = [int((model.predict(X[valid]) != labels[valid]).sum()) for model in fitted]
    best = int(np.argmin(errors))
    assert choice.candidate == {"n_neighbors": NEIGHBOURS[best]}
    assert choice.loss == errors[best]
    np.testing.assert_array_equal(choice.scores, fitted[best].predict(X_new))


@dataclass(frozen=True)
class Constant(Predictor):
    """Predicts the value of its hyper-parameter."""

    @property
    def task(self) -> Task:
        return "regression"

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        return (Hyperparameter("value", "any", "small", "what is predicted"),)

    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        values = np.array(grid.axis("value"), dtype=np.float64)
        return np.repeat(values[:, None], len(X_new), axis=1)

    def seconds(self, n_examples: int, n_attributes: int, n_fits: int, grid: Grid) -> float:
        return 0.0


@pytest.mark.parametrize("grids", [[[3, 1, -1]], [[3], [1], [-1]], [[3, 1], [-1]]])
@pytest.mark.parametrize("by_folds", [True, False])
def test_ties_go_to_the_first_candidate_however_the_grids_are_cut(
    grids: list[list[int]], by_folds: bool
) -> None:
    search = PredictorSearch(Constant(), [Grid.of({"value": v}) for v in grids], rng)
    X, y = np.zeros((6, 1)), np.zeros(6)
    if by_folds:
        choice = search.by_folds(X, y, np.arange(6) % 3, X)
    else:
        choice = search.by_holdout(X, y, X, y, X)
    assert (choice.candidate, choice.loss) == ({"value": 1}, 6.0)


def test_the_last_candidate_is_taken_where_nothing_is_chosen() -> None:
    search = PredictorSearch(Constant(), [Grid.of({"value": [0]}), Grid.of({"value": [5, 9]})], rng)
    choice = search.by_folds(np.zeros((4, 1)), np.zeros(4), np.empty(0, dtype=np.intp), np.eye(2))
    assert (choice.candidate, choice.loss, choice.scores.tolist()) == ({"value": 9}, 0.0, [9.0] * 2)
