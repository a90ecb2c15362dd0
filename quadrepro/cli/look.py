"""The verbs that look at results: table, explain and compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.base.resources import RESULTS, find_config
from quadrepro.base.text import tell
from quadrepro.cli.common import (
    PATH,
    Common,
    common_options,
    complete_configs,
    config_argument,
    echo,
    format_option,
    print_listing,
    show,
)
from quadrepro.errors import EXIT_CELLS_MISSING, ConfigError, QuadreproError, ToleranceError

if TYPE_CHECKING:
    from quadrepro.results.files import FigureFormat
    from quadrepro.results.results import Results

# What reads and writes results is imported by the commands, as pandas and numba are slow to import.


@click.command("table")
@click.argument("what", metavar="[CONFIG|FOLDER]...", nargs=-1, shell_complete=complete_configs)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Write all pages in --out [default: results], their index and the scoreboard.",
)
@format_option
@click.option(
    "--figures",
    type=click.Choice(("svg", "pdf")),
    default="svg",
    show_default=True,
    help="Format of the figures.",
)
@common_options
def table_command(
    what: tuple[str, ...],
    everything: bool,
    form: str,
    figures: FigureFormat,
    common: Common,
) -> int:
    """Write tables, pages and the scoreboard from what has been computed.

    Nothing is computed. The tables of each CONFIG are written from the records, and printed if it
    is the only one; its page is written if there is one already. Cells without a result are shown
    as dashes; if no cell has a result, nothing is written. A CONFIG is a YAML file, or the name of
    one that ships with quadrepro.

    Of a results FOLDER, the page is written, from the files of the folder alone. It is one file
    that needs no network. With --all, the pages of all folders in --out are written, with their
    index and README.md, the scoreboard. It shows how many printed numbers are inside our intervals
    and which claims hold.
    """
    if everything == bool(what):
        raise click.UsageError("give a config, a results folder, or --all")
    if everything:
        return _write_all(common.out or Path(RESULTS))
    alone = len(what) == 1
    return max(_write_tables(one, common, figures, form * alone) for one in what)


def _write_tables(config: str, common: Common, figures: FigureFormat, form: str) -> int:
    """Write the tables of a config from records, and return the exit code."""
    from quadrepro.results.files import write_results
    from quadrepro.results.run import PAGE

    if of_folder := _results_in(Path(config)):
        echo(of_folder.report().resolve().as_uri())
        return 0
    out = common.out_of(config)
    n_splits = _splits_of(_results_in(out / find_config(config).stem))
    plan, store = common.plan(config, check_data=False, repeats=n_splits), common.store(out)
    known = store.keys()
    if not any(cell.key in known for cell in plan.cells):
        tell(f"no cell of {config} has been computed in {store.folder}")
        return EXIT_CELLS_MISSING
    results = write_results(plan, store, out, figures)
    if (results.folder / PAGE).exists():
        results.report()
    return show(results, form)


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
    index, found = write_all(out)
    faults = {str(fault): fault for fault in found}
    try:
        echo(f"Scoreboard written to {write_scoreboard(out)}")
    except QuadreproError as fault:
        faults[str(fault)] = fault
    for text in faults:
        tell(f"error: {text}")
    echo(index.resolve().as_uri())
    return max((fault.exit_code for fault in faults.values()), default=0)


@click.command("explain")
@config_argument
@click.argument("row")
@click.argument("column")
@click.option("--recompute", is_flag=True, help="Compute the cells again, and compare the results.")
@common_options
def explain_command(config: str, row: str, column: str, recompute: bool, common: Common) -> int:
    """Show the splits, choices and records behind an entry of a table.

    For the entry at ROW and COLUMN of the tables of CONFIG: our risk and the printed one with its
    verdict, the grid, data, code and seeds, the result and the choice of every split, and with what
    they were computed. Without records, as in a fresh clone, results are those of the committed
    cells.csv. With --recompute, all cells of the entry are computed again, and compared.

    Exits with 4 if a result differs, and with 1 if a cell has no result. Nothing is written.
    """
    from tabulate import tabulate

    from quadrepro.results.explanation import explain

    out = common.found_in(config)
    results = _results_in(out / find_config(config).stem)
    plan = common.plan(config, check_data=False, repeats=_splits_of(results))
    found = explain(plan, row, column, common.store(out), results, recompute)
    echo(tabulate([*found.facts.items()], tablefmt="plain") + "\n")
    print_listing(("split", "result", "chosen", "seconds", "record"), found.splits)
    for facts in found.computed:
        echo("\n" + tabulate([*facts.items()], tablefmt="plain"))
    if found.note:
        echo(f"\n{found.note}")
    if found.differences:
        raise ToleranceError("\n".join(found.differences))
    if recompute and found.n_before:
        echo(f"\nComputed again: {found.n_before} of {found.n_before} results are the same")
    n_missing = len(found.splits) - found.n_results
    if n_missing:
        tell(f"{n_missing} of {len(found.splits)} cells have no result")
    return EXIT_CELLS_MISSING if n_missing else 0


@click.command("compare")
@click.argument("ours", type=PATH)
@click.argument("theirs", type=PATH)
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=1e-6,
    show_default=True,
    help="Largest relative difference of numbers that are not counts.",
)
def compare_command(ours: Path, theirs: Path, tolerance: float) -> None:
    """Compare two results folders.

    Two folders of results folders can be compared as well. Words and counts must be the same, other
    numbers agree within the tolerance. Measured times and what the cells were computed with may
    differ. Exits with 4 if anything else differs.
    """
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
