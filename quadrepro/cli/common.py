"""What several verbs share: options, printing, and how they end."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.table import Table as Grid
from rich.text import Text

from quadrepro.api import is_offline, prepare
from quadrepro.base.resources import RECORDS, RESULTS, default_out, find_config
from quadrepro.base.text import visible
from quadrepro.engine.progress import tell
from quadrepro.errors import EXIT_CELLS_MISSING
from quadrepro.tables.terminal import columns, drawn, on_terminal, table_text

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import Record, RecordStore
    from quadrepro.results.results import Results
    from quadrepro.tables.table import Table

SHOWN = 10
"""Number of cells without a result to name."""

PATH = click.Path(path_type=Path)

config_argument = click.argument("config")
data_option = click.option(
    "--data", type=PATH, help="Folder of canonical CSV files [default: $QUADREPRO_DATA]."
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    callback=lambda ctx, param, value: value or is_offline(),
    help="Never use the network; list what is missing [also: $QUADREPRO_OFFLINE=1].",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown", "latex")),
    default="auto",
    show_default=True,
    help="How tables are printed: drawn to the width of a terminal and Markdown elsewhere, always "
    "Markdown, or LaTeX, which prints all tables of an experiment.",
)
out_option = click.option(
    "--out",
    type=PATH,
    show_default="build for configs that ship, results for your own",
    help="Folder in which each experiment gets a folder of its name.",
)
repeats_option = click.option(
    "--repeats", type=click.IntRange(min=1), help="Number of splits, instead of the config's."
)


@dataclass(frozen=True)
class Common:
    """The options that verbs with a config share."""

    data: Path | None
    out: Path | None
    """None if the config decides; see `out_of` and `found_in`."""
    repeats: int | None

    def out_of(self, *configs: str | Path) -> Path:
        """Return the folder that results of some configs are written to."""
        return default_out(*configs) if self.out is None else self.out

    def found_in(self, config: str) -> Path:
        """Return the folder that holds results of a config: the committed one without a run."""
        out = self.out_of(config)
        name = find_config(config).stem
        return out if self.out is not None or (out / name).is_dir() else Path(RESULTS)

    def store(self, out: Path) -> RecordStore:
        """Return the store of records below a results folder."""
        # It imports what computes a cell.
        from quadrepro.engine.records import RecordStore

        return RecordStore(out / RECORDS)

    def plan(self, config: str, *, check_data: bool = True, repeats: int | None = None) -> Plan:
        """Return the plan of a config, without the network; --repeats counts before `repeats`."""
        repeats = self.repeats or repeats
        return prepare(config, data=self.data, repeats=repeats, offline=True, check_data=check_data)


def common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --data, --out and --repeats, which the command gets as `common`."""

    @functools.wraps(command)
    def with_common(data: Path | None, out: Path | None, repeats: int | None, **rest: Any) -> Any:
        return command(common=Common(data, out, repeats), **rest)

    for decorate in (repeats_option, out_option, data_option):
        with_common = decorate(with_common)
    return with_common


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text; control characters, which files of others may hold, are shown as escapes."""
    click.echo(visible(text), err=err, nl=nl)


def failure(row: str, column: str, repeat: int, record: Record) -> str:
    """Return in one line which cell has no result, and why."""
    return f"{row}, {column}, repeat {repeat}: {record.status}: {record.reason or 'not computed'}"


def print_table(table: Table, form: str, label: str = "") -> None:
    """Print a table in the format of ``--format``, in LaTeX with a label."""
    if form == "auto" and on_terminal():
        # Its texts are escaped already; a terminal needs the codes of its colours.
        click.echo(table_text(table, columns(), colour=True) + "\n")
    else:
        echo(table.to_latex(label) if form == "latex" else table.to_markdown())


def print_listing(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows of words, folded to the width of the terminal."""
    echo(listing_text(header, rows, columns()))


def listing_text(header: Sequence[str], rows: Iterable[Sequence[object]], width: int) -> str:
    """Return rows of words as text."""
    listed = [[visible(str(word)) for word in row] for row in rows]
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.header_style = ""
    for i, name in enumerate(header):
        words = [row[i] for row in listed]
        numbers = all(re.fullmatch(r"[-–+.\de]*", word) for word in words)
        justify: JustifyMethod = "right" if numbers else "left"
        # Names of rows are not broken where there is room for them.
        whole = i == 0 and max(map(cell_len, (name, *words))) <= width // 2
        grid.add_column(Text(name), overflow="fold", justify=justify, no_wrap=whole)
    for row in listed:
        grid.add_row(*map(Text, row))
    return drawn(grid, width)


def show(results: Results, form: str) -> int:
    """Print the first table and the cells without a result, and return the exit code."""
    tables = results.made if form == "latex" else [*results.made][:1]
    for name in tables:
        print_table(results.made[name], form, f"tab:{results.folder.name}-{name}")
    return tell_of_missing(results)


def tell_of_missing(results: Results) -> int:
    """Print the folder and what is missing, and return the exit code."""
    echo(f"Tables written to {results.folder}")
    return missing_code(results)


def missing_code(results: Results) -> int:
    """Print the first cell of each algorithm and reason without a result; return the exit code."""
    assert results.outcomes is not None
    records = results.outcomes.records
    bad = {cell: record for cell, record in records.items() if not record.ok}
    if not bad:
        return 0
    alike = Counter((cell[1], record.reason) for cell, record in bad.items())
    first = {(cell[1], record.reason): cell for cell, record in reversed(bad.items())}
    for what in [*alike][:SHOWN]:
        cell, n = first[what], alike[what]
        many = f" ({n} cells alike)" if n > 1 else ""
        echo(failure(*cell, bad[cell]) + many, err=True)
    listed = results.folder / "cells.csv"
    echo(f"{len(bad)} of {len(records)} cells have no result; {listed} lists them", err=True)
    if {record.status for record in bad.values()} != {"missing"}:
        echo("compute those that failed again with --retry", err=True)
    return EXIT_CELLS_MISSING


def report_of(results: Results) -> Path | None:
    """Write the HTML page of results and return it; if that fails, the results are still there."""
    try:
        return results.report()
    except Exception as error:
        tell(f"the report could not be written: {error}")
        return None
