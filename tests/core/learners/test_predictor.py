from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.cell import Choice, least, take_last
from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.predictor import Predictions, Predictor
from quadrepro.core.learners.voting import FixedStumps
from quadrepro.core.splits import windows

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


def training_data(
    X: FloatArray,
    y: FloatArray,
    X_new: FloatArray,
    valid: Part | None = None,
    task: Task = "classification",
) -> TrainingData:
    test = Part(X_new, np.zeros(len(X_new)))
    return TrainingData(Part(X, y), test, valid, FixedStumps(1), rng, task)


def by_folds(
    predictor: Predictor,
    grids: Sequence[Grid],
    X: FloatArray,
    y: FloatArray,
    fold: IntArray,
    X_new: FloatArray,
) -> Choice:
    data = training_data(X, y, X_new, task=predictor.task)
    return least(Predictions(grids, predictor, data).losses(fold))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_agrees_with_scikit_learns_grid_search(examples: Examples, weights: str) -> None:
    X, y, X_new = examples
    labels, fold = np.where(y > 0, 1.0, -1.0), np.arange(120) % 5
    knn = EstimatorPredictor("KNeighborsClassifier", {"weights": weights})
    choice = by_folds(knn, [Grid.of({"n_neighbors": NEIGHBOURS})], X, labels, fold, X_new)
    theirs = GridSearchCV(
        KNeighborsClassifier(weights=weights),
        {"n_neighbors": NEIGHBOURS},
        cv=PredefinedSplit(fold),
    ).fit(X, labels)
    assert choice.fitted.candidate == theirs.best_params_
    assert choice.loss == round(120 * (1 - theirs.best_score_))
    np.testing.assert_array_equal(choice.fitted.predicted, theirs.predict(X_new) > 0)
    np.testing.assert_array_equal(choice.fitted.probabilities, theirs.predict_proba(X_new))


def test_windows_of_time_are_predicted_from_earlier_ones_as_in_scikit_learn(
    examples: Examples,
) -> None:
    X, y, X_new = examples
    labels, fold = np.where(y > 0, 1.0, -1.0), windows(120, 4)
    knn = EstimatorPredictor("KNeighborsClassifier")
    choice = by_folds(knn, [Grid.of({"n_neighbors": NEIGHBOURS[:4]})], X, labels, fold, X_new)
    theirs = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": NEIGHBOURS[:4]}, cv=TimeSeriesSplit(4)
    ).fit(X, labels)
    assert choice.fitted.candidate == theirs.best_params_
    assert choice.loss == round(96 * (1 - theirs.best_score_))


def test_a_regression_is_chosen_by_its_squared_errors(examples: Examples) -> None:
    X, y, X_new = examples
    fold = np.arange(120) % 4
    depths = [1, 2, 4, 8]
    tree = EstimatorPredictor("DecisionTreeRegressor", {"random_state": 0})
    choice = by_folds(tree, [Grid.of({"max_depth": depths})], X, y, fold, X_new)
    theirs = GridSearchCV(
        DecisionTreeRegressor(random_state=0),
        {"max_depth": depths},
        cv=PredefinedSplit(fold),
        scoring="neg_mean_squared_error",
    ).fit(X, y)
    assert choice.fitted.candidate == theirs.best_params_
    assert choice.loss == pytest.approx(-120 * theirs.best_score_)
    np.testing.assert_array_equal(choice.fitted.predicted, theirs.predict(X_new))


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
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        values = np.array([c["value"] for grid in grids for c in grid.candidates], dtype=np.float64)
        return np.repeat(values[:, None], len(X_new), axis=1)


@pytest.mark.parametrize("grids", [[[3, 1, -1]], [[3], [1], [-1]], [[3, 1], [-1]]])
@pytest.mark.parametrize("folds", [True, False])
def test_ties_go_to_the_first_candidate_however_the_grids_are_cut(
    grids: list[list[int]], folds: bool
) -> None:
    X, y = np.zeros((6, 1)), np.zeros(6)
    fold = np.arange(6) % 3 if folds else None
    cut = [Grid.of({"value": values}) for values in grids]
    data = training_data(X, y, X, Part(X, y), "regression")
    choice = least(Predictions(cut, Constant(), data).losses(fold))
    assert (choice.fitted.candidate, choice.loss) == ({"value": 1}, 6.0)


def test_the_last_candidate_is_taken_if_nothing_is_chosen() -> None:
    grids = [Grid.of({"value": [0]}), Grid.of({"value": [5, 9]})]
    data = training_data(np.zeros((4, 1)), np.zeros(4), np.eye(2))
    choice = take_last(Predictions(grids, Constant(), data), measured=False)
    assert (choice.fitted.candidate, choice.loss) == ({"value": 9}, 0.0)
    assert choice.fitted.predicted.tolist() == [9.0, 9.0]


def test_a_single_candidate_is_not_cross_validated() -> None:
    X, y = np.zeros((6, 1)), np.zeros(6)
    choice = by_folds(Constant(), [Grid.of({"value": [5]})], X, y, np.arange(6) % 3, X)
    assert (choice.fitted.candidate, choice.loss) == ({"value": 5}, 0.0)


@dataclass(frozen=True)
class Spy(Predictor):
    """Predicts the mean of its training targets, and keeps what it is given."""

    seen: list[tuple[int, int, float]]

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        return (Hyperparameter("value", "any", "small", "nothing"),)

    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        self.seen.append((len(X), len(X_new), float(rng.random())))
        return np.full((sum(map(len, grids)), len(X_new)), y.mean())


def drawn(name: str) -> float:
    return float(rng(name).random())


ROWS = np.arange(20.0).reshape(10, 2)
GRIDS = [Grid.of({"value": [1, 2]}), Grid.of({"value": [3]})]


def test_each_fold_has_draws_of_its_own_and_the_chosen_candidate_those_of_all_rows() -> None:
    spy = Spy([])
    fold = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    data = training_data(ROWS, np.ones(10), ROWS[:4])
    named: list[str] = []

    def recorded(name: str) -> np.random.Generator:
        named.append(name)
        return rng(name)

    losses = Predictions(GRIDS, spy, replace(data, rng=recorded)).losses(fold)
    # One generator serves all grids of a fold.
    expected = [(10 - out, out, drawn(f"fold {f}")) for f, out in enumerate((3, 4, 3))]
    assert spy.seen == expected
    assert losses.values.tolist() == [0.0] * 3
    spy.seen.clear()
    assert losses.fit(2).candidate == {"value": 3}
    assert spy.seen == [(10, 4, drawn("all"))]
    assert named == ["fold 0", "fold 1", "fold 2", "all"]


def test_a_path_is_one_training_that_predicts_both_parts() -> None:
    spy = Spy([])
    y = np.where(np.arange(10) < 7, 1.0, -1.0)
    predictions = Predictions(GRIDS, spy, training_data(ROWS, y, ROWS[:4]))
    path = predictions.path()
    assert spy.seen == [(10, 14, drawn("all"))]
    train, test = path.scores()
    assert (train.shape, test.shape) == ((3, 10), (3, 4))
    np.testing.assert_array_equal(path.last.scores, test[2])
    assert path.last.candidate == {"value": 3}
    assert (path.H, path.weights) == (None, None)
    spy.seen.clear()
    assert predictions.last().candidate == {"value": 3}
    assert spy.seen == [(10, 4, drawn("all"))]


def test_a_hold_out_predicts_validation_and_test_examples_together() -> None:
    spy = Spy([])
    valid = Part(ROWS[:5], np.array([1.0, 1.0, -1.0, 1.0, 1.0]))
    losses = Predictions(GRIDS, spy, training_data(ROWS, np.ones(10), ROWS[:4], valid)).losses(None)
    assert losses.values.tolist() == [1.0] * 3
    fitted = losses.fit(1)
    assert fitted.candidate == {"value": 2}
    assert fitted.scores is not None
    assert fitted.scores.tolist() == [1.0] * 4
    assert spy.seen == [(10, 9, drawn("all"))]
    with pytest.raises(ValueError, match="a hold-out needs held-out examples"):
        Predictions(GRIDS, spy, training_data(ROWS, np.ones(10), ROWS)).losses(None)


def test_a_predictor_is_trained_on_attributes() -> None:
    data = training_data(ROWS, np.ones(10), ROWS)
    spy = Spy([])
    trainer = spy.trainer(data, GRIDS)
    assert (trainer.predictor, trainer.data, trainer.grids) == (spy, data, GRIDS)
    assert not spy.gives_votes
    assert spy.draws
