"""``quadrepro overview``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.showing import echo


@click.command("overview")
@click.option(
    "--out",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder in which each experiment has a folder of its name.",
)
def command(out: Path) -> None:
    """Write the scoreboard of all results.

    It is README.md in their folder. It says per paper how many printed numbers lie inside our
    intervals and which claims hold, and links every table, figure and note.
    """
    from quadrepro.results.scoreboard import write_scoreboard

    echo(f"Scoreboard written to {write_scoreboard(out)}")
