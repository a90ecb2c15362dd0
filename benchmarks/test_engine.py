"""What the engine adds to a cell, and ensembles of scikit-learn grown once for all their sizes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from joblib import Parallel, delayed
from pytest_benchmark.fixture import BenchmarkFixture
from sklearn import ensemble

from quadrepro.base.types import FloatArray
from quadrepro.config.loading import load_mapping
from quadrepro.config.plan import make_plan
from quadrepro.core.seeds import generator
from quadrepro.core.training.algorithms import find_registered
from quadrepro.core.training.contract import Part
from quadrepro.core.training.grid import Grid
from quadrepro.engine.dispatch import compute
from quadrepro.engine.records import RecordStore
from quadrepro.engine.worker import run_cell

from .conftest import best_of, row

N_CELLS, WORKERS = 20_000, 2
SIZES = [11, 26, 53, 64, 97]

CONFIG: dict[str, Any] = {
    "title": "Trivial",
    "baseline": False,
    "repeats": N_CELLS // 2,
    "protocol": {"view": "quadboost"},
    "datasets": ["monks"],
    "algorithms": [
        {"name": name, "algorithm": "quadboost", "grid": {"n_rounds": n_rounds}}
        for name, n_rounds in (("one", 1), ("two", 2))
    ],
}


def test_trivial_cells(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)

    def run() -> float:
        start = time.perf_counter()
        cells = make_plan(load_mapping(CONFIG)).cells
        assert sum(record.ok for record in compute(cells, store, WORKERS)) == N_CELLS
        return time.perf_counter() - start

    seconds = benchmark.pedantic(run)
    start = time.perf_counter()
    cells = make_plan(load_mapping(CONFIG)).cells
    pool = Parallel(WORKERS, batch_size=1, return_as="generator_unordered")
    assert sum(record.ok for record in pool(delayed(run_cell)(c.ready()) for c in cells)) == N_CELLS
    bare = (time.perf_counter() - start) / N_CELLS
    row(f"a trivial cell of {N_CELLS:,}", seconds / N_CELLS, {"joblib, which keeps nothing": bare})


@pytest.mark.parametrize("kind", ["Bagging", "GradientBoosting"])
def test_ensembles_that_grow(
    kind: str, benchmark: BenchmarkFixture, pima: tuple[FloatArray, FloatArray]
) -> None:
    (X, y), name = pima, f"{kind}Classifier"
    learner: Any = find_registered(f"sklearn:{name}").make({})
    grids, make = [Grid.from_values({"n_estimators": SIZES})], getattr(ensemble, name)

    def grown() -> None:
        learner.predictions(Part(X, y), grids, X, generator(0, "benchmark"))

    def alone() -> None:
        for size in SIZES:
            make(n_estimators=size, random_state=0).fit(X, y).predict(X)

    benchmark.pedantic(grown, rounds=1)
    theirs = {"each fitted alone": best_of(3, alone)}
    row(f"scikit-learn's `{name}` of five sizes on pima's half", best_of(3, grown), theirs)
