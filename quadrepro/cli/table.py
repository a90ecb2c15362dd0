"""``quadrepro table``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import (
    allow_missing_option,
    config_argument,
    data_option,
    format_option,
    out_option,
    repeats_option,
)
from quadrepro.errors import EXIT_CELLS_MISSING


@click.command("table")
@config_argument
@data_option
@out_option
@repeats_option
@allow_missing_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    data: Path | None,
    out: Path,
    repeats: int | None,
    allow_missing: bool,
    form: str,
) -> None:
    """Write the tables again from what has been computed.

    Nothing is computed, and cells without a result are shown as dashes. If no cell has a result,
    nothing is written. An HTML page of them is written again if there is one. CONFIG is a YAML
    file, or the name of one that ships with quadrepro.
    """
    from quadrepro.cli.showing import report_of, show
    from quadrepro.pages.page import PAGE
    from quadrepro.reproduction import prepare, record_store, write

    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    store = record_store(out)
    known = store.scan()
    if not any(cell.key in known for cell in plan.cells):
        click.echo(f"no cell of {config} has been computed in {store.folder}", err=True)
        ctx.exit(EXIT_CELLS_MISSING)
    results = write(plan, store, out, allow_missing)
    if (results.folder / PAGE).exists():
        report_of(results)
    ctx.exit(show(results, form))
