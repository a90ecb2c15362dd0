"""The corpus of hostile files through the command line, and what it must not come to.

Each case has a folder of its own beside one with a secret, and a port. Its lines are called by a
script such as pip writes, many in one process; one that hangs or dies is blamed, and the rest are
called by another process.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from stress import corpus, files
from stress.attempts import CODES, MEGABYTES, Outcome
from stress.corpus import Case
from stress.kills import ended, start

SECONDS, SECONDS_ON_THE_CLOCK = 10, 60
"""A line may take so much of a processor, the first of a process 5 more; and so much in all."""

BATCH = 12
"""Cases per process."""

TOKEN = "open-sesame-5316"
"""What the secret holds."""

Answer = list[Any] | str
"""Exit code, seconds and megabytes of a line, or how its process ended."""

WRITTEN = ("results", "cache", "out")
"""Folders in which commands may write."""

CONFIG = """title: Base
repeats: 2
protocol: {view: default, folds: 2}
datasets: [toy]
algorithms:
  - {name: quadboost-l2, grid: {n_rounds: [1, 5]}}
  - {name: adaboost, grid: {n_rounds: [1, 5]}}
"""

SCRIPT = """import json, os, resource, sys, time, traceback
from quadrepro.__main__ import run

if __name__ == "__main__":
    told = os.fdopen(os.dup(1), "w")
    resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    for folder, line, said in json.loads(sys.argv[1]):
        os.chdir(folder)
        os.environ["QUADREPRO_CACHE"] = folder + "/cache"
        os.environ["QUADREPRO_OFFLINE"] = "" if line.startswith("fetch") else "1"
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        with open(said, "w") as file:
            os.dup2(file.fileno(), 1), os.dup2(file.fileno(), 2)
        sys.argv[1:], began, code = line.split(), time.process_time(), None
        try:
            run()
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush(), sys.stderr.flush()
        with open("/proc/self/status") as file:
            peak = int(file.read().partition("VmHWM:")[2].split()[0]) // 1024
        print(json.dumps([code, time.process_time() - began, peak]), file=told, flush=True)
"""


class _Arena:
    """The folder of a case, a victim beside it, and a port that nobody may connect to."""

    def __init__(self, case: Case, folder: Path, base: Path) -> None:
        self.case, self.work, self.victim = case, folder / "work", folder / "victim"
        self.said = [folder / f"{i}.txt" for i in range(len(case.lines))]
        self.faults: list[str] = []
        shutil.copytree(base, self.work)
        shutil.copytree(base / "results" / "base", self.work / "honest" / "base")
        self.victim.mkdir()
        (self.victim / "secret.txt").write_text(f"{TOKEN},x1\n{TOKEN},{TOKEN}\n")
        self._port = socket.create_server(("127.0.0.1", 0))
        for name, content in case.files.items():
            if "*" not in name:
                self._write(self.work / name, content)
            for path in self.work.glob(name) if "*" in name else ():
                self._write(path, content)
        self._before = self._tree()

    def _write(self, path: Path, content: corpus.Content) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is os.mkfifo:
            path.unlink(missing_ok=True)
        made = content(path) if callable(content) else content
        if made is None:
            return
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        filled = made.encode() if isinstance(made, str) else made
        for word, what in (
            (b"CANARY", self.victim / "canary"),
            (b"VICTIM", self.victim),
            (b"SECRET", self.victim / "secret.txt"),
            (b"PORT", self._port.getsockname()[1]),
        ):
            filled = filled.replace(word, str(what).encode())
        if filled.startswith(b"-> "):
            path.symlink_to(filled[3:].decode())
        else:
            path.write_bytes(filled)

    def _tree(self) -> dict[Path, tuple[int, int, int]]:
        """Return all files but those that commands may write."""
        found = {}
        for top in (self.work, self.victim):
            for path in [top, *top.rglob("*")] if top.exists() else []:
                within = path.relative_to(top).parts
                if top == self.victim or not within or within[0] not in WRITTEN:
                    seen = path.lstat()
                    # A folder's time changes with what is in it, which is looked at by itself.
                    time = seen.st_mtime_ns if path.is_file() else 0
                    found[path] = seen.st_mode, seen.st_size if time else 0, time
        return found

    def judge(self, i: int, answer: list[Any], seconds: float) -> None:
        """Note what is wrong with how a line ended."""
        line, (code, took, peak) = self.case.lines[i], answer
        expected = CODES if self.case.code is None else (self.case.code,)
        if code is None:
            said = self.said[i].read_text(errors="replace").strip().splitlines()
            self.faults.append(f"traceback: {line}: {said[-1] if said else ''}")
        elif code not in expected:
            self.faults.append(f"exit {code}: {line}")
        if took > seconds:
            self.faults.append(f"slow: {line}: {took:.0f} s")
        if peak > MEGABYTES:
            self.faults.append(f"large: {line}: {peak} MB")

    def outcome(self) -> Outcome:
        """Return what the case came to."""
        after = self._tree()
        for path in sorted(after.keys() | self._before.keys()):
            if after.get(path) != self._before.get(path):
                self.faults.append(f"changed: {path.relative_to(self.work.parent)}")
        self._port.setblocking(False)
        try:
            self._port.accept()
            self.faults.append("connected: its port")
        except BlockingIOError:
            pass
        self._port.close()
        for i, path in enumerate(self.said):
            if path.exists():
                found = _told(path.read_bytes(), ".txt")
                self.faults += [f"{fault}: {self.case.lines[i]}" for fault in found]
        for top in WRITTEN:
            for path in sorted((self.work / top).rglob("*.*")):
                if path.lstat().st_mtime_ns >= self.began and path.is_file():
                    found = [] if path.is_symlink() else _told(path.read_bytes(), path.suffix)
                    self.faults += [f"{fault}: {path.relative_to(self.work)}" for fault in found]
        kind = self.faults[0].partition(":")[0] if self.faults else "harmless"
        return Outcome(kind, bool(self.faults), "; ".join(dict.fromkeys(self.faults)))

    began = 0


def attack(jobs: int) -> list[tuple[str, Outcome]]:
    """Return what each case of the corpus came to, by its name."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as made:
        folder = Path(made)
        (folder / "base").mkdir()
        files.write_toy(folder / "base")
        (folder / "base" / "base.yaml").write_text(CONFIG)
        (folder / "bin").mkdir()
        (folder / "bin" / "quadrepro").write_text(SCRIPT)
        if start(folder / "base", "base", "results").wait():
            return [("base", Outcome("the undisturbed run", True))]
        cases = list(enumerate(corpus.cases()))
        batches = [cases[i : i + BATCH] for i in range(0, len(cases), BATCH)]
        with ThreadPoolExecutor(jobs) as pool:
            return [one for found in pool.map(partial(_batch, folder), batches) for one in found]


def _batch(folder: Path, cases: Sequence[tuple[int, Case]]) -> list[tuple[str, Outcome]]:
    arenas = [_Arena(case, folder / str(i), folder / "base") for i, case in cases]
    for arena in arenas:
        arena.began = time.time_ns()
    rest = [(arena, i) for arena in arenas for i in range(len(arena.case.lines))]
    left: list[int] = []
    while rest:
        answers = _answers(folder, rest, left)
        for j, ((arena, i), answer) in enumerate(zip(rest, answers, strict=False)):
            if isinstance(answer, str):
                arena.faults.append(f"{answer}: {arena.case.lines[i]}")
            else:
                arena.judge(i, answer, SECONDS + 5 * (j == 0))
        rest = rest[len(answers) :]
    found = [(arena.case.name, arena.outcome()) for arena in arenas]
    if any(left):
        names = f"{cases[0][1].name} to {cases[-1][1].name}"
        found.append((names, Outcome("left-over processes", True, str(sum(left)))))
    for arena in arenas:
        shutil.rmtree(arena.work.parent, ignore_errors=True)
    return found


def _answers(folder: Path, rest: list[tuple[_Arena, int]], left: list[int]) -> list[Answer]:
    """Call lines in a process; of the last one that it got to, a word says how it ended."""
    todo = [(str(a.work), a.case.lines[i], str(a.said[i])) for a, i in rest]
    process = subprocess.Popen(
        [sys.executable, "-P", str(folder / "bin" / "quadrepro"), json.dumps(todo)],
        bufsize=0,
        cwd=folder,
        env=files.environment() | {"SESAME": TOKEN, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    answers: list[Answer] = []
    while len(answers) < len(todo):
        ready, _, _ = select.select([process.stdout], [], [], SECONDS_ON_THE_CLOCK)
        if not ready:
            answers.append("no end")
            break
        if not (text := process.stdout.readline()):
            answers.append(f"died with {process.wait()}")
            break
        answers.append(json.loads(text))
    else:
        left.append(ended(process.pid))
    ended(process.pid, 0)
    process.wait()
    process.stdout.close()
    return answers


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _told(content: bytes, suffix: str) -> list[str]:
    """Return what must not be in a file, or in what a command says."""
    text, found = content.decode("utf-8", "replace"), []
    if TOKEN in text:
        found.append("secret")
    if suffix in (".txt", ".md", ".tex") and (match := _CONTROL.search(text)):
        found.append(f"control character {match[0]!r}")
    if suffix in (".md", ".html") and ("<script>alert" in text or "<img src=x" in text):
        found.append("raw HTML")
    if suffix == ".tex" and ("\\input{" in text or "\\write18" in text):
        found.append("raw LaTeX")
    if suffix == ".csv":
        rows = csv.reader(io.StringIO(text))
        found += ["formula" for row in rows for cell in row if cell.startswith(corpus.FORMULAS)][:1]
    return found
