from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.engine.dask_workers import _run, on_dask
from quadrepro.engine.limits import Limits
from quadrepro.engine.parts import apart
from quadrepro.errors import ConfigError
from quadrepro.report.compare import compare

pytest.importorskip("distributed")

FOREST = """title: Forest
repeats: 10
protocol: {view: quadboost}
datasets: [monks]
algorithms:
  - {name: forest, algorithm: 'sklearn:RandomForestClassifier', settings: {n_estimators: 600}}
baseline: false
"""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start Python modules as processes, which end with the test."""
    processes: list[subprocess.Popen[str]] = []
    env = {k: v for k, v in os.environ.items() if k != "QUADREPRO_DATA"}
    env["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "5s"
    env["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])

    def start(*words: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", *map(str, words)]
        log = (tmp_path / f"{len(processes)}.log").open("w")
        with log:
            process = subprocess.Popen(command, env=env, cwd=tmp_path, stdout=log, stderr=log)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def scheduler(start: Start, tmp_path: Path) -> tuple[subprocess.Popen[str], Path]:
    file = tmp_path / "scheduler.json"
    where = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard")
    return start("distributed.cli.dask_scheduler", *where, "--scheduler-file", file), file


def worker(start: Start, file: Path, tmp_path: Path) -> subprocess.Popen[str]:
    options = ("--nthreads", 1, "--nworkers", 1, "--no-nanny", "--no-dashboard")
    folder = ("--local-directory", tmp_path / "dask")
    return start("distributed.cli.dask_worker", "--scheduler-file", file, *options, *folder)


def until(happened: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_lost_workers_a_late_one_and_a_lost_scheduler_leave_the_tables_of_one_machine(
    start: Start, scheduler: tuple[subprocess.Popen[str], Path], tmp_path: Path
) -> None:
    process, file = scheduler
    config, records = tmp_path / "forest.yaml", tmp_path / "dask-run" / "records"
    config.write_text(FOREST)
    until(file.exists)
    first = worker(start, file, tmp_path)
    where = ("--backend", "dask", "--scheduler", file, "--out", tmp_path / "dask-run")
    run = start("quadrepro", "run", config, *where)

    def n_records() -> int:
        return len(list(records.glob("??/*.json")))

    until(lambda: n_records() >= 1)
    first.kill()
    worker(start, file, tmp_path)
    until(lambda: n_records() >= 4)
    process.kill()
    assert run.wait(timeout=120) == 0
    assert start("quadrepro", "run", config, "--out", tmp_path / "here").wait(timeout=120) == 0
    found = compare(tmp_path / "dask-run" / "forest", tmp_path / "here" / "forest", tolerance=0)
    assert found.differences == []


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quadrepro.engine.dask_workers.SECONDS_TO_CONNECT", 1)
    with pytest.raises(ConfigError, match=r"tcp://127.0.0.1:9 cannot be reached"):
        on_dask("tcp://127.0.0.1:9", Limits())


def test_a_record_of_a_worker_tells_its_size_and_why_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "forest.yaml"
    config.write_text(FOREST.replace("600", "5"))
    cell = make_plan(load_experiment(config)).cells[0].ready()
    blob, arrays = apart(cell)
    assert _run(blob, *arrays, None).size == cell.size

    def fail(*args: object) -> None:
        raise ArithmeticError("the oracle is silent")

    monkeypatch.setattr("quadrepro.engine.work._training_data", fail)
    blob, arrays = apart(cell)
    assert _run(blob, *arrays, None).reason == "ArithmeticError: the oracle is silent"


def test_a_limit_on_time_is_refused() -> None:
    with pytest.raises(ConfigError, match="--backend local"):
        on_dask("tcp://127.0.0.1:9", Limits(seconds=1.0))


def test_a_backend_computes_again_after_it_has_come_to_an_end(
    start: Start,
    scheduler: tuple[subprocess.Popen[str], Path],
    tmp_path: Path,
    small_config: Callable[..., Path],
) -> None:
    _, file = scheduler
    until(file.exists)
    worker(start, file, tmp_path)
    backend = on_dask(str(file), Limits())
    for cell in make_plan(load_experiment(small_config())).cells[:2]:
        assert [record.status for record in backend([cell.ready()])] == ["ok"]


def test_a_worker_with_other_packages_is_named(
    start: Start,
    scheduler: tuple[subprocess.Popen[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, file = scheduler
    until(file.exists)
    worker(start, file, tmp_path)
    until(lambda: "Registered to" in (tmp_path / "1.log").read_text())
    monkeypatch.setattr("quadrepro.engine.dask_workers.versions", lambda: {"numpy": "1.0"})
    with pytest.raises(ConfigError, match=r"has numpy \d.*, but this process has 1.0"):
        on_dask(str(file), Limits())
