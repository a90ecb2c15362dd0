from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from quadrepro.engine.process import Limits

from quadrepro.base.types import FloatArray
from quadrepro.config.config import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.cell import Cell, Shared
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.problems import StoredRows
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.engine.records import Record, RecordStore, Status
from quadrepro.engine.run import (
    StatusLine,
    compute,
    largest_first,
    local,
    missing_cells,
    overview,
    records_of,
)
from tests.cells import with_learner
from tests.engine.stubs import cell

Write = Callable[..., Path]


HERE = local(0)


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


def without_time(record: Record) -> Record:
    return replace(record, seconds=0.0, date="")


def test_only_what_is_missing_or_to_be_retried_is_computed(plan: Plan, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    first, second, third, *_ = plan.cells
    compute([first], store, HERE, ignore)
    store.put(Record(second.key, "failed", content=second.content, message="boom"))
    left = missing_cells(plan.cells, store)
    assert first not in left
    assert second not in left
    assert third in left
    left = missing_cells(plan.cells, store, retry=("failed",))
    assert {second.key, third.key} <= {c.key for c in left}
    compute(left, store, HERE, ignore)
    assert missing_cells(plan.cells, store, retry=("failed",)) == []


def test_cells_of_the_largest_data_sets_come_first_and_experiments_keep_their_order() -> None:
    sizes = {"small": 10, "large": 1000, "middle": 100}
    cells = [
        cell(row, column, size, repeat, of)
        for of in ("one", "another")
        for row, size in sizes.items()
        for repeat in range(2)
        for column in ("ada", "quad")
    ]
    order = [(one.experiment, one.dataset) for one in largest_first(cells)]
    expected = [(of, row) for of in ("one", "another") for row in ("large", "middle", "small")]
    assert order == [place for place in expected for _ in range(4)]
    ones = [(one.repeat, one.algorithm) for one in largest_first(cells)][:4]
    assert ones == [(0, "ada"), (0, "quad"), (1, "ada"), (1, "quad")]


def test_cells_of_equal_content_are_computed_once(plan: Plan, tmp_path: Path) -> None:
    twin = replace(plan.cells[0], dataset="another row")
    assert len(missing_cells([plan.cells[0], twin], RecordStore(tmp_path))) == 1


def test_a_cell_that_raises_is_a_failed_record_and_the_others_go_on(
    plan: Plan, tmp_path: Path
) -> None:
    cells = [with_learner(plan.cells[1], Raising()), plan.cells[0], *plan.cells[2:]]
    store = RecordStore(tmp_path)
    compute(cells, store, HERE, ignore)
    failed, *others = records_of(cells, store)
    assert failed.status == "failed"
    assert "no vote today" in failed.message
    assert not [r.message for r in others if not r.ok]


@dataclass(frozen=True)
class Ending(AdaBoost):
    """An algorithm that does not come to an end in a good way."""

    how: str = "exit"

    def _paths(self, problem: VotingProblem, grid: object) -> FloatArray:
        if self.how == "exit":
            os._exit(3)
        elif self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.how == "system exit":
            raise SystemExit(3)
        elif self.how == "memory":
            return np.ones((1 << 34, 8))
        time.sleep(60)
        raise AssertionError


ENDS: dict[str, tuple[Status, str]] = {
    "sleep": ("timeout", "it took more than 20 s"),
    "exit": ("crashed", "its worker process ended with exit code 3"),
    "kill": ("crashed", "its worker process was ended by signal SIGKILL"),
    "system exit": ("failed", "SystemExit: 3"),
    "memory": ("failed", "out of memory: it may use 1 GB"),
}


@pytest.mark.slow
# Without a cell that sleeps there is no limit, as workers may take long to begin.
@pytest.mark.parametrize(("jobs", "hows"), [(1, ["exit", "sleep"]), (2, [*ENDS][1:])])
def test_bad_cells_harm_only_themselves_and_others_leave_the_records_of_this_process(
    plan: Plan, tmp_path: Path, jobs: int, hows: list[str]
) -> None:
    bad = [with_learner(plan.cells[1], Ending(how=how)) for how in hows]
    cells, store, here = [*bad, *plan.cells], RecordStore(tmp_path / "1"), RecordStore(tmp_path)
    heard: list[str] = []
    backend = local(jobs, Limits(seconds=20.0 if "sleep" in hows else None, memory=10**9))
    compute(cells, store, backend, lambda cell, record: heard.append(record.status))
    found = records_of(cells, store)
    for how, record in zip(hows, found, strict=False):
        status, message = ENDS[how]
        assert record.status == status, how
        assert message in record.message
        assert record.date
    compute(plan.cells, here, HERE, ignore)
    for record, expected in zip(found[len(bad) :], records_of(plan.cells, here), strict=True):
        assert (record.status, record.message) == ("ok", "")
        assert without_time(record) == without_time(expected)
    assert sorted(heard) == sorted(record.status for record in found)


def test_a_worker_with_other_code_than_the_plan_computes_nothing(
    plan: Plan, tmp_path: Path
) -> None:
    shared = Shared(plan.cells[0].shared.fields | {"code": "0" * 16})
    cell, store = replace(plan.cells[0], shared=shared), RecordStore(tmp_path)
    compute([cell], store, HERE, ignore)
    [record] = records_of([cell], store)
    assert record.status == "failed"
    assert "code or packages differ from the plan" in record.message


def test_an_interruption_keeps_what_was_finished(plan: Plan, tmp_path: Path) -> None:
    store = RecordStore(tmp_path)

    def interrupt(cell: Cell, record: Record) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(plan.cells, store, HERE, interrupt)
    assert len(missing_cells(plan.cells, store)) == len(plan.cells) - 1


def test_a_cell_without_a_record_is_missing(plan: Plan, tmp_path: Path) -> None:
    assert [r.status for r in records_of(plan.cells, RecordStore(tmp_path))] == ["missing"] * 4


def test_cells_are_counted_by_how_far_they_are(plan: Plan, tmp_path: Path) -> None:
    cells, store = plan.cells, RecordStore(tmp_path)
    assert overview(cells, store) == [
        StatusLine("quadboost-l2", 0, (cells[0], cells[2]), ()),
        StatusLine("ada", 0, (cells[1], cells[3]), ()),
    ]
    compute(cells[:1], store, HERE, ignore)
    store.put(Record(cells[1].key, "failed", content=cells[1].content, message="boom"))
    found = overview(cells, store)
    assert found == [
        StatusLine("quadboost-l2", 1, (cells[2],), ()),
        StatusLine("ada", 0, (cells[3],), (cells[1],)),
    ]
    assert [line.n_cells for line in found] == [2, 2]


def test_no_key_is_made_where_there_are_no_records(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = plan.cells
    monkeypatch.setattr(StoredRows, "origin", None)
    assert [len(line.missing) for line in overview(cells, RecordStore(tmp_path))] == [2, 2]
