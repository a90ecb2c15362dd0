from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quadrepro.core.cell import Cell
from quadrepro.engine.dask_workers import _made_with, _run, connect, on_dask
from quadrepro.engine.process import Limits
from quadrepro.engine.records import Record
from quadrepro.engine.workers import apart
from quadrepro.errors import ConfigError
from quadrepro.results.compare import compare
from tests.cells import cells_of
from tests.cli.call import quadrepro

pytestmark = pytest.mark.slow

KilledWorker = pytest.importorskip("distributed").KilledWorker

FOREST = """title: Forest
repeats: 8
protocol: {view: quadboost}
datasets: [monks]
algorithms:
  - {name: forest, algorithm: 'sklearn:RandomForestClassifier', settings: {n_estimators: 200}}
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
    here = "run", config, "--jobs", 0, "--out", tmp_path / "here", "--no-report"
    assert quadrepro(*here).exit_code == 0
    found = compare(tmp_path / "dask-run" / "forest", tmp_path / "here" / "forest", tolerance=0)
    assert found.differences == []


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quadrepro.engine.dask_workers.SECONDS_TO_CONNECT", 1)
    with pytest.raises(ConfigError, match=r"tcp://127.0.0.1:9 cannot be reached"):
        connect("tcp://127.0.0.1:9")


@pytest.fixture
def cells(small_config: Callable[..., Path]) -> list[Cell]:
    return [cell.ready() for cell in cells_of(small_config())]


def run(cell: Cell) -> Record:
    blob, arrays = apart(cell)
    found = _run(blob, *arrays, None, _made_with())
    assert isinstance(found, Record)
    return found


def test_a_record_of_a_worker_tells_why_it_failed(
    cells: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ArithmeticError("the oracle is silent")

    monkeypatch.setattr("quadrepro.core.cell.training_data", fail)
    assert run(cells[0]).reason.startswith("ArithmeticError: the oracle is silent (test_dask")


def test_a_backend_computes_again_after_its_end_and_a_worker_with_other_packages_is_named(
    start: Start,
    scheduler: tuple[subprocess.Popen[str], Path],
    tmp_path: Path,
    cells: list[Cell],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, file = scheduler
    until(file.exists)
    client = connect(str(file))
    # One that joins when the others were checked.
    worker(start, file, tmp_path)
    backend = on_dask(client, Limits(), 0, print)
    for cell in cells[:2]:
        assert [record.status for record in backend([cell])] == ["ok"]
    monkeypatch.setattr("quadrepro.engine.dask_workers.versions", lambda: {"numpy": "1.0"})
    refused = r"worker tcp://\S+ has numpy \d.*, but this process has 1.0"
    with pytest.raises(ConfigError, match=refused):
        list(on_dask(client, Limits(), 0, print)(cells))
    with pytest.raises(ConfigError, match=refused):
        connect(str(file))


class Task:
    """What a client returns of a task that has ended in some way."""

    def __init__(self, status: str, found: Any = None) -> None:
        self.status, self.found = status, found

    def done(self) -> bool:
        return self.status != "pending"

    def cancelled(self) -> bool:
        return self.status == "cancelled"

    def exception(self) -> Any:
        return self.found

    def result(self, timeout: float) -> Any:
        return self.found

    def release(self) -> None:
        pass


class Client:
    """Computes at once what it is sent, unless something else is to happen to a cell."""

    def __init__(self, *fates: str, threads: int = 1) -> None:
        self.status, self.fates, self.threads = "running", list(fates), threads
        self.scheduler = SimpleNamespace(ncores=None)
        self.sent: list[list[Task]] = []
        self.running_before: list[int] = []

    def sync(self, asked: object, callback_timeout: float) -> dict[str, int]:
        return {"worker": self.threads}

    def run(self, function: Callable[[], object], on_error: str) -> dict[str, object]:
        return {"worker": function()}

    def submit(self, function: Callable[..., Any], *args: Any, pure: bool) -> Task:
        examples = [arg for arg in args if isinstance(arg, Task)]
        if not examples:
            return Task("finished", function(*args))
        self.sent.append(examples)
        fate = self.fates.pop(0) if self.fates else "finished"
        if fate == "closed":
            self.status = "closed"
            raise RuntimeError("the client is closed")
        if fate == "error":
            return Task("error", ModuleNotFoundError("no module named theirs"))
        if fate == "killed":
            return Task("error", KilledWorker("task", None, 3))
        if fate == "cancelled":
            for example in examples:
                example.status = "cancelled"
            return Task("cancelled")
        values = [arg.found if isinstance(arg, Task) else arg for arg in args]
        return Task(fate, function(*values))


def computed(client: Client, cells: list[Cell], told: list[str] | None = None) -> list[Record]:
    tell = [].append if told is None else told.append
    return list(on_dask(client, Limits(), 0, tell)(cells))


def statuses(records: list[Record]) -> list[tuple[str, str]]:
    return sorted((record.key, record.status) for record in records)


def all_ok(cells: list[Cell]) -> list[tuple[str, str]]:
    return sorted((cell.key, "ok") for cell in cells)


def test_a_cell_whose_examples_are_lost_is_sent_again_with_them(cells: list[Cell]) -> None:
    client = Client("cancelled", "finished", "cancelled")
    assert statuses(computed(client, cells)) == all_ok(cells)
    assert len(client.sent) == len(cells) + 2
    again = [examples for examples in client.sent[3:] if examples[0] not in client.sent[0]]
    assert again


def test_cells_share_their_examples(cells: list[Cell]) -> None:
    client = Client()
    computed(client, cells)
    assert len({id(examples[0]) for examples in client.sent}) == 2


def test_a_cell_is_crashed_only_if_it_was_alone_when_workers_died_again(cells: list[Cell]) -> None:
    assert statuses(computed(Client("killed", "killed"), cells)) == all_ok(cells)
    [record] = computed(Client("killed", "killed"), cells[:1])
    assert record.status == "crashed"
    assert record.reason == "the Dask workers that computed it were lost"
    assert record.content == cells[0].content


def test_without_a_scheduler_the_rest_is_computed_here(cells: list[Cell]) -> None:
    told: list[str] = []
    client = Client("finished", "pending", "killed", "closed", threads=2)
    assert statuses(computed(client, cells, told)) == all_ok(cells)
    assert len(client.sent) == 4
    assert told == ["the Dask scheduler was lost: this machine computes the remaining cells"]
    assert statuses(computed(client, cells)) == all_ok(cells)
    assert len(client.sent) == 4


def test_a_scheduler_that_is_silent_for_long_is_lost(
    cells: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(self: object, asked: object, callback_timeout: float) -> dict[str, int]:
        raise TimeoutError

    monkeypatch.setattr(Client, "sync", silent)
    monkeypatch.setattr("quadrepro.engine.dask_workers.SECONDS_BETWEEN_COUNTS", 0)
    assert statuses(computed(Client("pending"), cells)) == all_ok(cells)


def test_cells_wait_for_a_worker_and_the_user_is_told_once(
    cells: list[Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.engine.dask_workers.SECONDS_BETWEEN_COUNTS", 0)
    told: list[str] = []
    assert statuses(computed(Client(threads=0), cells, told)) == all_ok(cells)
    assert told == ["no Dask worker is connected: cells wait until one is"]


def test_a_worker_that_cannot_read_a_cell_is_told_with_the_cell(cells: list[Cell]) -> None:
    with pytest.raises(ConfigError, match=r"cannot compute monks, .*no module named theirs"):
        computed(Client("error"), cells)


def test_a_limit_on_time_is_refused() -> None:
    with pytest.raises(ConfigError, match="--backend local"):
        on_dask(Client(), Limits(seconds=1.0), 1, print)
