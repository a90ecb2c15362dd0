"""``quadrepro explain``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option
from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_CELLS_MISSING


@click.command("explain")
@config_argument
@click.argument("row")
@click.argument("column")
@click.option("--repeat", type=click.IntRange(min=0), help="Only this repeat, from 0.")
@click.option("--recompute", is_flag=True, help="Compute the cells again and compare.")
@data_option
@out_option
@repeats_option
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    row: str,
    column: str,
    repeat: int | None,
    recompute: bool,
    data: Path | None,
    out: Path,
    repeats: int | None,
) -> None:
    """Trace an entry of a table back to its record.

    For the entry at ROW and COLUMN of the tables of CONFIG, the chain from its result to record,
    data, split, seed, code, packages, commit and machine is printed. With --recompute the cells are
    computed again, without their records; if a result differs, the exit code is 4.
    """
    from tabulate import tabulate

    from quadrepro.api import prepare, record_store
    from quadrepro.engine.run import local, records_of
    from quadrepro.engine.upkeep import result
    from quadrepro.errors import ToleranceError
    from quadrepro.tables.explanation import cells_of, explain

    plan = prepare(config, data=data, repeats=repeats, offline=True, check_data=False)
    store = record_store(out)
    cells = cells_of(plan, row, column, repeat)
    records = records_of(cells, store)
    for cell, record in zip(cells, records, strict=True):
        echo(tabulate([*explain(cell, record, store)], tablefmt="plain") + "\n")
    if not all(record.ok for record in records):
        ctx.exit(EXIT_CELLS_MISSING)
    if recompute:
        kept = {record.key: record for record in records}
        for again in local(1)(cell.ready() for cell in cells):
            if result(again) != result(kept[again.key]):
                raise ToleranceError(f"{store.path(again.key)}: computed again, the result differs")
        echo(f"computed again: {len(cells)} of {len(cells)} results are the same")
