"""Kills, hangs, leaks and floods runs on both engines, and compares the tables with a clean run.

python -m tests.engine.stress --minutes 10
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from quadrepro.results.compare import compare_folders
from tests.make import write_config

ROUGH = '''
import os
import time
from collections import deque
from itertools import repeat

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Rough(ClassifierMixin, BaseEstimator):
    """Does one of several bad things, by the training examples."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        match int(abs(X.sum()) * 1000) % 6:
            case 0:
                os._exit(3)
            case 1:
                deque(repeat(0), maxlen=0)
            case 2:
                self.kept = np.ones(2**31)
            case 3:
                print("flood " * 200_000)
            case 4:
                raise KeyboardInterrupt
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
'''

SECONDS = 8
"""Longest time of a cell."""


@contextmanager
def cluster(folder: Path, env: dict[str, str]) -> Iterator[Path]:
    """Yield the file of a scheduler with two workers."""
    file = folder / "scheduler.json"
    python = (sys.executable, "-m")
    where = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    workers = ("--scheduler-file", str(file), "--nworkers", "2", "--nthreads", "1")
    options = ("--no-dashboard", "--local-directory", str(folder / "workers"))
    commands = (
        [*python, "distributed.cli.dask_scheduler", *where],
        [*python, "distributed.cli.dask_worker", *workers, *options],
    )
    with (folder / "dask.log").open("w") as log:
        started = []
        for command in commands:
            started.append(subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log))
            while not file.exists():
                time.sleep(0.1)
        try:
            yield file
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


def attack(command: list[str], env: dict[str, str], log: Path, seed: int) -> None:
    """Start a run, twice at once now and then, and kill it at random until it ends by itself."""
    draws = random.Random(seed)
    while True:
        with log.open("a") as file:
            runs = [
                subprocess.Popen(command, env=env, stdout=file, stderr=file, start_new_session=True)
                for _ in range(draws.choice([1, 1, 2]))
            ]
            deadline = time.monotonic() + draws.uniform(5, 60)
            while any(run.poll() is None for run in runs) and time.monotonic() < deadline:
                time.sleep(0.1)
            codes = [run.poll() for run in runs]
            for run in runs:
                if run.poll() is None:
                    number = draws.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
                    os.killpg(run.pid, number)
                    run.wait(60)
        if None not in codes:
            assert set(codes) == {1}, codes
            return


def main() -> None:
    """Attack runs for some minutes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    root = Path(__file__).resolve().parents[2]
    env = os.environ | {"PYTHONPATH": str(root)}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rough.py").write_text(ROUGH)
        algorithms = ["adaboost", "cb-boost", "rough:Rough"]
        config = write_config(
            folder, algorithms=algorithms, repeats=6, timeout=SECONDS, memory="4GB"
        )
        run = [sys.executable, "-m", "quadrepro", "run", str(config), "--no-report", "--out"]
        clean = subprocess.run([*run, str(folder / "clean")], env=env, capture_output=True)
        assert clean.returncode == 1, clean.stderr.decode()[-2000:]
        end, n_runs = time.monotonic() + 60 * minutes, 0
        with cluster(folder, env) as scheduler:
            while time.monotonic() < end:
                n_runs += 1
                out = folder / f"run-{n_runs}"
                engine = [] if n_runs % 2 else ["--dask", str(scheduler)]
                attack([*run, str(out), *engine], env, folder / "log", n_runs)
                found = compare_folders(out / "small", folder / "clean" / "small", tolerance=0)
                assert found.differences == [], found.differences[:5]
                print(f"run {n_runs} is equal to the clean one", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
