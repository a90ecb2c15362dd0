from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import cross_val_score

from quadrepro.core.estimators.gradient import GradientBoostClassifier, GradientBoostRegressor
from quadrepro.core.estimators.greedy import AdaBoostClassifier
from quadrepro.core.learners.gradient.boosting import GradientBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.stumps import Stumps

ROUNDS = range(1, 21)
REGRESSORS = [
    GradientBoostRegressor("full", n_rounds=20),
    GradientBoostRegressor("shrink", nu=0.3, n_rounds=20),
    GradientBoostRegressor("truncate", n_rounds=20, cuts=3),
    GradientBoostRegressor("rescale", u=5.0, n_rounds=20, depth=2),
    GradientBoostRegressor("epsilon", eps=0.2, n_rounds=20),
    GradientBoostRegressor("rescale-truncate", u=5.0, n_rounds=20),
    GradientBoostRegressor("rescale-epsilon", eps=0.2, n_rounds=20),
]
CLASSIFIERS = [
    GradientBoostClassifier("full", n_rounds=20),
    GradientBoostClassifier("shrink", nu=0.3, n_rounds=20),
    GradientBoostClassifier("truncate", n_rounds=20, cuts=3),
    GradientBoostClassifier("rescale", u=5.0, n_rounds=20, depth=2),
    GradientBoostClassifier("epsilon", eps=0.2, n_rounds=20),
    GradientBoostClassifier("full", n_rounds=20, loss="exponential"),
    GradientBoostClassifier("rescale", u=5.0, n_rounds=20, loss="exponential"),
]


def problem(estimator: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + np.sin(X[:, 1]) + rng.normal(0, 0.5, 80)
    return X, (np.sign(y) if isinstance(estimator, GradientBoostClassifier) else y)


@pytest.mark.parametrize("estimator", [*REGRESSORS, *CLASSIFIERS], ids=repr)
def test_every_stage_is_a_candidate_of_the_algorithm(estimator: Any) -> None:
    X, y = problem(estimator)
    loss = getattr(estimator, "loss", "l2")
    algorithm = GradientBoost(estimator.step, loss, estimator.cuts, estimator.depth)
    name = algorithm.value_name
    grid = Grid.of({**({name: [getattr(estimator, name)]} if name else {}), "n_rounds": ROUNDS})
    expected = algorithm.predictions(X[:60], y[:60], [grid], X[60:], np.random.default_rng())
    fitted = clone(estimator).fit(X[:60], y[:60])
    if loss == "l2":
        stages, last = fitted.staged_predict(X[60:]), fitted.predict(X[60:])
    else:
        stages, last = fitted.staged_decision_function(X[60:]), fitted.decision_function(X[60:])
    np.testing.assert_array_equal(list(stages), expected)
    np.testing.assert_array_equal(last, expected[-1])


@pytest.mark.parametrize("estimator", [*REGRESSORS, *CLASSIFIERS], ids=repr)
def test_the_training_loss_is_that_of_the_stages(estimator: Any) -> None:
    X, y = problem(estimator)
    fitted = clone(estimator).fit(X, y)
    if estimator in REGRESSORS:
        losses = [mean_squared_error(y, stage) for stage in fitted.staged_predict(X)]
    else:
        losses = [
            np.exp(-y * stage).mean()
            if estimator.loss == "exponential"
            else log_loss(y, 1 / (1 + np.exp(-stage)))
            for stage in fitted.staged_decision_function(X)
        ]
    np.testing.assert_allclose(fitted.train_loss_, losses, rtol=1e-9)


def test_boosting_by_the_exponential_loss_is_adaboost_where_trees_answer_alike() -> None:
    # Every example has its mirror image in the other class: both answers of a stump are as large.
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(40, 3))
    y = np.where(X.sum(axis=1) + rng.normal(0, 1.5, 40) > 0, 1, -1)
    X, y = np.vstack([X, -X]), np.concatenate([y, -y])
    ours = GradientBoostClassifier("full", n_rounds=30, loss="exponential").fit(X, y)
    adaboost = AdaBoostClassifier(n_rounds=30, voters=Stumps(1)).fit(X, y)
    np.testing.assert_allclose(
        [*ours.staged_decision_function(X)], [*adaboost.staged_decision_function(X)], rtol=1e-9
    )


def test_a_score_of_zero_is_the_first_class() -> None:
    X = np.zeros((4, 1))
    fitted = GradientBoostClassifier(n_rounds=3).fit(X, ["no", "yes", "yes", "no"])
    assert fitted.decision_function(X).tolist() == [0.0] * 4
    assert fitted.predict(X).tolist() == ["no"] * 4


def test_learns_real_data_sets() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(GradientBoostClassifier(n_rounds=50), X, y, cv=3).mean() > 0.93
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(GradientBoostRegressor(n_rounds=50), X, y, cv=3).mean() > 0.35


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GradientBoostClassifier(loss="l2"), "loss must be 'logistic', 'exponential', not 'l2'"),
        (GradientBoostRegressor("half"), "step must be 'full', .*, not 'half'"),
        (GradientBoostRegressor("shrink", nu=0.0), "nu must be positive"),
        (GradientBoostClassifier("rescale", u=-1.0), "u must be positive"),
        (GradientBoostClassifier("epsilon", eps=float("nan")), "eps must be positive"),
        (GradientBoostClassifier(n_rounds=0), "n_rounds must be positive"),
        (GradientBoostRegressor(n_rounds=1.5), "n_rounds takes whole numbers"),
        (GradientBoostRegressor(cuts=0), "cuts must be a whole number from 1 to 10000, not 0"),
        (GradientBoostRegressor(depth=0), "depth must be a whole number from 1 to 10000, not 0"),
        (
            GradientBoostRegressor(depth=2.5),
            "depth must be a whole number from 1 to 10000, not 2.5",
        ),
        (GradientBoostRegressor(cuts=2, depth=2), "give depth 2 or cuts 2"),
    ],
)
def test_impossible_settings_are_refused_by_name(estimator: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 1])


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="y holds 1 class, not 2"):
        GradientBoostClassifier().fit(np.zeros((4, 1)), [1, 1, 1, 1])


@pytest.mark.parametrize("estimator", [GradientBoostRegressor, GradientBoostClassifier])
def test_the_defaults_are_those_of_the_documentation(estimator: Any) -> None:
    defaults = {n: p.default for n, p in inspect.signature(estimator).parameters.items()}
    text = inspect.cleandoc(estimator.__doc__)
    documented = re.findall(r"^(\w+) : .*, default (.+)$", text, re.MULTILINE)
    assert {name: ast.literal_eval(value) for name, value in documented} == defaults


def test_a_number_of_splits_is_refused() -> None:
    with pytest.raises(TypeError, match="splits"):
        GradientBoostRegressor(splits=4)


@pytest.mark.parametrize("estimator", [GradientBoostRegressor(), GradientBoostClassifier()])
def test_the_default_lengths_are_the_ones_that_remark_2_recommends(estimator: Any) -> None:
    assert (estimator.nu, estimator.eps) == (0.1, 0.1)
