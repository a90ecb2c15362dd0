"""``quadrepro clean``."""

from __future__ import annotations

from pathlib import Path

import click

from quadrepro.cli.options import data_option, out_option
from quadrepro.cli.showing import echo


@click.command("clean")
@click.argument("configs", nargs=-1)
@data_option
@out_option
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def command(configs: tuple[str, ...], data: Path | None, out: Path, dry_run: bool) -> None:
    """Delete unused records.

    Damaged records that were set aside, files that were never finished, and claims of runs that
    ended are removed. If CONFIGS are given, records that none of them needs are removed as well.
    """
    from quadrepro.api import prepare, record_store
    from quadrepro.engine.upkeep import leftovers

    store = record_store(out)
    used = None
    if configs:
        plans = [prepare(config, data=data, offline=True, check_data=False) for config in configs]
        used = {cell.key for plan in plans for cell in plan.cells}
    size = n_files = 0
    for path in list(leftovers(store, used)):
        size += path.stat().st_size
        n_files += 1
        if not dry_run:
            path.unlink(missing_ok=True)
    verb = "would be removed" if dry_run else "removed"
    echo(f"{n_files} files, {size / 1e6:.1f} MB {verb} from {store.folder}")
