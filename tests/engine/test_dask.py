"""Workers of a Dask scheduler leave the tables of one machine, whatever is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from quadrepro.engine import dispatch
from quadrepro.engine.dispatch import workers_of
from quadrepro.engine.records import RecordStore
from quadrepro.errors import ConfigError
from quadrepro.results.compare import compare_folders
from tests.make import quadrepro, write_config

pytestmark = pytest.mark.slow

pytest.importorskip("distributed")

FOREST = {"name": "sklearn:RandomForestClassifier", "settings": {"n_estimators": 200}}

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start Python modules as processes, which end with the test."""
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    env["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "5s"
    with ExitStack() as stack:

        def start(*words: object, log: str = "log") -> subprocess.Popen[str]:
            command = [sys.executable, "-m", *map(str, words)]
            out = stack.enter_context((tmp_path / log).open("a"))
            process = subprocess.Popen(
                command, env=env, cwd=tmp_path, stdout=out, stderr=out, text=True
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield start


def until(happened: Callable[[], object], seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_lost_worker_is_replaced_and_a_lost_scheduler_loses_nothing(
    start: Start, tmp_path: Path
) -> None:
    file, out = tmp_path / "scheduler.json", tmp_path / "dask-run"
    config = write_config(tmp_path, repeats=16, algorithms=[FOREST])
    where = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    scheduler = start("distributed.cli.dask_scheduler", *where)
    until(file.exists)

    def worker() -> subprocess.Popen[str]:
        options = ("--nthreads", 1, "--nworkers", 1, "--no-nanny", "--no-dashboard")
        folder = ("--local-directory", tmp_path / "workers")
        return start("distributed.cli.dask_worker", "--scheduler-file", file, *options, *folder)

    def n_records() -> int:
        return len(list((out / "records").glob("??/*.record")))

    first, _ = worker(), worker()
    run = start("quadrepro", "run", config, "--dask", file, "--out", out, log="run.log")
    until(lambda: n_records() >= 1)
    first.kill()
    worker()
    until(lambda: n_records() >= 4)
    scheduler.kill()
    assert run.wait(timeout=240) == 1
    said = (tmp_path / "run.log").read_text()
    assert "error: the Dask workers were lost" in said
    assert "Traceback" not in said
    kept = n_records()
    assert quadrepro("run", config, "--jobs", 1, "--out", out, "--no-report").exit_code == 0
    assert n_records() == 16 > kept
    here = ("run", config, "--jobs", 1, "--out", tmp_path / "here", "--no-report")
    assert quadrepro(*here).exit_code == 0
    assert (
        compare_folders(out / "small", tmp_path / "here" / "small", tolerance=0).differences == []
    )


KILLER = """
import os

from sklearn.base import BaseEstimator, ClassifierMixin


class Killer(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        os._exit(3)

    def predict(self, X):
        return X
"""


def test_a_cell_that_kills_its_worker_has_crashed_and_all_others_are_computed(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "killer.py").write_text(KILLER)
    file, out = tmp_path / "scheduler.json", tmp_path / "dask-run"
    config = write_config(tmp_path, repeats=1, algorithms=["adaboost", "killer:Killer"])
    where = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    start("distributed.cli.dask_scheduler", *where)
    until(file.exists)
    options = ("--nthreads", 1, "--nworkers", 2, "--no-dashboard")
    folder = ("--local-directory", tmp_path / "workers")
    start("distributed.cli.dask_worker", "--scheduler-file", file, *options, *folder)
    run = start("quadrepro", "run", config, "--dask", file, "--out", out, log="run.log")
    assert run.wait(timeout=300) == 1
    records = [RecordStore(out / "records").get(file.stem) for file in out.rglob("*.record")]
    assert sorted(record.status for record in records if record) == ["crashed", "ok"]
    assert "exit code 3" in (tmp_path / "run.log").read_text()


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "SECONDS_TO_CONNECT", 1)
    with (
        pytest.raises(ConfigError, match=r"tcp://127.0.0.1:9 cannot be used"),
        workers_of("tcp://127.0.0.1:9"),
    ):
        pass
