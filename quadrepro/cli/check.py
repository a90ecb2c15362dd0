"""``quadrepro check``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option


@click.command("check")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Validate a config and its data, and print the plan.

    Nothing is computed. CONFIG is a YAML file, or the name of one that ships with quadrepro.
    """
    from quadrepro.cli.showing import print_listing, warn_of_memory
    from quadrepro.engine.estimates import Estimates
    from quadrepro.engine.run import missing_cells
    from quadrepro.progress import duration
    from quadrepro.reproduction import prepare, record_store

    plan = prepare(config, data=data, repeats=repeats, offline=True)
    estimates = Estimates()
    todo = missing_cells(plan.cells, record_store(out), estimates)
    rows = []
    for row, dataset in plan.datasets.items():
        n_train, n_valid, n_test = plan.sources[row].sizes
        rows.append((row, n_train, n_valid or "", n_test, dataset.origin))
    print_listing(("data set", "train", "validate", "test", "from"), rows)
    click.echo()
    settings = []
    for entry in plan.experiment.config.columns:
        cell = next(cell for cell in plan.cells if cell.algorithm == entry.name)
        settings.append((entry.name, cell.n_candidates, ", ".join(entry.searched) or "none"))
    print_listing(("algorithm", "candidates", "searched over"), settings)
    text = f"\n{len(plan.cells)} cells, {len(plan.cells) - len(todo)} already computed"
    seconds = estimates.total(todo)
    if todo and seconds is not None:
        text += f"; the rest takes about {duration(seconds)} on one core"
    elif todo:
        text += "; there is an estimate of the time once some are done"
    click.echo(text)
    warn_of_memory(plan)
