"""``quadrepro check``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import config_argument, data_option, out_option, repeats_option
from quadrepro.cli.showing import echo


@click.command("check")
@config_argument
@data_option
@out_option
@repeats_option
def command(config: str, data: Path | None, out: Path, repeats: int | None) -> None:
    """Validate a config and its data, and print the plan.

    Nothing is computed. The time of the run is estimated from shipped times and from earlier runs
    with the same --out, for one worker per core. CONFIG is a YAML file, or the name of one that
    ships with quadrepro.
    """
    from quadrepro.api import prepare, record_store, workers
    from quadrepro.cli.showing import expected, print_listing, tell_of_code, warn_of_memory
    from quadrepro.engine.status import overview

    plan = prepare(config, data=data, repeats=repeats, offline=True)
    tell_of_code(plan.experiment)
    found = overview(plan.cells, record_store(out, read_only=True))
    rows = []
    for row, dataset in plan.datasets.items():
        n_train, n_valid, n_test = plan.sources[row].sizes
        rows.append((row, n_train, n_valid or "", n_test, dataset.origin))
    print_listing(("data set", "train", "validate", "test", "from"), rows)
    echo()
    first = {cell.algorithm: cell for cell in reversed(plan.cells)}
    settings = [
        (entry.name, first[entry.name].n_candidates, ", ".join(entry.searched) or "none")
        for entry in plan.experiment.config.columns
    ]
    print_listing(("algorithm", "candidates", "searched over"), settings)
    n_left = sum(line.n_missing for line in found.lines)
    text = f"\n{len(plan.cells)} cells, {len(plan.cells) - n_left} already computed"
    if n_left:
        jobs = workers(None, found.missing)
        text += f", {n_left} left{expected(found.forecast(jobs), jobs)}"
    echo(text)
    warn_of_memory(plan)
