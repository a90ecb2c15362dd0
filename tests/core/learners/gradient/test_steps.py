from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.boosting import LOSSES
from quadrepro.core.learners.gradient.steps import (
    Follow,
    ScoreState,
    follow,
    rescaling,
    rescaling_in_theory,
    searched,
    shared,
    truncated,
)
from quadrepro.core.learners.gradient.trees import GrownTrees
from quadrepro.core.learners.greedy.loop import Step, boost
from tests.core.learners.gradient.problems import NO_VALUE, both_losses, problem, start


def state(loss: str, rounds: int = 0, n: int = 1) -> ScoreState:
    """Return a state after some rounds of Boosting, with the next round's trees."""
    scores = start(loss, n)
    boost(Follow(np.full(n, np.nan), searched), scores, rounds)
    scores.begin(rounds + 1)
    return scores


@pytest.mark.parametrize("k", [1, 2, 8])
def test_a_truncated_step_is_bounded_by_the_rounds_power(k: int) -> None:
    squared = state("l2", k - 1)
    np.testing.assert_allclose(truncated(squared, NO_VALUE, None), k ** (-2 / 3))


def test_a_truncated_step_is_the_line_search_within_the_bound() -> None:
    scores = state("l2", n=4)
    # The line search gives the least-squares tree a weight of 1, which is the bound of round 1.
    scores.answers = scores.answers / np.array([[0.5], [-0.5], [3.0], [-3.0]])
    found = truncated(scores, np.full(4, np.nan), None)
    np.testing.assert_allclose(found, [0.5, -0.5, 1.0, -1.0])


@pytest.mark.parametrize("unit", [False, True])
def test_a_tuned_bound_is_a_multiple_of_the_rounds_power(unit: bool) -> None:
    scores = state("l2", 7, n=3)
    length = np.sqrt(np.square(scores.answers).mean(axis=1)) if unit else np.ones(3)
    found = truncated(scores, np.array([0.5, np.nan, 3.0]), None, unit=unit, tuned=True)
    best = scores.search()
    np.testing.assert_allclose(found, np.minimum(np.array([0.5, 1.0, 3.0]) / 4 / length, best))
    assert (found < best).any()


@both_losses
@pytest.mark.parametrize("theory", [False, True])
def test_a_rescaled_step_is_the_best_from_the_shrunken_scores(loss: str, theory: bool) -> None:
    scores = state(loss, 4)
    alpha = rescaling_in_theory if theory else rescaling
    step = Follow(np.array([3.0]), searched, alpha).step(scores)
    assert step.shrink is not None
    assert step.shrink.tolist() == [3 / 8 if theory else 2 / 8]
    before = (1 - step.shrink[0]) * scores.scores
    mean = [
        scores.loss.mean(before + (step.weights[0] + change) * scores.answers, scores.y)[0]
        for change in (-1e-3, 0.0, 1e-3)
    ]
    assert mean[1] < min(mean[0], mean[2])


def test_rescaling_takes_away_no_more_than_all() -> None:
    assert rescaling(1, np.array([1.0, 0.5, 8.0])).tolist() == [1.0, 1.0, 2 / 9]


@both_losses
def test_the_trees_are_fitted_to_the_negative_gradient_of_the_current_scores(loss: Any) -> None:
    scores = state(loss, 3)
    X, y = problem(loss)
    gradient = LOSSES[loss].descent(scores.scores, y)[0]
    # Each leaf answers with the mean of the negative gradient over its examples.
    for value in np.unique(scores.answers):
        inside = scores.answers[0] == value
        assert value == pytest.approx(gradient[inside].mean(), abs=1e-12)
    leaves = scores.trees.leaves(np.ascontiguousarray(X.T))
    np.testing.assert_array_equal(leaves, scores.leaves)
    np.testing.assert_array_equal(scores.trees.answers(leaves), scores.answers)


def test_a_tree_that_answers_zero_has_no_unit() -> None:
    scores = state("l2", n=2)
    scores.answers = np.stack([np.full(60, 4.0), np.zeros(60)])
    assert scores.per_unit().tolist() == [0.25, 0.0]


@pytest.mark.parametrize("shrink", [None, np.array([0.5, 1.0])])
def test_following_shrinks_the_scores_and_adds_the_weighted_answers(
    shrink: FloatArray | None,
) -> None:
    scores = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
    weights = np.array([2.0, -1.0])
    nothing = np.zeros((2, 2), dtype=np.int64)
    trees = GrownTrees(nothing, nothing, nothing.astype(float), np.array([[0.0, 2.0, 1.0]] * 2))
    leaves = np.array([[0, 2, 1]] * 2, dtype=np.int32)
    follow(scores, trees, leaves, Step(np.zeros(2, int), weights, None, shrink))
    plain = [[1.0, 4.0, 8.0], [1.0, 1.0, 2.0]]
    shrunken = [[0.5, 3.0, 6.0], [0.0, -1.0, -2.0]]
    assert scores.tolist() == (plain if shrink is None else shrunken)


def test_kept_trajectories_go_on_as_before() -> None:
    scores = state("l2", 2, n=3)
    scores.advance(Follow(np.array([0.1, 0.5, 1.0]), shared).step(scores))
    before = scores.scores[1:].copy()
    scores.keep(np.array([False, True, True]))
    np.testing.assert_array_equal(scores.scores, before)
    assert len(scores.trees.values) == len(scores.answers) == len(scores.weights) == 2
