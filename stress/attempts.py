"""One attempt: a verb on a mangled file, in this process or in a fresh one, and how it ended."""

from __future__ import annotations

import atexit
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from click.testing import CliRunner

from quadrepro.cli import main
from stress import files
from stress.mutate import mangled, mutated

SECONDS, SECONDS_ON_THE_CLOCK, MEGABYTES = 25, 120, 1000
"""An attempt that takes more, of a processor, in all, or of memory, is a failure."""

CODES = (0, 1, 2, 3, 4)


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended: an exit code, or what must not be."""

    words: str
    failed: bool
    details: str = ""


_folder = Path()


def begin(kind: str) -> None:
    """Give this process a folder of its own with the toy data, and compile what it needs."""
    global _folder
    _folder = Path(tempfile.mkdtemp(prefix="stress-"))
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    os.environ |= {"QUADREPRO_CACHE": str(_folder / "cache"), "QUADREPRO_OFFLINE": "1"}
    os.environ.pop("QUADREPRO_DATA", None)
    (_folder / "card.yaml").write_text(files.write_toy(_folder), encoding="utf-8")
    os.chdir(_folder)
    for config in (files.CONFIG, files.MEASURED, files.REGRESSION) if kind == "run" else ():
        (_folder / "mutant.yaml").write_text(config, encoding="utf-8")
        CliRunner().invoke(main, ["run", "mutant.yaml", "--jobs", "0"])


def tried(kind: str, seed: int, fresh: bool) -> tuple[str, Outcome]:
    """Return the outcome of a mutant with its name; what must not be is kept in a folder."""
    outcome = attempt(kind, seed, _folder, fresh=fresh)
    if outcome.failed:
        kept = Path(tempfile.gettempdir(), "stress-failures", f"{kind}-{seed}")
        shutil.copytree(_folder, kept, dirs_exist_ok=True)
        (kept / "details.txt").write_text(outcome.details, errors="replace", encoding="utf-8")
    return f"{kind} {seed}", outcome


class _TooSlowError(BaseException):
    """Raised by the alarm; nothing in quadrepro catches it."""


def attempt(kind: str, seed: int, folder: Path, *, fresh: bool) -> Outcome:
    """Try a mutant.

    Parameters
    ----------
    kind : {"check", "run", "data"}
        What is mutated and called: a config or its card through ``check`` or ``run``, or a data
        file through ``init``.
    seed : int
        Names the mutant, which is the same on every call.
    folder : Path
        A folder with the toy data, for this process alone; it becomes the current one.
    fresh : bool
        Whether to start Python anew, as users do.
    """
    os.chdir(folder)
    words = prepare(kind, random.Random(f"{kind} {seed}"), folder)
    who = resource.RUSAGE_CHILDREN if fresh else resource.RUSAGE_SELF
    before = resource.getrusage(who)
    found = _fresh(words) if fresh else _in_process(words)
    after = resource.getrusage(who)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not found.failed and took > SECONDS:
        return Outcome("too slow", True, f"{took:.0f} s of a processor")
    if not found.failed and after.ru_maxrss > MEGABYTES * 1024:
        return Outcome("too large", True, f"{after.ru_maxrss // 1024} MB")
    return found


def prepare(kind: str, rng: random.Random, folder: Path) -> list[str]:
    """Write the files of a mutant, and return the words to call quadrepro with."""
    for made in ("results", "mutant.yaml"):
        path = folder / made
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    card = (folder / "card.yaml").read_text(encoding="utf-8")
    (folder / "datasets" / "toy.yaml").write_text(card, encoding="utf-8")
    if kind == "data":
        name, content = rng.choice([*files.data_files().items()])
        (folder / f"mutant{name[3:]}").write_bytes(mangled(content, rng))
        target = "label" if name.endswith(".svm") else "target"
        told = ["--target", target, "--force", "--name", "mutant", "--card-only"]
        return ["init", f"mutant{name[3:]}", *told]
    config = rng.choice([files.CONFIG, files.MEASURED, files.REGRESSION])
    if kind == "check" and rng.random() < 0.2:
        config = rng.choice(files.shipped_configs())
    huge = kind == "check"
    if rng.random() < 0.3:
        text = mutated(card, rng, huge=huge)
        (folder / "datasets" / "toy.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    else:
        config = mutated(config, rng, huge=huge)
    (folder / "mutant.yaml").write_bytes(config.encode("utf-8", "surrogatepass"))
    return [kind, "mutant.yaml", *(["--jobs", "1"] if kind == "run" else [])]


def _in_process(words: list[str]) -> Outcome:
    try:
        with _alarm():
            result = CliRunner().invoke(main, words)
    except _TooSlowError:
        return Outcome("no end", True, traceback.format_exc())
    if result.exit_code in CODES and isinstance(result.exception, SystemExit | None):
        return Outcome(f"exit {result.exit_code}", False, result.output)
    assert result.exc_info is not None
    return Outcome("traceback", True, "".join(traceback.format_exception(*result.exc_info)))


def _fresh(words: list[str]) -> Outcome:
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "quadrepro", *words],
            capture_output=True,
            env=files.environment(),
            timeout=SECONDS_ON_THE_CLOCK,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome("no end", True)
    said = ended.stderr.decode("utf-8", "replace")
    if ended.returncode not in CODES or "Traceback" in said:
        return Outcome("traceback", True, f"exit {ended.returncode}\n{said}")
    return Outcome(f"exit {ended.returncode}", False, said)


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(signum: int, frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS_ON_THE_CLOCK)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
