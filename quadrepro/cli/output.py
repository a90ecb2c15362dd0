"""Printing tables, listings and missing cells."""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from quadrepro.api import failure
from quadrepro.base.text import tell, visible
from quadrepro.errors import EXIT_CELLS_MISSING
from quadrepro.tables import render
from quadrepro.tables.render import on_terminal

if TYPE_CHECKING:
    from quadrepro.results.results import Results
    from quadrepro.tables.render import Table

SHOWN = 10
"""Maximum number of items that a message lists."""


def echo(text: str = "", *, nl: bool = True) -> None:
    """Print text; control characters, which untrusted files may hold, are shown as escapes."""
    click.echo(visible(text), nl=nl)


def print_table(table: Table, form: str, label: str = "") -> None:
    """Print a table in the format of ``--format``, in LaTeX with a label."""
    if form == "auto" and on_terminal():
        # Its texts are escaped already; a terminal needs the codes of its colours.
        click.echo(render.to_terminal(table, render.columns(), colour=True) + "\n")
    else:
        echo(render.to_latex(table, label) if form == "latex" else render.to_markdown(table))


def print_listing(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows of words, folded to the width of a terminal or the one that ``COLUMNS`` names."""
    # The whole of rich takes longer to import than most commands that need no listing.
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Grid
    from rich.text import Text

    width = render.columns() if on_terminal() or "COLUMNS" in os.environ else sys.maxsize
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.header_style = ""
    texts = [[Text(visible(str(word))) for word in row] for row in rows]
    for i, name in enumerate(header):
        words = [row[i] for row in texts]
        numbers = all(re.fullmatch(r"[-–+.\de]*", word.plain) for word in words)
        grid.add_column(name, overflow="fold", justify="right" if numbers else "left")
        # Names of rows are not broken where there is room for them.
        longest = max((word.cell_len for word in words), default=0)
        grid.columns[i].no_wrap = i == 0 and longest <= width // 2
    for row in texts:
        grid.add_row(*row)
    echo(render.drawn(grid, width))


def show(results: Results, form: str) -> int:
    """Print tables in a format, if any, and missing cells, and return the exit code.

    In LaTeX these are all tables, otherwise the first.
    """
    for name in [*results.made][: None if form == "latex" else bool(form)]:
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
    groups: dict[tuple[str, str], list[tuple[str, str, int]]] = defaultdict(list)
    for cell, record in bad.items():
        groups[cell[1], record.reason].append(cell)
    for cells in [*groups.values()][:SHOWN]:
        number = f" ({len(cells)} cells alike)" if len(cells) > 1 else ""
        row, column, repeat = cells[0]
        tell(f"{row}, {column}, repeat {repeat}: {failure(bad[cells[0]])}{number}")
    listed = results.folder / "cells.csv"
    tell(f"{len(bad)} of {len(records)} cells have no result; {listed} lists them")
    if {record.status for record in bad.values()} != {"missing"}:
        tell("recompute failed cells with --retry")
    return EXIT_CELLS_MISSING
