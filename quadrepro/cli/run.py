"""``quadrepro run``."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self

import click

from quadrepro.cli.options import (
    config_argument,
    data_option,
    offline_option,
    out_option,
    repeats_option,
)
from quadrepro.errors import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from quadrepro.config.cell import Cell
    from quadrepro.engine.records import Record


@click.command("run")
@config_argument
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="number of cores",
    help="Worker processes.",
)
@data_option
@out_option
@repeats_option
@offline_option
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    jobs: int,
    data: Path | None,
    out: Path,
    repeats: int | None,
    offline: bool,
) -> None:
    """Compute an experiment and write its tables.

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Data sets that are not
    available locally are fetched. Cells that have been computed before are not computed again.
    """
    from quadrepro.cli.showing import show
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.run import compute, missing_cells
    from quadrepro.progress import FetchProgress, RunProgress, duration
    from quadrepro.reproduction import prepare, record_store, write

    plan = prepare(config, data=data, repeats=repeats, offline=offline, fetching=FetchProgress)
    store, estimates = record_store(out), Estimates()
    todo = missing_cells(plan.cells, store, estimates)
    seconds = estimates.total(todo)
    kept = len(plan.cells) - len(todo)
    click.echo(
        f"{plan.experiment.config.title}: {len(plan.cells)} cells, {kept} already computed"
        + (f", about {duration(seconds / jobs)} left" if todo and seconds is not None else ""),
        err=True,
    )
    try:
        with RunProgress(todo, jobs, estimates) as progress, _Interruption() as interruption:

            def listen(cell: Cell, record: Record) -> None:
                progress(cell, record)
                interruption.check()

            compute(todo, store, jobs, listen, estimates)
    except KeyboardInterrupt:
        again = shlex.join(["quadrepro", *sys.argv[1:]])
        left = len(missing_cells(plan.cells, store))
        click.echo(
            f"\ninterrupted: {len(plan.cells) - left} of {len(plan.cells)} cells are kept; "
            f"continue with: {again}",
            err=True,
        )
        ctx.exit(EXIT_INTERRUPTED)
    ctx.exit(show(write(plan, store, out)))


class _Interruption:
    """Ends a run at SIGINT and SIGTERM.

    An exception raised by a handler can be lost: numpy turns whatever is raised in a comparison
    into an error of its own, which then looks like a failed cell. So the signal is remembered.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __enter__(self) -> Self:
        self._came = False
        self._before = [signal.signal(one, self._handle) for one in self.SIGNALS]
        return self

    def __exit__(self, *_: object) -> None:
        for one, before in zip(self.SIGNALS, self._before, strict=True):
            signal.signal(one, before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came."""
        if self._came:
            raise KeyboardInterrupt

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        self._came = True
        raise KeyboardInterrupt
