"""Estimates of running times from those that were measured before."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from quadrepro.base.files import MOST_OF_RECORD, read_bytes, write_bytes
from quadrepro.core.cell import Cell, Shared
from quadrepro.engine.records import Record
from quadrepro.engine.store import FAILED
from quadrepro.errors import DataError

SIZED = ("split", "sample")
"""What of a protocol the size of a cell says already."""

LONGEST_NAME = 100


@dataclass(frozen=True)
class Kind:
    """What tells how long a cell takes.

    Attributes
    ----------
    learner : str
        Class of the learner, and those of its settings that are words.
    how : str
        Hash of the settings, the shape of the grid and the protocol.
    exact : str
        Hash of these, of the view and of the split.
    size : float
        As in `quadrepro.core.cell.Cell`.
    """

    learner: str
    how: str
    exact: str
    size: float


def kind_of(content: Mapping[str, Any], size: float) -> Kind:
    """Return the kind of a cell with some content, or raise KeyError if that is no cell's."""
    settings, protocol = content["settings"], content["protocol"]
    learner = " ".join((content["algorithm"], *_words(settings)))[:LONGEST_NAME]
    rest = {name: value for name, value in protocol.items() if name not in SIZED}
    # By their values, grids that are drawn for every repeat would all differ.
    how = _hash((content["algorithm"], settings, rest, _shape(content.get("grid", ()))))
    return Kind(learner, how, _hash((how, content["view"], protocol)), size)


class Kinds:
    """The kinds of cells; what cells share is looked at once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Shared, float] | str, Kind] = {}

    def __call__(self, cell: Cell) -> Kind:
        """Return the kind of a cell."""
        drawn = "grid" in cell.own
        place = cell.key if drawn else (cell.shared, cell.size)
        if place not in self._found:
            fields = cell.shared.fields | cell.own if drawn else cell.shared.fields
            self._found[place] = kind_of(fields, cell.size)
        return self._found[place]


def _words(value: Any) -> Iterator[str]:
    """Yield the texts in nested settings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _words(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _words(part)


def _shape(axes: Any) -> Any:
    """Return the name, length and order of magnitude of every axis of one or several grids."""
    if axes and not isinstance(axes[0][0], str):
        return [_shape(grid) for grid in axes]
    return [(name, len(values), _magnitude(values)) for name, values in axes]


def _magnitude(values: Sequence[Any]) -> int | None:
    numbers = [v for v in values if isinstance(v, (int, float)) and v > 0]
    return round(math.log10(max(numbers))) if numbers else None


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


MOST_POINTS = 200
"""A line goes through no more points, evenly taken from all."""

ENOUGH_POINTS, ENOUGH_SPAN = 4, math.log(4)
"""How many sizes, and how far apart, tell the slope of a line; it is 1 otherwise."""

STEEPEST = 2.0
"""Of lines."""

SPREAD_OF_KIND, SPREAD_OF_LINE, SPREAD_OF_LEARNER = 0.15, 0.5, 0.8
"""Least deviation of the logarithm of a time that is known so well."""

SPREAD_BEYOND = 0.3
"""What the deviation grows by for each unit that the logarithm of a size leaves the known ones."""

WIDEST = 1.0
"""Of a deviation whose mean is used: beyond, a few large cells would be all that counts."""


@dataclass
class Seen:
    """Number and total time of some cells."""

    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Add the total time of cells."""
        self.count += count
        self.seconds += seconds

    @property
    def mean(self) -> float:
        """Mean time, above zero."""
        return max(self.seconds / self.count, 1e-6)


@dataclass(frozen=True)
class Line:
    """A line through the logarithms of sizes and times."""

    slope: float
    intercept: float
    spread: float
    first: float
    last: float

    @classmethod
    def through(cls, points: Mapping[float, float]) -> Line:
        """Return the line of Theil and Sen through times by size."""
        x, y = np.log(np.array(sorted((max(s, 1.0), t) for s, t in points.items()))).T
        if len(x) > MOST_POINTS:
            taken = np.linspace(0, len(x) - 1, MOST_POINTS).astype(int)
            x, y = x[taken], y[taken]
        slope = 1.0
        i, j = np.triu_indices(len(x), 1)
        apart = x[j] - x[i] > 1e-9
        if len(x) >= ENOUGH_POINTS and x[-1] - x[0] >= ENOUGH_SPAN:
            slopes = (y[j] - y[i])[apart] / (x[j] - x[i])[apart]
            slope = float(np.clip(np.median(slopes), 0.0, STEEPEST))
        rest = y - slope * x
        intercept = float(np.median(rest))
        spread = 1.4826 * float(np.median(np.abs(rest - intercept)))
        return cls(slope, intercept, spread, float(x[0]), float(x[-1]))

    def at(self, size: float) -> tuple[float, float]:
        """Return the logarithm of the time at a size, and its deviation."""
        x = math.log(max(size, 1.0))
        beyond = max(self.first - x, x - self.last, 0.0)
        return self.intercept + self.slope * x, self.spread + SPREAD_BEYOND * beyond


@dataclass
class _Group:
    """The kinds of one learner, or of one learner in one setting."""

    kinds: dict[Kind, None] = field(default_factory=dict)
    line: Line | None = None


@dataclass
class Estimates:
    """Estimates the running times of cells from those of finished ones.

    Attributes
    ----------
    version : int
        Raised by the first finished cell of a kind in this run.
    kind_of : callable
        Returns the kind of a cell.
    """

    version: int = 0
    kind_of: Kinds = field(default_factory=Kinds)
    _here: dict[Kind, Seen] = field(default_factory=dict)
    _before: dict[Kind, Seen] = field(default_factory=dict)
    _groups: dict[str, _Group] = field(default_factory=lambda: defaultdict(_Group))
    _cache: dict[Kind, tuple[float, float] | None] = field(default_factory=dict)
    _remembered: set[Kind] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def recall(self, known: Mapping[Kind, Seen]) -> None:
        """Take over what was learned before this run."""
        with self._lock:
            for kind, seen in known.items():
                self._before[kind] = seen
                self._note(kind)
            self.version += 1

    def remember(self, cell: Cell, seconds: float) -> None:
        """Add a cell that was done before this run, unless its kind was taken over."""
        kind = self.kind_of(cell)
        with self._lock:
            if kind not in self._before:
                self._before[kind] = Seen()
                self._remembered.add(kind)
                self.version += 1
            if kind in self._remembered:
                self._before[kind].add(seconds)
                self._note(kind)

    def recalled(self, kind: Kind) -> bool:
        """Whether a kind was taken over from what was learned before."""
        return kind in self._before and kind not in self._remembered

    @property
    def remembered(self) -> dict[Kind, Seen]:
        """The kinds that were remembered and not taken over."""
        return {kind: self._before[kind] for kind in self._remembered}

    def learn(self, cell: Cell, seconds: float) -> None:
        """Add the running time of a finished cell."""
        kind = self.kind_of(cell)
        with self._lock:
            if kind not in self._here:
                self._here[kind] = Seen()
                self.__dict__.pop("_pace", None)
                self.version += 1
            self._here[kind].add(seconds)
            self._note(kind)

    def knows(self, kind: Kind) -> bool:
        """Whether a cell of a kind was done."""
        return kind in self._here or kind in self._before

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimated time of a cell in seconds, None if its learner is unknown."""
        found = self.of_kind(self.kind_of(cell))
        return None if found is None else found[0]

    def of_kind(self, kind: Kind) -> tuple[float, float] | None:
        """Return the estimated time of a kind of cells, and the deviation of its logarithm."""
        with self._lock:
            if kind not in self._cache:
                self._cache[kind] = self._estimated(kind)
            return self._cache[kind]

    @property
    def rate(self) -> float | None:
        """Time by size of all cells together, None if nothing is known."""
        with self._lock:
            seen = self._here or self._before
            size = sum(max(kind.size, 1.0) * one.count for kind, one in seen.items())
            return sum(one.seconds for one in seen.values()) / size if size else None

    def _note(self, kind: Kind) -> None:
        for name in (kind.how, kind.learner):
            group = self._groups[name]
            group.kinds[kind] = None
            group.line = None
        self._cache.clear()

    def _estimated(self, kind: Kind) -> tuple[float, float] | None:
        for known, pace in ((self._here, 1.0), (self._before, self._pace)):
            if kind in known:
                return known[kind].mean * pace, SPREAD_OF_KIND
        for name, least in ((kind.how, SPREAD_OF_LINE), (kind.learner, SPREAD_OF_LEARNER)):
            if name in self._groups:
                log, spread = self._line(self._groups[name]).at(kind.size)
                spread = max(spread, least)
                # The mean of what is lognormal is above its median.
                return math.exp(log + min(spread, WIDEST) ** 2 / 2), spread
        return None

    def _line(self, group: _Group) -> Line:
        if group.line is None:
            here = {kind.size: self._here[kind].mean for kind in group.kinds if kind in self._here}
            before = {
                kind.size: self._before[kind].mean * self._pace
                for kind in group.kinds
                if kind in self._before
            }
            group.line = line = Line.through(before | here)
            if here and len(here) < len(before | here):
                # This run's own settings count: the line keeps its slope and goes through them.
                rests = [math.log(t) - line.slope * math.log(max(s, 1.0)) for s, t in here.items()]
                shift = float(np.median(rests)) - line.intercept
                shift *= len(rests) / (len(rests) + 1)
                first, last = line.first, line.last
                group.line = Line(line.slope, line.intercept + shift, line.spread, first, last)
        return group.line

    @cached_property
    def _pace(self) -> float:
        """How many times longer kinds take in this run than before."""
        both = [kind for kind in self._here if kind in self._before]
        if not both:
            return 1.0
        logs = [math.log(self._here[kind].mean / self._before[kind].mean) for kind in both]
        return math.exp(float(np.median(logs)) * len(logs) / (len(logs) + 1))


def longest_first(cells: Iterable[Cell], estimates: Estimates) -> Iterator[Cell]:
    """Yield every cell once, each time the longest one left by the current estimates.

    One cell of every kind that was never done comes before the others, those of unknown time first:
    so estimates are good early, and so is the news of an algorithm that fails. Experiments keep
    their order, so that the tables of the first are there early and few data are in memory.
    """

    def rank(kind: Kind) -> tuple[bool, float, float]:
        found = estimates.of_kind(kind)
        return kind in untried, math.inf if found is None else found[0], kind.size

    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        rest: dict[Kind, list[Cell]] = {}
        for cell in some:
            rest.setdefault(estimates.kind_of(cell), []).append(cell)
        untried = {kind for kind in rest if not estimates.knows(kind)}
        again, order = 0, list[Kind]()
        while rest:
            if estimates.version >= again or not order:
                order = sorted(rest, key=rank)
                # Of many kinds one more tells little of the others.
                again = estimates.version + 1 + len(order) // 20
            kind = order[-1]
            yield rest[kind].pop()
            first = kind in untried
            untried.discard(kind)
            if not rest[kind]:
                del rest[kind]
            if first or kind not in rest:
                order.pop()
            if first and not untried:
                again = 0


NAME = "times.json"

VERSION = 1
"""Raised when what the file says changes its meaning; a file of another version is made again."""

MOST_RECORDS = 2000
"""How many records are read if there is no summary: those whose keys come first."""

ENOUGH = 30
"""From this number of cells on, those that came before count half."""

CELLS_A_WORKER = 10
"""Minimum number of cells from which the time besides them is known."""

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
    """Return what a folder of records tells of the learners of some cells."""
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


PROBABLE = 1.28
"""Deviations within which four of five normal variables are."""

SECONDS_TO_TRUST = 5.0
"""After how long what workers got done counts as much as their number."""

OVERDUE = 0.1
"""Share of its time so far that a cell takes still, if it takes longer than it should."""

SMOOTH = 0.05
"""Share of the time left within which a shown end follows a new estimate."""


@dataclass(frozen=True)
class Forecast:
    """How long some cells will take.

    Attributes
    ----------
    seconds, low, high : float
        What is expected, and what four of five such runs take.
    unknown : tuple of str
        Algorithms without an estimate, whose cells are not counted.
    known : bool
        Whether all counted cells are of kinds that were done before.
    """

    seconds: float
    low: float
    high: float
    unknown: tuple[str, ...]
    known: bool


def forecast(cells: Iterable[Cell], estimates: Estimates, jobs: int, around: Around) -> Forecast:
    """Return how long cells will take on the clock."""
    jobs = max(1, jobs)
    beside = around.beside.mean if around.beside.count else 0.0
    total, longest = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    unknown: dict[str, None] = {}
    known = True
    for cell in cells:
        found = estimates.of_kind(kind := estimates.kind_of(cell))
        if found is None:
            unknown[cell.algorithm] = None
            continue
        known &= estimates.knows(kind)
        seconds, spread = found
        # Cells of a learner are misjudged together, so deviations do not cancel out.
        for i, deviations in enumerate((0.0, -PROBABLE, PROBABLE)):
            one = seconds * math.exp(deviations * spread) + beside
            total[i] += one
            longest[i] = max(longest[i], one)
    start = around.start.mean if around.start.count and total[0] else 0.0
    expected, low, high = (start + max(total[i] / jobs, longest[i]) for i in range(3))
    return Forecast(expected, low, high, tuple(unknown), known)


class Remaining:
    """How long a run goes on.

    The end follows from what is left and how fast workers have been. A cell that runs longer than
    it should takes a share of its time still, and the longest one is the least that is left. What
    is shown follows a new estimate little by little, so that it counts down.

    Parameters
    ----------
    cells : iterable of Cell
        What will be computed.
    jobs : int
        Number of workers.
    estimates : Estimates
        Running times known so far; learns those of the cells that are done.
    now : float
        When the run begins.
    """

    def __init__(self, cells: Iterable[Cell], jobs: int, estimates: Estimates, now: float) -> None:
        self._estimates = estimates
        self._jobs = max(1, jobs)
        self._kinds = Counter(map(estimates.kind_of, cells))
        self._sent: dict[str, Cell] = {}
        self._since: dict[str, float] = {}
        self._began = now
        self._done_seconds = 0.0
        self._shown: tuple[float, float] | None = None

    def sent(self, cell: Cell, now: float) -> None:
        """Note that a cell waits for a worker or runs."""
        self._sent[cell.key] = cell
        self._start_next(now)

    def done(self, cell: Cell, seconds: float, now: float) -> None:
        """Note that a cell ended, which a worker had for some seconds."""
        self._kinds[self._estimates.kind_of(cell)] -= 1
        if self._sent.pop(cell.key, None) is not None:
            # Others may share the folder and compute some of the cells.
            self._done_seconds += seconds
        self._since.pop(cell.key, None)
        self._start_next(now)

    @property
    def running(self) -> list[Cell]:
        """The cells that workers have: they take them in the order in which these are sent."""
        return [self._sent[key] for key in self._since]

    def _start_next(self, now: float) -> None:
        for key in self._sent:
            if len(self._since) >= self._jobs:
                break
            self._since.setdefault(key, now)

    def estimate(self, now: float) -> float | None:
        """Return the estimated time until the last cell ends, or None if nothing is known."""
        rate = self._estimates.rate
        if rate is None:
            return None
        times = {kind: self._seconds(kind, rate, now) for kind, n in self._kinds.items() if n > 0}
        ran: dict[Kind, float] = {}
        for key, since in self._since.items():
            kind = self._estimates.kind_of(self._sent[key])
            ran[kind] = max(ran.get(kind, 0.0), now - since)
        # One that takes longer than its kind should shows that others may.
        times |= {kind: max(times[kind], time) for kind, time in ran.items() if kind in times}
        total = sum(times[kind] * n for kind, n in self._kinds.items() if n > 0)
        longest = progress = 0.0
        waiting = Counter(self._kinds)
        for key, since in self._since.items():
            kind = self._estimates.kind_of(self._sent[key])
            took, waiting[kind] = now - since, waiting[kind] - 1
            left = max(times[kind] - took, OVERDUE * took)
            progress += times[kind] - left
            longest = max(longest, left)
        longest = max([longest, *(times[kind] for kind, n in waiting.items() if n > 0)])
        return max((total - progress) / self._workers(progress, now), longest)

    def shown(self, now: float) -> float | None:
        """Return the estimate as it is shown: it counts down, and follows changes smoothly."""
        target = self.estimate(now)
        if target is None:
            return None
        if self._shown is None:
            self._shown = now, target
            return target
        then, before = self._shown
        passed = now - then
        end = max(before - passed, 0.0)
        weight = -math.expm1(-passed / max(2.0, SMOOTH * target))
        self._shown = now, end + weight * (target - end)
        return self._shown[1]

    def _workers(self, progress: float, now: float) -> float:
        """Return how many seconds of cells get done in a second."""
        elapsed = now - self._began
        done = self._done_seconds + max(progress, 0.0)
        if not self._done_seconds:
            return self._jobs
        return (done + SECONDS_TO_TRUST * self._jobs) / (elapsed + SECONDS_TO_TRUST)

    def _seconds(self, kind: Kind, rate: float, now: float) -> float:
        found = self._estimates.of_kind(kind)
        return rate * max(kind.size, 1.0) if found is None else found[0]
