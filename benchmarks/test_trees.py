"""Trees for 20 trajectories at once against scikit-learn's tree, and whole rounds of boosting.

A whole round takes the step and predicts the training examples as well.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn import ensemble
from sklearn.tree import DecisionTreeRegressor

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.losses import LossName
from quadrepro.core.learners.trees import TreeFitter

from .conftest import best_of, compare, row

M, D, N_VALUES, N_ROUNDS = 500, 10, 20, 100


def problem() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (M, D))
    signs = np.where(np.arange(D) % 2 == 0, 1.0, -1.0)
    return X, (signs * X * np.sin(X**2)).sum(axis=1) + rng.normal(0, 0.3, M)


@pytest.mark.parametrize(
    ("what", "size", "theirs"),
    [
        ("stump", {"cuts": 1}, {"max_depth": 1}),
        ("tree of 4 cuts", {"cuts": 4}, {"max_leaf_nodes": 5}),
        ("tree of depth 4", {"depth": 4}, {"max_depth": 4}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_tree_of_a_round(
    benchmark: BenchmarkFixture, what: str, size: dict[str, Any], theirs: dict[str, int]
) -> None:
    X, y = problem()
    targets = y + np.random.default_rng(1).normal(0, 0.3, (N_VALUES, M))
    fitter, one = TreeFitter(X, **size), DecisionTreeRegressor(**theirs)

    def ours() -> None:
        fitter.fit(targets)

    benchmark.pedantic(ours, rounds=20)
    each, learn = best_of(50, ours) / N_VALUES, best_of(20, lambda: one.fit(X, targets[0]))
    row(f"regression {what}, {N_VALUES} targets at once, per target", each, {"scikit-learn": learn})
    compare(
        benchmark,
        **{"us per target": each * 1e6, "scikit-learn us": learn * 1e6},
        **{"scikit-learn to ours": learn / each},
    )


@pytest.mark.parametrize("loss", ["l2", "logistic"])
@pytest.mark.parametrize("cuts", [1, 4])
def test_a_whole_round(benchmark: BenchmarkFixture, loss: LossName, cuts: int) -> None:
    X, y = problem()
    y = y if loss == "l2" else np.where(y > 0, 1.0, -1.0)
    grid = Grid.of({"nu": np.linspace(0.05, 1, N_VALUES).tolist(), "n_rounds": [N_ROUNDS]})
    algorithm, rng = GradientBoost("shrink", loss, cuts), np.random.default_rng()

    def ours() -> None:
        algorithm.predictions(X, y, [grid], X, rng)

    benchmark.pedantic(ours, rounds=2)
    each = best_of(3, ours) / N_ROUNDS / N_VALUES
    kind = "Regressor" if loss == "l2" else "Classifier"
    size = {"max_leaf_nodes": cuts + 1, "max_depth": None}
    others = {"scikit-learn": getattr(ensemble, f"GradientBoosting{kind}")(**size)}
    if find_spec("lightgbm"):
        size = {"num_leaves": cuts + 1, "min_child_samples": 1, "max_bin": M, "n_jobs": 1}
        make = getattr(import_module("lightgbm"), f"LGBM{kind}")
        others["LightGBM"] = make(**size, verbose=-1)
    references = {}
    for name, other in others.items():
        other.set_params(n_estimators=N_ROUNDS)
        references[name] = best_of(3, lambda own=other: own.fit(X, y)) / N_ROUNDS
    trees = "stumps" if cuts == 1 else f"trees of {cuts} cuts"
    what = f"a round of RSboosting, {loss}, {trees}, {N_VALUES} values of ν"
    row(f"{what}, per value", each, references)
    compare(benchmark, ours=each, **references)
