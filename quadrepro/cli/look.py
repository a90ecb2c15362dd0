"""The verbs that look at results: table, explain and compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quadrepro.cli import options
from quadrepro.cli.options import Common
from quadrepro.cli.showing import (
    echo,
    report_of,
    show,
    tell_of_missing,
)
from quadrepro.errors import EXIT_CELLS_MISSING, ConfigError, QuadreproError, ToleranceError

if TYPE_CHECKING:
    from quadrepro.core.cell import Cell
    from quadrepro.engine.records import Record, RecordStore

FAULTS_SHOWN = 20
"""Number of faults that are printed."""


@click.command("table")
@click.argument("what", metavar="[CONFIG|FOLDER]...", nargs=-1)
@click.option("--page", is_flag=True, help="Write only the HTML page, from a results folder alone.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Write the pages of all results folders in --out, their index and the scoreboard.",
)
@options.allow_missing_option
@options.format_option
@options.common_options
@click.pass_context
def table_command(
    ctx: click.Context,
    what: tuple[str, ...],
    page: bool,
    everything: bool,
    allow_missing: bool,
    form: str,
    common: Common,
) -> None:
    """Write tables, pages and the scoreboard from what has been computed.

    Nothing is computed. The tables of each CONFIG are written from the records, and printed if it
    is the only one; its page is written if there is one already. Cells without a result are shown
    as dashes; if no cell has a result, nothing is written. A CONFIG is a YAML file, or the name of
    one that ships with quadrepro.

    With --page, only the page is written, from the files of a results folder: of that FOLDER, or of
    the one that CONFIG has in --out. It is one file that needs no network. With --all, the pages of
    all folders in --out are written, with their index and README.md, the scoreboard. It shows how
    many printed numbers are inside our intervals and which claims hold.
    """
    if everything == bool(what):
        raise click.UsageError("give a config, a results folder, or --all")
    if everything:
        ctx.exit(_write_all(common.out))
    if page:
        _write_pages(what, common.out)
        return
    ctx.exit(_write_tables(what, common, allow_missing, form))


def _write_tables(configs: Sequence[str], common: Common, allow_missing: bool, form: str) -> int:
    """Write tables from records, and return the exit code."""
    from quadrepro.api import write
    from quadrepro.results.folder import MANIFEST
    from quadrepro.results.pages.page import PAGE

    for config in configs:
        if (Path(config) / MANIFEST).is_file():
            raise ConfigError(f"{config} is a results folder: --page writes its page")
    code, store = 0, common.store(common.out)
    known = store.keys()
    for config in configs:
        plan = common.plan(config, check_data=False)
        if not any(cell.key in known for cell in plan.cells):
            echo(f"no cell of {config} has been computed in {store.folder}", err=True)
            code = EXIT_CELLS_MISSING
            continue
        results = write(plan, store, common.out, allow_missing)
        if (results.folder / PAGE).exists():
            report_of(results)
        code = max(code, tell_of_missing(results) if len(configs) > 1 else show(results, form))
    return code


def _write_pages(what: Sequence[str], out: Path) -> None:
    """Write the pages of some results folders."""
    from quadrepro.engine.progress import tell
    from quadrepro.results.folder import find_results
    from quadrepro.results.pages.index import write_report

    for one in what:
        page, unlisted = write_report(*find_results(one, out))
        for reason in unlisted:
            tell(reason)
        echo(page.resolve().as_uri())


def _write_all(out: Path) -> int:
    """Write all pages, their index and the scoreboard, and return the exit code."""
    from quadrepro.engine.progress import tell
    from quadrepro.results.folder import results_folders
    from quadrepro.results.pages.index import write_all
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
@options.config_argument
@click.argument("row", required=False)
@click.argument("column", required=False)
@click.option("--repeat", type=click.IntRange(min=0), help="Only this repeat, from 0.")
@click.option("--recompute", is_flag=True, help="Compute cells again, and compare the results.")
@click.option("--all", "everything", is_flag=True, help="Recompute all cells, not a sample.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample."
)
@options.common_options
def explain_command(
    config: str,
    row: str | None,
    column: str | None,
    repeat: int | None,
    recompute: bool,
    everything: bool,
    seed: int,
    common: Common,
) -> None:
    """Trace an entry of a table back to its record, and recompute results.

    For the entry at ROW and COLUMN of the tables of CONFIG, the chain from its result to record,
    data, split, seed, code, packages, commit and machine is printed. With --recompute, the cells of
    that entry are computed again, without their records, and the results are compared; without ROW
    and COLUMN a sample of the cells of every algorithm, or all of them.

    Exits with 4 if a result differs, and with 1 if a cell has no result. Nothing is written.
    """
    from quadrepro.tables.explanation import cells_of, sample

    if (row is None) != (column is None) or (repeat is not None and row is None):
        raise ConfigError("an entry is given by its ROW and COLUMN; --repeat is for an entry")
    if row is None and not recompute:
        raise click.UsageError("name the ROW and COLUMN of an entry, or add --recompute")
    plan, store = common.plan(config, check_data=False), common.store(common.out)
    cells = [*plan.cells] if row is None or column is None else cells_of(plan, row, column, repeat)
    kept = dict(zip((cell.key for cell in cells), store.of(cells), strict=True))
    if row is not None:
        _print_chain(cells, kept, store)
    done = [cell for cell in cells if kept[cell.key].ok]
    if recompute:
        _recompute(sample(done, seed) if row is None and not everything else done, kept, store)
    if len(done) < len(cells):
        echo(f"{len(cells) - len(done)} of {len(cells)} cells have no result", err=True)
        click.get_current_context().exit(EXIT_CELLS_MISSING)


def _print_chain(cells: Sequence[Cell], kept: Mapping[str, Record], store: RecordStore) -> None:
    """Print what the results of cells depend on."""
    from tabulate import tabulate

    from quadrepro.tables.explanation import explain

    for cell in cells:
        echo(tabulate([*explain(cell, kept[cell.key], store)], tablefmt="plain") + "\n")


def _recompute(cells: Sequence[Cell], kept: Mapping[str, Record], store: RecordStore) -> None:
    """Compute cells again, and refuse results that differ from their records."""
    from quadrepro.engine.worker import run_cell

    faults = [
        f"{store.path(again.key)}: computed again, the result differs"
        for again in map(run_cell, cells)
        if again.errors != kept[again.key].errors
    ]
    if faults:
        n_more = len(faults) - FAULTS_SHOWN
        more = [f"and {n_more} more"] if n_more > 0 else []
        raise ToleranceError("\n".join([*faults[:FAULTS_SHOWN], *more]))
    echo(f"computed again: {len(cells)} of {len(cells)} results are the same")


@click.command("compare")
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
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
