"""A run computes what is missing, keeps each record at once and whole, and survives bad cells."""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from threadpoolctl import threadpool_info, threadpool_limits

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import Cell, key_of
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.engine import progress
from quadrepro.engine.dispatch import compute, largest_first
from quadrepro.engine.progress import RunProgress
from quadrepro.engine.records import ARRAYS, Record, RecordStore, Status
from quadrepro.engine.worker import Limits, run_cell
from quadrepro.errors import ConfigError
from tests import make
from tests.make import plan_of, with_learner


@pytest.fixture
def cells() -> list[Cell]:
    quadboost = {"name": "quadboost-l2", "grid": {"n_rounds": [10, 20], "lam": 1}}
    ada = {"name": "adaboost", "grid": {"n_rounds": 5}}
    return [*make.cells(2, algorithms=[quadboost, ada])]


@dataclass(frozen=True)
class Ending(AdaBoost):
    """An algorithm that ends badly."""

    how: str = "raise"

    def _paths(self, problem: VotingProblem, grid: object) -> FloatArray:
        if self.how == "exit":
            os._exit(3)
        elif self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.how == "system exit":
            raise SystemExit(3)
        elif self.how == "memory":
            return np.ones((1 << 34, 8))
        elif self.how == "sleep":
            time.sleep(60)
        elif self.how == "swallow":
            try:
                time.sleep(60)
            except BaseException:
                raise ValueError("as numpy does") from None
        raise RuntimeError("no vote today")


def outcome(record: Record) -> str:
    """Return what two computations of one cell agree on."""
    return repr(replace(record, seconds=0.0, date="", environment={}))


def test_only_what_is_missing_or_to_be_retried_is_computed_each_content_once(
    cells: list[Cell], tmp_path: Path
) -> None:
    store, (first, second, *rest) = RecordStore(tmp_path), cells
    store.put(run_cell(first))
    store.put(Record(second.key, "failed", content=second.content))
    twin = replace(rest[0], dataset="another row")
    assert store.missing([*cells, twin]) == rest
    todo = store.missing(cells, retry=True)
    assert todo == [second, *rest]
    assert {record.key for record in compute(todo, store, 1)} == {cell.key for cell in todo}
    assert store.missing(cells, retry=True) == []


def test_largest_data_sets_come_first_within_each_experiment(cells: list[Cell]) -> None:
    one = [replace(cells[0], size=size, experiment="one", repeat=size % 10) for size in (11, 32)]
    two = [replace(cells[0], size=size, experiment="two") for size in (5, 99)]
    assert [cell.size for cell in largest_first([*one, *two])] == [32, 11, 99, 5]


def test_a_record_is_kept_before_the_next_cell_begins(cells: list[Cell], tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    for n, record in enumerate(compute(cells, store, 1), start=1):
        assert store.keys() == {record.key} | store.keys()
        assert len(store.keys()) == n
        if n == 2:
            break
    assert len(store.missing(cells)) == len(cells) - 2


def test_a_cell_that_raises_is_a_failed_record_and_others_go_on(
    cells: list[Cell], tmp_path: Path
) -> None:
    store = RecordStore(tmp_path)
    bad = with_learner(cells[1], Ending())
    found = {r.key: r for r in compute([bad, *cells], store, 1)}
    assert found[bad.key].status == "failed"
    assert re.fullmatch(r"\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z", found[bad.key].date)
    assert "no vote today (test_run.py:" in found[bad.key].reason
    made = found[bad.key].environment
    assert {"python", "numpy", "scikit-learn"} <= made["versions"].keys()
    assert made["processor"]["machine"]
    assert made["git"].keys() in ({"commit", "dirty"}, set())
    assert [found[cell.key].status for cell in cells] == ["ok"] * len(cells)


class Odd(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts what has no finite error, or raises an error of two lines."""

    def __init__(self, value: float | None = None) -> None:
        self.value = value

    def fit(self, X: FloatArray, y: FloatArray) -> Odd:
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        if self.value is None:
            raise ValueError("the first line says it\nat 0x7f140409fb0d")
        return np.full(len(X), self.value)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.nan, "ValueError: the RMSE is not finite: a prediction is NaN, infinite or too large"),
        (1e200, "ValueError: the RMSE is not finite: a prediction is NaN, infinite or too large"),
        (None, "ValueError: the first line says it (test_run.py:"),
    ],
)
def test_a_failure_has_one_line_as_its_reason(value: float | None, reason: str) -> None:
    protocol = {"view": "default", "sample": {"train": 20, "test": 9}, "folds": 0}
    cell = plan_of(datasets=["m1"], algorithms=["sklearn:Ridge"], protocol=protocol).cells[0]
    odd = EstimatorPredictor(f"{__name__}:Odd", {"value": value}, predicts="regression")
    record = run_cell(replace(with_learner(cell, odd), grids=(Grid.from_values({}),)))
    assert record.status == "failed"
    assert record.reason.startswith(reason)


class Extreme(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Scores beyond single precision."""

    def fit(self, X: FloatArray, y: FloatArray) -> Extreme:
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        return np.resize([1e-200, -1e-200, 1e200, -1e200, 0.0], len(X))

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])


def test_a_score_beyond_single_precision_keeps_its_sign(cells: list[Cell]) -> None:
    cell = with_learner(cells[1], EstimatorPredictor(f"{__name__}:Extreme"))
    record = run_cell(replace(cell, grids=(Grid.from_values({}),)))
    assert record.ok, record.message
    assert record.scores is not None
    assert (record.scores[:5] > 0).tolist() == [True, False, True, False, False]
    assert record.scores[2:4].tolist() == [np.inf, -np.inf]


class Counting(Extreme):
    """Notes the numbers of threads of all libraries, and of the workers that it may have."""

    seen: ClassVar[list[int]] = []

    def fit(self, X: FloatArray, y: FloatArray) -> Counting:
        self.seen[:] = [*{of["num_threads"] for of in threadpool_info()}, effective_n_jobs(2)]
        super().fit(X, y)
        return self


def test_a_cell_has_one_thread_and_no_workers_of_its_own(cells: list[Cell]) -> None:
    cell = with_learner(cells[1], EstimatorPredictor(f"{__name__}:Counting"))
    with threadpool_limits(2):
        assert run_cell(replace(cell, grids=(Grid.from_values({}),))).ok
    assert Counting.seen == [1, 1]


@pytest.mark.parametrize("how", ["sleep", "swallow"])
def test_a_cell_beyond_its_time_ends_even_if_the_alarm_is_swallowed(
    cells: list[Cell], how: str
) -> None:
    record = run_cell(with_learner(cells[1], Ending(how=how)).ready(), Limits(seconds=0.2))
    assert (record.status, record.reason) == ("timeout", "it took more than 0.2 s")
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


ENDS: dict[str, tuple[Status, str]] = {
    "exit": ("crashed", "its worker process died"),
    "sleep": ("timeout", "it took more than 8 s"),
    "kill": ("crashed", "its worker process died"),
    "system exit": ("failed", "SystemExit: 3"),
    "memory": ("failed", "out of memory: it may use 1 GB"),
}


@pytest.mark.slow
def test_bad_cells_harm_only_themselves_and_workers_leave_the_records_of_this_process(
    cells: list[Cell], tmp_path: Path
) -> None:
    bad = [with_learner(cells[1], Ending(how=how)) for how in ENDS]
    limits = {cells[0].experiment: Limits(seconds=8.0, memory=10**9)}
    store = RecordStore(tmp_path)
    assert len([*compute([*bad, *cells], store, 2, limits)]) == len(bad) + len(cells)
    for cell, (status, reason) in zip(bad, ENDS.values(), strict=True):
        record = store.get(cell.key)
        assert record is not None
        assert record.status == status
        assert reason in record.reason
    for cell, kept in zip(cells, store.records_of(cells), strict=True):
        here = RecordStore(tmp_path / "here")
        here.put(run_cell(cell))
        assert outcome(kept) == outcome(here.records_of([cell])[0])


def test_a_worker_with_other_code_than_the_plan_ends_the_run(
    cells: list[Cell], tmp_path: Path
) -> None:
    other = replace(cells[0], content=cells[0].content | {"code": "0" * 16})
    with pytest.raises(ConfigError, match="code or packages differ from the plan's"):
        list(compute([other], RecordStore(tmp_path), 1))


@pytest.mark.parametrize(
    ("n_cells", "quiet", "shown"), [(3, False, True), (0, False, False), (3, True, False)]
)
def test_piped_output_has_a_line_now_and_then_unless_it_is_quiet(
    n_cells: int,
    quiet: bool,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    before, text, deadline = {*threading.enumerate()}, "", time.monotonic() + 60
    with RunProgress(n_cells, quiet) as running:
        assert bool({*threading.enumerate()} - before) == shown
        running.advance()
        while shown and "1/3 cells\n" not in text:
            assert time.monotonic() < deadline
            time.sleep(0.01)
            text += capsys.readouterr().err
        running.tell("monks, ada: failed \x1b[31m [red]")
    found = (text + capsys.readouterr().err).splitlines()
    assert r"monks, ada: failed \x1b[31m [red]" in found
    assert len(found) == 1 or shown


def test_a_terminal_has_a_bar_below_what_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    with RunProgress(3) as running:
        running.advance()
        running.tell("monks, ada: failed")
    text = capsys.readouterr().err
    assert text.rindex("monks, ada: failed") < text.rindex("1/3")
    # The cursor is there again, and the bar is gone.
    assert text.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


CONTENT: dict[str, Any] = {"algorithm": "AdaBoost", "grid": [["n_rounds", [1, 2]]]}
KEY = key_of(CONTENT)


def record(**fields: Any) -> Record:
    return Record(KEY, "ok", content=CONTENT, **fields)


def kept(folder: Path, one: Record) -> Record:
    store = RecordStore(folder)
    store.put(one)
    found = store.get(one.key)
    assert found is not None
    return found


CODES = np.array([0, 1, 1, 0], dtype=np.intp)
OUTCOMES = {
    "two classes": {"classes": ("no", "yes"), "actual": CODES, "predicted": 1 - CODES},
    "many classes": {
        "classes": tuple(map(str, range(300))),
        "actual": CODES * 299,
        "predicted": CODES,
        "scores": np.float32(np.random.default_rng(0).normal(size=(4, 300))),
    },
    "numbers": {"rmse": 0.1, "actual": np.array([0.1, -2.0]), "predicted": np.array([1e-300, 3.0])},
    "nothing predicted": {"margins": np.float32([0.5, -1.0]), "measures": {"error": [0.5, np.nan]}},
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_record_is_read_as_it_was_kept(tmp_path: Path, name: str) -> None:
    one = record(errors=2, n_test=4, chosen={"lam": 1e-5}, message="é\n", **OUTCOMES[name])
    found = kept(tmp_path, one)
    for field, value in vars(one).items():
        if field in ARRAYS and value is not None:
            np.testing.assert_array_equal(getattr(found, field), value)
            expected = np.intp if value.dtype.kind == "i" else np.float64
            assert getattr(found, field).dtype == expected
        else:
            assert repr(getattr(found, field)) == repr(value)


def test_what_follows_from_the_fields_of_a_record() -> None:
    assert record(errors=1, n_test=4).value == 0.25
    assert record(errors=1, n_test=4, rmse=3.0).value == 3.0
    called = record(actual=CODES, predicted=np.array([0, 0, 1, 1]))
    assert called.wrong.tolist() == [False, True, False, True]
    assert record(message="Traceback\nValueError: no\n").reason == "ValueError: no"
    assert record().reason == ""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100] ^= 0xFF
    path.write_bytes(content)


def rename(path: Path) -> None:
    other = path.with_name(KEY[:2] + "0" * 62 + ".record")
    path.rename(other)


def rewrite(path: Path, **fields: object) -> None:
    path.write_bytes(zlib.compress(json.dumps(fields).encode() + b"\n" + bytes(8)))


def with_objects(path: Path) -> None:
    whole = json.loads(zlib.decompress(path.read_bytes()).partition(b"\n")[0])
    rewrite(path, **whole | {"arrays": {"actual": ["O", [1]]}})


def without_arrays(path: Path) -> None:
    rewrite(path)


def of_other_content(path: Path) -> None:
    content = {"algorithm": "other"}
    rewrite(path, key=KEY, status="ok", classes=[], arrays={}, content=content)


@pytest.mark.parametrize(
    "damage", [cut, flip, rename, with_objects, without_arrays, of_other_content]
)
def test_a_damaged_record_counts_as_missing_with_a_warning(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    store = RecordStore(tmp_path)
    store.put(
        record(actual=CODES, predicted=CODES, scores=np.random.default_rng(1).normal(size=99))
    )
    damage(store.path(KEY))
    [key] = store.keys()
    assert store.get(key) is None
    assert f"{store.path(key)} is damaged and counts as missing" in caplog.text


def test_a_file_that_was_not_written_to_its_end_is_not_a_record(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    store.put(record())
    path = store.path(KEY)
    path.rename(path.with_name(f".{path.name}-123.part"))
    assert store.keys() == set()
    assert store.get(KEY) is None
