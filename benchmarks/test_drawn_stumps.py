"""A round over 500 newly drawn stumps on 500 examples: compiled, in numpy, and plainly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost, ValidationWatcher, WeightBoosting
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.greedy.loop import boost
from quadrepro.core.learners.grid import Stopping
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding

from .conftest import best_of, plainly, row

N_ROUNDS, N_STUMPS, M, D = 300, 500, 500, 57


def problem() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M, D))
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(size=M) > 0, 1.0, -1.0)


def run(algorithm: WeightBoosting[Any], values: list[float]) -> None:
    X, y = problem()
    codes = StumpCoding.fit(X).transform(X)
    source = RandomStumps(codes, y, np.random.default_rng(1), per_round=N_STUMPS)
    state = algorithm.weights(source, np.ones((len(values), M)))
    validation = ValidationWatcher(source, codes, y, len(values), Stopping(N_ROUNDS))
    boost(algorithm.rule(np.array(values)), state, N_ROUNDS, [validation])


def plain_loop() -> None:
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


CASES = {
    "AdaBoost": (AdaBoost(), [np.nan]),
    "EBBoost": (EBBoost(), [1.0]),
    "EBBoost with 13 values": (EBBoost(), np.geomspace(100, 0.01, 13).tolist()),
    "AdaBoost_REG with 9 values": (AdaBoostReg(), np.geomspace(1e3, 1, 9).tolist()),
}


@pytest.mark.parametrize("case", CASES)
def test_a_round_of_drawn_stumps(case: str, benchmark: BenchmarkFixture) -> None:
    algorithm, values = CASES[case]
    benchmark.pedantic(lambda: run(algorithm, values), rounds=2)
    ours = best_of(3, lambda: run(algorithm, values)) / N_ROUNDS
    theirs = {"numpy": plainly(3, lambda: run(algorithm, values)) / N_ROUNDS}
    if case == "AdaBoost":
        theirs["a plain loop"] = best_of(3, plain_loop) / N_ROUNDS
    row(f"{case}, a round over 500 stumps drawn anew", ours, theirs)
