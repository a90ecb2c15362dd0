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
from collections.abc import Iterator
from pathlib import Path

import click

from stress import files

CONFIG = """title: Kills
repeats: 8
protocol: {view: default, split: {train: half}, folds: 5}
datasets: [toy]
algorithms:
  - {name: quadboost-l2, grid: {n_rounds: [100, 1000], lam: {from: 10, to: 1, points: 3}}}
  - {name: adaboost, grid: {n_rounds: [10, 1000]}}
  - {name: lpboost, grid: {C: [0.1, 1]}}
baseline: false
"""

WAIT = 5.0
"""Seconds until all workers of a killed run must have ended."""


def kill_often(count: int, seed: int) -> Iterator[str]:
    """Yield what went wrong in a number of kills, each followed by a run to the end."""
    if not count:
        return
    rng = random.Random(f"kills {seed}")
    with tempfile.TemporaryDirectory(prefix="kills-") as made:
        folder = Path(made)
        files.write_toy(folder)
        (folder / "kills.yaml").write_text(CONFIG, encoding="utf-8")
        began = time.monotonic()
        if code := _start(folder, "whole").wait():
            yield f"the undisturbed run ended with {code}"
            return
        duration = time.monotonic() - began
        ended: dict[str, int] = {}
        for number in range(count):
            for fault in _kill(folder, rng.uniform(0, duration)):
                kind = fault.partition(":")[0]
                ended[kind] = ended.get(kind, 0) + 1
                yield f"kill {number}: {fault}"
        said = ", ".join(f"{kind} {n}" for kind, n in sorted(ended.items()))
        click.echo(f"kills, {count} in a run of {duration:.1f} s: {said or 'all well'}")


def _kill(folder: Path, after: float) -> Iterator[str]:
    shutil.rmtree(folder / "killed", ignore_errors=True)
    process = _start(folder, "killed")
    time.sleep(after)
    workers = _descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    yield from _torn(folder / "killed")
    deadline = time.monotonic() + WAIT
    while (left := [pid for pid in workers if _is_alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left:
        yield f"left-over workers: {len(left)} after {WAIT:g} s, killed after {after:.2f} s"
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    if code := _start(folder, "killed").wait():
        yield f"resuming: ended with {code}, killed after {after:.2f} s"
    elif differences := _differences(folder):
        yield f"tables: not those of an undisturbed run, killed after {after:.2f} s: {differences}"


def _start(folder: Path, out: str) -> subprocess.Popen[bytes]:
    words = ["run", "kills.yaml", "--jobs", "2", "--out", out]
    return subprocess.Popen(
        [sys.executable, "-m", "quadrepro", *words],
        cwd=folder,
        env=files.environment() | {"QUADREPRO_CACHE": str(folder / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _differences(folder: Path) -> str:
    """Return how the tables of a killed run differ from those of the whole one, but for times."""
    compared = subprocess.run(
        [sys.executable, "-m", "quadrepro", "compare", "whole/kills", "killed/kills"],
        cwd=folder,
        env=files.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return (compared.stdout + compared.stderr)[-300:] if compared.returncode else ""


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


def _descendants(pid: int) -> list[int]:
    """Return the processes that a process started, and those that these started."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # The name of the program is in parentheses, and can have blanks.
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        parents.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
