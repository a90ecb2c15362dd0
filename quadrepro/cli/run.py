"""``quadrepro run``."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self

import click

from quadrepro.cli.options import (
    config_argument,
    data_option,
    number_of_bytes,
    offline_option,
    out_option,
    repeats_option,
    statuses,
)
from quadrepro.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.config.plan import Plan
    from quadrepro.engine.limits import Limits
    from quadrepro.engine.records import Record, Status


@click.command("run")
@config_argument
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    help="Worker processes; 0 computes in this one  [default: number of cores]",
)
@data_option
@out_option
@repeats_option
@offline_option
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds a cell.")
@click.option(
    "--memory", callback=number_of_bytes, metavar="SIZE", help="Memory a cell, as in 4GB (Linux)."
)
@click.option(
    "--retry",
    callback=statuses,
    default="",
    metavar="STATUS",
    help="Compute again what ended so before: failed, timeout, crashed, or several with commas.",
)
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    jobs: int | None,
    timeout: float | None,
    memory: int | None,
    retry: tuple[Status, ...],
    quiet: bool,
    data: Path | None,
    out: Path,
    repeats: int | None,
    offline: bool,
) -> None:
    """Compute an experiment and write its tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Data sets that are not
    available locally are fetched. Cells that have been computed before are not computed again.
    """
    from quadrepro.progress import FetchProgress
    from quadrepro.reproduction import limits_of, prepare

    with _Interruption() as interruption:
        try:
            plan = prepare(
                config, data=data, repeats=repeats, offline=offline, fetching=FetchProgress
            )
            code = _run(
                interruption, plan, out, jobs, limits_of(plan, timeout, memory), retry, quiet
            )
        except KeyboardInterrupt:
            interruption.tell()
            code = EXIT_INTERRUPTED
    ctx.exit(code)


def _run(
    interruption: _Interruption,
    plan: Plan,
    out: Path,
    jobs: int | None,
    limits: Limits,
    retry: Collection[Status],
    quiet: bool,
) -> int:
    from quadrepro.cli.showing import failure, show
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.run import compute, local, missing_cells
    from quadrepro.progress import RunProgress, duration, tell
    from quadrepro.reproduction import record_store, workers, write

    store, estimates = record_store(out, plan), Estimates()
    todo = missing_cells(plan.cells, store, estimates, retry)
    interruption.plan, interruption.out = plan, out
    jobs = workers(jobs, todo)
    seconds = estimates.total(todo)
    kept = len(plan.cells) - len(todo)
    tell(
        f"{plan.experiment.config.title}: {len(plan.cells)} cells, {kept} already computed"
        + (f", about {duration(seconds / max(1, jobs))} left" if todo and seconds else "")
    )
    with RunProgress(todo, jobs, estimates, quiet=quiet) as progress:

        def listen(cell: Cell, record: Record) -> None:
            progress(cell, record)
            if not record.ok:
                progress.tell(failure(cell.dataset, cell.algorithm, cell.repeat, record))
            interruption.check()

        compute(todo, store, local(jobs, limits), listen, estimates)
    return show(write(plan, store, out))


class _Interruption:
    """Ends a run at signals, once.

    An exception raised by a handler can be lost: numpy turns whatever is raised in a comparison
    into an error of its own, which then looks like a failed cell. So the signal is remembered. A
    second signal does not disturb the end that the first one began.

    Attributes
    ----------
    plan, out : Plan and Path, or None
        What is computed and where it is kept, once that is known.
    """

    NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

    plan: Plan | None = None
    out: Path | None = None

    def __enter__(self) -> Self:
        self._came = False
        signals = (getattr(signal, name) for name in self.NAMES if hasattr(signal, name))
        # What is ignored stays so: nohup is meant to outlive its terminal.
        self._before = {
            one: signal.signal(one, self._handle)
            for one in signals
            if signal.getsignal(one) is not signal.SIG_IGN
        }
        return self

    def __exit__(self, *_: object) -> None:
        for one, before in self._before.items():
            signal.signal(one, before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came."""
        if self._came:
            raise KeyboardInterrupt

    def tell(self) -> None:
        """Say what is kept and how to go on."""
        from quadrepro.engine.run import missing_cells
        from quadrepro.progress import tell
        from quadrepro.reproduction import record_store

        text = "interrupted"
        if self.plan is not None and self.out is not None:
            n_cells = len(self.plan.cells)
            left = len(missing_cells(self.plan.cells, record_store(self.out)))
            text += f": {n_cells - left} of {n_cells} cells are kept"
        tell(f"\n{text}; continue with: {shlex.join(['quadrepro', *sys.argv[1:]])}")

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if not self._came:
            self._came = True
            raise KeyboardInterrupt
