"""A round over 500 newly drawn stumps on 500 examples, against building their matrix of ±1."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro._typing import FloatArray
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.example_weights import WeightBoosting
from quadrepro.learners.greedy.loop import boost
from quadrepro.voters.random_stumps import Coding, RandomStumps

from .conftest import best_of, compare

N_ROUNDS, N_STUMPS, M, D = 300, 500, 500, 57


def problem() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M, D))
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(size=M) > 0, 1.0, -1.0)


def run(algorithm: WeightBoosting[Any], values: list[float]) -> None:
    X, y = problem()
    codes = Coding.fit(X).transform(X)
    source = RandomStumps(codes, y, np.random.default_rng(1), per_round=N_STUMPS)
    state = algorithm.weights(source, np.ones((len(values), M)))
    boost(algorithm.rule(np.array(values)), state, N_ROUNDS)


def plainly() -> None:
    X, y = problem()
    rng, w = np.random.default_rng(1), np.full(M, 1 / M)
    low, high = X.min(axis=0), X.max(axis=0)
    for _ in range(N_ROUNDS):
        attributes = rng.integers(0, D, N_STUMPS)
        thresholds = rng.uniform(low[attributes], high[attributes])
        right = np.where(X[:, attributes] > thresholds, 1.0, -1.0) * y[:, None]
        edges = w @ right
        pick = int(np.abs(edges).argmax())
        w /= 1 + edges[pick] * right[:, pick]


def test_a_round_of_drawn_stumps(benchmark: BenchmarkFixture) -> None:
    benchmark.pedantic(lambda: run(AdaBoost(), [np.nan]), rounds=2)
    microseconds = {
        "AdaBoost us per round": best_of(3, lambda: run(AdaBoost(), [np.nan])),
        "plainly us": best_of(3, plainly),
        "EBBoost us": best_of(3, lambda: run(EBBoost(), [1.0])),
        "EBBoost with 13 values us": best_of(
            3, lambda: run(EBBoost(), np.geomspace(100, 0.01, 13).tolist())
        ),
    }
    scaled = {name: seconds / N_ROUNDS * 1e6 for name, seconds in microseconds.items()}
    ours, plain, ebboost, _ = scaled.values()
    compare(benchmark, **scaled, **{"ratio": plain / ours, "EBBoost to AdaBoost": ebboost / ours})
