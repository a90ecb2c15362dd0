"""The verbs for numbers that papers print: audit and rank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quadrepro.api import rank
from quadrepro.cli.common import PATH, echo, format_option, print_table
from quadrepro.errors import ToleranceError
from quadrepro.papers.paper import load_paper
from quadrepro.tables.audit.report import audit
from quadrepro.tables.terminal import on_terminal


@click.command("audit")
@click.argument("paper")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write audit.md and audit.csv to.",
)
@format_option
@click.option("--strict", is_flag=True, help="Exit with 4 if a check fails.")
def audit_command(paper: str, out: Path | None, form: str, strict: bool) -> None:
    """Check the printed tables of a paper by themselves.

    PAPER is a paper that ships with quadrepro, or a folder such as ./mypaper. The sizes of test
    sets come from cards and from the configs that paper.yaml names: nothing is computed, and no
    data are read.
    """
    found = audit(load_paper(paper))
    if found.tables and (form == "latex" or (form == "auto" and on_terminal())):
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


@click.command("rank")
@click.argument("scores", type=PATH)
@click.option("--higher-is-better", is_flag=True, help="Scores are accuracies or the like.")
@click.option(
    "--rope",
    type=float,
    default=0.0,
    show_default=True,
    help="Scores that differ by no more than this are the same for all practical purposes.",
)
@click.option(
    "--test-share",
    type=float,
    help="Rows are resamples of one data set, which test this share of its examples.",
)
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing score.")
@format_option
@click.option("--out", type=PATH, help="Folder for ranking.md and .csv, and the diagram as .svg.")
def rank_command(scores: Path, form: str, out: Path | None, **options: Any) -> None:
    """Rank methods by a CSV file of scores, and compare every pair.

    The columns of SCORES are methods and its rows data sets, or resamples of one; a first column
    that is not of numbers names the rows. Fields are separated by commas, semicolons, tabs or
    blanks. Prints mean ranks, Friedman's test, and of each pair Nemenyi's test, the rank difference
    and Wilcoxon's test by Holm's method, the shift and the Bayesian signed-rank test.
    """
    found = rank(scores, **options)
    print_table(found.table, form)
    if out is not None:
        found.write(out)
        echo(f"Table and diagram written to {out}")
