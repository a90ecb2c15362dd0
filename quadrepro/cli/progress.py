"""Progress of a run: a bar on a terminal, a line now and then where output is piped."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from quadrepro.cli.common import duration

if TYPE_CHECKING:
    from rich.progress import Progress

    from quadrepro.config.plan import Cell
    from quadrepro.engine.records import Record

SECONDS_BETWEEN_LINES = 30.0


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
    """Counts finished cells and tells how long the rest will take.

    The remaining time weighs cells by their estimated cost, for they differ a thousandfold.

    Parameters
    ----------
    cells : list of Cell
        What will be computed.
    jobs : int
        Number of workers.
    """

    def __init__(self, cells: list[Cell], jobs: int) -> None:
        self._work = {cell.key: cell.seconds() for cell in cells}
        self._total = sum(self._work.values())
        self._n_cells = len(cells)
        self._jobs = jobs
        self._done_work = 0.0
        self._done_cells = 0

    def __enter__(self) -> Self:
        self._start = self._last_line = time.monotonic()
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.description}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
            )
            self._bar.start()
            text = self._text(self._total / self._jobs)
            self._task = self._bar.add_task(text, total=self._total)
        return self

    def __call__(self, cell: Cell, record: Record) -> None:
        """Count a finished cell."""
        self._done_cells += 1
        self._done_work += self._work[cell.key]
        now = time.monotonic()
        left = (now - self._start) / self._done_work * (self._total - self._done_work)
        text = self._text(left)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done_work, description=text)
        elif now - self._last_line >= SECONDS_BETWEEN_LINES or self._done_cells == self._n_cells:
            self._last_line = now
            click.echo(text, err=True)

    def _text(self, left: float) -> str:
        text = f"{self._done_cells}/{self._n_cells} cells"
        return text if self._done_cells == self._n_cells else f"{text}, about {duration(left)} left"
