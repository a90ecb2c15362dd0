"""Kills of ``run`` at random moments: what is left must be whole, and resuming must end well."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from stress import files
from stress.attempts import Outcome

CONFIG = """title: Kills
repeats: 30
protocol: {view: default, split: {train: half}, folds: 5}
datasets: [toy]
algorithms:
  - {name: quadboost-l2, grid: {n_rounds: [100, 1000], lam: {from: 10, to: 1, points: 3}}}
  - {name: adaboost, grid: {n_rounds: [10, 1000]}}
baseline: false
"""

WAIT = 5.0
"""Seconds until all workers of a killed run must have ended."""

SECONDS_TO_END = 60.0
"""How long a run may take to end once it was told to."""

MODES = {
    "KILL": (signal.SIGKILL, False),
    "KILL of the group": (signal.SIGKILL, True),
    "TERM": (signal.SIGTERM, False),
    "TERM of the group": (signal.SIGTERM, True),
    "INT of the group": (signal.SIGINT, True),
}
"""Signals, and whether the whole process group gets them."""

ENDS = {0: "done", 130: "interrupted", -signal.SIGKILL: "killed"}
ENDS |= {-signal.SIGTERM: "not begun", -signal.SIGINT: "not begun"}
"""How a run may end."""

One = Callable[[Path, random.Random, float], Outcome]


def kill_often(count: int, seed: int, jobs: int) -> list[tuple[str, Outcome]]:
    """Return what a number of kills came to, each followed by a run to the end."""
    return side_by_side("kills", CONFIG, _kill, range(seed, seed + count), jobs)


def side_by_side(
    kind: str, config: str, one: One, seeds: Sequence[int], jobs: int
) -> list[tuple[str, Outcome]]:
    """Return what a function comes to for each seed, in threads with a folder each.

    The folder holds the toy data, the config ``KIND.yaml``, and in ``whole`` the results of an
    undisturbed run, whose seconds are given as well.
    """

    def loop(seeds: Sequence[int]) -> list[tuple[str, Outcome]]:
        with tempfile.TemporaryDirectory(prefix=f"{kind}-") as made:
            folder = Path(made)
            files.write_toy(folder)
            (folder / f"{kind}.yaml").write_text(config, encoding="utf-8")
            for out in ("compiled", "whole"):
                began = time.monotonic()
                if code := start(folder, kind, out).wait():
                    return [(kind, Outcome("the undisturbed run", True, f"exit {code}"))]
            took = time.monotonic() - began
            return [(f"{kind} {n}", one(folder, random.Random(f"{kind} {n}"), took)) for n in seeds]

    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(loop, [seeds[i::jobs] for i in range(min(jobs, len(seeds)))])
        return [found for part in parts for found in part]


def _kill(folder: Path, rng: random.Random, duration: float) -> Outcome:
    shutil.rmtree(folder / "kills-out", ignore_errors=True)
    mode, (signum, of_group) = rng.choice([*MODES.items()])
    process = start(folder, "kills", "kills-out")
    wait_in(process, folder / "kills-out", rng, duration)
    faults = []
    with suppress(ProcessLookupError):
        (os.killpg if of_group else os.kill)(process.pid, signum)
    try:
        code = process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        faults.append(f"no end after {SECONDS_TO_END:g} s")
    said = (folder / "kills-out.txt").read_text(errors="replace")
    end = ENDS.get(code, f"exit {code}")
    if code != -signal.SIGKILL:
        begun, written = "already computed" in said, "Report: " in said
        if code not in ENDS or (end == "not begun" and begun and not written):
            faults.append(f"ended with {code}")
        if begun and "Traceback" in said:
            faults.append("traceback")
    faults += _torn(folder / "kills-out")
    if left := ended(process.pid):
        faults.append(f"left-over workers: {left} after {WAIT:g} s")
    faults += resumed(folder, "kills", "kills-out")
    for path in Path("/dev/shm").glob(f"*loky-{process.pid}-*"):
        faults.append(f"left-over semaphore: {path.name}")
        path.unlink()
    return Outcome(f"{mode}: {end}", bool(faults), f"{said}\n{'; '.join(faults)}")


def wait_in(process: subprocess.Popen[bytes], out: Path, rng: random.Random, took: float) -> None:
    """Wait for a random moment of a run, or until a random number of its records is there."""
    whole = out.parent / "whole" / "records"
    n_records = rng.randrange(1, len([*whole.glob("??/*.json")]))
    ready, deadline = rng.random() < 0.5, time.monotonic() + rng.uniform(0, took)
    while process.poll() is None and (
        time.monotonic() < deadline
        if ready
        else len([*(out / "records").glob("??/*.json")]) < n_records
    ):
        time.sleep(0.01)


def start(folder: Path, name: str, out: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a run in a process group of its own; what it says goes to ``OUT.txt``."""
    words = ["run", f"{name}.yaml", *(options or ("--jobs", "2")), "--out", out]
    with (folder / f"{out}.txt").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "quadrepro", *words],
            cwd=folder,
            env=files.environment() | {"QUADREPRO_CACHE": str(folder / "cache")},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )


def resumed(folder: Path, name: str, out: str) -> Iterator[str]:
    """Run what was not finished to its end, and yield what is not as in an undisturbed run."""
    from quadrepro.errors import QuadreproError
    from quadrepro.results.compare import compare

    # Without workers, whose imports would take most of the time.
    if code := start(folder, name, out, "--jobs", "0").wait():
        yield f"resuming: ended with {code}"
        return
    try:
        found = compare(folder / out / name, folder / "whole" / name, tolerance=0)
    except QuadreproError as error:
        yield f"tables: {error}"
    else:
        yield from (f"tables: {difference}" for difference in found.differences[:2])


def _torn(results: Path) -> Iterator[str]:
    """Yield the files that are not whole; hidden ones were being written, and nobody reads them."""
    for path in results.rglob("*"):
        if not path.is_file() or path.name.startswith("."):
            continue
        content = path.read_bytes()
        if path.suffix == ".json":
            try:
                json.loads(content)
            except ValueError:
                yield f"torn file: {path.relative_to(results)}"
        elif path.suffix in (".csv", ".md", ".tex") and not content.endswith(b"\n"):
            yield f"torn file: {path.relative_to(results)}"


def ended(session: int, seconds: float = WAIT) -> int:
    """Wait for the processes of a session, kill those that do not end, and return their number."""
    deadline = time.monotonic() + seconds
    while (left := _alive(session)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def _alive(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            # The name of the program is in parentheses, and can have blanks.
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[3]) == session and stat[0] != "Z":
                found.append(int(entry.name))
    return found
