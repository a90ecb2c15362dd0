"""Faults of a Dask cluster on loopback: a run must survive them, or say how to go on."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stress import files
from stress.attempts import Outcome
from stress.kills import resumed, side_by_side, start, wait_in

CONFIG = """title: Dask
repeats: 8
protocol: {view: default, split: {train: half}, folds: 3}
datasets: [toy]
algorithms:
  - {name: adaboost, grid: {n_rounds: [10, 1000]}}
  - {name: forest, algorithm: "sklearn:RandomForestClassifier", settings: {n_estimators: 200}}
baseline: false
"""

FAULTS = ("the scheduler", "a worker", "all workers, one comes later", "all, then the scheduler")

SECONDS_TO_END = 240.0
"""How long a run may take after a fault."""

Start = Callable[..., "subprocess.Popen[bytes]"]


def fail_often(count: int, seed: int, jobs: int) -> list[tuple[str, Outcome]]:
    """Return what runs came to whose scheduler or workers were killed."""
    return side_by_side("dask", CONFIG, _fail, range(seed, seed + count), jobs)


def _fail(folder: Path, rng: random.Random, duration: float) -> Outcome:
    shutil.rmtree(folder / "dask-out", ignore_errors=True)
    fault, later = rng.choice(FAULTS), rng.uniform(1, 5)
    with _processes(folder) as begin:
        scheduler = begin("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        address = _address(folder)
        worker = [address, "--nthreads", "1", "--nworkers", "1", "--no-nanny", "--no-dashboard"]
        worker += ["--local-directory", "scratch"]
        workers = [begin("worker", *worker) for _ in range(2)]
        options = ("--backend", "dask", "--scheduler", address)
        process = start(folder, "dask", "dask-out", *options)
        wait_in(process, folder / "dask-out", rng, duration)
        if fault != "the scheduler":
            for lost in workers[: 1 if fault == "a worker" else 2]:
                lost.kill()
        if fault.endswith("later"):
            time.sleep(later)
            begin("worker", *worker)
        if fault.endswith("scheduler"):
            time.sleep(later if fault.startswith("all") else 0)
            scheduler.kill()
        faults = []
        try:
            code = process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
            faults.append(f"no end after {SECONDS_TO_END:g} s")
    said = (folder / "dask-out.txt").read_text(errors="replace")
    if "Traceback" in said:
        faults.append("traceback")
    # Where it could not begin, there is nothing to resume.
    begun = "cannot be reached" not in said or any(folder.glob("dask-out/records/??/*.json"))
    if code and begun and "quadrepro run dask.yaml" not in said:
        faults.append(f"ended with {code}, without the line that resumes")
    faults += resumed(folder, "dask", "dask-out")
    return Outcome(f"{fault}: exit {code}", bool(faults), f"{said}\n{'; '.join(faults)}")


@contextmanager
def _processes(folder: Path) -> Iterator[Start]:
    """Yield a function that starts processes of Dask, which end with the block."""
    (folder / "scheduler.json").unlink(missing_ok=True)
    begun: list[subprocess.Popen[bytes]] = []
    env = files.environment() | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}

    def begin(what: str, *words: str) -> subprocess.Popen[bytes]:
        file = ("--scheduler-file", "scheduler.json") if what == "scheduler" else ()
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, *file]
        quiet = subprocess.DEVNULL
        begun.append(subprocess.Popen(command, cwd=folder, env=env, stdout=quiet, stderr=quiet))
        return begun[-1]

    try:
        yield begin
    finally:
        for process in begun:
            process.kill()
            process.wait()


def _address(folder: Path) -> str:
    """Return the address of the scheduler, once it has one."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return str(json.loads((folder / "scheduler.json").read_text())["address"])
        except (OSError, ValueError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
