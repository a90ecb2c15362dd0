from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from quadrepro import GradientBoostRegressor
from quadrepro.core.learners.gradient.boosting import STEPS, Ensemble, StagedScores
from quadrepro.core.learners.gradient.steps import follow
from quadrepro.core.learners.greedy.loop import boost
from tests.core.learners.gradient.problems import GRIDS, both_losses, each_step, problem, start


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


@pytest.mark.parametrize("size", [{}, {"depth": 2}])
@pytest.mark.parametrize("weighted", [False, True])
def test_gains_are_the_importances_of_scikit_learns_gradient_boosting(
    size: dict[str, int], weighted: bool
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(0, 0.3, 400)
    weights = rng.uniform(0.2, 2.0, 400) if weighted else None
    ours = GradientBoostRegressor("shrink", nu=0.3, n_rounds=15, **size).fit(X, y, weights)
    theirs = GradientBoostingRegressor(
        learning_rate=0.3,
        n_estimators=15,
        max_depth=size.get("depth", 1),
        init="zero",
        random_state=0,
    ).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-12
    )
