"""What the engine adds to a cell: planning, sending, checking, keeping."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky.backend import get_context
from pebble import ProcessPool
from pytest_benchmark.fixture import BenchmarkFixture
from quadrepro.engine.workers import Places, SharedArrays, fetch, run_cell

from quadrepro.config.config import load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import RecordStore
from quadrepro.engine.run import compute, local, missing_cells, overview

from .conftest import best_of, compare, row

N_CELLS = 20_000
WORKERS = 2

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


def test_the_cost_of_a_trivial_cell(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)

    def run() -> float:
        start = time.perf_counter()
        plan = make_plan(load_mapping(CONFIG))
        compute(plan.cells, store, local(WORKERS), lambda cell, record: None)
        return time.perf_counter() - start

    seconds = benchmark.pedantic(run)
    start = time.perf_counter()
    cells = make_plan(load_mapping(CONFIG)).cells
    pool = Parallel(WORKERS, batch_size=1, return_as="generator_unordered")
    assert sum(record.ok for record in pool(delayed(run_cell)(c.ready()) for c in cells)) == N_CELLS
    bare = time.perf_counter() - start
    compare(benchmark, per_cell_ms=1e3 * seconds / N_CELLS, joblib_ms=1e3 * bare / N_CELLS)
    row(
        f"a run of {N_CELLS:,} trivial cells, a cell",
        seconds / N_CELLS,
        {"`joblib.Parallel`, which keeps nothing": bare / N_CELLS},
    )
    _resume(benchmark, store)


def _resume(benchmark: BenchmarkFixture, store: RecordStore) -> None:
    start = time.perf_counter()
    plan: Plan = make_plan(load_mapping(CONFIG))
    planned = time.perf_counter()
    assert missing_cells(plan.cells, store) == []
    resumed = time.perf_counter()
    assert sum(line.n_kept for line in overview(plan.cells, store)) == N_CELLS
    counted = time.perf_counter() - resumed
    compare(benchmark, plan_s=planned - start, resume_s=resumed - planned, count_s=counted)


def test_examples_that_cells_share(benchmark: BenchmarkFixture) -> None:
    n_times = 50
    X = np.random.default_rng(0).integers(256, size=(12_000, 784)).astype(np.uint8)
    arrays = X, np.ones(len(X)), None
    with ProcessPool(1, context=get_context("loky")) as pool, SharedArrays() as shared:

        def send(places: Places) -> None:
            assert pool.schedule(_sum, [places]).result() == X.sum()

        def ours() -> None:
            for _ in range(n_times):
                send(shared.places(arrays))

        def copies() -> None:
            for _ in range(n_times):
                send(arrays)

        ours()
        benchmark.pedantic(ours)
        row(
            "12,000 × 784 bytes to a worker, which adds them up",
            best_of(3, ours) / n_times,
            {"a copy for every cell": best_of(3, copies) / n_times},
        )


def _sum(places: Places) -> int:
    return int(fetch(places)[0].sum())
