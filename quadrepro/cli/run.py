"""``quadrepro run``."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType

import click

from quadrepro.cli.common import (
    config_argument,
    data_option,
    duration,
    offline_option,
    out_option,
    prepare,
    record_store,
    repeats_option,
    report,
)
from quadrepro.errors import EXIT_INTERRUPTED


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

    CONFIG is a YAML file, or the name of one that ships with quadrepro. Data sets that are not here
    are fetched. Cells that were computed before are not computed again.
    """
    from quadrepro.cli.progress import RunProgress
    from quadrepro.engine.run import compute, missing_cells

    plan = prepare(config, data, repeats, offline=offline)
    store = record_store(out)
    todo = missing_cells(plan.cells, store)
    estimate = duration(sum(cell.seconds() for cell in todo) / jobs)
    kept = len(plan.cells) - len(todo)
    click.echo(
        f"{plan.experiment.config.title}: {len(plan.cells)} cells, {kept} already computed"
        + (f", about {estimate} with {jobs} job{'s' * (jobs > 1)}" if todo else ""),
        err=True,
    )
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with RunProgress(todo, jobs) as progress:
            compute(todo, store, jobs, progress)
    except KeyboardInterrupt:
        again = shlex.join(["quadrepro", *sys.argv[1:]])
        left = len(missing_cells(plan.cells, store))
        click.echo(
            f"\ninterrupted: {len(plan.cells) - left} of {len(plan.cells)} cells are kept; "
            f"go on with: {again}",
            err=True,
        )
        ctx.exit(EXIT_INTERRUPTED)
    ctx.exit(report(plan, store, out))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
