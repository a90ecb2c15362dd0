from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine import timing, work


def test_a_record_tells_how_long_its_worker_was_busy_and_the_first_how_long_it_searched(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = work._training_data

    def slowly(cell: object) -> object:
        time.sleep(0.05)
        return prepare(cell)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "_training_data", slowly)
    monkeypatch.setattr(timing, "_begun", False)
    cell = make_plan(load_experiment(small_config())).cells[0]
    first, second = timing.run_timed(cell), timing.run_timed(cell)
    assert first.busy == first.seconds == first.took
    assert second.took == second.busy >= second.seconds + 0.05
    assert first.size == second.size == cell.size
