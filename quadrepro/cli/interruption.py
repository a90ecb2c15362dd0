"""How a run ends if it is told to, by Ctrl-C, a lost terminal or the system."""

from __future__ import annotations

import _thread
import shlex
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self

from quadrepro.engine.signals import ENDING

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.engine.records import Record
    from quadrepro.engine.run import Backend


class Interruption:
    """Ends a block at signals, once.

    An exception raised by a handler can be lost: numpy turns whatever is raised in a comparison
    into an error of its own, which then looks like a failed cell, and Python prints and ignores
    what is raised while it frees an object. So the signal is remembered, and one that was ignored
    is sent again. A second signal does not disturb the end that the first one began.

    Attributes
    ----------
    cells, out : sequence of Cell, and Path or None
        What is computed and where it is kept, once that is known.
    """

    cells: Sequence[Cell] = ()
    out: Path | None = None

    def __enter__(self) -> Self:
        self._came = False
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._ignored
        # What is ignored stays so: nohup is meant to outlive its terminal.
        self._before = {
            one: signal.signal(one, self._handle)
            for one in ENDING
            if signal.getsignal(one) is not signal.SIG_IGN
        }
        return self

    def __exit__(self, *_: object) -> None:
        for one, before in self._before.items():
            signal.signal(one, before)
        sys.unraisablehook = self._hook

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came."""
        if self._came:
            raise KeyboardInterrupt

    def guarded(self, backend: Backend) -> Backend:
        """Return a backend without records of cells that failed because of a signal."""

        def compute(cells: Iterable[Cell]) -> Generator[Record, None, None]:
            with closing(backend(cells)) as records:
                for record in records:
                    if not record.ok:
                        self.check()
                    yield record

        return compute

    def tell(self) -> None:
        """Say what is kept and how to go on."""
        from quadrepro.progress import tell
        from quadrepro.reproduction import record_store

        text = "interrupted"
        if self.out is not None:
            known = record_store(self.out).scan()
            kept = sum(cell.key in known for cell in self.cells)
            text += f": {kept} of {len(self.cells)} cells are kept"
        tell(f"\n{text}; continue with: {shlex.join(['quadrepro', *sys.argv[1:]])}")

    def _ignored(self, lost: sys.UnraisableHookArgs) -> None:
        """Send a signal again whose exception Python ignores; another one is printed as usual."""
        if self._came and issubclass(lost.exc_type, KeyboardInterrupt):
            self._came = False
            threading.Timer(0.01, _thread.interrupt_main).start()
        else:
            self._hook(lost)

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if not self._came:
            self._came = True
            raise KeyboardInterrupt
