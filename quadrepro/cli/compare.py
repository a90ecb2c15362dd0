"""``quadrepro compare``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.showing import echo


@click.command("compare")
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path), required=False)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=1e-6,
    show_default=True,
    help="Largest relative difference of numbers that are not counts.",
)
@click.option(
    "--against",
    type=click.Choice(["printed"]),
    help="Compare with the printed numbers in place of another folder.",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --against printed: how many printed numbers must be inside our intervals.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where the results folder of a config lies.",
)
def command(
    ours: Path,
    theirs: Path | None,
    tolerance: float,
    against: str | None,
    at_least: int | None,
    out: Path,
) -> None:
    """Compare two results folders, or one with the printed numbers.

    Two folders of results folders can be compared as well. Words and counts must be the same, other
    numbers agree within the tolerance. Measured times and what the cells were computed with may
    differ. Exits with 4 if anything else differs.

    With --against printed, OURS is a results folder or the name of a config. It prints the verdicts
    on the printed tables, and exits with 4 if fewer than N numbers are inside.
    """
    if (against is None) == (theirs is None):
        raise click.UsageError("give two folders, or one and --against printed")
    if at_least is not None and against is None:
        raise click.UsageError("--at-least goes with --against printed")
    if theirs is None:
        _against_printed(ours, at_least, out)
    else:
        _two_folders(ours, theirs, tolerance)


def _two_folders(ours: Path, theirs: Path, tolerance: float) -> None:
    from quadrepro.errors import ToleranceError
    from quadrepro.results.compare import compare

    found = compare(ours, theirs, tolerance)
    for name, n_files in found.compared.items():
        echo(f"{name}: {n_files} files compared")
    if found.differences:
        raise ToleranceError("\n".join(found.differences))
    echo(
        f"{ours} and {theirs} agree: words and counts exactly, other numbers to a relative "
        f"tolerance of {tolerance:g}; measured times are left out"
    )


def _against_printed(ours: Path, at_least: int | None, out: Path) -> None:
    from quadrepro.errors import ToleranceError
    from quadrepro.results.folder import find_results
    from quadrepro.results.scoreboard import printed_scores

    folder, _ = find_results(str(ours), out)
    scores = printed_scores(folder)
    for score in scores:
        echo(score.text)
    inside = sum(score.inside for score in scores)
    if at_least is not None and inside < at_least:
        raise ToleranceError(
            f"{inside} printed numbers are inside our intervals, fewer than {at_least}"
        )
