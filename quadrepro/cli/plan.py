"""``quadrepro plan``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option
from quadrepro.cli.showing import echo


@click.command("plan")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Show the number of cached and missing cells, and the time that these will take.

    Nothing is computed or written. Times are estimated from shipped ones and from earlier runs with
    the same --out: of each algorithm on one core, and of all missing cells on all cores.
    """
    from quadrepro.api import prepare, record_store, workers
    from quadrepro.cli.showing import expected, print_listing, tell_of_code
    from quadrepro.engine.progress import duration
    from quadrepro.engine.status import overview

    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    tell_of_code(plan.experiment)
    found = overview(plan.cells, record_store(out, read_only=True))
    rows = [
        (
            line.algorithm,
            line.n_cells,
            line.n_kept,
            len(line.failed),
            line.n_missing,
            "–" if line.seconds is None else duration(line.seconds) if line.n_missing else "",
        )
        for line in found.lines
    ]
    header = ("algorithm", "cells", "kept", "failed", "missing", "one core")
    print_listing(header, rows)
    missing = sum(line.n_missing for line in found.lines)
    text = f"\n{len(plan.cells)} cells, {missing} missing"
    if missing:
        jobs = workers(None, found.missing)
        text += expected(found.forecast(jobs), jobs)
    echo(text)
