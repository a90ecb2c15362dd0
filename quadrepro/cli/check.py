"""``quadrepro check``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.common import (
    config_argument,
    data_option,
    duration,
    out_option,
    prepare,
    record_store,
    repeats_option,
)


@click.command("check")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Validate a config and its data, and print the plan.

    Nothing is computed. CONFIG is a YAML file, or the name of one that ships with quadrepro.
    """
    from tabulate import tabulate

    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.run import missing_cells

    plan = prepare(config, data, repeats)
    estimates = Estimates()
    todo = missing_cells(plan.cells, record_store(out), estimates)
    rows = []
    for row, dataset in plan.datasets.items():
        first = next(cell for cell in plan.cells if cell.dataset == row)
        split = first.problem.split
        valid = "" if split.valid is None else len(split.valid)
        rows.append((row, len(split.train), valid, len(split.test), dataset.origin))
    click.echo(tabulate(rows, ("data set", "train", "validate", "test", "from"), "simple"))
    click.echo()
    settings = []
    for entry in plan.experiment.config.algorithms:
        grids = next(cell for cell in plan.cells if cell.algorithm == entry.name).grids
        searched = ", ".join((*entry.grid, *entry.draw)) or "none"
        settings.append((entry.name, sum(len(grid.candidates) for grid in grids), searched))
    click.echo(tabulate(settings, ("algorithm", "candidates", "searched over"), "simple"))
    text = f"\n{len(plan.cells)} cells, {len(plan.cells) - len(todo)} already computed"
    seconds = estimates.total(todo)
    if todo and seconds is not None:
        text += f"; the rest takes about {duration(seconds)} on one core"
    elif todo:
        text += "; the time they take is known when some are done"
    click.echo(text)
