"""``quadrepro infer``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from quadrepro.cli.options import (
    config_argument,
    data_option,
    format_option,
    out_option,
    repeats_option,
)
from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_CELLS_MISSING


@click.command("infer")
@config_argument
@data_option
@out_option
@repeats_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    data: Path | None,
    out: Path,
    repeats: int | None,
    form: str,
) -> None:
    """Rank readings of a protocol by how well they fit the printed numbers.

    CONFIG is a YAML file with `readings`, or the name of one that ships with quadrepro. Its tables
    of readings and of deviations are printed from what has been computed. Nothing is computed or
    written.
    """
    from quadrepro.api import infer, record_store
    from quadrepro.cli.showing import print_table

    tables, missing, total = infer(config, data=data, out=out, repeats=repeats)
    for table in tables:
        print_table(table, form)
    if missing:
        given = {"--data": data, "--out": out, "--repeats": repeats}
        options = [str(x) for pair in given.items() if pair[1] is not None for x in pair]
        echo(
            f"{missing} of {total} cells have no result in {record_store(out).folder}; compute "
            f"them with: {shlex.join(['quadrepro', 'run', config, *options])}",
            err=True,
        )
        ctx.exit(EXIT_CELLS_MISSING)
