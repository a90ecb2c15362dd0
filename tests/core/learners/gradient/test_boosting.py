from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.tree import DecisionTreeRegressor

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.boosting import STEPS, UNIT, GradientBoost
from quadrepro.core.learners.gradient.steps import (
    Follow,
    rescaling_in_theory,
    searched,
)
from quadrepro.core.learners.grid import Grid
from tests.core.learners.gradient.problems import (
    GRIDS,
    NO_VALUE,
    both_losses,
    each_step,
    losses_of,
    problem,
)

each_size = pytest.mark.parametrize("size", [{}, {"cuts": 3}, {"depth": 2}], ids=str)


def plainly(step: str, value: float, loss: str, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the scores after each of 8 rounds, from the paper's definitions."""
    scores, stages = np.zeros(len(y)), []
    for k in range(1, 9):
        descent = {
            "l2": y - scores,
            "logistic": y / (1 + np.exp(y * scores)),
            "exponential": y * np.exp(-y * scores),
        }[loss]
        g = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, descent).predict(X)

        def mean_loss(weight: float, scores: FloatArray, g: FloatArray = g) -> float:
            moved = scores + weight * g
            rest = np.exp(-y * moved)
            losses = {"l2": (y - moved) ** 2, "logistic": np.log1p(rest), "exponential": rest}
            return float(losses[loss].mean())

        shrink = {
            "rescale": min(1, 2 / (k + value)),
            "rescale-truncate": min(1, 2 / (k + value)),
            "rescale-epsilon": 3 / (k + 3),
        }.get(step, 0)
        scores = (1 - shrink) * scores
        best = minimize_scalar(mean_loss, args=(scores,), method="brent", tol=1e-12).x
        root_mean_square = np.sqrt((g**2).mean())
        bound = k ** (-2 / 3) / (1 if loss == "l2" else root_mean_square)
        weight = {
            "full": best,
            "shrink": value * best,
            "truncate": min(best, bound),
            "rescale": best,
            "epsilon": value / root_mean_square,
            "rescale-truncate": min(best, bound),
            "rescale-epsilon": value / root_mean_square,
        }[step]
        scores = scores + weight * g
        stages.append(scores)
    return np.array(stages)


@each_step
@both_losses
def test_predictions_are_those_of_a_plain_loop_over_scikit_learns_trees(
    step: Any, loss: Any
) -> None:
    X, y = problem(loss, m=120)
    # Without equal values, and in the single precision that scikit-learn's trees have.
    X = X[:, :2].astype(np.float32).astype(float)
    grid = Grid.of({**GRIDS[step], "n_rounds": range(1, 9)})
    found = GradientBoost(step, loss, cuts=3).predictions(X, y, [grid], X, np.random.default_rng())
    values = next(iter(GRIDS[step].values()), [np.nan])
    expected = np.concatenate([plainly(step, value, loss, X, y) for value in values])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@each_step
@both_losses
@each_size
def test_candidates_are_separate_runs_in_the_grids_order(
    step: Any, loss: Any, size: dict[str, Any]
) -> None:
    X, y = problem(loss)
    new = problem(loss, seed=1)[0]
    algorithm = GradientBoost(step, loss, **size)
    grid = Grid.of({"n_rounds": [1, 4, 9], **GRIDS[step]})
    rng = np.random.default_rng()
    together = algorithm.predictions(X, y, [grid], new, rng)
    assert together.shape == (len(grid.candidates), len(new))
    for candidate, scores in zip(grid.candidates, together, strict=True):
        single = Grid.of({name: [value] for name, value in candidate.items()})
        np.testing.assert_array_equal(algorithm.predictions(X, y, [single], new, rng)[0], scores)


@each_step
@both_losses
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.arange(6.0)[:, None]], ids=["flat", "sloping"])
def test_degenerate_problems_have_finite_answers(step: Any, loss: Any, X: FloatArray) -> None:
    algorithm = GradientBoost(step, loss, cuts=9)
    grid = Grid.of({**GRIDS[step], "n_rounds": [1, 300]})
    for y in (np.ones(6), -np.ones(6), np.zeros(6) if loss == "l2" else np.array([1, -1] * 3)):
        scores = algorithm.predictions(X, y.astype(float), [grid], X, np.random.default_rng())
        assert np.isfinite(scores).all()
        if y.all() and (y == y[0]).all():
            assert (np.sign(scores) == y).all()


def test_the_theorys_rescaling_needs_no_value() -> None:
    X, y = problem("l2")
    algorithm = GradientBoost("rescale", theory=True)
    assert [h.name for h in algorithm.hyperparameters] == ["n_rounds"]
    [scores] = algorithm.predictions(X, y, [Grid.of({"n_rounds": [9]})], X, np.random.default_rng())
    loss = losses_of(Follow(NO_VALUE, searched, rescaling_in_theory), "l2", 9, cuts=1)[-1]
    assert np.square(y - scores).mean() == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize(
    ("loss", "bound", "unit"),
    [
        (None, None, False),
        ("l2", "unit", True),
        ("l2", "tree", False),
        ("logistic", None, True),
        ("logistic", "tree", False),
        ("exponential", None, True),
        ("exponential", "tree", False),
    ],
)
def test_the_bound_is_that_of_the_setting_or_else_of_the_loss(
    loss: Any, bound: Any, unit: bool
) -> None:
    for step in UNIT:
        kinds = {False: STEPS[step], True: UNIT[step]}
        assert GradientBoost(step, loss, bound=bound).kind is kinds[unit]


def test_each_loss_has_its_task() -> None:
    assert GradientBoost(loss="l2").for_task("regression") is not None
    assert GradientBoost(loss="l2").for_task("classification") is None
    for loss in ("logistic", "exponential"):
        boosting = GradientBoost(loss=loss)
        assert boosting.for_task("classification") == boosting
        assert boosting.for_task("regression") is None
        assert boosting.task == "classification"


def test_without_a_loss_the_task_gives_it() -> None:
    boosting = GradientBoost("rescale", cuts=4)
    assert boosting.for_task("classification") == GradientBoost("rescale", "logistic", cuts=4)
    assert boosting.for_task("regression") == GradientBoost("rescale", "l2", cuts=4)
    assert boosting.task == GradientBoost(loss="l2").task == "regression"
    assert GradientBoost(loss="logistic").task == "classification"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinge"}, "loss must be None, 'l2', 'logistic', 'exponential', not 'hinge'"),
        ({"step": "full", "theory": True}, "theory is for step 'rescale', not 'full'"),
        ({"step": "truncate", "bound": "ball"}, "bound must be None, 'tree', 'unit', not 'ball'"),
        (
            {"step": "full", "bound": "unit"},
            "bound is for steps 'truncate' and .* not 'full'",
        ),
        ({"cuts": 4, "depth": 2}, "give depth 2 or cuts 4"),
        ({"cuts": 1.5}, "cuts must be a whole number from 1 to 10000, not 1.5"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        GradientBoost(**settings)


def test_a_grid_must_name_the_steps_value() -> None:
    X, y = problem("l2")
    algorithm, grid = GradientBoost("rescale"), Grid.of({"n_rounds": [3]})
    with pytest.raises(ValueError, match="GradientBoost needs a value of u"):
        algorithm.check(grid)
    with pytest.raises(ValueError, match="GradientBoost needs a value of u"):
        algorithm.predictions(X, y, [grid], X, np.random.default_rng())
