"""``quadrepro table``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import (
    allow_missing_option,
    data_option,
    format_option,
    out_option,
    repeats_option,
)
from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_CELLS_MISSING


@click.command("table")
@click.argument("configs", metavar="CONFIG...", nargs=-1, required=True)
@data_option
@out_option
@repeats_option
@allow_missing_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    configs: tuple[str, ...],
    data: Path | None,
    out: Path,
    repeats: int | None,
    allow_missing: bool,
    form: str,
) -> None:
    """Write the tables of an experiment again.

    Nothing is computed, and cells without a result are shown as dashes. If no cell has a result,
    nothing is written. An HTML page of them is written again if there is one. Each CONFIG is a YAML
    file, or the name of one that ships with quadrepro; of several the tables are not printed.
    """
    from quadrepro.api import prepare, record_store, write
    from quadrepro.cli.showing import report_of, show, tell_of_missing
    from quadrepro.results.pages.page import PAGE

    code, store = 0, record_store(out)
    known = store.scan()
    for config in configs:
        plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
        if not any(cell.key in known for cell in plan.cells):
            echo(f"no cell of {config} has been computed in {store.folder}", err=True)
            code = EXIT_CELLS_MISSING
            continue
        results = write(plan, store, out, allow_missing)
        if (results.folder / PAGE).exists():
            report_of(results)
        ended = tell_of_missing(results) if len(configs) > 1 else show(results, form)
        code = max(code, ended)
    ctx.exit(code)
