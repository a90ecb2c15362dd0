"""``quadrepro audit``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import format_option
from quadrepro.cli.showing import echo


@click.command("audit")
@click.argument("paper")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write audit.md and audit.csv to.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder with results of the paper's configs, for the check of codings.",
)
@format_option
@click.option("--strict", is_flag=True, help="Exit with 4 if a check fails.")
def command(paper: str, out: Path | None, results: Path, form: str, strict: bool) -> None:
    """Check the printed tables of a paper by themselves.

    PAPER is a paper that ships with quadrepro, or a folder such as ./mypaper. The sizes of test
    sets come from cards and from the configs that paper.yaml names: nothing is computed, and no
    data are read.
    """
    from quadrepro.cli.showing import print_table
    from quadrepro.errors import ToleranceError
    from quadrepro.papers.paper import load_paper
    from quadrepro.tables.audit.report import audit
    from quadrepro.tables.terminal import on_terminal

    found = audit(load_paper(paper), results)
    if form == "auto" and on_terminal() and found.tables:
        for table in found.tables:
            print_table(table, form)
    else:
        echo(found.to_markdown(), nl=False)
    if out is not None:
        found.write(out)
    if strict and found.failures:
        n = len(found.failures)
        noun, verb = ("finding", "fails") if n == 1 else ("findings", "fail")
        raise ToleranceError(f"{n} {noun} of the audit of {paper} {verb}")
