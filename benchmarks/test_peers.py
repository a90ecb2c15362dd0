"""Rounds of learners, against scikit-learn and LightGBM."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier

from quadrepro import AdaBoostClassifier, LogitBoostClassifier, SAMMEClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.training.contract import Part
from quadrepro.core.training.grid import Grid

from .conftest import best_of, row

Problem = tuple[FloatArray, FloatArray]
STUMP = DecisionTreeClassifier(max_depth=1)


def seconds_per_round(model: Any, n_rounds: int, X: FloatArray, y: NDArray[Any]) -> float:
    return best_of(3, lambda: model.fit(X, y)) / n_rounds


def test_adaboost(
    benchmark: BenchmarkFixture, pima: Problem, pima_voters: Problem, folds: FloatArray
) -> None:
    n_rounds = 10_000
    grid = Grid.from_values({"n_rounds": [n_rounds]})
    theirs = seconds_per_round(ensemble.AdaBoostClassifier(STUMP, n_estimators=200), 200, *pima)
    references = {"scikit-learn's `AdaBoostClassifier`": theirs}
    benchmark.pedantic(lambda: AdaBoost().path(*pima_voters, grid, folds), rounds=1)
    six = best_of(3, lambda: AdaBoost().path(*pima_voters, grid, folds)) / (n_rounds * len(folds))
    row("AdaBoost, a round on pima's half, five folds and the whole", six, references)
    one = seconds_per_round(AdaBoostClassifier(n_rounds=n_rounds), n_rounds, *pima)
    row("`AdaBoostClassifier.fit` on pima's half, a round", one, references)


@pytest.mark.parametrize("size", [(500, 10), (20_000, 50)], ids=str)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_weak_learners_that_are_fitted(
    benchmark: BenchmarkFixture, n_classes: int, size: tuple[int, int]
) -> None:
    (m, d), rng = size, np.random.default_rng(0)
    n_rounds = 100 if m <= 500 else 20
    X = rng.normal(size=(m, d))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=m)
    y = noisy.argsort().argsort() * n_classes // m
    adaboost = ensemble.AdaBoostClassifier(STUMP, n_estimators=n_rounds)
    gradient = ensemble.GradientBoostingClassifier(max_depth=1, n_estimators=n_rounds)
    pairs: list[tuple[Any, Any]] = [
        (SAMMEClassifier(n_rounds), adaboost),
        (LogitBoostClassifier(n_rounds), gradient),
    ]
    for ours, theirs in pairs:
        names = type(ours).__name__, type(theirs).__name__
        row(
            f"`{names[0]}`, a stump for {n_classes} classes, {m:,} x {d}",
            seconds_per_round(ours, n_rounds, X, y),
            {f"scikit-learn's `{names[1]}`": seconds_per_round(theirs, n_rounds, X, y)},
        )
    benchmark.pedantic(pairs[0][0].fit, (X, y), rounds=1)


@pytest.mark.parametrize("loss", ["l2", "logistic"])
@pytest.mark.parametrize("cuts", [1, 4])
def test_gradient_boosting(benchmark: BenchmarkFixture, loss: Any, cuts: int) -> None:
    rng, m, n_values, n_rounds = np.random.default_rng(0), 500, 20, 100
    X = rng.uniform(-2, 2, (m, 10))
    signs = np.where(np.arange(10) % 2 == 0, 1.0, -1.0)
    y = (signs * X * np.sin(X**2)).sum(axis=1) + rng.normal(0, 0.3, m)
    y = y if loss == "l2" else np.where(y > 0, 1.0, -1.0)
    grids = [
        Grid.from_values({"nu": np.linspace(0.05, 1, n_values).tolist(), "n_rounds": [n_rounds]})
    ]
    algorithm = GradientBoost("shrink", loss, cuts)
    train = Part(X, y)
    benchmark.pedantic(lambda: algorithm.predictions(train, grids, X, rng), rounds=1)
    ours = best_of(3, lambda: algorithm.predictions(train, grids, X, rng)) / (n_rounds * n_values)
    kind = "Regressor" if loss == "l2" else "Classifier"
    size = {"max_leaf_nodes": cuts + 1, "max_depth": None, "n_estimators": n_rounds}
    peers = {"scikit-learn": getattr(ensemble, f"GradientBoosting{kind}")(**size)}
    if find_spec("lightgbm"):
        make = getattr(import_module("lightgbm"), f"LGBM{kind}")
        least = {"min_child_samples": 1, "max_bin": m, "n_jobs": 1, "verbose": -1}
        peers["LightGBM"] = make(num_leaves=cuts + 1, n_estimators=n_rounds, **least)
    references = {name: seconds_per_round(peer, n_rounds, X, y) for name, peer in peers.items()}
    name = f"RSboosting, {loss}, trees of {cuts + 1} leaves, 20 values of ν, a round of one"
    row(name, ours, references)
