"""What the engine adds to a cell: planning, sending, checking, keeping."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from pytest_benchmark.fixture import BenchmarkFixture

from quadrepro.config.loading import load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import RecordStore
from quadrepro.engine.run import compute, missing_cells
from quadrepro.engine.worker import run_cell

from .conftest import compare, row

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
        assert sum(record.ok for record in compute(plan.cells, store, WORKERS)) == N_CELLS
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
    assert all(record.ok for record in store.of(plan.cells))
    counted = time.perf_counter() - resumed
    compare(benchmark, plan_s=planned - start, resume_s=resumed - planned, count_s=counted)
