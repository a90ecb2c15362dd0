"""Progress of a run on standard error: a bar on a terminal, and a line a minute elsewhere."""

from __future__ import annotations

import threading
from math import inf
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as Remaining

from quadrepro.base.text import tell, visible

SECONDS_BETWEEN_LINES = 60.0


class RunProgress:
    """Counts finished cells while its block runs.

    Parameters
    ----------
    n_cells : int
        The number of cells.
    quiet : bool, default False
        Only `tell` shows anything.
    """

    def __init__(self, n_cells: int, quiet: bool = False) -> None:
        # A cell may take longer than the 30 seconds that rich looks back.
        columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), Remaining()
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, speed_estimate_period=inf, transient=True)
        self._task = self._bar.add_task("cells", total=n_cells)
        self._shown = n_cells > 0 and not quiet
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        if self._shown and self._bar.console.is_terminal:
            self._bar.start()
        elif self._shown:
            threading.Thread(target=self._print_lines, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._bar.live.is_started:
            self._bar.stop()

    def advance(self) -> None:
        """Count a finished cell."""
        self._bar.advance(self._task)

    def tell(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        self._bar.console.print(visible(text), markup=False, highlight=False, soft_wrap=True)

    def _print_lines(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_LINES):
            [task] = self._bar.tasks
            rest = f", about {task.time_remaining:.0f} s left" if task.time_remaining else ""
            tell(f"{task.completed:.0f}/{task.total:.0f} cells{rest}")
