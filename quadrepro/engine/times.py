"""The summary of running times beside the records, by kind of cell.

It tells what a record of any experiment in the folder took, without reading records. Several runs
may add to it. If it is missing or damaged, some of the records tell the same.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import astuple, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from quadrepro._files import MOST_OF_RECORD, read_bytes, write_bytes
from quadrepro.config.cell import Cell
from quadrepro.engine.estimates import Estimates, Seen
from quadrepro.engine.kinds import Kind, kind_of
from quadrepro.engine.records import Record
from quadrepro.engine.store import FAILED
from quadrepro.errors import DataError

NAME = "times.json"

VERSION = 1
"""Raised when what the file says changes its meaning; a file of another version is made again."""

MOST_RECORDS = 2000
"""How many records are read if there is no summary: those whose keys come first."""

ENOUGH = 30
"""From this number of cells on, those that came before count half."""

CELLS_A_WORKER = 10
"""From so many cells on, the time beside them is known."""

SECONDS_TO_WAIT = 10.0
"""For another run that writes."""


@dataclass
class Around:
    """What runs took beside their cells.

    Attributes
    ----------
    start : Seen
        Time until workers had begun, of runs.
    beside : Seen
        Time of a worker without a cell, of cells.
    """

    start: Seen = field(default_factory=Seen)
    beside: Seen = field(default_factory=Seen)


@dataclass
class Summary:
    """Running times by kind, and what runs took beside."""

    kinds: dict[Kind, Seen] = field(default_factory=dict)
    around: Around = field(default_factory=Around)


class RunClock:
    """Measures what a run takes beside its cells, as long as there is a cell for every worker.

    Parameters
    ----------
    jobs : int
        Number of workers.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._began = time.monotonic()
        self._start: float | None = None
        self._all_sent: float | None = None
        self._busy = 0.0
        self._count = 0

    def all_sent(self) -> None:
        """Note that no cell waits any more."""
        if self._all_sent is None:
            self._all_sent = time.monotonic()

    def done(self, seconds: float) -> None:
        """Note that a worker had a cell for some seconds, until now."""
        now = time.monotonic()
        if self._start is None:
            self._start = max(0.0, now - self._began - seconds)
        after = 0.0 if self._all_sent is None else now - self._all_sent
        self._busy += max(0.0, seconds - after)
        self._count += 1

    def found(self) -> tuple[float, float, int] | None:
        """Return the time until workers began, and that beside a number of cells."""
        if self._start is None:
            return None
        end = time.monotonic() if self._all_sent is None else self._all_sent
        if self._count < CELLS_A_WORKER * self._jobs:
            return self._start, 0.0, 0
        beside = self._jobs * max(0.0, end - self._began - self._start) - self._busy
        return self._start, max(0.0, beside), self._count


class Times:
    """The summary of a folder of records.

    Parameters
    ----------
    folder : Path
        The folder of records.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / NAME
        self._new = Summary()

    def read(self) -> Summary:
        """Return the summary; without a valid file, that of some of the records."""
        found = _read(self._path)
        return _from_records(self._folder) if found is None else found

    def note(self, kind: Kind, seconds: float, count: int = 1) -> None:
        """Add the total time of cells of a kind to what will be kept."""
        self._new.kinds.setdefault(kind, Seen()).add(seconds, count)

    def note_record(self, record: Record) -> None:
        """Add the cell of a record with a result, if its size is known."""
        if record.ok and record.size:
            with contextlib.suppress(KeyError, TypeError, IndexError):
                self.note(kind_of(record.content, record.size), record.took)

    def note_run(self, start: float, beside: float, n_cells: int) -> None:
        """Add what a run took beside its cells."""
        self._new.around.start.add(start)
        self._new.around.beside.add(beside, n_cells)

    def keep(self) -> None:
        """Add what was noted to the file, which a folder that cannot be written never gets."""
        new, self._new = self._new, Summary()
        if not new.kinds and not new.around.start.count:
            return
        with contextlib.suppress(OSError, Timeout):
            self._folder.mkdir(parents=True, exist_ok=True)
            with _locked(self._folder / f".{NAME}.lock"):
                known = _read(self._path)
                if known is None:
                    # What was noted is in records by now: these do not tell it again.
                    known = _from_records(self._folder, but=new.kinds)
                for kind, seen in new.kinds.items():
                    _add(known.kinds.setdefault(kind, Seen()), seen)
                _add(known.around.start, new.around.start)
                _add(known.around.beside, new.around.beside)
                write_bytes(self._path, _encode(known))


def recall(folder: Path, cells: Iterable[Cell]) -> tuple[Estimates, Around]:
    """Return what a folder of records tells of the learners of some cells.

    Parameters
    ----------
    folder : Path
        The folder of records; nothing is written.
    cells : iterable of Cell
        What estimates are wanted for.
    """
    estimates, summary = Estimates(), Times(folder).read()
    learners = {estimates.kind_of(cell).learner for cell in cells}
    estimates.recall({k: seen for k, seen in summary.kinds.items() if k.learner in learners})
    return estimates, summary.around


def _add(to: Seen, seen: Seen) -> None:
    # Machines and code change.
    if to.count > ENOUGH:
        share = ENOUGH / to.count
        to.count, to.seconds = ENOUGH, to.seconds * share
    to.add(seen.seconds, seen.count)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock, unless the file system has none."""
    lock = FileLock(path, timeout=SECONDS_TO_WAIT)
    try:
        lock.acquire()
    except NotImplementedError:
        yield
        return
    try:
        yield
    finally:
        # While it is held: a process that waits for it notices, and makes another one.
        with contextlib.suppress(OSError):
            path.unlink()
        lock.release()


def _encode(summary: Summary) -> bytes:
    kinds = [
        [*astuple(kind), seen.count, round(seen.seconds, 6)] for kind, seen in summary.kinds.items()
    ]
    kinds.sort()
    around = {name: astuple(getattr(summary.around, name)) for name in ("start", "beside")}
    lines = ",\n".join(json.dumps(kind, ensure_ascii=False) for kind in kinds)
    head = json.dumps({"version": VERSION, "around": around})[:-1]
    return f'{head}, "kinds": [\n{lines}\n]}}\n'.encode()


def _read(path: Path) -> Summary | None:
    """Return the summary in a file, or None if that is missing or damaged."""
    try:
        return _decode(read_bytes(path))
    except (DataError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        return None
    except RecursionError:
        return None


def _decode(raw: bytes) -> Summary:
    """Return the summary in a file, or raise an error of any kind."""
    content: Any = json.loads(raw)
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise ValueError("another version")
    kinds = {
        Kind(str(learner), str(how), str(exact), float(size)): _seen(*seen)
        for learner, how, exact, size, *seen in content["kinds"]
    }
    if not all(seen.count and 0 <= kind.size < math.inf for kind, seen in kinds.items()):
        raise ValueError("no cells, or no size")
    around = content.get("around", {})
    return Summary(kinds, Around(*(_seen(*around.get(n, (0, 0))) for n in ("start", "beside"))))


def _seen(count: Any, seconds: Any) -> Seen:
    seen = Seen(int(count), float(seconds))
    if seen.count < 0 or not 0 <= seen.seconds < math.inf:
        raise ValueError("no time")
    return seen


def _from_records(folder: Path, but: Collection[Kind] = ()) -> Summary:
    """Return what some records in a folder tell, unchecked, without some kinds of cells."""
    found = Summary()
    paths = (
        path
        for first in sorted(folder.glob("??"))
        for path in sorted(first.glob("*.json"))
        if not path.name.endswith(FAILED)
    )
    for path in islice(paths, MOST_RECORDS):
        with contextlib.suppress(
            DataError, ValueError, KeyError, TypeError, IndexError, RecursionError
        ):
            record = json.loads(read_bytes(path, MOST_OF_RECORD))["record"]
            if record["size"] > 0:
                kind = kind_of(record["content"], float(record["size"]))
                if kind not in but:
                    found.kinds.setdefault(kind, Seen()).add(record["busy"] or record["seconds"])
    return found
