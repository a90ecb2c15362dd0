from __future__ import annotations

import copy
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from joblib.externals.loky.backend.context import LokyContext

from quadrepro.engine import workers
from quadrepro.engine.process import Limits
from quadrepro.engine.records import Record
from quadrepro.engine.workers import _Lock, run_in_workers
from tests.cells import cells_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipe that does not block")


def test_a_lock_is_free_for_others_once_it_was_released_as_often_as_taken() -> None:
    ours = _Lock(LokyContext())
    theirs = copy.copy(ours)
    assert ours.acquire()
    assert ours.acquire(block=False)
    for _ in range(2):
        assert not theirs.acquire(block=False)
        ours.release()
    assert theirs.acquire(block=False)
    assert not ours.acquire(block=False)
    theirs.release()
    assert ours.acquire(timeout=0)


def test_a_lock_that_others_keep_is_waited_for_no_longer_than_asked() -> None:
    ours = _Lock(LokyContext())
    theirs = copy.copy(ours)
    assert theirs.acquire()
    began = time.monotonic()
    assert not ours.acquire(timeout=0.05)
    assert time.monotonic() - began >= 0.05


def computed(path: Path, monkeypatch: pytest.MonkeyPatch, failures: int) -> Iterator[Record]:
    """Yield the records of a config whose first pools lose their worker as it starts.

    Workers are replaced once.
    """
    monkeypatch.setattr(workers, "MOST_FAILURES", 1)
    pool, made = workers._pool, []

    def dying(jobs: int) -> Any:
        made.append(jobs)
        with monkeypatch.context() as patch:
            if len(made) <= failures:
                patch.setattr(workers, "_begin", os._exit)
            return pool(jobs)

    monkeypatch.setattr(workers, "_pool", dying)
    cells = [cell.ready() for cell in cells_of(path)]
    return run_in_workers(cells, 1, Limits())


@pytest.mark.slow
def test_workers_that_end_before_they_take_a_cell_are_started_again(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [*computed(small_config(), monkeypatch, 1)]
    assert [record.status for record in records] == ["ok"] * 4


@pytest.mark.slow
def test_cells_whose_workers_never_start_are_crashed_and_the_run_ends(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [*computed(small_config(), monkeypatch, 100)]
    assert [record.status for record in records] == ["crashed"] * 4
    assert {record.message for record in records} == {"its worker process could not be started"}


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_loops_are_compiled_before_the_time_of_a_cell_begins_if_it_is_limited(
    seconds: float | None, small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = cells_of(small_config())[0].ready()
    pool = Mock(**{"schedule.side_effect": LookupError})
    warmed: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "_pool", lambda jobs: pool)
    monkeypatch.setattr(workers, "warm", warmed.append)
    with pytest.raises(LookupError):
        list(run_in_workers([cell], 1, Limits(seconds)))
    assert warmed == ([cell.learner.kernels] if seconds else [])


@pytest.mark.parametrize("memory", [None, 10**12])
def test_loops_are_compiled_before_the_memory_of_a_cell_is_limited(
    memory: int | None, small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = cells_of(small_config())[0].ready()
    warmed: list[tuple[str, ...]] = []
    monkeypatch.setattr(workers, "warm", warmed.append)
    assert workers.run_cell(cell, memory).ok
    assert warmed == ([cell.learner.kernels] if memory else [])
