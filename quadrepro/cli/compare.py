"""``quadrepro compare``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("compare")
@click.argument("ours", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("theirs", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=1e-6,
    show_default=True,
    help="Largest relative difference of numbers that are not counts.",
)
def command(ours: Path, theirs: Path, tolerance: float) -> None:
    """Compare two results folders, or two folders of them.

    Words and counts must be the same, other numbers agree within the tolerance. Measured times and
    what the cells were computed with may differ. Exits with 4 if anything else differs.
    """
    from quadrepro.errors import ToleranceError
    from quadrepro.report.compare import compare

    found = compare(ours, theirs, tolerance)
    for name, n_files in found.compared.items():
        click.echo(f"{name}: {n_files} files compared")
    if found.differences:
        raise ToleranceError("\n".join(found.differences))
    click.echo(
        f"{ours} and {theirs} agree: words and counts exactly, other numbers to a relative "
        f"tolerance of {tolerance:g}; measured times are left out"
    )
