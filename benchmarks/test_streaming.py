"""Data larger than memory: memory and time per row, and errors beside other methods.

The examples are drawn in chunks from a seeded generator, twice over: nothing is stored.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from quadrepro import (
    AdaBoostClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.voters.moments import VoterMoments

from .conftest import best_of, compare, row

ATTRIBUTES = 28
CHUNK = 50_000
MEMORY = 2.0
"""Largest resident memory of a process that streams 10⁷ rows, in GB."""

Pair = tuple[FloatArray, FloatArray]


def chunks(n_rows: int, seed: int = 0) -> Iterator[Pair]:
    """Yield chunks of examples: a few attributes matter, some of them in pairs, with noise."""
    rng = np.random.default_rng(seed)
    for start in range(0, n_rows, CHUNK):
        m = min(CHUNK, n_rows - start)
        X = rng.random((m, ATTRIBUTES))
        X[:, :4] **= 2
        score = X[:, :8].sum(axis=1) - 3.3 + np.where(X[:, 8] > 0.5, X[:, 9], -X[:, 10])
        yield X, np.where(score + rng.normal(0, 0.7, m) > 0, 1.0, -1.0)


def in_memory(n_rows: int, seed: int = 0) -> Pair:
    X, y = zip(*chunks(n_rows, seed), strict=True)
    return np.vstack(X), np.concatenate(y)


def measure(n_rows: int) -> dict[str, float]:
    """Stream rows in this process; return seconds without those of drawing, and peak memory."""
    make = partial(QuadBoostClassifier, "l2", n_rounds=500)
    make().fit_stream(lambda: chunks(1000))  # loads what is compiled
    start = time.perf_counter()
    for _ in chunks(n_rows):
        pass
    drawn = time.perf_counter() - start
    start = time.perf_counter()
    fitted = make().fit_stream(lambda: chunks(n_rows))
    seconds = time.perf_counter() - start - 2 * drawn
    assert fitted.moments_ is not None
    assert fitted.moments_.n_examples == n_rows
    # Not resource.getrusage, whose peak is at least that of the process that started this one.
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return {"s": seconds, "GB": int(status["VmHWM"].split()[0]) / 2**20}


@pytest.mark.parametrize("n_rows", [10**5, 10**6, 10**7])
def test_streaming(benchmark: BenchmarkFixture, n_rows: int) -> None:
    code = f"import json; from {__name__} import measure; print(json.dumps(measure({n_rows})))"
    found: dict[str, float] = {}

    def stream() -> None:
        root = Path(__file__).parents[1]
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True
        )
        found.update(json.loads(done.stdout))

    benchmark.pedantic(stream, rounds=1)
    compare(benchmark, rows=n_rows, **found, **{"ns per row": found["s"] / n_rows * 1e9})
    assert found["GB"] < MEMORY


def test_sums_of_voters(benchmark: BenchmarkFixture) -> None:
    X, y = in_memory(10**6)
    stumps = Stumps().fit(X)
    found = benchmark.pedantic(lambda: VoterMoments.of(X, y, stumps), rounds=3)
    H = stumps.transform(X[: 10**5]).astype(np.float32)
    product = 10 * best_of(1, lambda: H.T @ H)
    gram = H.T @ H
    assert (gram == VoterMoments.of(X[: 10**5], y[: 10**5], stumps).products).all()
    seconds = benchmark.stats["min"]
    assert found.n_examples == 10**6
    row(
        "Gram matrix of 280 stumps, 10⁶ examples",
        seconds,
        {"a float32 product of 10⁵, times ten": product},
    )


@pytest.mark.parametrize(
    "estimator",
    [
        QuadBoostClassifier("l1", lam=0.01, reweight=True),
        QuadBoostClassifier("l2", n_rounds=500),
        CBBoostClassifier(),
        CqBoostClassifier(0.1),
    ],
    ids=repr,
)
def test_a_stream_gives_the_weights_of_memory_bit_for_bit(
    benchmark: BenchmarkFixture, estimator: Any
) -> None:
    X, y = in_memory(10**5)
    benchmark.pedantic(lambda: estimator.fit_stream(lambda: chunks(10**5)), rounds=1)
    streamed = estimator.voter_weights_.tobytes()
    assert estimator.fit(X, y).voter_weights_.tobytes() == streamed
    estimator.set_params(voters="precomputed").fit(Stumps().fit_transform(X), y)
    assert estimator.voter_weights_.tobytes() == streamed


def test_two_dask_workers_give_the_same_weights(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, y = in_memory(10**5)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(ATTRIBUTES)]).assign(label=y)
    for start in range(0, len(frame), CHUNK // 4):
        frame[start : start + CHUNK // 4].to_parquet(tmp_path / f"{start:06}.parquet")
    vote = QuadBoostClassifier("l2", n_rounds=500)
    with distributed.Client(n_workers=2, threads_per_worker=1):
        parts = dd.read_parquet(tmp_path)
        benchmark.pedantic(lambda: vote.fit_stream(parts, "label"), rounds=1)
    streamed = vote.voter_weights_.tobytes()
    assert vote.fit(X, y).voter_weights_.tobytes() == streamed


def others() -> dict[str, Callable[[], Any]]:
    """Return the methods to compare with that are installed."""
    found: dict[str, Callable[[], Any]] = {
        "hist gradient boosting": HistGradientBoostingClassifier,
        "logistic regression": LogisticRegression,
    }
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM"] = lambda: LGBMClassifier(n_jobs=1, verbose=-1)
    if find_spec("xgboost"):
        from xgboost import XGBClassifier

        found["XGBoost"] = lambda: XGBClassifier(n_jobs=1)
    return found


@pytest.mark.parametrize("n_rows", [10**6, 10**7])
def test_errors_and_times_beside_other_methods(benchmark: BenchmarkFixture, n_rows: int) -> None:
    X, y = in_memory(n_rows)
    X_test, y_test = in_memory(10**5, seed=1)
    quadboost = partial(QuadBoostClassifier, "l2", n_rounds=2000)
    ours: dict[str, Callable[[], Any]] = {
        "QuadBoost-l2": quadboost,
        "CB-Boost": CBBoostClassifier,
        "AdaBoost": AdaBoostClassifier,
    }
    numbers: dict[str, float] = {}

    def run() -> None:
        labels = (y > 0).astype(int)
        for name, make in {**ours, **others()}.items():
            estimator = make()
            start = time.perf_counter()
            estimator.fit(X, labels)
            numbers[f"{name} s"] = time.perf_counter() - start
            numbers[f"{name} error"] = float((estimator.predict(X_test) != (y_test > 0)).mean())

    benchmark.pedantic(run, rounds=1)
    compare(benchmark, **numbers)
