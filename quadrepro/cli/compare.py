"""``quadrepro compare``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("compare")
@click.argument("ours", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(exists=True, file_okay=False, path_type=Path))
def command(ours: Path, theirs: Path) -> None:
    """Compare the tables of two results folders.

    All tables must be the same, except for measured times. Exits with 4 if one differs.
    """
    from quadrepro.errors import ToleranceError
    from quadrepro.report.compare import differences

    found = differences(ours, theirs)
    if found:
        raise ToleranceError("\n".join(found))
    click.echo(f"{ours} and {theirs} agree, except for measured times")
