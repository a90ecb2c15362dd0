"""``quadrepro status``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option
from quadrepro.cli.showing import echo


@click.command("status")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Show which cells are done, have failed, and are running now.

    Nothing is computed or written, so it can be called at any time, also while a run goes on.
    """
    from quadrepro.api import prepare, record_store, workers
    from quadrepro.cli.showing import SHOWN, expected, failure, tell_of_code
    from quadrepro.engine.run import CLAIMS, records_of
    from quadrepro.engine.status import overview
    from quadrepro.engine.store import Claims

    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    tell_of_code(plan.experiment)
    store = record_store(out, read_only=True)
    found = overview(plan.cells, store)
    lines = found.lines
    echo(f"{plan.experiment.config.title}: {sum(line.n_cells for line in lines)} cells")
    echo(f"{sum(line.n_kept for line in lines)} done")
    bad = [cell for line in lines for cell in line.failed]
    echo(f"{len(bad)} without a result")
    for cell, record in zip(bad[:SHOWN], records_of(bad[:SHOWN], store), strict=True):
        echo(f"  {failure(cell.dataset, cell.algorithm, cell.repeat, record)}")
    if len(bad) > SHOWN:
        echo(f"  and {len(bad) - SHOWN} more")
    keys = {cell.key for cell in plan.cells}
    running = [claim for claim in Claims(store.folder / CLAIMS).current() if claim.key in keys]
    echo(f"{len(running)} running or next")
    for claim in running:
        echo(f"  {claim.cell}: since {claim.since}, process {claim.pid} on {claim.host}")
    left = sum(line.n_missing for line in lines)
    jobs = workers(None, found.missing)
    echo(f"{left} left{expected(found.forecast(jobs), jobs)}")
