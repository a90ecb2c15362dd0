"""The verbs that look at results: table, explain and compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.base.files import RESULTS, find_config
from quadrepro.base.text import tell
from quadrepro.cli import options
from quadrepro.cli.output import echo, print_listing, show
from quadrepro.errors import EXIT_CELLS_MISSING, ConfigError, QuadreproError, ToleranceError

if TYPE_CHECKING:
    from quadrepro.results.results import Results
    from quadrepro.results.writer import FigureFormat

FIGURES = click.Choice(("svg", "pdf"))

# Commands import the modules of results, as pandas and numba are slow to import.


@click.command("table")
@click.argument(
    "paths", metavar="[CONFIG|FOLDER]...", nargs=-1, shell_complete=options.complete_configs
)
@click.option("--all", "everything", is_flag=True, help="All pages in --out, and the scoreboard.")
@options.table_format
@click.option("--figures", type=FIGURES, default="svg", show_default=True, help="Figure format.")
@options.common
def table_command(
    paths: tuple[str, ...],
    everything: bool,
    form: str,
    figures: FigureFormat,
    common: options.Common,
) -> int:
    """Write tables, pages and the scoreboard from computed cells.

    Nothing is computed. The tables of each CONFIG are written from the records, and printed if it
    is the only one; its page is written if there is one already. Cells without a result are shown
    as dashes; if no cell has a result, nothing is written. A CONFIG is a YAML file, or the name of
    one that ships with quadrepro.

    For a results FOLDER, the page is written, from the files of the folder alone. It is one file
    that needs no network. With --all, the pages of all folders in --out, by default results, are
    written, with their index and README.md, the scoreboard, which shows how many printed numbers
    are inside our intervals and which claims hold.
    """
    if everything == bool(paths):
        raise click.UsageError("give a config, a results folder, or --all")
    if everything:
        return _write_all(common.out or Path(RESULTS))
    return max(_write(path, common, figures, form if len(paths) == 1 else "") for path in paths)


def _write(path: str, common: options.Common, figures: FigureFormat, form: str) -> int:
    """Write the page of a folder, or the tables of a config, and return the exit code."""
    from quadrepro.results.run import PAGE
    from quadrepro.results.writer import write_results

    if results := _results_in(Path(path)):
        echo(results.report().resolve().as_uri())
        return 0
    out = common.out_of(path)
    n_splits = _splits_of(_results_in(out / find_config(path).stem))
    plan, store = common.plan(path, check_data=False, repeats=n_splits), common.store(out)
    if store.keys().isdisjoint(cell.key for cell in plan.cells):
        tell(f"no cell of {path} has been computed in {store.folder}")
        return EXIT_CELLS_MISSING
    written = write_results(plan, store, out, figures)
    if (written.folder / PAGE).exists():
        written.report()
    return show(written, form)


def _results_in(folder: Path) -> Results | None:
    """Return the results of a folder, or None if it has none."""
    from quadrepro.results.results import Results
    from quadrepro.results.run import MANIFEST

    return Results(folder) if (folder / MANIFEST).is_file() else None


def _splits_of(results: Results | None) -> int | None:
    """Return the number of splits of results, which --repeats may have set."""
    if results is None or results.cells.empty:
        return None
    return int(results.cells["repeat"].max()) + 1


def _write_all(out: Path) -> int:
    """Write all pages, their index and the scoreboard, and return the exit code."""
    from quadrepro.results.page import write_all
    from quadrepro.results.results import results_folders
    from quadrepro.results.scoreboard import write_scoreboard

    if not results_folders(out):
        raise ConfigError(f"{out} holds no results folder")
    index, errors = write_all(out)
    codes = {str(error): error.exit_code for error in errors}
    try:
        echo(f"Scoreboard written to {write_scoreboard(out)}")
    except QuadreproError as error:
        codes[str(error)] = error.exit_code
    for text in codes:
        tell(f"error: {text}")
    echo(index.resolve().as_uri())
    return max(codes.values(), default=0)


@click.command("explain")
@options.config
@click.argument("row")
@click.argument("column")
@click.option("--recompute", is_flag=True, help="Compute the cells again, and compare the results.")
@options.common
def explain_command(
    config: str, row: str, column: str, recompute: bool, common: options.Common
) -> int:
    """Show the splits, choices and records behind an entry of a table.

    For the entry at ROW and COLUMN of the tables of CONFIG: our risk and the printed one with its
    verdict, the grid, data, code and seeds, the result and the choice of every split, and the
    versions and the machine. Without records, as in a fresh clone, results are from the committed
    cells.csv. With --recompute, all cells of the entry are computed again, and compared.

    Exits with 4 if a result differs, and with 1 if a cell has no result. Nothing is written.
    """
    from tabulate import tabulate

    from quadrepro.results.explanation import explain

    out = common.results_of(config)
    results = _results_in(out / find_config(config).stem)
    plan = common.plan(config, check_data=False, repeats=_splits_of(results))
    explained = explain(plan, row, column, common.store(out), results, recompute)
    echo(tabulate([*explained.facts.items()], tablefmt="plain") + "\n")
    print_listing(("split", "result", "chosen", "seconds", "record"), explained.splits)
    for facts in explained.computed:
        echo("\n" + tabulate([*facts.items()], tablefmt="plain"))
    if explained.note:
        echo(f"\n{explained.note}")
    if explained.differences:
        raise ToleranceError("\n".join(explained.differences))
    if recompute and (n := explained.n_before):
        echo(f"\nComputed again: {n} of {n} results are the same")
    n_splits = len(explained.splits)
    if explained.n_results < n_splits:
        tell(f"{n_splits - explained.n_results} of {n_splits} cells have no result")
        return EXIT_CELLS_MISSING
    return 0


@click.command("compare")
@click.argument("ours", type=options.PATH)
@click.argument("theirs", type=options.PATH)
@click.option("--tolerance", default=1e-6, show_default=True, help="Relative, except for counts.")
def compare_command(ours: Path, theirs: Path, tolerance: float) -> None:
    """Compare two results folders.

    Two folders of results folders can be compared as well. Words and counts must be the same, other
    numbers agree within the tolerance. Measured times, versions and machines may differ. Exits with
    4 if anything else differs.
    """
    from quadrepro.results.compare import compare_folders

    comparison = compare_folders(ours, theirs, tolerance)
    for name, n_files in comparison.compared.items():
        echo(f"{name}: {n_files} files compared")
    if comparison.differences:
        raise ToleranceError("\n".join(comparison.differences))
    echo(
        f"{ours} and {theirs} agree: words and counts exactly, other numbers to a relative "
        f"tolerance of {tolerance:g}; measured times are left out"
    )
