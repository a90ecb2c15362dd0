from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.tree import DecisionTreeRegressor

from quadrepro import (
    AdaBoostClassifier,
    GradientBoostClassifier,
    GradientBoostRegressor,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.learners.losses import LOSSES
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.stumps import Stumps

GRIDS: dict[str, dict[str, list[float]]] = {
    "full": {},
    "shrink": {"nu": [0.05, 0.3, 1.0]},
    "truncate": {},
    "rescale": {"u": [1.0, 10.0, 1e6]},
    "epsilon": {"eps": [0.01, 0.2, 1.0]},
    "rescale-truncate": {"u": [1.0, 10.0, 1e6]},
    "rescale-epsilon": {"eps": [0.01, 0.2, 1.0]},
}
each_loss = pytest.mark.parametrize("loss", LOSSES)


def problem(loss: str, m: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(m, 2)), rng.integers(0, 3, (m, 2))])
    y = X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] + rng.normal(0, 0.5, m)
    return X, (y if loss == "l2" else np.where(y > 1, 1.0, -1.0))


def predictions(
    algorithm: GradientBoost, X: FloatArray, y: FloatArray, grid: dict[str, Any], new: FloatArray
) -> FloatArray:
    return algorithm.predictions(X, y, [Grid.from_values(grid)], new, np.random.default_rng())


def plainly(
    step: str,
    value: float,
    loss: str,
    X: FloatArray,
    y: FloatArray,
    bound: str | None,
    theory: bool,
    alpha: float | None = None,
) -> FloatArray:
    """Return the scores after each of 8 rounds, from the paper's definitions."""
    scores, stages = np.zeros(len(y)), []
    losses: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "l2": (lambda f: y - f, lambda f: (y - f) ** 2),
        "logistic": (lambda f: y / (1 + np.exp(y * f)), lambda f: np.log1p(np.exp(-y * f))),
        "exponential": (lambda f: y * np.exp(-y * f), lambda f: np.exp(-y * f)),
    }
    descent, phi = losses[loss]
    for k in range(1, 9):
        g = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, descent(scores)).predict(X)
        if alpha is not None:
            scores = (1 - alpha) * scores
        elif theory or step == "rescale-epsilon":
            scores = (1 - 3 / (k + 3)) * scores
        elif step in ("rescale", "rescale-truncate"):
            scores = (1 - min(1, 2 / (k + value))) * scores
        best = minimize_scalar(lambda b, f=scores, g=g: phi(f + b * g).mean(), tol=1e-12).x
        size = np.sqrt((g**2).mean())
        c = value if step == "truncate" and value == value else 1.0
        by_tree = (bound or ("tree" if loss == "l2" else "unit")) == "tree"
        limit = c * k ** (-2 / 3) / (1 if by_tree else size)
        weight = {
            "shrink": value * best,
            "truncate": np.clip(best, -limit, limit),
            "rescale-truncate": np.clip(best, -limit, limit),
            "epsilon": value / size,
            "rescale-epsilon": value / size,
        }.get(step, best)
        scores = scores + weight * g
        stages.append(scores)
    return np.array(stages)


@pytest.mark.parametrize(
    ("step", "values", "bound", "theory"),
    [
        *((step, values, None, False) for step, values in GRIDS.items()),
        ("truncate", {}, "tree", False),
        ("truncate", {"truncation": [0.2, 1.0, 5.0]}, "unit", False),
        ("rescale-truncate", {"u": [5.0]}, "tree", False),
        ("rescale-truncate", {"u": [5.0]}, "unit", False),
        ("rescale", {}, None, True),
    ],
)
@each_loss
def test_predictions_are_those_of_a_plain_loop_over_scikit_learns_trees(
    step: Any, values: dict[str, list[float]], bound: Any, theory: bool, loss: Any
) -> None:
    X, y = problem(loss, m=120)
    # Without equal values, and in the single precision that scikit-learn's trees have.
    X = X[:, :2].astype(np.float32).astype(float)
    algorithm = GradientBoost(step, loss, cuts=3, bound=bound, theory=theory)
    found = predictions(algorithm, X, y, {**values, "n_rounds": range(1, 9)}, X)
    expected = [
        plainly(step, value, loss, X, y, bound, theory)
        for value in next(iter(values.values()), [np.nan])
    ]
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.95])
@each_loss
def test_a_constant_alpha_takes_the_place_of_the_hyper_parameter(loss: Any, alpha: float) -> None:
    X, y = problem(loss, m=120)
    X = X[:, :2].astype(np.float32).astype(float)
    algorithm = GradientBoost("rescale", loss, cuts=3, alpha=alpha)
    found = predictions(algorithm, X, y, {"n_rounds": range(1, 9)}, X)
    expected = plainly("rescale", np.nan, loss, X, y, None, False, alpha)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": "full", "alpha": 0.1}, "alpha is for step 'rescale', not 'full'"),
        ({"step": "rescale", "alpha": 1.5}, "alpha is from 0 to 1"),
        ({"step": "rescale", "alpha": 0.1, "theory": True}, "alpha is from 0 to 1, and replaces"),
    ],
)
def test_an_alpha_that_has_no_meaning_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GradientBoost(**settings)


@pytest.mark.parametrize("size", [{}, {"cuts": 3}, {"depth": 2}], ids=str)
@each_loss
def test_candidates_are_separate_runs_in_the_grids_order(loss: Any, size: dict[str, Any]) -> None:
    X, y = problem(loss)
    new = problem(loss, seed=1)[0]
    for step in GRIDS:
        algorithm = GradientBoost(step, loss, **size)  # type: ignore[arg-type]
        grid = Grid.from_values({"n_rounds": [1, 4, 9], **GRIDS[step]})
        together = algorithm.predictions(X, y, [grid], new, np.random.default_rng())
        assert together.shape == (len(grid.candidates), len(new))
        for candidate, scores in zip(grid.candidates, together, strict=True):
            alone = {name: [value] for name, value in candidate.items()}
            np.testing.assert_array_equal(predictions(algorithm, X, y, alone, new)[0], scores)


@each_loss
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.arange(6.0)[:, None]], ids=["flat", "sloping"])
def test_degenerate_problems_have_finite_answers(loss: Any, X: FloatArray) -> None:
    for step, values in GRIDS.items():
        algorithm = GradientBoost(step, loss, cuts=9)  # type: ignore[arg-type]
        for y in (np.ones(6), -np.ones(6), np.zeros(6) if loss == "l2" else np.array([1, -1] * 3)):
            grid = {**values, "n_rounds": [1, 100]}
            scores = predictions(algorithm, X, y.astype(float), grid, X)
            assert np.isfinite(scores).all()
            if y.all() and (y == y[0]).all():
                assert (np.sign(scores) == y).all()


def test_the_loss_gives_the_task_or_else_the_task_the_loss() -> None:
    for loss in LOSSES:
        boosting, task = GradientBoost(loss=loss), GradientBoost(loss=loss).task
        assert task == ("regression" if loss == "l2" else "classification")
        other = "classification" if loss == "l2" else "regression"
        assert boosting.for_task(task) == boosting
        assert boosting.for_task(other) is None
    open_ = GradientBoost("rescale", cuts=4)
    assert open_.task == "regression"
    assert open_.for_task("classification") == GradientBoost("rescale", "logistic", cuts=4)
    assert open_.for_task("regression") == GradientBoost("rescale", "l2", cuts=4)


def test_outputs_have_the_probabilities_of_the_loss() -> None:
    scores = np.array([-1.0, 0.0, 2.0])
    for loss, factor in (("logistic", 1.0), ("exponential", 2.0)):
        outputs = GradientBoost(loss=loss).outputs_of(scores)  # type: ignore[arg-type]
        assert outputs.predicted.tolist() == [0, 0, 1]
        np.testing.assert_allclose(outputs.probabilities[:, 1], 1 / (1 + np.exp(-factor * scores)))
        np.testing.assert_allclose(outputs.probabilities.sum(axis=1), 1)
    assert GradientBoost().outputs_of(scores).predicted.tolist() == scores.tolist()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": "fell"}, "step must be 'full', .* or 'rescale-epsilon', not 'fell'"),
        ({"cuts": 1.5}, "cuts must be a valid integer, not 1.5"),
        ({"cuts": 0}, "cuts must be at least 1, not 0"),
        ({"depth": 10_001}, "depth must be at most 10000, not 10001"),
        ({"cuts": 4, "depth": 2}, "give depth 2 or cuts 4"),
        ({"step": "truncate", "bound": "ball"}, "bound must be 'tree' or 'unit', not 'ball'"),
        ({"step": "full", "bound": "unit"}, "bound is for steps 'truncate' and .* not 'full'"),
        ({"min_weight_fraction_leaf": 0.6}, "must be between 0 and 0.5, not 0.6"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        GradientBoostRegressor(**{"step": "full"} | settings).fit(*problem("l2"))


REGRESSORS = [
    GradientBoostRegressor("full", n_rounds=20),
    GradientBoostRegressor("truncate", n_rounds=20, cuts=3),
    GradientBoostRegressor("rescale", u=5.0, n_rounds=20, depth=2),
    GradientBoostRegressor("rescale-epsilon", eps=0.2, n_rounds=20),
    GradientBoostRegressor("rescale", n_rounds=20, init="zero"),
]
CLASSIFIERS = [
    GradientBoostClassifier("shrink", nu=0.3, n_rounds=20),
    GradientBoostClassifier("rescale-truncate", u=5.0, n_rounds=20, cuts=3),
    GradientBoostClassifier("epsilon", eps=0.2, n_rounds=20),
    GradientBoostClassifier("rescale", u=5.0, n_rounds=20, depth=2, loss="exponential"),
]


LOSS_OF: dict[str, Callable[..., Any]] = {
    "l2": lambda y, F, w: mean_squared_error(y, F, sample_weight=w),
    "logistic": lambda y, F, w: log_loss(y, 1 / (1 + np.exp(-F)), sample_weight=w),
    "exponential": lambda y, F, w: np.average(np.exp(-y * F), weights=w),
}


@pytest.mark.parametrize("estimator", [*REGRESSORS, *CLASSIFIERS], ids=repr)
def test_every_stage_of_an_estimator_is_a_candidate_of_the_algorithm_with_its_training_loss(
    estimator: Any,
) -> None:
    loss = getattr(estimator, "loss", "l2")
    X, y = problem(loss)
    new = problem(loss, seed=1)[0]
    init = getattr(estimator, "init", "zero")
    algorithm = GradientBoost(estimator.step, loss, estimator.cuts, estimator.depth, init=init)
    name = algorithm.value_name
    own = {name: [getattr(estimator, name)]} if name else {}
    expected = predictions(algorithm, X, y, {**own, "n_rounds": range(1, 21)}, new)
    by_score = "predict" if loss == "l2" else "decision_function"
    fitted = clone(estimator).fit(X, y)
    stages = list(getattr(fitted, f"staged_{by_score}")(new))
    np.testing.assert_array_equal(stages, expected)
    np.testing.assert_array_equal(getattr(fitted, by_score)(new), expected[-1])
    assert fitted.n_iter_ == len(fitted.rounds_) == 20
    for w in (None, np.linspace(0.5, 3.0, len(y))):
        fitted.fit(X, y, w)
        losses = [LOSS_OF[loss](y, F, w) for F in getattr(fitted, f"staged_{by_score}")(X)]
        np.testing.assert_allclose(fitted.train_loss_, losses, rtol=1e-9)


@pytest.mark.parametrize("size", [{}, {"depth": 2}])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("init", "theirs_init"), [("mean", None), ("zero", "zero")])
def test_predictions_and_importances_are_those_of_scikit_learns_gradient_boosting(
    size: dict[str, int], weighted: bool, init: Any, theirs_init: Any
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(3.0, 0.3, 400)
    weights = rng.uniform(0.2, 2.0, 400) if weighted else None
    ours = GradientBoostRegressor("shrink", nu=0.3, n_rounds=15, init=init, **size)
    ours.fit(X, y, weights)
    theirs = GradientBoostingRegressor(
        learning_rate=0.3,
        n_estimators=15,
        max_depth=size.get("depth", 1),
        init=theirs_init,
        random_state=0,
    ).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-12
    )


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
