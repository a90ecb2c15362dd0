from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro._typing import FloatArray
from quadrepro.learners.gradient.boosting import (
    LOSSES,
    Ensemble,
    GradientBoost,
    Losses,
    Predictions,
)
from quadrepro.learners.gradient.steps import (
    Epsilon,
    Full,
    Rescale,
    RescaleInTheory,
    Scores,
    Shrink,
    Truncate,
)
from quadrepro.learners.gradient.trees import TreeFitter
from quadrepro.learners.greedy.loop import Rule, State, Step, boost
from quadrepro.learners.grid import Grid

GRIDS: dict[str, dict[str, list[float]]] = {
    "full": {},
    "shrink": {"nu": [0.05, 0.3, 1.0]},
    "truncate": {},
    "rescale": {"u": [1.0, 10.0, 1e6]},
    "epsilon": {"eps": [0.01, 0.2, 1.0]},
}
each_step = pytest.mark.parametrize("step", GRIDS)
both_losses = pytest.mark.parametrize("loss", LOSSES)
each_size = pytest.mark.parametrize("size", [{}, {"splits": 3}, {"depth": 2}], ids=str)
ONE = np.array([np.nan])


def problem(loss: str, m: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(m, 2)), rng.integers(0, 3, (m, 2))])
    y = X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] + rng.normal(0, 0.5, m)
    return X, (y if loss == "l2" else np.where(y > 1, 1.0, -1.0))


def state(loss: str, rounds: int = 0, n: int = 1, splits: int = 2) -> Scores:
    """Return a state after some rounds of Boosting, with the next round's trees."""
    X, y = problem(loss)
    scores = Scores(TreeFitter(X, splits), LOSSES[loss], y, n)
    boost(Full(), scores, rounds)
    scores.begin(rounds + 1)
    return scores


def losses_of(rule: Rule, loss: str, rounds: int = 15, splits: int = 2) -> FloatArray:
    X, y = problem(loss)
    watcher = Losses(rounds, 1)
    boost(rule, Scores(TreeFitter(X, splits), LOSSES[loss], y, 1), rounds, [watcher])
    return watcher.path[0]


@both_losses
def test_rescaling_by_nothing_is_boosting(loss: str) -> None:
    without = losses_of(Rescale(np.array([np.inf])), loss)
    np.testing.assert_array_equal(without, losses_of(Full(), loss))


@both_losses
def test_shrinking_by_nothing_is_boosting(loss: str) -> None:
    without = losses_of(Shrink(np.array([1.0])), loss)
    np.testing.assert_array_equal(without, losses_of(Full(), loss))


@pytest.mark.parametrize("rounds", [0, 1, 7])
def test_a_least_squares_tree_is_followed_as_it_is(rounds: int) -> None:
    np.testing.assert_allclose(state("l2", rounds).search(), 1.0, rtol=1e-12)


def test_epsilon_boosting_is_shrinkage_with_each_trees_root_mean_square() -> None:
    @dataclass(frozen=True)
    class ShrinkByEpsilon(Rule):
        nu: float

        def step(self, state: State) -> Step:
            assert isinstance(state, Scores)
            return Epsilon(self.nu * np.sqrt(np.square(state.answers).mean(axis=1))).step(state)

    np.testing.assert_allclose(
        losses_of(ShrinkByEpsilon(0.3), "l2"), losses_of(Shrink(np.array([0.3])), "l2"), rtol=1e-10
    )


@both_losses
def test_an_epsilon_step_has_the_length_epsilon_and_descends(loss: str) -> None:
    scores = state(loss, 3, n=2)
    step = Epsilon(np.array([0.1, 0.7])).step(scores)
    taken = step.weights[:, None] * scores.answers
    np.testing.assert_allclose(np.sqrt(np.square(taken).mean(axis=1)), [0.1, 0.7])
    assert ((LOSSES[loss].descent(scores.scores, scores.y) * taken).sum(axis=1) > 0).all()


@pytest.mark.parametrize("k", [1, 2, 8])
def test_a_truncated_step_is_bounded_by_the_rounds_power(k: int) -> None:
    squared = state("l2", k - 1)
    np.testing.assert_allclose(Truncate().step(squared).weights, k ** (-2 / 3))
    logistic = state("logistic", k - 1)
    weights = Truncate().step(logistic).weights
    length = weights[:, None] * logistic.answers
    root_mean_square = np.sqrt(np.square(length).mean())
    assert root_mean_square <= k ** (-2 / 3) * (1 + 1e-12)
    if root_mean_square < k ** (-2 / 3) * (1 - 1e-12):
        np.testing.assert_array_equal(weights, logistic.search())


@both_losses
@pytest.mark.parametrize("theory", [False, True])
def test_a_rescaled_step_is_the_best_from_the_shrunken_scores(loss: str, theory: bool) -> None:
    scores = state(loss, 4)
    rule = (RescaleInTheory if theory else Rescale)(np.array([3.0]))
    step = rule.step(scores)
    assert step.shrink is not None
    assert step.shrink.tolist() == [3 / 8 if theory else 2 / 8]
    before = (1 - step.shrink[0]) * scores.scores
    mean = [
        scores.loss.mean(before + (step.weights[0] + change) * scores.answers, scores.y)[0]
        for change in (-1e-3, 0.0, 1e-3)
    ]
    assert mean[1] < min(mean[0], mean[2])


def test_rescaling_takes_away_no_more_than_all() -> None:
    rule = Rescale(np.array([1.0, 0.5, 8.0]))
    assert rule.alpha(1).tolist() == [1.0, 1.0, 2 / 9]


@both_losses
@each_size
def test_boosting_never_raises_the_training_loss(loss: str, size: dict[str, int]) -> None:
    X, y = problem(loss)
    watcher = Losses(30, 1)
    GradientBoost("full", loss, **size).run(X, y, ONE, 30, [watcher])  # type: ignore[arg-type]
    falls = -np.diff(watcher.path[0])
    assert (falls >= -1e-12).all()
    assert falls[0] > 1e-4


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 20), st.integers(1, 4), st.integers(0, 10**6))
def test_shrunken_boosting_never_raises_the_squared_loss(m: int, levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, levels, (m, 2)).astype(float), rng.normal(size=m)
    watcher = Losses(8, 3)
    GradientBoost("shrink").run(X, y, np.array([0.1, 0.5, 1.0]), 8, [watcher])
    assert (np.diff(watcher.path, axis=1) <= 1e-12).all()


@each_step
@both_losses
@each_size
def test_candidates_are_separate_runs_in_the_grids_order(
    step: Any, loss: Any, size: dict[str, int]
) -> None:
    X, y = problem(loss)
    new = problem(loss, seed=1)[0]
    algorithm = GradientBoost(step, loss, **size)  # type: ignore[arg-type]
    grid = Grid.of({"n_rounds": [1, 4, 9], **GRIDS[step]})
    rng = np.random.default_rng()
    together = algorithm.predictions(X, y, grid, new, rng)
    assert together.shape == (len(grid.candidates), len(new))
    for candidate, scores in zip(grid.candidates, together, strict=True):
        single = Grid.of({name: [value] for name, value in candidate.items()})
        np.testing.assert_array_equal(algorithm.predictions(X, y, single, new, rng)[0], scores)


@each_step
@both_losses
def test_predictions_on_the_training_examples_are_the_scores(step: Any, loss: Any) -> None:
    X, y = problem(loss)
    algorithm = GradientBoost(step, loss, splits=2)
    values = np.array(next(iter(GRIDS[step].values()), [np.nan]))
    scores = Scores(TreeFitter(X, 2), LOSSES[loss], y, len(values))
    watcher, ensemble = Predictions([12], len(values), X), Ensemble()
    boost(algorithm.rule(values), scores, 12, [watcher, ensemble])
    np.testing.assert_array_equal(watcher.path[:, 0], scores.scores)
    assert len(ensemble.rounds) == 12


@each_step
@both_losses
@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.arange(6.0)[:, None]], ids=["flat", "sloping"])
def test_degenerate_problems_have_finite_answers(step: Any, loss: Any, X: FloatArray) -> None:
    algorithm = GradientBoost(step, loss, splits=9)
    grid = Grid.of({**GRIDS[step], "n_rounds": [1, 300]})
    for y in (np.ones(6), -np.ones(6), np.zeros(6) if loss == "l2" else np.array([1, -1] * 3)):
        scores = algorithm.predictions(X, y.astype(float), grid, X, np.random.default_rng())
        assert np.isfinite(scores).all()
        if y.all() and (y == y[0]).all():
            assert (np.sign(scores) == y).all()


def test_the_theorys_rescaling_needs_no_value() -> None:
    X, y = problem("l2")
    algorithm = GradientBoost("rescale", theory=True)
    assert [h.name for h in algorithm.hyperparameters] == ["n_rounds"]
    [scores] = algorithm.predictions(X, y, Grid.of({"n_rounds": [9]}), X, np.random.default_rng())
    loss = losses_of(RescaleInTheory(ONE), "l2", 9, splits=1)[-1]
    assert np.square(y - scores).mean() == pytest.approx(loss, rel=1e-12)


def test_kept_trajectories_go_on_as_before() -> None:
    scores = state("l2", 2, n=3)
    scores.advance(Shrink(np.array([0.1, 0.5, 1.0])).step(scores))
    before = scores.scores[1:].copy()
    scores.keep(np.array([False, True, True]))
    np.testing.assert_array_equal(scores.scores, before)
    assert len(scores.trees.values) == len(scores.answers) == len(scores.weights) == 2


def test_each_loss_has_its_task() -> None:
    assert GradientBoost(loss="l2").for_task("regression") is not None
    assert GradientBoost(loss="l2").for_task("classification") is None
    assert GradientBoost(loss="logistic").for_task("classification") is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "hinge"}, "loss must be None, 'l2', 'logistic', not 'hinge'"),
        ({"step": "full", "theory": True}, "theory is for step 'rescale', not 'full'"),
        ({"splits": 4, "depth": 2}, "give depth 2 or splits 4"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        GradientBoost(**settings)


def test_a_grid_must_name_the_steps_value() -> None:
    with pytest.raises(ValueError, match="GradientBoost needs a value of u"):
        GradientBoost("rescale").check(Grid.of({"n_rounds": [3]}))
