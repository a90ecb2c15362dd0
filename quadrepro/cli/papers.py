"""The verbs for numbers that papers print: audit and rank."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from quadrepro.api import rank
from quadrepro.cli.common import PATH, echo, format_option, print_table
from quadrepro.errors import ConfigError, ToleranceError
from quadrepro.tables.render import on_terminal


def sizes_of(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    """Return the number of test examples of each row in options such as heart=81,pima=384."""
    found = {}
    for part in (part for texts in value for part in texts.split(",")):
        row, _, size = part.rpartition("=")
        if not (row.strip() and size.strip().isdecimal() and int(size)):
            raise click.BadParameter(f"{part!r} is not a row and a size, such as heart=81")
        found[row.strip()] = int(size)
    return found


@click.command("audit")
@click.argument("paper", metavar="PAPER|FILE")
@click.option(
    "--n-test",
    multiple=True,
    callback=sizes_of,
    metavar="ROW=N,...",
    help="For a FILE: the number of test examples behind rows, such as heart=81,pima=384.",
)
@click.option("--draft", is_flag=True, help="For a FILE: make a folder of it that you can edit.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write audit.md and audit.csv to.",
)
@format_option
@click.option("--strict", is_flag=True, help="Exit with 4 if a check fails.")
def audit_command(
    paper: str, n_test: dict[str, int], draft: bool, out: Path | None, form: str, strict: bool
) -> None:
    """Check the printed tables of a paper by themselves.

    PAPER is a paper that ships with quadrepro, or a folder such as ./mypaper. The sizes of test
    sets come from cards and from the configs that its paper.yaml names: nothing is computed, and no
    data are read.

    FILE is a single table as text, with a column of row names and any separator. With --draft,
    it becomes the folder of a paper, whose paper.yaml can say more of it.
    """
    from quadrepro.papers.paper import load_paper
    from quadrepro.tables.audit import audit
    from quadrepro.tables.audit.draft import audit_table, draft_paper

    file = Path(paper)
    if not file.is_file() or file.suffix == ".yaml":
        if n_test or draft:
            raise click.UsageError(f"--n-test and --draft need a file, not {paper!r}")
        result = audit(load_paper(paper))
    elif draft:
        folder = Path(file.stem)
        if folder.exists():
            raise ConfigError(f"{folder} exists: remove it, or call the file by another name")
        draft_paper(file, folder, n_test)
        again = shlex.join(["quadrepro", "audit", f"./{folder}"])
        echo(f"Wrote {folder}; edit its paper.yaml, then: {again}")
        return
    else:
        result = audit_table(file, n_test)
    if form == "latex" or (form == "auto" and on_terminal()):
        for table in result.tables:
            print_table(table, form)
    else:
        echo(result.to_markdown(), nl=False)
    if out is not None:
        result.write(out)
    if strict and result.failures:
        raise ToleranceError(f"findings that fail in the audit of {paper}: {len(result.failures)}")


@click.command("rank")
@click.argument("scores", type=PATH)
@click.option(
    "--higher-is-better/--lower-is-better",
    default=None,
    help="Which scores are the best; one of the two is needed.",
)
@click.option("--control", metavar="METHOD", help="Compare the others with this method alone.")
@click.option(
    "--rope",
    type=float,
    default=0.0,
    show_default=True,
    help="Largest difference that does not matter.",
)
@click.option("--ratios", is_flag=True, help="Compare ratios: for RMSEs of different targets.")
@click.option(
    "--test-share",
    type=float,
    help="Rows are splits of one data set, which test this share of its examples.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--nemenyi", is_flag=True, help="Add Nemenyi's critical difference.")
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing score.")
@format_option
@click.option("--out", type=PATH, help="Folder for the tables (.md, .csv) and the diagram (.svg).")
def rank_command(scores: Path, form: str, out: Path | None, **options: Any) -> None:
    """Rank methods by a CSV file of scores, and compare them.

    The columns of SCORES are methods and its rows data sets, or splits of one; a first column
    that is not of numbers names the rows. Fields are separated by commas, semicolons, tabs or
    blanks.

    Prints the methods, each with its difference from the best one, the pairs, and a sentence that
    sums them up. Everything is decided by one test: Wilcoxon's signed-rank test over data
    sets, or the corrected resampled t-test over splits, with Holm's correction.

    Example: quadrepro rank scores.csv --higher-is-better --control ours
    """
    ranked = rank(scores, **options)
    for table in (ranked.table, ranked.pairs):
        print_table(table, form)
    echo(ranked.sentence)
    if out is not None:
        ranked.write(out)
        echo(f"Tables and diagram written to {out}")
