"""What the tests of gradient boosting share: a small problem for either loss, and a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.boosting import LOSSES, TrainingLoss
from quadrepro.core.learners.gradient.steps import ScoreState
from quadrepro.core.learners.gradient.trees import TreeFitter
from quadrepro.core.learners.greedy.loop import Rule, boost

GRIDS: dict[str, dict[str, list[float]]] = {
    "full": {},
    "shrink": {"nu": [0.05, 0.3, 1.0]},
    "truncate": {},
    "rescale": {"u": [1.0, 10.0, 1e6]},
    "epsilon": {"eps": [0.01, 0.2, 1.0]},
    "rescale-truncate": {"u": [1.0, 10.0, 1e6]},
    "rescale-epsilon": {"eps": [0.01, 0.2, 1.0]},
}
each_step = pytest.mark.parametrize("step", GRIDS)
both_losses = pytest.mark.parametrize("loss", LOSSES)
NO_VALUE = np.array([np.nan])


def problem(loss: str, m: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(m, 2)), rng.integers(0, 3, (m, 2))])
    y = X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] + rng.normal(0, 0.5, m)
    return X, (y if loss == "l2" else np.where(y > 1, 1.0, -1.0))


def start(loss: Any, n: int = 1, cuts: int = 2) -> ScoreState:
    """Return the state of `n` trajectories before the first round."""
    X, y = problem(loss)
    return ScoreState(TreeFitter(X, cuts), LOSSES[loss], y, n)


def losses_of(rule: Rule[ScoreState], loss: str, rounds: int = 15, cuts: int = 2) -> FloatArray:
    watcher = TrainingLoss(rounds, 1)
    boost(rule, start(loss, cuts=cuts), rounds, [watcher])
    return watcher.path[0]
