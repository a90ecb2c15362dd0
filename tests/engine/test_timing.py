from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core import cell as core_cell
from quadrepro.engine import workers


def test_a_record_tells_how_long_its_worker_was_busy_and_the_first_how_long_it_searched(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = core_cell.training_data

    def slowly(cell: object) -> object:
        time.sleep(0.05)
        return prepare(cell)  # type: ignore[arg-type]

    monkeypatch.setattr(core_cell, "training_data", slowly)
    monkeypatch.setattr(workers, "_begun", False)
    cell = make_plan(load_experiment(small_config())).cells[0]
    first, second = workers.run_timed(cell), workers.run_timed(cell)
    assert first.busy == first.seconds == first.took
    assert second.took == second.busy >= second.seconds + 0.05
    assert first.size == second.size == cell.size
