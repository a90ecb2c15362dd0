"""Progress of long work: a bar on a terminal, and a line now and then if output is piped."""

from __future__ import annotations

import contextlib
import io
import math
import sys
import time
from collections.abc import Collection
from typing import IO, TYPE_CHECKING, Any, Self, cast

from quadrepro.base.text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from quadrepro.core.cell import Cell
    from quadrepro.engine.records import Record

SECONDS_BETWEEN_LINES = 60.0

SHOWN = 3
"""Number of running cells that are named."""


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

        self._bar = Progress(
            *columns,
            console=Console(file=cast(IO[str], _Terminal())),
            # A cell may take longer than the 30 seconds that rich looks back.
            speed_estimate_period=math.inf,
        )
        self._bar.start()
        self._task = self._bar.add_task(**task)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


class RunProgress(TerminalBar):
    """Counts finished cells and names the running ones.

    If `quiet`, only `tell` shows anything.
    """

    def __init__(self, cells: Collection[Cell], jobs: int, quiet: bool = False) -> None:
        self._n_cells, self._jobs, self._quiet = len(cells), max(1, jobs), quiet
        self._n_done = 0
        self._sent: dict[str, Cell] = {}
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if self._n_cells and not self._quiet and _Terminal().isatty():
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            text, times = TextColumn("{task.description}", markup=False), TimeElapsedColumn()
            columns = BarColumn(), text, times, TimeRemainingColumn()
            self._add_bar(*columns, description=self._text(), total=self._n_cells)
        return self

    def sent(self, cell: Cell) -> None:
        """Note that a cell waits for a worker or runs."""
        self._sent[cell.key] = cell
        self._show()

    def __call__(self, cell: Cell, record: Record) -> None:
        """Count a finished cell."""
        self._sent.pop(cell.key, None)
        self._n_done += 1
        self._show()

    def tell(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self._bar is None:
            tell(text)
        else:
            self._bar.console.print(visible(text), markup=False, highlight=False, soft_wrap=True)

    def _show(self) -> None:
        now, ended = time.monotonic(), self._n_done == self._n_cells
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_done, description=self._text())
        elif not self._quiet and (ended or now - self._last_line >= SECONDS_BETWEEN_LINES):
            self._last_line = now
            tell(self._text())

    def _text(self) -> str:
        text = f"{self._n_done}/{self._n_cells} cells"
        # Workers take cells in the order in which these are sent.
        running = [f"{c.dataset} {c.algorithm}" for c in [*self._sent.values()][: self._jobs]]
        if running:
            text += f"; running {', '.join(list(dict.fromkeys(running))[:SHOWN])}"
        return visible(text)
