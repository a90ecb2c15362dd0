from __future__ import annotations

from typing import Any

import numpy as np

from quadrepro.learners.gradient.boosting import STEPS
from quadrepro.learners.gradient.steps import follow
from quadrepro.learners.gradient.watchers import Ensemble, StagedScores, TrainingLoss
from quadrepro.learners.greedy.loop import boost
from tests.learners.gradient.problems import GRIDS, both_losses, each_step, problem, start


@each_step
@both_losses
def test_staged_scores_of_the_training_examples_are_those_of_the_state(
    step: Any, loss: Any
) -> None:
    values = np.array(next(iter(GRIDS[step].values()), [np.nan]))
    scores = start(loss, len(values))
    staged = StagedScores([12], len(values), problem(loss)[0])
    boost(STEPS[step].rule(values), scores, 12, [staged])
    np.testing.assert_array_equal(staged.path[:, 0], scores.scores)


@each_step
@both_losses
def test_the_kept_rounds_give_the_staged_scores_again(step: Any, loss: Any) -> None:
    values = np.array(next(iter(GRIDS[step].values()), [np.nan]))
    new = problem(loss, seed=1)[0]
    rounds = [2, 5, 12]
    staged, ensemble = StagedScores(rounds, len(values), new), Ensemble()
    boost(STEPS[step].rule(values), start(loss, len(values)), 12, [staged, ensemble])
    assert len(ensemble.rounds) == 12
    scores, again = np.zeros((len(values), len(new))), []
    for trees, taken in ensemble.rounds:
        follow(scores, trees, trees.leaves(np.ascontiguousarray(new.T)), taken)
        again.append(scores.copy())
    np.testing.assert_array_equal(staged.path, np.stack([again[t - 1] for t in rounds], axis=1))


@both_losses
def test_the_training_loss_is_that_of_the_staged_scores(loss: Any) -> None:
    X, y = problem(loss)
    losses, staged = TrainingLoss(6, 2), StagedScores(range(1, 7), 2, X)
    boost(STEPS["shrink"].rule(np.array([0.1, 0.9])), start(loss, 2), 6, [losses, staged])
    powers = np.exp(-y * staged.path)
    each = {"l2": (y - staged.path) ** 2, "logistic": np.log1p(powers), "exponential": powers}
    np.testing.assert_allclose(losses.path, each[loss].mean(axis=2), rtol=1e-12)
