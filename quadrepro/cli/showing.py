"""How verbs print tables, and how those that write them end: with an exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from quadrepro.base.text import few, visible
from quadrepro.errors import EXIT_CELLS_MISSING

if TYPE_CHECKING:
    from pathlib import Path

    from quadrepro.config.config import Experiment
    from quadrepro.config.plan import Plan
    from quadrepro.engine.records import Record
    from quadrepro.results.results import Results
    from quadrepro.tables.table import Table

SHOWN = 10
"""Number of cells without a result to name."""


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, in which control characters that others have put there are shown as escapes."""
    click.echo(visible(text), err=err, nl=nl)


def tell_of_code(experiment: Experiment) -> None:
    """Name the files in a config's folder that a run imports."""
    if files := experiment.code:
        echo(f"this config runs code: {few(files, SHOWN)}\n")


def warn_of_rows(plan: Plan) -> None:
    """Name rows that are not whole data sets, and those with a class of fewer rows than folds."""
    from quadrepro.engine.progress import tell

    if changed := plan.experiment.changed_rows:
        tell(f"these views use only some rows: {few(changed)}")
    for warning in plan.experiment.small_classes[:SHOWN]:
        tell(f"warning: {warning}")


def failure(row: str, column: str, repeat: int, record: Record) -> str:
    """Return in one line which cell has no result, and why."""
    return f"{row}, {column}, repeat {repeat}: {record.status}: {record.reason or 'not computed'}"


def print_table(table: Table, form: str, label: str = "") -> None:
    """Print a table in the format of ``--format``, in LaTeX with a label."""
    from quadrepro.tables.terminal import columns, on_terminal, table_text

    if form == "auto" and on_terminal():
        # Its texts are escaped already; a terminal needs the codes of its colours.
        click.echo(table_text(table, columns(), colour=True) + "\n")
    else:
        echo(table.to_latex(label) if form == "latex" else table.to_markdown())


def print_listing(
    header: Sequence[str], rows: Iterable[Sequence[object]], dispensable: Sequence[str] = ()
) -> None:
    """Print rows of words, folded to the width of the terminal."""
    from quadrepro.tables.terminal import columns, listing_text

    words = [[str(value) for value in row] for row in rows]
    echo(listing_text(header, words, columns(), dispensable))


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
    """Print the cells without a result, and return the exit code."""
    assert results.outcomes is not None
    records = results.outcomes.records
    bad = [(cell, record) for cell, record in records.items() if not record.ok]
    for cell, record in bad[:SHOWN]:
        echo(failure(*cell, record), err=True)
    if not bad:
        return 0
    cells = results.folder / "cells.csv"
    more = f", the first {SHOWN} above; {cells} names all" if len(bad) > SHOWN else ""
    echo(f"{len(bad)} of {len(records)} cells have no result{more}", err=True)
    if tried := sorted({record.status for _, record in bad} - {"missing"}):
        echo(f"compute them again with --retry {','.join(tried)}", err=True)
    return EXIT_CELLS_MISSING


def report_of(results: Results) -> Path | None:
    """Write the HTML page of results and return it; a fault is told, for the results are there."""
    from quadrepro.engine.progress import tell

    try:
        return results.report()
    except Exception as error:
        tell(f"the report could not be written: {error}")
        return None
