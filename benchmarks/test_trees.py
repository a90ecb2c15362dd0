"""Trees for 20 trajectories at once against scikit-learn's tree, and whole rounds of boosting.

A whole round takes the step and predicts the training examples as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn.tree import DecisionTreeRegressor

from quadrepro._typing import FloatArray
from quadrepro.learners.gradient.boosting import GradientBoost, LossName
from quadrepro.learners.gradient.trees import TreeFitter
from quadrepro.learners.grid import Grid

from .conftest import best_of, compare

M, D, N_VALUES, N_ROUNDS = 500, 10, 20, 100


def problem() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (M, D))
    signs = np.where(np.arange(D) % 2 == 0, 1.0, -1.0)
    return X, (signs * X * np.sin(X**2)).sum(axis=1) + rng.normal(0, 0.3, M)


@pytest.mark.parametrize(
    ("size", "theirs"),
    [
        ({"cuts": 1}, {"max_depth": 1}),
        ({"cuts": 4}, {"max_leaf_nodes": 5}),
        ({"depth": 4}, {"max_depth": 4}),
    ],
    ids=["stump", "4 cuts", "depth 4"],
)
def test_a_tree_of_a_round(
    benchmark: BenchmarkFixture, size: dict[str, Any], theirs: dict[str, int]
) -> None:
    X, y = problem()
    targets = y + np.random.default_rng(1).normal(0, 0.3, (N_VALUES, M))
    fitter, one = TreeFitter(X, **size), DecisionTreeRegressor(**theirs)
    benchmark.pedantic(lambda: fitter.fit(targets), rounds=20)
    ours_us = best_of(20, lambda: fitter.fit(targets)) / N_VALUES * 1e6
    theirs_us = best_of(20, lambda: one.fit(X, targets[0])) * 1e6
    compare(
        benchmark,
        **{"us per target": ours_us, "scikit-learn us": theirs_us, "ratio": theirs_us / ours_us},
    )


@pytest.mark.parametrize("loss", ["l2", "logistic"])
@pytest.mark.parametrize("cuts", [1, 4])
def test_a_whole_round(benchmark: BenchmarkFixture, loss: LossName, cuts: int) -> None:
    X, y = problem()
    y = y if loss == "l2" else np.where(y > 0, 1.0, -1.0)
    grid = Grid.of({"nu": np.linspace(0.05, 1, N_VALUES).tolist(), "n_rounds": [N_ROUNDS]})
    algorithm, rng = GradientBoost("shrink", loss, cuts), np.random.default_rng()

    def ours() -> None:
        algorithm.predictions(X, y, grid, X, rng)

    benchmark.pedantic(ours, rounds=2)
    compare(benchmark, **{"us per round": best_of(3, ours) / N_ROUNDS / N_VALUES * 1e6})
