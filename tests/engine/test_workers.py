"""A bad cell costs only itself, wherever cells are computed."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import Parallel, parallel_config
from numba.core import event
from sklearn.base import BaseEstimator, ClassifierMixin

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import Cell, CellResult, compute_cell
from quadrepro.core.problems import FreshRows
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.grid import Grid
from quadrepro.engine import dispatch as engine
from quadrepro.engine import worker
from quadrepro.engine.dispatch import compute
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import Limits, run_cell
from tests.make import cells, lines_of, plan_of, with_learner


class UnprintableError(BaseException):
    """An error whose text cannot be made, and that is not an Exception."""

    def __str__(self) -> str:
        raise self


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that does something else while it is fitted."""

    arrays: ClassVar[list[FloatArray]] = []

    def __init__(self, action: str = "") -> None:
        self.action = action

    def fit(self, X: FloatArray, y: FloatArray) -> Odd:
        self.classes_ = np.unique(y)
        match self.action.split():
            case ["exit"]:
                os._exit(3)
            case ["unprintable"]:
                raise UnprintableError
            case ["surrogate"]:
                raise ValueError("a name such as \udc80")
            case ["interrupt"]:
                raise KeyboardInterrupt
            case ["hold", gigabytes]:
                self.arrays[:] = [np.ones(int(float(gigabytes) * 2**27))]
            case ["print"]:
                print("half a line,", end=" ")
                print("the rest\udc80")
                os.write(1, b"written by C code\n")
            case ["warn"]:
                for _ in range(2):
                    warnings.warn("it did not converge", RuntimeWarning, stacklevel=1)
            case ["block"]:
                # C code that handles no signal, and holds the lock of the interpreter.
                deque(repeat(0), maxlen=0)
            case ["swallow"]:
                swallow(60)
            case ["pid"]:
                warnings.warn(f"{os.getpid()}", stacklevel=1)
            case ["alone", folder]:
                file = Path(folder) / str(os.getpid())
                file.touch()
                time.sleep(0.4)
                warnings.warn(f"{len([*Path(folder).iterdir()])}", stacklevel=1)
                time.sleep(0.4)
                file.unlink()
            case ["try", folder, *end]:
                with (Path(folder) / str(hash(X.tobytes()))).open("a") as file:
                    file.write("x")
                time.sleep(0.3)
                if end:
                    os._exit(3)
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        return np.full(len(X), self.classes_[0])


def swallow(seconds: float) -> None:
    """Wait whatever is raised."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(60)
        except BaseException:
            continue


def odd(action: str = "", number: int = 0) -> Cell:
    """Return the cell of one repeat with that classifier."""
    cell = cells(repeats=number + 1)[number]
    settings = {"action": action} if action else {}
    learner = EstimatorPredictor(f"{__name__}:Odd", settings, predicts="classification")
    return replace(with_learner(cell, learner), grids=(Grid.from_values({}),))


def records_of(
    tmp_path: Path, todo: list[Cell], jobs: int | None = 2, **limits: Any
) -> list[Record]:
    """Return the records of cells, in their order."""
    store = RecordStore(tmp_path / "records")
    for record in compute(todo, store, jobs, {"small": Limits(**limits)}):
        assert store.get(record.key) is not None
    return store.records_of(todo)


FAILURES = {
    "unprintable": "UnprintableError, which cannot be printed",
    "surrogate": r"ValueError: a name such as \udc80",
    "interrupt": "KeyboardInterrupt: ",
}


@pytest.mark.slow
def test_any_exception_is_one_failed_record_and_the_others_go_on(tmp_path: Path) -> None:
    todo = [odd(action) for action in (*FAILURES, "warn")]
    *failed, good = records_of(tmp_path, todo)
    assert [record.status for record in failed] == ["failed"] * len(FAILURES)
    for record, reason in zip(failed, FAILURES.values(), strict=True):
        assert record.reason.startswith(reason)
    assert good.ok


@pytest.mark.parametrize("action", ["unprintable", "surrogate"])
def test_exceptions_fail_one_cell_in_this_process_too(tmp_path: Path, action: str) -> None:
    bad, good = records_of(tmp_path, [odd(action), odd()], jobs=1)
    assert (bad.status, good.status) == ("failed", "ok")
    assert bad.reason.startswith(FAILURES[action])


def test_the_users_interrupt_ends_a_run_in_this_process(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        records_of(tmp_path, [odd("interrupt")], jobs=1)


@pytest.mark.slow
@pytest.mark.parametrize("action", ["block", "swallow"])
def test_a_time_limit_is_kept_in_c_code_and_the_cells_that_run_meanwhile_are_kept(
    action: str, tmp_path: Path
) -> None:
    todo = [odd(action), *(odd(number=i) for i in range(4))]
    dates = {}
    store = RecordStore(tmp_path / "records")
    for record in compute(todo, store, 2, {"small": Limits(seconds=1.0)}):
        dates[record.key] = time.monotonic(), record
    late = dates[todo[0].key]
    assert (late[1].status, late[1].reason) == ("timeout", "it took more than 1 s")
    assert all(record.ok for key, (_, record) in dates.items() if key != todo[0].key)


def test_imports_take_none_of_a_cells_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EstimatorPredictor, "try_code", lambda *_: time.sleep(0.5))
    assert run_cell(odd(), Limits(seconds=0.4)).ok


def test_compilation_takes_none_of_a_cells_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_slowly(*_: object) -> CellResult:
        with event.trigger_event("numba:compile"):
            time.sleep(0.5)
        return compute_cell(cell)

    cell = odd()
    monkeypatch.setattr(worker, "compute_cell", compile_slowly)
    assert run_cell(cell, Limits(seconds=0.4)).ok


@pytest.mark.parametrize(("gigabytes", "status"), [(0.5, "ok"), (3.0, "failed")])
def test_memory_is_limited_beyond_what_the_process_has(gigabytes: float, status: str) -> None:
    before = np.ones(2**28)  # 2 GB
    assert run_cell(odd(f"hold {gigabytes}"), Limits(memory=10**9)).status == status
    Odd.arrays.clear()
    assert len(before)


def test_memory_is_not_limited_where_threads_compute() -> None:
    records = []
    thread = threading.Thread(
        target=lambda: records.append(run_cell(odd("hold 2"), Limits(memory=10**9)))
    )
    thread.start()
    thread.join()
    Odd.arrays.clear()
    assert records[0].ok


def test_what_a_cell_prints_goes_to_standard_error_with_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_cell(odd("print")).ok
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "monks, adaboost, repeat 0: half a line, the rest\\udc80\n"


@pytest.mark.slow
def test_nothing_that_a_worker_prints_goes_to_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    [record] = records_of(tmp_path, [odd("print")])
    assert record.ok
    out, err = capfd.readouterr()
    assert out == ""
    assert {"written by C code", "monks, adaboost, repeat 0: half a line, the rest\\udc80"} <= {
        *err.splitlines()
    }


def test_warnings_are_kept_in_the_record_once_each(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        [record] = records_of(tmp_path, [odd("warn")], jobs=1)
    assert (record.ok, record.warnings) == (True, ["RuntimeWarning: it did not converge"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jobs", "limit", "here"), [(None, None, 0), (1, None, 1), (2, None, 0), (1, 60.0, 0)]
)
def test_only_one_typed_job_without_limits_computes_in_this_process(
    jobs: int | None,
    limit: float | None,
    here: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_: 1)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        [record] = records_of(tmp_path, [odd("pid")], jobs, seconds=limit)
    [warning] = record.warnings
    assert (warning == f"UserWarning: {os.getpid()}") == bool(here)


@pytest.mark.parametrize(
    ("context", "jobs", "n_workers"), [(1, None, 1), (3, None, 3), (3, 2, 2), (None, None, 5)]
)
def test_jobs_and_else_the_callers_context_decide_how_many_cells_run_at_once(
    context: int | None,
    jobs: int | None,
    n_workers: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[tuple[int, int]] = []

    def in_this_process(n_jobs: int, *, pre_dispatch: int, **_: object) -> Parallel:
        used.append((n_jobs, pre_dispatch))
        return Parallel(1, return_as="generator_unordered")

    monkeypatch.setattr(engine, "Parallel", in_this_process)
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_: 5)
    with parallel_config(n_jobs=context):
        assert records_of(tmp_path, [odd()], jobs)[0].ok
    assert used == [(max(2, n_workers), n_workers)]


def test_a_worker_imports_nothing_that_its_cell_does_not_need() -> None:
    heavy = "{'pandas', 'pyarrow', 'sklearn', 'matplotlib'}"
    code = f"import sys, quadrepro.engine.worker; print({heavy} & {{*sys.modules}})"
    assert lines_of(code) == ["set()"]


@pytest.mark.slow
def test_only_cells_that_ran_with_a_killed_worker_are_tried_again(tmp_path: Path) -> None:
    (tmp_path / "tries").mkdir()
    todo = [odd(f"try {tmp_path / 'tries'}", number=i) for i in range(4)]
    todo.insert(2, odd(f"try {tmp_path / 'tries'} exit", number=4))
    records = records_of(tmp_path, todo)
    assert [record.status for record in records] == ["ok", "ok", "crashed", "ok", "ok"]
    assert "exit code 3" in records[2].reason
    tries = sum(file.stat().st_size for file in (tmp_path / "tries").iterdir())
    assert len(todo) + 1 <= tries <= len(todo) + 2


def test_workers_draw_fresh_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = {"view": "default", "sample": {"train": 20, "test": 9}, "folds": 0}
    [cell] = plan_of(datasets=["m1"], algorithms=["sklearn:Ridge"], protocol=protocol).cells
    sent: list[Cell] = []

    def send(tasks: engine.Tasks) -> Iterator[Record]:
        for ready, _ in tasks:
            sent.append(ready)
            yield run_cell(ready)

    stored = odd()
    stored = replace(stored, source=cells_source())
    [*compute([cell, stored], RecordStore(tmp_path), 1, send=send)]  # type: ignore[arg-type]
    assert {type(c.source).__name__ for c in sent} == {"FreshRows", "Problem"}
    assert isinstance(cell.source, FreshRows)


def cells_source() -> Any:
    """Return what makes the examples of those cells."""
    return plan_of().cells[0].source


def test_a_folder_that_cannot_be_written_is_refused_before_a_cell_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "records").write_text("a file")
    monkeypatch.setattr(engine, "run_cell", lambda *_: pytest.fail("a cell was computed"))
    with pytest.raises(FileExistsError):
        records_of(tmp_path, [odd()], jobs=1)


OTHER_RUN = """
import fcntl, sys, time
with open({path!r}, "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, 1, int({key!r}[:15], 16))
    print("locked", flush=True)
    sys.stdin.readline()
"""


def test_a_cell_of_another_run_is_left_to_it_and_its_record_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, mine, theirs = RecordStore(tmp_path), odd(), odd(number=1)
    with store.claims():
        pass
    code = OTHER_RUN.format(path=str(tmp_path / ".claims"), key=theirs.key)
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        computed = []

        def work(cell: Cell, limits: Limits) -> Record:
            computed.append(cell.repeat)
            return run_cell(cell)

        monkeypatch.setattr(engine, "run_cell", work)
        monkeypatch.setattr(engine, "SECONDS_BETWEEN_LOOKS", 0.01)
        records = compute([mine, theirs], store, 1)
        assert next(records).key == mine.key
        kept = replace(run_cell(theirs), message="by another run")
        RecordStore(tmp_path).put(kept)
        assert next(records).message == "by another run"
        assert (next(records, None), computed) == (None, [0])
        other.communicate(b"\n")


def test_a_cell_whose_run_has_ended_without_a_record_is_computed(tmp_path: Path) -> None:
    with RecordStore(tmp_path).claims() as claims:
        assert claims.take(odd().key)
    [record] = compute([odd()], RecordStore(tmp_path), 1)
    assert record.ok


def test_without_locks_of_the_file_system_every_cell_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    [record] = compute([odd()], RecordStore(tmp_path), 1)
    assert record.ok


def test_a_rerun_reads_each_record_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records_of(tmp_path, [odd()], jobs=1)
    store, read = RecordStore(tmp_path / "records"), list[Path]()
    original: Callable[[Path], bytes] = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path) or original(path))
    assert store.missing([odd()]) == []
    assert [record.ok for record in store.records_of([odd()])] == [True]
    assert [path for path in read if path.suffix == ".record"] == [store.path(odd().key)]
