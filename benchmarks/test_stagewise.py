"""Rounds of boosting with weak learners fitted in every round, against scikit-learn's ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from quadrepro import LogitBoostClassifier, SAMMEClassifier
from quadrepro.base.types import FloatArray, IntArray

from .conftest import best_of, compare, row

SIZES = [(500, 10, 60), (4000, 50, 15)]
"""Rows, attributes and rounds."""

TREES = [
    ("stump", {"cuts": 1}, {"max_depth": 1}),
    ("tree of 8 leaves", {"cuts": 7}, {"max_leaf_nodes": 8, "max_depth": None}),
]


def problem(m: int, d: int, n_classes: int) -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, d))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=m)
    return X, noisy.argsort().argsort() * n_classes // m


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize(("m", "d", "n_rounds"), SIZES)
@pytest.mark.parametrize(("what", "size", "theirs"), TREES)
@pytest.mark.parametrize("ensemble", ["SAMME", "LogitBoost"])
def test_a_round_of_boosting(
    benchmark: BenchmarkFixture,
    ensemble: str,
    what: str,
    size: dict[str, Any],
    theirs: dict[str, Any],
    m: int,
    d: int,
    n_rounds: int,
    n_classes: int,
) -> None:
    X, y = problem(m, d, n_classes)
    if ensemble == "SAMME":
        ours: Any = SAMMEClassifier(n_rounds, **size)
        peer: Any = AdaBoostClassifier(DecisionTreeClassifier(**theirs), n_estimators=n_rounds)
    else:
        ours = LogitBoostClassifier(n_rounds, **size)
        peer = GradientBoostingClassifier(n_estimators=n_rounds, **theirs)
    benchmark.pedantic(ours.fit, (X, y), rounds=1)
    found = [
        (best_of(1, lambda: ours.fit(X, y)), best_of(1, lambda: peer.fit(X, y))) for _ in range(2)
    ]
    fast, slow = (min(times) / n_rounds for times in zip(*found, strict=True))
    row(
        f"a round of {ensemble}, {what}, {n_classes} classes, {m} × {d}",
        fast,
        {type(peer).__name__: slow},
    )
    compare(benchmark, **{"us per round": fast * 1e6, "ratio": slow / fast})
