"""Progress of long work: a bar on a terminal, and a line now and then if output is piped."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import time
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self, cast

from quadrepro.base.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress

    from quadrepro.core.cell import Cell
    from quadrepro.data.card import Card
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.records import Record

SECONDS_BETWEEN_LINES = 60.0
SECONDS_BETWEEN_UPDATES = 0.5

SHOWN = 3
"""How many running cells are named."""


def duration(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class RunProgress(TerminalBar):
    """Counts finished cells, names the running ones, and says how long the rest will take.

    The time left follows what cells take as this becomes known, and counts down between them; see
    `quadrepro.engine.estimates.Remaining`.

    Parameters
    ----------
    cells : list of Cell
        What will be computed.
    jobs : int
        Number of workers.
    estimates : Estimates
        Running times known so far; learns those of the cells that are done.
    quiet : bool, default False
        Show nothing but what `tell` is given.
    """

    def __init__(
        self, cells: list[Cell], jobs: int, estimates: Estimates, quiet: bool = False
    ) -> None:
        self._keys = {cell.key for cell in cells}
        self._n_cells = len(cells)
        self._cells, self._jobs, self._estimates = cells, jobs, estimates
        self._quiet = quiet
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        from quadrepro.engine.estimates import Remaining

        self._start = self._last_line = time.monotonic()
        self._left = Remaining(self._cells, self._jobs, self._estimates, self._start)
        if self._quiet or not self._keys:
            return self
        if _Terminal().isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.description}", markup=False),
                TimeElapsedColumn(),
                console=Console(file=cast(IO[str], _Terminal())),
            )
            self._bar.start()
            self._task = self._bar.add_task(self._text(), total=1.0)
        threading.Thread(target=self._keep_moving, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        with self._lock:
            super().__exit__(kind, error, trace)

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
        while not self._ended.wait(SECONDS_BETWEEN_UPDATES):
            self.show()

    def _show(self) -> None:
        now, ended = time.monotonic(), not self._keys
        if self._quiet or self._ended.is_set():
            return
        if self._bar is not None:
            elapsed, left = now - self._start, self._left.shown(now) or 0.0
            done = 1.0 if ended else elapsed / max(elapsed + left, 1e-9)
            self._bar.update(self._task, completed=done, description=self._text())
        elif ended or now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            tell(self._text())

    def _text(self) -> str:
        text = f"{self._n_cells - len(self._keys)}/{self._n_cells} cells"
        if self._keys and (left := self._left.shown(time.monotonic())) is not None:
            text += f", about {duration(left) if self._bar is None else countdown(left)} left"
        running = [f"{cell.dataset} {cell.algorithm}" for cell in self._left.running]
        if running:
            text += f"; running {', '.join(list(dict.fromkeys(running))[:SHOWN])}"
        return visible(text)


class FetchProgress(TerminalBar):
    """Shows the progress of downloads: a bar on a terminal, one line per data set in a pipe.

    Parameters
    ----------
    cards : list of Card
        What will be fetched.

    Attributes
    ----------
    n_done : int
        How many data sets have arrived.
    """

    def __init__(self, cards: list[Card]) -> None:
        self.n_done = 0
        self._name = ""
        self._arrived = 0
        self._last_line = time.monotonic()
        self._n_cards = len(cards)
        self._total = 0

    def __enter__(self) -> Self:
        if self._n_cards and _Terminal().isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TimeRemainingColumn(),
                console=Console(file=cast(IO[str], _Terminal())),
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def begin(self, card: Card) -> Self:
        """Begin a data set."""
        self._name = card.name
        self.reset()
        return self

    def end(self, card: Card, origin: str) -> None:
        """Count a data set that has arrived."""
        self.n_done += 1
        tell(f"{card.name}: fetched from {origin} ({self.n_done} of {self._n_cards})")

    @property
    def total(self) -> int:
        """Bytes of the current file, 0 if they are not known."""
        return self._total

    @total.setter
    def total(self, n: int) -> None:
        self._total = n
        if self._bar is not None:
            self._bar.update(self._task, total=n or None)

    def update(self, n: int) -> None:
        """Count bytes of the current file."""
        # pooch counts whole blocks, also for the last, shorter one.
        self._arrived = min(self._arrived + n, self._total or self._arrived + n)
        if self._bar is not None:
            self._bar.advance(self._task, n)
        elif time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            whole = f" of {self._total / 1e6:.1f}" if self._total else ""
            tell(f"{self._name}: {self._arrived / 1e6:.1f}{whole} MB")

    def reset(self) -> None:
        """Begin a file."""
        self._arrived = 0
        self._describe(f"{self._name} ({self.n_done + 1} of {self._n_cards})")

    def close(self) -> None:
        """End a file."""
        self._describe(f"{self._name}: reading and checking")

    def _describe(self, text: str) -> None:
        if self._bar is not None:
            self._bar.reset(self._task, description=text, total=None)
