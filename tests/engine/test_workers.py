"""A bad cell costs only itself, wherever cells are computed."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import Parallel, effective_n_jobs, parallel_config
from numba.core import event
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from threadpoolctl import threadpool_info, threadpool_limits

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import Cell, CellResult, compute_cell
from quadrepro.core.problems import FreshRows
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.grid import Grid
from quadrepro.engine import dispatch as engine
from quadrepro.engine import worker
from quadrepro.engine.dispatch import compute
from quadrepro.engine.records import Record, RecordStore, Status
from quadrepro.engine.worker import Limits, run_cell
from quadrepro.errors import ConfigError
from tests.make import cells, lines_of, plan_of, with_learner


class UnprintableError(BaseException):
    """An error whose text cannot be made, and that is not an Exception."""

    def __str__(self) -> str:
        raise self


def swallow(seconds: float) -> None:
    """Wait whatever is raised."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(60)
        except BaseException:
            continue


class Odd(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that does something else while it is fitted."""

    arrays: ClassVar[list[FloatArray]] = []
    n_threads: ClassVar[list[int]] = []

    def __init__(self, action: str = "") -> None:
        self.action = action

    def fit(self, X: FloatArray, y: FloatArray) -> Odd:
        self.classes_ = np.unique(y)
        match self.action.split():
            case ["exit"]:
                os._exit(3)
            case ["kill"]:
                os.kill(os.getpid(), signal.SIGKILL)
            case ["leave"]:
                raise SystemExit(3)
            case ["raise"]:
                raise RuntimeError("no vote today")
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
            case ["sleep"]:
                time.sleep(60)
            case ["swallow"]:
                swallow(60)
            case ["disguise"]:
                try:
                    time.sleep(60)
                except BaseException:
                    raise ValueError("as numpy does") from None
            case ["pid"]:
                warnings.warn(f"{os.getpid()}", stacklevel=1)
            case ["count"]:
                threads = {library["num_threads"] for library in threadpool_info()}
                self.n_threads[:] = [*threads, effective_n_jobs(2)]
            case ["try", folder, *end]:
                with (Path(folder) / str(hash(X.tobytes()))).open("a") as file:
                    file.write("x")
                time.sleep(0.3)
                if end:
                    os._exit(3)
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return scores beyond single precision."""
        return np.resize([1e-200, -1e-200, 1e200, -1e200, 0.0], len(X))

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])


class OddNumbers(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts numbers without a finite error, or raises an error of two lines."""

    def __init__(self, value: float | None = None) -> None:
        self.value = value

    def fit(self, X: FloatArray, y: FloatArray) -> OddNumbers:
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        if self.value is None:
            raise ValueError("the first line says it\nat 0x7f140409fb0d")
        return np.full(len(X), self.value)


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
    "raise": "RuntimeError: no vote today (test_workers.py:",
    "unprintable": "UnprintableError, which cannot be printed",
    "surrogate": r"ValueError: a name such as \udc80",
}
ENDS: dict[str, tuple[Status, str]] = {
    **{action: ("failed", reason) for action, reason in FAILURES.items()},
    "interrupt": ("failed", "KeyboardInterrupt: "),
    "leave": ("failed", "SystemExit: 3"),
    "hold 64": ("failed", "out of memory: it may use 1 GB"),
    "exit": ("crashed", "its worker process died (exit code 3)"),
    "kill": ("crashed", "its worker process died (SIGKILL)"),
    "block": ("timeout", "it took more than 4 s"),
    "swallow": ("timeout", "it took more than 4 s"),
}


def outcome(record: Record) -> str:
    """Return the parts of a record that do not depend on when and where it is computed."""
    return repr(replace(record, seconds=0.0, date="", environment={}))


@pytest.mark.slow
def test_bad_cells_harm_only_themselves_and_workers_leave_the_records_of_this_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = [odd("print"), odd("warn"), *(odd(number=i) for i in range(4))]
    records = records_of(tmp_path, [*map(odd, ENDS), *good], seconds=4.0, memory=10**9)
    for record, (status, reason) in zip(records, ENDS.values(), strict=False):
        assert (record.status, record.reason[: len(reason)]) == (status, reason)
    out, err = capfd.readouterr()
    assert out == ""
    lines = {"written by C code", "monks, adaboost, repeat 0: half a line, the rest\\udc80"}
    assert lines <= {*err.splitlines()}
    here = RecordStore(tmp_path / "here")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for cell in good:
            here.put(run_cell(cell))
    assert [*map(outcome, records[len(ENDS) :])] == [*map(outcome, here.records_of(good))]


def test_a_cell_that_raises_is_a_failed_record_and_others_go_on(tmp_path: Path) -> None:
    *failed, good = records_of(tmp_path, [*map(odd, FAILURES), odd()], jobs=1)
    assert good.ok
    for record, reason in zip(failed, FAILURES.values(), strict=True):
        assert record.status == "failed"
        assert record.reason.startswith(reason)
        assert re.fullmatch(r"\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z", record.date)
        assert {"python", "numpy", "scikit-learn"} <= record.environment["versions"].keys()
        assert record.environment["processor"]["machine"]
        assert record.environment["git"].keys() in ({"commit", "dirty"}, set())


def test_the_users_interrupt_ends_a_run_in_this_process(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        records_of(tmp_path, [odd("interrupt")], jobs=1)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.nan, "ValueError: the RMSE is not finite: a prediction is NaN, infinite or too large"),
        (1e200, "ValueError: the RMSE is not finite: a prediction is NaN, infinite or too large"),
        (None, "ValueError: the first line says it (test_workers.py:"),
    ],
)
def test_a_failure_has_one_line_as_its_reason(value: float | None, reason: str) -> None:
    cell = sampled_cell()
    path = f"{__name__}:OddNumbers"
    learner = EstimatorPredictor(path, {"value": value}, predicts="regression")
    record = run_cell(replace(with_learner(cell, learner), grids=(Grid.from_values({}),)))
    assert record.status == "failed"
    assert record.reason.startswith(reason)


def sampled_cell() -> Cell:
    """Return a cell whose examples are drawn."""
    protocol = {"view": "default", "sample": {"train": 20, "test": 9}, "folds": 0}
    [cell] = plan_of(datasets=["m1"], algorithms=["sklearn:Ridge"], protocol=protocol).cells
    return cell


def test_a_score_beyond_single_precision_keeps_its_sign() -> None:
    record = run_cell(odd())
    assert record.scores is not None
    assert (record.scores[:5] > 0).tolist() == [True, False, True, False, False]
    assert record.scores[2:4].tolist() == [np.inf, -np.inf]


def test_a_cell_has_one_thread_and_no_workers_of_its_own() -> None:
    with threadpool_limits(2):
        assert run_cell(odd("count")).ok
    assert Odd.n_threads == [1, 1]


@pytest.mark.parametrize("action", ["sleep", "disguise"])
def test_a_cell_beyond_its_time_ends_even_if_the_alarm_is_swallowed(action: str) -> None:
    record = run_cell(odd(action), Limits(seconds=0.2))
    assert (record.status, record.reason) == ("timeout", "it took more than 0.2 s")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_worker_with_other_code_than_the_plan_ends_the_run(tmp_path: Path) -> None:
    other = replace(odd(), content=odd().content | {"code": "0" * 16})
    with pytest.raises(ConfigError, match="code or packages differ from the plan's"):
        list(compute([other], RecordStore(tmp_path), 1))


def test_imports_and_compilation_take_none_of_a_cells_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_slowly(*_: object) -> CellResult:
        with event.trigger_event("numba:compile"):
            time.sleep(0.3)
        return compute_cell(cell)

    cell = odd()
    monkeypatch.setattr(EstimatorPredictor, "try_code", lambda *_: time.sleep(0.3))
    monkeypatch.setattr(worker, "compute_cell", compile_slowly)
    assert run_cell(cell, Limits(seconds=0.25)).ok


@pytest.mark.parametrize(("gigabytes", "status"), [(0.1, "ok"), (0.6, "failed")])
def test_memory_is_limited_beyond_what_the_process_has(gigabytes: float, status: str) -> None:
    before = np.ones(2**26)  # 0.5 GB
    assert run_cell(odd(f"hold {gigabytes}"), Limits(memory=4 * 10**8)).status == status
    Odd.arrays.clear()
    assert len(before)


def test_memory_is_not_limited_where_threads_compute() -> None:
    records = []
    cell, limits = odd("hold 0.3"), Limits(memory=10**8)
    thread = threading.Thread(target=lambda: records.append(run_cell(cell, limits)))
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
    ("context", "jobs", "n_workers"), [(1, None, 1), (3, 2, 2), (None, None, 5)]
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
    tries = sum(file.stat().st_size for file in (tmp_path / "tries").iterdir())
    assert len(todo) + 1 <= tries <= len(todo) + 2


def test_workers_draw_fresh_samples(tmp_path: Path) -> None:
    sent: list[Cell] = []

    def send(tasks: engine.Tasks) -> Iterator[Record]:
        for ready, _ in tasks:
            sent.append(ready)
            yield run_cell(ready)

    sampled, stored = sampled_cell(), replace(odd(), source=plan_of().cells[0].source)
    [*compute([sampled, stored], RecordStore(tmp_path), 1, send=send)]  # type: ignore[arg-type]
    assert {type(cell.source).__name__ for cell in sent} == {"FreshRows", "Problem"}
    assert isinstance(sampled.source, FreshRows)


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


def test_a_cell_is_computed_after_a_run_without_a_record_and_without_locks_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    with RecordStore(tmp_path / "records").claims() as claims:
        assert claims.take(odd().key)
    assert records_of(tmp_path, [odd()], jobs=1)[0].ok
    monkeypatch.setattr(fcntl, "lockf", refuse)
    assert records_of(tmp_path / "more", [odd()], jobs=1)[0].ok
