"""What several verbs share: options, printing, and how they end."""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from quadrepro.api import failure, prepare
from quadrepro.base.resources import (
    RECORDS,
    RESULTS,
    configs_folder,
    default_out,
    find_config,
    papers_folder,
)
from quadrepro.base.text import tell, visible
from quadrepro.errors import EXIT_CELLS_MISSING
from quadrepro.tables.render import (
    columns,
    drawn,
    on_terminal,
    to_latex,
    to_markdown,
    to_terminal,
)

if TYPE_CHECKING:
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import RecordStore
    from quadrepro.results.results import Results
    from quadrepro.tables.table import Table

SHOWN = 10
"""Maximum number of items that a message lists."""

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)

log = logging.getLogger("quadrepro")


def completing(*folders: Callable[[], Path]) -> Callable[..., list[CompletionItem]]:
    """Return a completion of names, or of files if no name begins like the word.

    YAML files that ship are named without their ending, and papers by their folder.
    """

    def complete(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
        paths = [path for folder in folders for path in folder().glob("*.yaml")]
        names = [path.stem if path.is_absolute() else path.name for path in paths]
        if papers_folder in folders:
            names += [path.parent.name for path in papers_folder().glob("*/paper.yaml")]
        items = [CompletionItem(name) for name in sorted(names) if name.startswith(begun)]
        return items or [CompletionItem(begun, type="file")]

    return complete


complete_configs = completing(configs_folder, Path)
config_argument = click.argument("config", shell_complete=complete_configs)
data_option = click.option(
    "--data",
    type=FOLDER,
    envvar="QUADREPRO_DATA",
    show_envvar=True,
    help="Folder of canonical CSV files.",
)


def _set_level(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        log.setLevel("WARNING" if param.name == "quiet" else "DEBUG")
    return value


quiet_option = click.option(
    *("--quiet", "-q"), is_flag=True, callback=_set_level, help="Show errors only."
)
verbose_option = click.option(
    *("--verbose", "-v"),
    is_flag=True,
    expose_value=False,
    callback=_set_level,
    help="Also show the source of rows, the files of the cache, and every cell.",
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    envvar="QUADREPRO_OFFLINE",
    show_envvar=True,
    help="Never use the network; list what is missing.",
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("auto", "markdown", "latex")),
    default="auto",
    show_default=True,
    help="auto draws tables on a terminal and prints Markdown elsewhere; latex prints all tables.",
)
out_option = click.option(
    "--out",
    type=FOLDER,
    envvar="QUADREPRO_OUT",
    show_envvar=True,
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


def echo(text: str = "", *, nl: bool = True) -> None:
    """Print text; control characters, which files of others may hold, are shown as escapes."""
    click.echo(visible(text), nl=nl)


def print_table(table: Table, form: str, label: str = "") -> None:
    """Print a table in the format of ``--format``, in LaTeX with a label."""
    if form == "auto" and on_terminal():
        # Its texts are escaped already; a terminal needs the codes of its colours.
        click.echo(to_terminal(table, columns(), colour=True) + "\n")
    else:
        echo(to_latex(table, label) if form == "latex" else to_markdown(table))


def print_listing(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows of words, folded to the width of a terminal or the one that ``COLUMNS`` names."""
    # The whole of rich takes longer to import than most commands that need no listing.
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    width = columns() if on_terminal() or "COLUMNS" in os.environ else sys.maxsize
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.header_style = ""
    texts = [[Text(visible(str(word))) for word in row] for row in rows]
    for i, name in enumerate(header):
        words = [row[i] for row in texts]
        numbers = all(re.fullmatch(r"[-–+.\de]*", word.plain) for word in words)
        grid.add_column(Text(name), overflow="fold", justify="right" if numbers else "left")
        # Names of rows are not broken where there is room for them.
        longest = max(word.cell_len for word in words) if words else 0
        grid.columns[i].no_wrap = i == 0 and longest <= width // 2
    for row in texts:
        grid.add_row(*row)
    echo(drawn(grid, width))


def show(results: Results, form: str) -> int:
    """Print tables in a format, if any, and what is missing, and return the exit code.

    In LaTeX these are all tables, otherwise the first.
    """
    tables = [*results.made] if form == "latex" else [*results.made][: bool(form)]
    for name in tables:
        print_table(results.made[name], form, f"tab:{results.folder.name}-{name}")
    echo(f"Tables written to {results.folder}")
    return missing_code(results)


def missing_code(results: Results) -> int:
    """Print the first cell of each algorithm and reason without a result; return the exit code."""
    assert results.outcomes is not None
    records = results.outcomes.records
    bad = {cell: record for cell, record in records.items() if not record.ok}
    if not bad:
        return 0
    alike: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for cell, record in bad.items():
        alike.setdefault((cell[1], record.reason), []).append(cell)
    for cells in [*alike.values()][:SHOWN]:
        many = f" ({len(cells)} cells alike)" if len(cells) > 1 else ""
        row, column, repeat = cells[0]
        tell(f"{row}, {column}, repeat {repeat}: {failure(bad[cells[0]])}{many}")
    listed = results.folder / "cells.csv"
    tell(f"{len(bad)} of {len(records)} cells have no result; {listed} lists them")
    if {record.status for record in bad.values()} != {"missing"}:
        tell("compute those that failed again with --retry")
    return EXIT_CELLS_MISSING
