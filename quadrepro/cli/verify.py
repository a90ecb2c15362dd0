"""``quadrepro verify``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option
from quadrepro.cli.showing import echo
from quadrepro.errors import EXIT_CELLS_MISSING

SHOWN = 20
"""How many faults are printed."""


@click.command("verify")
@config_argument
@click.argument("row", required=False)
@click.argument("column", required=False)
@click.option("--repeat", type=click.IntRange(min=0), help="Only this repeat, from 0.")
@click.option("--all", "everything", is_flag=True, help="Check all cells and all rounds.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of the sample.")
@data_option
@out_option
@repeats_option
@click.pass_context
def command(
    ctx: click.Context,
    config: str,
    row: str | None,
    column: str | None,
    repeat: int | None,
    everything: bool,
    seed: int,
    data: Path | None,
    out: Path,
    repeats: int | None,
) -> None:
    """Re-check results with independent code.

    The chosen candidate of a cell is trained once more. Picks, weights and objectives are then
    checked against the definitions of its paper, solutions of programs by a bound on the optimum,
    and the outcomes in the record from voters that are evaluated afresh. A sample of the cells is
    checked, or the entry at ROW and COLUMN. Exits with 4 if something does not hold, and with 1 if
    a cell has no result. Nothing is written.
    """
    from quadrepro.api import prepare, record_store
    from quadrepro.cli.showing import print_listing
    from quadrepro.errors import ConfigError, ToleranceError
    from quadrepro.proof.verify import HEADERS, sample, survey, tolerances
    from quadrepro.tables.explanation import cells_of

    if (row is None) != (column is None) or (repeat is not None and row is None):
        raise ConfigError("an entry is given by its ROW and COLUMN; --repeat is for an entry")
    plan, store = prepare(config, data=data, repeats=repeats, offline=True), record_store(out)
    cells = plan.cells if row is None or column is None else cells_of(plan, row, column, repeat)
    records = {cell.key: record for cell in cells if (record := store.get(cell.key)) is not None}
    done = [cell for cell in cells if cell.key in records and records[cell.key].ok]
    checked = sample(done, seed) if row is None and not everything else done
    found = survey(checked, lambda cell: records[cell.key], None if everything else seed)
    lines = [line.line() for line in found]
    print_listing(HEADERS, [*lines, tolerances()])
    faults = [fault for line in found for fault in line.found.faults]
    if faults:
        more = [f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
        raise ToleranceError("\n".join([*faults[:SHOWN], *more]))
    if len(done) < len(cells):
        echo(f"{len(cells) - len(done)} of {len(cells)} cells have no result", err=True)
        ctx.exit(EXIT_CELLS_MISSING)
