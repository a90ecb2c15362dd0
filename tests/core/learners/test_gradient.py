from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize_scalar
from scipy.special import expit
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
from quadrepro.core.learners.losses import LARGEST_CHANGE, LOSSES, Loss
from quadrepro.core.training.contract import Part
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
    return algorithm.predictions(Part(X, y), [Grid.from_values(grid)], new, np.random.default_rng())


def plainly(
    step: str,
    value: float,
    loss: str,
    X: FloatArray,
    y: FloatArray,
    bound: str | None = None,
    theory: bool = False,
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
    ("step", "values", "settings"),
    [
        *((step, values, {}) for step, values in GRIDS.items()),
        ("truncate", {}, {"bound": "tree"}),
        ("truncate", {"truncation": [0.2, 1.0, 5.0]}, {"bound": "unit"}),
        ("rescale-truncate", {"u": [5.0]}, {"bound": "tree"}),
        ("rescale-truncate", {"u": [5.0]}, {"bound": "unit"}),
        ("rescale", {}, {"theory": True}),
        *(("rescale", {}, {"alpha": alpha}) for alpha in (0.0, 0.3, 0.95)),
    ],
)
def test_predictions_are_those_of_a_plain_loop_over_scikit_learns_trees(
    step: Any, values: dict[str, list[float]], settings: dict[str, Any]
) -> None:
    for loss in LOSSES:
        X, y = problem(loss, m=120)
        # Without equal values, and in the single precision that scikit-learn's trees have.
        X = X[:, :2].astype(np.float32).astype(float)
        algorithm = GradientBoost(step, loss, cuts=3, **settings)  # type: ignore[arg-type]
        found = predictions(algorithm, X, y, {**values, "n_rounds": range(1, 9)}, X)
        expected = [
            plainly(step, value, loss, X, y, **settings)
            for value in next(iter(values.values()), [np.nan])
        ]
        np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [{}, {"cuts": 3}, {"depth": 2}], ids=str)
def test_candidates_are_separate_runs_in_the_grids_order(size: dict[str, Any]) -> None:
    for (step, values), loss in zip(GRIDS.items(), cycle(LOSSES), strict=False):
        (X, y), (new, _) = problem(loss), problem(loss, seed=1)
        algorithm = GradientBoost(step, loss, **size)  # type: ignore[arg-type]
        grid = Grid.from_values({"n_rounds": [1, 4, 9], **values})
        together = algorithm.predictions(Part(X, y), [grid], new, np.random.default_rng())
        assert together.shape == (len(grid.candidates), len(new))
        for candidate, scores in zip(grid.candidates, together, strict=True):
            alone = {name: [value] for name, value in candidate.items()}
            np.testing.assert_array_equal(predictions(algorithm, X, y, alone, new)[0], scores)


@each_loss
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.arange(6.0)[:, None]], ids=["flat", "sloping"])
def test_degenerate_problems_have_finite_answers(loss: Any, X: FloatArray) -> None:
    even = np.zeros(6) if loss == "l2" else np.array([1, -1] * 3)
    for (step, values), y in product(GRIDS.items(), (np.ones(6), -np.ones(6), even)):
        algorithm = GradientBoost(step, loss, cuts=9)  # type: ignore[arg-type]
        ends = {name: [axis[0], axis[-1]] for name, axis in values.items()}
        scores = predictions(algorithm, X, y.astype(float), {**ends, "n_rounds": [1, 30]}, X)
        assert np.isfinite(scores).all()
        if y is not even:
            assert (np.sign(scores) == y).all()


def test_the_loss_gives_the_task_or_else_the_task_the_loss_and_its_probabilities() -> None:
    for loss in LOSSES:
        boosting, task = GradientBoost(loss=loss), GradientBoost(loss=loss).task
        assert task == ("regression" if loss == "l2" else "classification")
        other = "classification" if loss == "l2" else "regression"
        assert (boosting.for_task(task), boosting.for_task(other)) == (boosting, None)
    open_ = GradientBoost("rescale", cuts=4)
    assert open_.task == "regression"
    assert open_.for_task("classification") == GradientBoost("rescale", "logistic", cuts=4)
    assert open_.for_task("regression") == GradientBoost("rescale", "l2", cuts=4)
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
        ({"alpha": 0.1}, "alpha is for step 'rescale', not 'full'"),
        ({"step": "rescale", "alpha": 1.5}, "alpha is from 0 to 1"),
        ({"step": "rescale", "alpha": 0.1, "theory": True}, "alpha is from 0 to 1, and replaces"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    def fit_regressor(**settings: Any) -> None:
        GradientBoostRegressor(**settings).fit(*problem("l2"))

    refuses = GradientBoost if "alpha" in settings else fit_regressor
    with pytest.raises(ValueError, match=message):
        refuses(**{"step": "full"} | settings)


ESTIMATORS: list[Any] = [
    GradientBoostRegressor("truncate", n_rounds=20, cuts=3),
    GradientBoostRegressor("rescale", u=5.0, n_rounds=20, depth=2),
    GradientBoostRegressor("rescale", n_rounds=20, init="zero"),
    GradientBoostClassifier("shrink", nu=0.3, n_rounds=20),
    GradientBoostClassifier("epsilon", eps=0.2, n_rounds=20),
    GradientBoostClassifier("rescale", u=5.0, n_rounds=20, depth=2, loss="exponential"),
]


LOSS_OF: dict[str, Callable[..., Any]] = {
    "l2": lambda y, F, w: mean_squared_error(y, F, sample_weight=w),
    "logistic": lambda y, F, w: log_loss(y, 1 / (1 + np.exp(-F)), sample_weight=w),
    "exponential": lambda y, F, w: np.average(np.exp(-y * F), weights=w),
}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
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


@pytest.mark.parametrize(
    ("size", "weighted", "init", "theirs_init"),
    [({}, True, "mean", None), ({"depth": 2}, False, "zero", "zero")],
)
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


L2, LOGISTIC, EXPONENTIAL = LOSSES.values()
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
each_class_loss = pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL], ids=list(LOSSES)[1:])


def draw_scores(
    n: int = 8, m: int = 40, seed: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    scales = np.geomspace(0.01, 10, n)[:, None]
    return (
        scales[::-1] * rng.normal(size=(n, m)),
        scales * rng.normal(size=(n, m)),
        rng.choice([-1.0, 1.0], m),
    )


def mean(
    loss: type[Loss], scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    w = np.ones(len(y)) if weights is None else weights
    made = loss(y, w)
    return made.mean(made.terms(scores), scores)


def descent_of(loss: type[Loss], scores: FloatArray, y: FloatArray) -> FloatArray:
    made = loss(y, np.ones(len(y)))
    return made.descent(made.terms(scores))


def search(
    loss: type[Loss],
    scores: FloatArray,
    g: FloatArray,
    y: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the steps along g that may be different for all examples."""
    leaves = np.tile(np.arange(len(y), dtype=np.int32), (len(scores), 1))
    w = np.ones(len(y)) if weights is None else weights
    made = loss(y, w)
    return made.search(made.terms(scores), g, leaves)


@pytest.mark.parametrize(
    ("loss", "phi"),
    [
        (L2, lambda f, y: (y - f) ** 2),
        (LOGISTIC, lambda f, y: np.log1p(np.exp(-y * f))),
        (EXPONENTIAL, lambda f, y: np.exp(-y * f)),
    ],
    ids=LOSSES,
)
def test_losses_are_those_of_their_formulas_and_descent_is_the_negative_gradient(
    loss: type[Loss], phi: object
) -> None:
    assert callable(phi)
    scores, _, y = draw_scores(n=3, m=6)
    weights = np.linspace(0.5, 2.0, 6)
    expected = np.average(phi(scores, y), axis=1, weights=weights)
    np.testing.assert_allclose(mean(loss, scores, y, weights), expected, rtol=1e-12)
    factor = 2.0 if loss is L2 else 1.0
    for f, descent in zip(scores, descent_of(loss, scores, y), strict=True):
        gradient = approx_fprime(f, lambda f: phi(f, y).sum(), 1e-7)
        np.testing.assert_allclose(factor * descent, -gradient, atol=1e-4)


@each_loss
@pytest.mark.parametrize("weighted", [False, True])
def test_the_line_search_is_scipys_and_no_direction_is_not_followed(
    loss: type[Loss], weighted: bool
) -> None:
    scores, g, y = draw_scores()
    w = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    for f, own, beta in zip(scores, g, search(loss, scores, g, y, w), strict=True):
        best = minimize_scalar(
            lambda b, f=f, g=own: mean(loss, (f + b * g)[None], y, w)[0], method="brent", tol=1e-12
        )
        assert beta == pytest.approx(best.x, rel=1e-5, abs=1e-7)
    g[0] = 0.0
    assert (search(loss, scores, g, y)[:2] == 0).tolist() == [True, False]
    # This loss is nearly linear at 0, where a Newton step would be 2e4 long; by symmetry β is 11.
    y, scores, g = np.array([1.0, -1.0]), np.array([[-10.0, -12.0]]), np.ones((1, 2))
    assert search(LOGISTIC, scores, g, y)[0] == pytest.approx(11.0, abs=1e-9)


@each_class_loss
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_if_the_loss_falls_without_end_the_step_is_bounded(sign: float, loss: type[Loss]) -> None:
    y = np.array([1.0, -1.0, 1.0])
    g = sign * y * [[0.5, 2.0, 0.0], [1e-9, 1e-8, 1e-7]]
    found = search(loss, np.zeros((2, 3)), g, y)
    np.testing.assert_allclose(found, sign * LARGEST_CHANGE / np.array([2.0, 1e-7]))


@each_class_loss
@pytest.mark.parametrize("size", [50.0, 1e4])
def test_huge_margins_give_finite_losses_and_steps_and_overflown_ones_do_no_harm_to_others(
    size: float, loss: type[Loss]
) -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    scores = size * np.array([[1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
    means = mean(loss, scores, y)
    assert np.isfinite(means).all()
    if loss is LOGISTIC:
        np.testing.assert_allclose(means, [size / 4, np.log1p(np.exp(-size))])
    elif size == 50.0:
        np.testing.assert_allclose(means, [np.exp(size) / 4, np.exp(-size)])
    descent = descent_of(loss, scores, y)
    assert np.isfinite(np.square(descent).sum(axis=1)).all()
    found = search(loss, scores, descent, y)
    assert np.isfinite(found).all()
    assert (mean(loss, scores + found[:, None] * descent, y) <= means).all()
    scores, g, y = draw_scores(n=2)
    odd = scores.copy()
    odd[0, :3] = np.nan, np.inf, -np.inf
    assert np.isfinite(descent_of(loss, odd, y)).all()
    assert np.isfinite(search(loss, odd, g, y)).all()
    for outcome in (mean, descent_of, lambda loss, f, y: search(loss, f, g, y)):
        np.testing.assert_array_equal(outcome(loss, odd, y)[1], outcome(loss, scores, y)[1])


@each_class_loss
def test_the_probability_is_that_of_which_the_score_is_best(loss: type[Loss]) -> None:
    for p in (0.1, 0.5, 0.73):
        best = minimize_scalar(
            lambda f, p=p: (
                p * mean(loss, np.full((1, 1), f), np.ones(1))[0]
                + (1 - p) * mean(loss, np.full((1, 1), -f), np.ones(1))[0]
            ),
            tol=1e-12,
        ).x
        assert loss.probability(np.array([best]))[0] == pytest.approx(p, abs=1e-6)
    scores = np.array([-1e4, 0.0, 2.0, 1e4])
    factor = 1.0 if loss is LOGISTIC else 2.0
    np.testing.assert_allclose(loss.probability(scores), expit(factor * scores), atol=1e-100)
