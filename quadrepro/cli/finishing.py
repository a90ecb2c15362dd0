"""Writing the results of each experiment as soon as its last cell is done, beside the computing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.config.plan import Plan
    from quadrepro.results import Results

Written = tuple["Results", "Path | None"]
"""The results of an experiment, and the HTML page if there is one."""


class Finishing:
    """Writes results in a thread of its own, one experiment after the other.

    Parameters
    ----------
    plans : sequence of Plan
        The experiments.
    missing : collection of str
        Keys of the cells that are to be computed.
    write : callable
        Writes the results of an experiment.
    beside : bool, default True
        Whether cells may go on in the meantime; not if this process computes them, whose memory a
        cell may limit.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        missing: Collection[str],
        write: Callable[[Plan], Written],
        beside: bool = True,
    ) -> None:
        keys = ({cell.key for cell in plan.cells}.intersection(missing) for plan in plans)
        self._waiting = list(zip(plans, keys, strict=True))
        self._write, self._beside = write, beside
        self._written: dict[str, Future[Written]] = {}

    def __enter__(self) -> Self:
        self._thread = ThreadPoolExecutor(1)
        self._write_what_is_done()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def done(self, cell: Cell) -> None:
        """Note that a cell is done."""
        for _, left in self._waiting:
            left.discard(cell.key)
        self._write_what_is_done()

    def result(self, plan: Plan) -> Written:
        """Wait until an experiment is written, and return its results or raise what went wrong."""
        return self._written[plan.experiment.name].result()

    def _write_what_is_done(self) -> None:
        for plan in [plan for plan, left in self._waiting if not left]:
            self._written[plan.experiment.name] = self._thread.submit(self._write, plan)
        self._waiting = [(plan, left) for plan, left in self._waiting if left]
        if not self._beside:
            wait(self._written.values())
