"""``quadrepro report``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import out_option
from quadrepro.cli.showing import echo


@click.command("report")
@click.argument("what", required=False, metavar="[CONFIG|FOLDER]")
@click.option("--all", "all_of_them", is_flag=True, help="Of all results folders.")
@out_option
@click.pass_context
def command(ctx: click.Context, what: str | None, all_of_them: bool, out: Path) -> None:
    """Write the HTML page of an experiment, and the index of all.

    The page is one file that needs no network. It is made from the files of a results folder
    alone: nothing is computed, and neither records nor data are read. Name that folder, or the
    config, whose results are in the folder given by --out.
    """
    from quadrepro.engine.progress import tell
    from quadrepro.errors import ConfigError
    from quadrepro.results.folder import find_results, results_folders
    from quadrepro.results.pages.index import write_all, write_report

    if (what is not None) == all_of_them:
        raise click.UsageError("give a config, a results folder, or --all")
    if what is not None:
        page, unlisted = write_report(*find_results(what, out))
        for reason in unlisted:
            tell(reason)
        echo(page.resolve().as_uri())
        return
    if not results_folders(out):
        raise ConfigError(f"{out} holds no results folder")
    index, faults = write_all(out)
    for fault in faults:
        tell(f"error: {fault}")
    echo(index.resolve().as_uri())
    ctx.exit(max((fault.exit_code for fault in faults), default=0))
