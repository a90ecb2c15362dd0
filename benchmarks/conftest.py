"""Timing, and the problem on which most learners are compared.

The problem is pima's training half, prepared as for QuadBoost's Table 1.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from threadpoolctl import threadpool_limits

from quadrepro._typing import FloatArray
from quadrepro.config.protocol import SplitRule
from quadrepro.data.encoding import encode
from quadrepro.data.normalise import Normaliser
from quadrepro.data.store import load_dataset
from quadrepro.voters.stumps import Stumps


def best_of(repeats: int, run: Callable[[], object]) -> float:
    """Return the least time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(benchmark: BenchmarkFixture, **numbers: float) -> None:
    """Print numbers in one line, and keep them with the benchmark."""
    benchmark.extra_info.update(numbers)
    print("  " + ", ".join(f"{name} {value:.3g}" for name, value in numbers.items()))


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(limits=1):
        yield


def training_half(name: str) -> tuple[FloatArray, FloatArray]:
    """Return normalised attributes and labels of the training half of a data set."""
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    rows = np.random.default_rng(0).permutation(len(examples.y))
    rows = rows[: SplitRule().training_size(len(rows))]
    X = examples.X[rows]
    return Normaliser.fit(X).transform(X), examples.y[rows]


@pytest.fixture(scope="session")
def canonical_folder() -> Path:
    folder = Path(os.environ.get("QUADREPRO_DATA", ""))
    if not folder.joinpath("mnist.csv.gz").is_file():
        pytest.skip("QUADREPRO_DATA names no folder with mnist.csv.gz")
    return folder.resolve()


@pytest.fixture(scope="session")
def pima() -> tuple[FloatArray, FloatArray]:
    if not Path(os.environ.get("QUADREPRO_DATA", "")).joinpath("pima.csv").is_file():
        pytest.skip("QUADREPRO_DATA names no folder with pima.csv")
    return training_half("pima")


@pytest.fixture(scope="session")
def pima_voters(pima: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    X, y = pima
    return Stumps().fit(X).transform(X), y


@pytest.fixture(scope="session")
def folds(pima_voters: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the samples of a 5-fold search: five training parts and all examples."""
    m = len(pima_voters[1])
    fold = np.arange(m) % 5
    return np.vstack([fold != f for f in range(5)] + [np.ones(m)]).astype(float)
