"""Progress of long work: a bar on a terminal, and a line now and then if output is piped."""

from __future__ import annotations

import contextlib
import io
import math
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, Self, cast

from quadrepro.base.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from quadrepro.core.cell import Cell
    from quadrepro.data.card import Card
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.records import Record

SECONDS_BETWEEN_LINES = 60.0
SECONDS_BETWEEN_UPDATES = 0.5

CELLS_TO_TRUST = 10
"""Number of cells that are assumed to have had no overhead."""

OVERDUE = 0.1
"""Share of its time so far that a cell still takes if it takes longer than estimated."""

SMOOTH = 0.05
"""Share of the time left within which the shown time follows a new estimate."""

SHOWN = 3
"""Number of running cells that are named."""


def duration(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def about(seconds: float, factor: float) -> str:
    """Return an estimate in words with its range: "about 10 min (5 min to 20 min)"."""
    low, high = duration(seconds / factor), duration(seconds * factor)
    return f"about {duration(seconds)}" + (f" ({low} to {high})" if low != high else "")


def countdown(seconds: float) -> str:
    """Return a duration in words that change every second as long as that can matter."""
    left = max(1, round(seconds))
    if left < 90:
        return f"{left} s"
    if left < 5400:
        return f"{left // 60} min {left % 60:02} s"
    return f"{left // 3600} h {left % 3600 // 60:02} min"


def tell(text: str) -> None:
    """Print a line on standard error; a terminal that is gone does not end the work."""
    print(visible(text), file=_Terminal(), flush=True)


class _Terminal(io.TextIOBase):
    """Standard error, which may go away while work goes on."""

    def __init__(self) -> None:
        # A bar puts something else in its place.
        self._stream = sys.stderr

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def isatty(self) -> bool:
        with contextlib.suppress(OSError, ValueError):
            return self._stream.isatty()
        return False

    def fileno(self) -> int:
        return self._stream.fileno()


class TerminalBar:
    """A bar that a subclass may show while its block runs."""

    _bar: Progress | None = None

    def _add_bar(self, *columns: ProgressColumn | str, **task: Any) -> None:
        """Show a bar with a task."""
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(*columns, console=Console(file=cast(IO[str], _Terminal())))
        self._bar.start()
        self._task = self._bar.add_task(**task)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


class Remaining:
    """Remaining time of a run: the estimates of its cells, and the overhead per cell."""

    def __init__(self, cells: Iterable[Cell], jobs: int, estimates: Estimates, now: float) -> None:
        self._estimates, self._jobs = estimates, max(1, jobs)
        self._left: dict[str, list[Cell]] = {}
        for cell in cells:
            self._left.setdefault(estimates.row(cell), []).append(cell)
        self._sent: dict[str, Cell] = {}
        self._since: dict[str, float] = {}
        self._began = now
        self._done, self._busy = 0, 0.0
        self._shown: tuple[float, float] | None = None

    def sent(self, cell: Cell, now: float) -> None:
        """Note that a cell waits for a worker or runs."""
        self._sent[cell.key] = cell
        self._start_next(now)

    def done(self, cell: Cell, seconds: float, now: float) -> None:
        """Note that a cell ended, which a worker had for some seconds."""
        self._left[self._estimates.row(cell)].pop()
        if self._sent.pop(cell.key, None) is not None:
            if not self._done:
                # Until then workers started.
                self._began = now - seconds
            # Others may share the folder and compute some of the cells.
            self._done, self._busy = self._done + 1, self._busy + seconds
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

    def estimate(self, now: float) -> tuple[float, float] | None:
        """Return the time until the last cell ends and the factor that it may be off."""
        ran: dict[str, list[float]] = {}
        for key, since in self._since.items():
            ran.setdefault(self._estimates.row(self._sent[key]), []).append(now - since)
        total = longest = weighted = 0.0
        n_left = 0
        for row, cells in self._left.items():
            if not cells:
                continue
            if (found := self._estimates.seconds(cells[-1])) is None:
                return None
            so_far = ran.get(row, [])
            # One that takes longer than its row should shows that others may.
            seconds = max(found[0], *so_far, 0.0)
            n_waiting = max(len(cells) - len(so_far), 0)
            rest = [max(seconds - took, OVERDUE * took) for took in so_far]
            here = n_waiting * seconds + sum(rest)
            total, weighted, n_left = total + here, weighted + here * found[1], n_left + len(cells)
            longest = max(longest, *rest, seconds if n_waiting else 0.0)
        factor = weighted / total if total else 1.0
        return max((total + n_left * self._beside(ran, now)) / self._jobs, longest), factor

    def _beside(self, ran: Mapping[str, list[float]], now: float) -> float:
        """Return the time that a worker spends without a cell, for each cell."""
        busy = self._busy + sum(map(sum, ran.values()))
        idle = self._jobs * (now - self._began) - busy
        return max(idle, 0.0) / (self._done + CELLS_TO_TRUST) if self._done else 0.0

    def shown(self, now: float) -> tuple[float, float] | None:
        """Return the estimate as it is shown: it counts down, and follows changes smoothly."""
        found = self.estimate(now)
        if found is None:
            return None
        target, factor = found
        then, before = self._shown or (now, target)
        passed = now - then if self._sent or self._done else 0.0  # loops are compiled first
        end = max(before - passed, 0.0)
        weight = -math.expm1(-passed / max(2.0, SMOOTH * target))
        self._shown = now, end + weight * (target - end)
        return self._shown[1], factor


class RunProgress(TerminalBar):
    """Counts finished cells, names the running ones, and estimates the remaining time.

    `estimates` learns the times of cells that are done. If `quiet`, only `tell` shows anything.
    """

    def __init__(
        self, cells: list[Cell], jobs: int, estimates: Estimates, quiet: bool = False
    ) -> None:
        self._keys = {cell.key for cell in cells}
        self._n_cells = len(cells)
        self._start = self._last_line = time.monotonic()
        self._left = Remaining(cells, jobs, estimates, self._start)
        self._quiet = quiet
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        if self._quiet or not self._keys:
            return self
        if _Terminal().isatty():
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

            columns = BarColumn(), TextColumn("{task.description}", markup=False)
            self._add_bar(*columns, TimeElapsedColumn(), description=self._text(), total=1.0)
        threading.Thread(target=self._keep_moving, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        with self._lock:
            super().__exit__()

    def sent(self, cell: Cell) -> None:
        """Note that a cell waits for a worker or runs."""
        with self._lock:
            self._left.sent(cell, time.monotonic())

    def __call__(self, cell: Cell, record: Record) -> None:
        """Count a finished cell."""
        with self._lock:
            self._left.done(cell, record.took, time.monotonic())
            self._keys.discard(cell.key)
            if not self._keys:
                self._show()

    @property
    def n_left(self) -> int:
        """Number of cells that are not done."""
        return len(self._keys)

    def tell(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self._bar is None:
            tell(text)
            return
        with self._lock:
            self._bar.console.print(visible(text), markup=False, highlight=False, soft_wrap=True)

    def show(self) -> None:
        """Show how much is left, on a terminal or if the last line was a while ago."""
        with self._lock:
            self._show()

    def _keep_moving(self) -> None:
        # The last cell shows itself that all are done.
        while not self._ended.wait(SECONDS_BETWEEN_UPDATES) and self._keys:
            self.show()

    def _show(self) -> None:
        now, ended = time.monotonic(), not self._keys
        if self._quiet or self._ended.is_set():
            return
        if self._bar is not None:
            elapsed, (left, _) = now - self._start, self._left.shown(now) or (0.0, 1.0)
            done = 1.0 if ended else elapsed / max(elapsed + left, 1e-9)
            self._bar.update(self._task, completed=done, description=self._text())
        elif ended or now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            tell(self._text())

    def _text(self) -> str:
        text = f"{self._n_cells - len(self._keys)}/{self._n_cells} cells"
        if self._keys and (found := self._left.shown(time.monotonic())) is not None:
            seconds, factor = found
            left = about(seconds, factor) if self._bar is None else f"about {countdown(seconds)}"
            text += f", {left} left"
        running = [f"{cell.dataset} {cell.algorithm}" for cell in self._left.running]
        if running:
            text += f"; running {', '.join(list(dict.fromkeys(running))[:SHOWN])}"
        return visible(text)


class FetchProgress(TerminalBar):
    """Shows the progress of downloads: a bar on a terminal, one line per data set in a pipe."""

    def __init__(self, cards: list[Card]) -> None:
        self.n_done = 0  # data sets that have arrived
        self._name = ""
        self._arrived = 0
        self._last_line = time.monotonic()
        self._n_cards = len(cards)
        self._total = 0

    def __enter__(self) -> Self:
        if self._n_cards and _Terminal().isatty():
            from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn

            columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
            self._add_bar(*columns, TimeRemainingColumn(), description="", total=None)
        return self

    def begin(self, card: Card) -> Self:
        """Begin a data set."""
        self._name = card.name
        self.reset(0)
        return self

    def end(self, card: Card, origin: str) -> None:
        """Count a data set that has arrived."""
        self.n_done += 1
        tell(f"{card.name}: fetched from {origin} ({self.n_done} of {self._n_cards})")

    def reset(self, total: int) -> None:
        """Begin a file of some bytes, 0 if their number is unknown."""
        self._arrived, self._total = 0, total
        self._describe(f"{self._name} ({self.n_done + 1} of {self._n_cards})")

    def update(self, n: int) -> None:
        """Count bytes of the current file."""
        self._arrived += n
        if self._bar is not None:
            self._bar.advance(self._task, n)
        elif time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            whole = f" of {self._total / 1e6:.1f}" if self._total else ""
            tell(f"{self._name}: {self._arrived / 1e6:.1f}{whole} MB")

    def close(self) -> None:
        """End a file."""
        self._total = 0
        self._describe(f"{self._name}: reading and checking")

    def _describe(self, text: str) -> None:
        if self._bar is not None:
            self._bar.reset(self._task, description=text, total=self._total or None)
