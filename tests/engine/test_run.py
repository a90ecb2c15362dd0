from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from quadrepro._typing import FloatArray
from quadrepro.config.cell import Cell
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.estimates import Estimates
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.run import compute, missing_cells, records_of
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.voters.reduction import VotingProblem

Write = Callable[..., Path]


def ignore(cell: Cell, record: Record) -> None:
    pass


@pytest.fixture
def plan(small_config: Write) -> Plan:
    return make_plan(load_experiment(small_config()))


@dataclass(frozen=True)
class Raising(AdaBoost):
    """An algorithm that fails."""

    def _paths(self, problem: VotingProblem, grid: object) -> FloatArray:
        raise RuntimeError("no vote today")


@dataclass(frozen=True)
class Dying(AdaBoost):
    """An algorithm that takes its process with it."""

    def _paths(self, problem: VotingProblem, grid: object) -> FloatArray:
        os._exit(1)


def without_time(record: Record | None) -> Record | None:
    return record and replace(record, seconds=0.0)


def test_two_workers_leave_the_records_of_one(plan: Plan, tmp_path: Path) -> None:
    one, two = RecordStore(tmp_path / "1"), RecordStore(tmp_path / "2")
    compute(plan.cells, one, 1, ignore)
    compute(plan.cells, two, 2, ignore)
    for cell in plan.cells:
        assert without_time(one.get(cell.key)) == without_time(two.get(cell.key))
        assert one.get(cell.key) is not None


def test_only_what_is_missing_or_failed_is_computed_again(plan: Plan, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    first, second, third, *_ = plan.cells
    compute([first], store, 1, ignore)
    store.put(Record(second.key, "failed", message="boom"))
    left = missing_cells(plan.cells, store)
    assert first not in left
    assert {second.key, third.key} <= {c.key for c in left}
    compute(left, store, 1, ignore)
    assert missing_cells(plan.cells, store) == []


def test_cells_of_equal_content_are_computed_once(plan: Plan, tmp_path: Path) -> None:
    twin = replace(plan.cells[0], dataset="another row")
    assert len(missing_cells([plan.cells[0], twin], RecordStore(tmp_path))) == 1


def test_running_times_are_learned_from_records_and_from_what_is_computed(
    plan: Plan, tmp_path: Path
) -> None:
    store, during, after = RecordStore(tmp_path), Estimates(), Estimates()
    compute(plan.cells, store, 1, ignore, during)
    assert missing_cells(plan.cells, store, after) == []
    for cell, record in zip(plan.cells, records_of(plan.cells, store), strict=True):
        assert during.seconds(cell) == after.seconds(cell) == record.seconds


def test_a_cell_that_fails_teaches_no_running_time(plan: Plan, tmp_path: Path) -> None:
    estimates = Estimates()
    cell = replace(plan.cells[1], learner=Raising())
    compute([cell], RecordStore(tmp_path), 1, ignore, estimates)
    assert estimates.seconds(cell) is None


def test_a_cell_that_raises_is_a_failed_record_and_the_others_go_on(
    plan: Plan, tmp_path: Path
) -> None:
    cells = [replace(plan.cells[1], learner=Raising()), plan.cells[0], *plan.cells[2:]]
    store = RecordStore(tmp_path)
    compute(cells, store, 1, ignore)
    failed, *others = records_of(cells, store)
    assert failed.status == "failed"
    assert "no vote today" in failed.message
    assert all(r.ok for r in others)


def test_a_cell_that_kills_its_worker_is_a_crashed_record_and_the_others_go_on(
    plan: Plan, tmp_path: Path
) -> None:
    cells = [replace(plan.cells[1], learner=Dying()), plan.cells[0], *plan.cells[2:]]
    store = RecordStore(tmp_path)
    heard: list[str] = []
    compute(cells, store, 2, lambda cell, record: heard.append(record.status))
    crashed, *others = records_of(cells, store)
    assert crashed.status == "crashed"
    assert all(r.ok for r in others)
    assert sorted(heard) == ["crashed", "ok", "ok", "ok"]


def test_an_interruption_keeps_what_was_finished(plan: Plan, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)

    def interrupt(cell: Cell, record: Record) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(plan.cells, store, 1, interrupt)
    assert len(missing_cells(plan.cells, store)) == len(plan.cells) - 1


def test_a_cell_without_a_record_is_missing(plan: Plan, tmp_path: Path) -> None:
    assert [r.status for r in records_of(plan.cells, RecordStore(tmp_path))] == ["missing"] * 4
