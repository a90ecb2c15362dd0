"""``quadrepro table``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.common import (
    config_argument,
    data_option,
    out_option,
    prepare,
    record_store,
    repeats_option,
    report,
)


@click.command("table")
@config_argument
@data_option
@out_option
@repeats_option
@click.pass_context
def command(
    ctx: click.Context, config: str, data: Path | None, out: Path, repeats: int | None
) -> None:
    """Write the tables again from what has been computed.

    Nothing is computed; a cell without a result stands as a dash. CONFIG is a YAML file, or the
    name of one that ships with quadrepro.
    """
    ctx.exit(report(prepare(config, data, repeats), record_store(out), out))
