"""The verbs for numbers that papers print: audit and rank."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quadrepro.api import rank
from quadrepro.base.files import papers_folder
from quadrepro.base.text import tell
from quadrepro.cli import options
from quadrepro.cli.output import echo, print_table
from quadrepro.errors import ConfigError, ToleranceError
from quadrepro.tables.render import on_terminal

if TYPE_CHECKING:
    from quadrepro.papers.printed import Sample, Unit


def sizes_of(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, int] | str:
    """Return the number of test examples of each row in options such as heart=81,pima=384.

    A file of sizes is read; any other text is the name of a column.
    """
    if len(value) == 1 and "=" not in value[0]:
        from quadrepro.tables.audit.subject import read_sizes

        return read_sizes(Path(value[0])) if Path(value[0]).is_file() else value[0]
    sizes = {}
    for part in ",".join(value).split(",") if value else ():
        row, _, size = map(str.strip, part.rpartition("="))
        if not (row and size.isdecimal() and int(size)):
            raise click.BadParameter(f"{part!r} is not a row and a size, such as heart=81")
        sizes[row] = int(size)
    return sizes


def sample_of(ctx: click.Context, param: click.Parameter, value: str | None) -> Sample | None:
    """Return the repetitions in an option such as cv=10,repeats=5."""
    from quadrepro.papers.printed import Sample

    if value is None:
        return None
    parts = [part.partition("=") for part in value.replace(" ", "").split(",")]
    try:
        return Sample.model_validate({key: n or True for key, _, n in parts}, strict=False)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not one of splits=20, cv=10, cv=10,repeats=5, cv=10,pooled and runs=10"
        ) from None


ROWS = click.Choice(("datasets", "methods"))
TABLE_OPTIONS = (
    click.option("--page", type=click.IntRange(min=1), help="The page of a PDF."),
    click.option("--table", type=click.IntRange(min=1), help="Which table of the file."),
    click.option("--metric", default="", help="The metric, such as accuracy, error or auc."),
    click.option("--without", multiple=True, metavar="NAME", help="Leave out a column or row."),
    click.option("--methods", multiple=True, metavar="A,B,...", help="Names of the methods."),
    click.option("--rows", type=ROWS, help="Kind of the rows of the table."),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that state facts on a printed table."""
    return reduce(lambda decorated, option: option(decorated), TABLE_OPTIONS, command)


@click.command("audit")
@click.argument("paper", metavar="PAPER|FILE", shell_complete=options.completing(papers_folder))
@table_options
@click.option("--unit", type=click.Choice(("fraction", "percent")), help="Unit of the numbers.")
@click.option(
    *("--of", "sample"),
    callback=sample_of,
    metavar="splits=20|cv=10|runs=10",
    help="What each number is a mean of; splits=1 for single numbers.",
)
@click.option(
    "--n-test",
    multiple=True,
    callback=sizes_of,
    metavar="ROW=N,...|FILE|COLUMN",
    help="Numbers of test examples: heart=81,pima=384, a file of them, or a column of the table.",
)
@click.option("--draft", is_flag=True, help="Make a folder of the FILE that you can edit.")
@click.option("--out", type=options.FOLDER, help="Folder to write audit.md and audit.csv to.")
@options.table_format
@click.option("--strict", is_flag=True, help="Exit with 4 if a check fails.")
def audit_command(
    paper: str,
    unit: Unit | None,
    sample: Sample | None,
    n_test: dict[str, int] | str,
    draft: bool,
    out: Path | None,
    form: str,
    strict: bool,
    **choices: Any,
) -> None:
    """Check the printed tables of a paper by themselves.

    PAPER is a paper that ships with quadrepro, or a folder such as ./mypaper. The sizes of test
    sets are taken from cards and from the configs that its paper.yaml names: nothing is computed,
    and no data are read.

    FILE is a single table as it was published: Markdown, LaTeX, CSV, HTML, Excel, JSON, or a PDF
    with --page; - is standard input. --draft makes the folder of a paper from it, whose paper.yaml
    can state more.

    Example: quadrepro audit table2.tex --metric accuracy --of cv=10 --n-test n
    """
    from quadrepro.papers.paper import load_paper
    from quadrepro.reader import read_table
    from quadrepro.tables.audit import audit
    from quadrepro.tables.audit.subject import table_paper, write_draft

    file = Path(paper)
    if paper != "-" and (not file.is_file() or file.suffix == ".yaml"):
        if n_test or draft or unit or sample or any(choices.values()):
            raise click.UsageError(f"options for a table need a file, not {paper!r}")
        subject = load_paper(paper)
    else:
        sizes = n_test if isinstance(n_test, str) else ""
        table = read_table(file, sizes=sizes, **choices)
        tell(table.describe("checked one by one"))
        subject = table_paper(table, unit=unit, sample=sample, n_test=n_test)
    if draft:
        folder = Path(Path(table.path).stem)
        if folder.exists():
            raise ConfigError(f"{folder} exists: remove it, or call the file by another name")
        write_draft(subject, folder)
        again = shlex.join(["quadrepro", "audit", f"./{folder}"])
        echo(f"Wrote {folder}; edit its paper.yaml, then: {again}")
        return
    result = audit(subject)
    if form == "latex" or (form == "auto" and on_terminal()):
        for checks in result.tables:
            print_table(checks, form)
    else:
        echo(result.to_markdown(), nl=False)
    if out is not None:
        result.write(out)
    if strict and result.failures:
        raise ToleranceError(f"findings that fail in the audit of {paper}: {len(result.failures)}")


MISSING = click.Choice(("refuse", "rows", "methods", "worst"))


@click.command("rank")
@click.argument("scores", type=options.PATH)
@click.option("--higher-is-better/--lower-is-better", default=None, help="Which scores are best.")
@click.option("--control", metavar="METHOD", help="Compare the others with this method alone.")
@click.option("--rope", default=0.0, show_default=True, help="Largest immaterial difference.")
@click.option("--ratios", is_flag=True, help="Compare ratios: for RMSEs of different targets.")
@click.option(
    "--test-share", type=float, help="Share that each row, a split of one data set, tests."
)
@click.option("--alpha", default=0.05, show_default=True, help="Significance level.")
@click.option("--nemenyi", is_flag=True, help="Add Nemenyi's critical difference.")
@click.option("--missing", type=MISSING, default="refuse", help="Treatment of missing scores.")
@click.option("--drop-missing", "missing", flag_value="rows", help="Short for --missing rows.")
@table_options
@options.table_format
@click.option("--out", type=options.FOLDER, help="Folder for the tables and the diagram (.svg).")
def rank_command(scores: Path, form: str, out: Path | None, **options: Any) -> None:
    """Rank methods by a table of scores, and compare them.

    SCORES is a table as it was published: a README, LaTeX, CSV, HTML, Excel, JSON or PDF file, or -
    for standard input.
    One line shows how it was read; an unclear role is refused with the option that decides.
    --higher-is-better or --lower-is-better is needed unless the table or --metric names a metric.
    Missing scores are refused; or their rows or methods are left out, or they count as the worst of
    the row.

    Prints the methods, each with its difference from the best one, the pairs, and a sentence that
    sums them up. Everything is decided by one test: Wilcoxon's signed-rank test over data
    sets, or the corrected resampled t-test over splits, with Holm's correction.

    Example: quadrepro rank README.md --metric accuracy --control ours
    """
    ranked = rank(scores, **options)
    tell(ranked.read)
    for table in (ranked.table, ranked.pairs):
        print_table(table, form)
    echo(ranked.sentence)
    if out is not None:
        ranked.write(out)
        echo(f"Tables and diagram written to {out}")
